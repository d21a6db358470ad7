//===- ContractPlan.cpp - Tiles and temporaries of a contraction ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region can be computed in pieces if every operation of it walks the cut
// dimension as the same dimension of its program. That is asked of the analysis
// that instruction selection uses.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ContractPlan.h"

#include "lpu/Conversion/LPUToLPUISA/MicroStages.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lpu;

static std::optional<MicroStages> analyze(Region &region) {
  std::string reason;
  Operation *culprit = nullptr;
  return MicroStages::analyze(region.front(), reason, culprit);
}

static Value getYielded(Region &region) {
  return region.front().getTerminator()->getOperand(0);
}

/// The result of `map` that is dimension `dim` alone, if no other result is a
/// function of it.
static std::optional<unsigned> getPosition(AffineMap map, unsigned dim) {
  std::optional<unsigned> found;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(dim)) {
      continue;
    }
    if (found || !isa<AffineDimExpr>(expr)) {
      return std::nullopt;
    }
    found = position;
  }
  return found;
}

std::optional<ContractCut> mlir::lpu::getCut(ContractOp op, unsigned dim) {
  ContractCut cut;
  cut.dim = dim;
  std::optional<unsigned> sumPosition = getPosition(op.getMapC(), dim);
  if (!sumPosition) {
    return std::nullopt;
  }
  cut.sumPosition = *sumPosition;
  cut.streamedPosition = getPosition(op.getMapB(), dim);
  if (op.hasEpilogue()) {
    std::optional<MicroStages> stages = analyze(op.getEpilogue());
    if (!stages || stages->hasReducedDimensions()) {
      return std::nullopt;
    }
    std::optional<unsigned> found =
        stages->getDomainDim(op.getEpilogue().getArgument(0), cut.sumPosition);
    if (!found) {
      return std::nullopt;
    }
    cut.epilogueDim = *found;
  }
  if (op.hasPrologue()) {
    std::optional<MicroStages> stages = analyze(op.getPrologue());
    if (!stages || stages->hasReducedDimensions() || !cut.streamedPosition) {
      return std::nullopt;
    }
    std::optional<unsigned> found = stages->getDomainDim(
        getYielded(op.getPrologue()), *cut.streamedPosition);
    if (!found) {
      return std::nullopt;
    }
    cut.prologueDim = *found;
  }
  return cut;
}

//===----------------------------------------------------------------------===//
// Where the sums lie
//===----------------------------------------------------------------------===//

/// The buffer that `memref` is a view of.
static Value getBuffer(Value memref) {
  while (Operation *def = memref.getDefiningOp()) {
    if (!isa<ViewLikeOpInterface, memref::TransposeOp>(def)) {
      break;
    }
    memref = def->getOperand(0);
  }
  return memref;
}

/// Positions of dimensions with more than one element.
static SmallVector<unsigned> getRealPositions(RankedTensorType type) {
  SmallVector<unsigned> positions;
  for (auto [position, size] : llvm::enumerate(type.getShape())) {
    if (size != 1) {
      positions.push_back(position);
    }
  }
  return positions;
}

bool mlir::lpu::mayUseDestination(ContractOp op) {
  if (!op.hasEpilogue()) {
    return true;
  }
  Value yielded = getYielded(op.getEpilogue());
  auto result = cast<RankedTensorType>(yielded.getType());
  RankedTensorType sums = op.getSumType();
  if (result.getElementType() != sums.getElementType()) {
    return false;
  }
  Value destination = getBuffer(op.getOuts());
  if (llvm::any_of(op.getEpilogueInputs(), [&](Value input) {
        return getBuffer(input) == destination;
      })) {
    return false;
  }
  SmallVector<unsigned> from = getRealPositions(sums);
  SmallVector<unsigned> to = getRealPositions(result);
  if (from.size() != to.size()) {
    return false;
  }
  BlockArgument argument = op.getEpilogue().getArgument(0);
  if (yielded == argument) {
    return true;
  }
  std::optional<MicroStages> stages = analyze(op.getEpilogue());
  if (!stages || stages->hasReducedDimensions()) {
    return false;
  }
  return llvm::all_of(llvm::zip(from, to), [&](auto pair) {
    auto [sum, written] = pair;
    std::optional<unsigned> dim = stages->getDomainDim(argument, sum);
    return dim && dim == stages->getDomainDim(yielded, written) &&
           sums.getDimSize(sum) == result.getDimSize(written);
  });
}

//===----------------------------------------------------------------------===//
// Decision
//===----------------------------------------------------------------------===//

/// Lane-cycles of a region, at least 1 for one that is there.
static int64_t getWork(Region &region, const ::lpu::MachineModel &machine) {
  std::optional<MicroStages> stages = analyze(region);
  int64_t work = stages ? stages->getWork(machine.vxeTranscendentalCycles) : 0;
  return std::max<int64_t>(work, 1);
}

TilingAttr mlir::lpu::chooseTiling(ContractOp op,
                                   const ::lpu::MachineModel &machine) {
  SmallVector<int64_t> domain = op.getDomainSizes();
  ContractDimensions dims = op.classify();
  auto product = [&](ArrayRef<unsigned> list) {
    int64_t size = 1;
    for (unsigned dim : list) {
      size *= domain[dim];
    }
    return size;
  };
  if (llvm::is_contained(domain, 0)) {
    return {};
  }
  // Columns before batches, outermost first.
  std::optional<ContractCut> cut;
  SmallVector<unsigned> candidates(dims.cols);
  llvm::append_range(candidates, dims.batch);
  for (unsigned dim : candidates) {
    if (domain[dim] > 1 && (cut = getCut(op, dim))) {
      break;
    }
  }
  if (!cut) {
    return {};
  }

  bool isOnChip = getSpace(op.getB().getType()) == Space::LMU;
  // Rows in front of the columns that are cut.
  bool interleaves =
      llvm::any_of(op.getSumType().getShape().take_front(cut->sumPosition),
                   [](int64_t size) { return size != 1; });
  bool hasOwnSums = op.hasEpilogue() && op.getZeroInit() &&
                    (interleaves || !mayUseDestination(op) ||
                     getSpace(op.getOuts().getType()) != Space::LMU);
  ContractWork work;
  work.units = domain[cut->dim];
  work.cutsColumns = llvm::is_contained(dims.cols, cut->dim);
  work.batch = product(dims.batch);
  work.rows = product(dims.rows);
  work.columns = product(dims.cols);
  work.depth = product(dims.depth);
  work.streamedBytes = getByteSize(op.getStreamedType());
  work.rawBytes =
      isOnChip ? 0 : getByteSize(cast<ShapedType>(op.getB().getType()));
  work.canStage = cut->streamedPosition && work.rows > machine.rowsPerPass;
  work.sumBytes = hasOwnSums ? getByteSize(op.getSumType()) : 0;
  work.interleavesSums = interleaves && !hasOwnSums;
  work.interleavesResults = interleaves;
  work.prologueWork = op.hasPrologue() ? getWork(op.getPrologue(), machine) : 0;
  work.epilogueWork = op.hasEpilogue() ? getWork(op.getEpilogue(), machine) : 0;
  ContractTiling tiling = chooseTiling(work, machine);
  if (tiling.numTiles(work) == 1 && !tiling.isStaged) {
    return {};
  }
  return TilingAttr::get(op.getContext(), cut->dim, tiling.unitsPerTile,
                         tiling.isStaged, hasOwnSums);
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

ContractPlan::ContractPlan(ContractOp op) {
  RankedTensorType sumType = op.getSumType();
  RankedTensorType streamedType = op.getStreamedType();
  llvm::append_range(sumShape, sumType.getShape());
  llvm::append_range(streamedShape, streamedType.getShape());
  isStaged = op.hasPrologue();
  hasOwnSums = op.hasEpilogue() && !mayUseDestination(op);
  if (TilingAttr tiling = op.getTilingAttr()) {
    isStaged |= tiling.getStaged();
    hasOwnSums |= tiling.getOwnSums();
    cut = getCut(op, tiling.getDim());
    if (cut && isStaged && !cut->streamedPosition) {
      cut = std::nullopt;
    }
    if (cut) {
      extent = op.getDomainSizes()[cut->dim];
      tileSize = tiling.getSize();
      sumShape[cut->sumPosition] = tileSize;
      if (cut->streamedPosition) {
        streamedShape[*cut->streamedPosition] = tileSize;
      }
    }
  }
  auto take = [&](ArrayRef<int64_t> shape, Type element, int64_t count,
                  SmallVectorImpl<int64_t> &places) {
    int64_t size = getByteSize(RankedTensorType::get(shape, element));
    for (int64_t i = 0; i < std::min(count, numTiles()); ++i) {
      places.push_back(bytes);
      bytes = llvm::alignTo(bytes + size, 64);
    }
  };
  if (hasOwnSums) {
    take(sumShape, sumType.getElementType(), ContractBuffers::maxSums, sums);
  }
  if (isStaged) {
    take(streamedShape, streamedType.getElementType(),
         ContractBuffers::maxStreamed, streamed);
  }
}

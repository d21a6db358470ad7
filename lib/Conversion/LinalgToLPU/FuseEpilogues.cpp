//===- FuseEpilogues.cpp - Move elementwise programs into contractions ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector program that does nothing but elementwise work on the result of a
// contraction becomes its epilogue, so that the vector unit finishes a part of
// the columns while the matrix unit computes the next. What reduces needs all
// of a row and stays a program of its own.
//
// Of several contractions that a program reads, the last one takes it: the
// others are complete by then. A reshape that splits dimensions in between
// (rows into batches and rows) becomes part of the contraction, whose operands
// and domain are split the same way.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ContractPlan.h"
#include "lpu/Conversion/LPUToLPUISA/MicroStages.h"
#include "lpu/Conversion/LinalgToLPU/Regions.h"
#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

namespace {

/// The domain of a contraction with some dimensions split.
struct SplitDomain {
  /// New dimensions of each old one, and the sizes of those that are split.
  SmallVector<SmallVector<unsigned>> dims;
  SmallVector<SmallVector<int64_t>> sizes;
  unsigned numDims = 0;

  bool isSplit(unsigned dim) const { return dims[dim].size() > 1; }
};

} // namespace

/// `operand` and its map over the split domain; fails if it walks a split
/// dimension otherwise than by an index of its own.
static LogicalResult splitOperand(OpBuilder &b, Location loc,
                                  const SplitDomain &domain, Value &operand,
                                  AffineMap &map) {
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<AffineExpr> first, results;
  for (ArrayRef<unsigned> dims : domain.dims) {
    first.push_back(b.getAffineDimExpr(dims.front()));
  }
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    ReassociationIndices group;
    auto add = [&](AffineExpr result, int64_t extent) {
      group.push_back(shape.size());
      shape.push_back(extent);
      results.push_back(result);
    };
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && domain.isSplit(dim.getPosition())) {
      for (auto [part, extent] :
           llvm::zip_equal(domain.dims[dim.getPosition()],
                           domain.sizes[dim.getPosition()])) {
        add(b.getAffineDimExpr(part), extent);
      }
    } else {
      for (unsigned old = 0; old < domain.dims.size(); ++old) {
        if (domain.isSplit(old) && expr.isFunctionOfDim(old)) {
          return failure();
        }
      }
      add(expr.replaceDims(first), size);
    }
    groups.push_back(group);
  }
  map = AffineMap::get(domain.numDims, 0, results, b.getContext());
  if (shape.size() != type.getShape().size()) {
    operand = tensor::ExpandShapeOp::create(b, loc, type.clone(shape), operand,
                                            groups);
  }
  return success();
}

/// Makes `op` compute what `reshape`, its only user, makes of its result.
static FailureOr<ContractOp> splitResult(ContractOp op,
                                         tensor::ExpandShapeOp reshape) {
  if (!op.getZeroInit() || op.hasPrologue() || op.hasEpilogue()) {
    return failure();
  }
  AffineMap mapA = op.getMapA(), mapB = op.getMapB(), mapC = op.getMapC();
  SplitDomain domain;
  domain.dims.resize(mapC.getNumDims());
  domain.sizes.resize(mapC.getNumDims());
  SmallVector<AffineExpr> results;
  SmallVector<Attribute> iterators;
  ArrayRef<int64_t> shape = reshape.getResultType().getShape();
  for (auto [position, group] :
       llvm::enumerate(reshape.getReassociationIndices())) {
    auto dim = dyn_cast<AffineDimExpr>(mapC.getResult(position));
    for (int64_t index : group) {
      if (dim) {
        domain.sizes[dim.getPosition()].push_back(shape[index]);
      }
    }
  }
  OpBuilder b(op);
  for (auto [dim, iterator] :
       llvm::enumerate(op.getIteratorTypes().getAsRange<StringAttr>())) {
    size_t count = std::max<size_t>(1, domain.sizes[dim].size());
    for (size_t part = 0; part < count; ++part) {
      domain.dims[dim].push_back(domain.numDims++);
      iterators.push_back(iterator);
    }
  }
  for (auto [position, group] :
       llvm::enumerate(reshape.getReassociationIndices())) {
    auto dim = dyn_cast<AffineDimExpr>(mapC.getResult(position));
    for (auto [part, index] : llvm::enumerate(group)) {
      results.push_back(
          dim ? b.getAffineDimExpr(domain.dims[dim.getPosition()][part])
              : b.getAffineConstantExpr(0));
    }
  }
  mapC = AffineMap::get(domain.numDims, 0, results, op.getContext());
  Value a = op.getA(), streamed = op.getB();
  if (failed(splitOperand(b, op.getLoc(), domain, a, mapA)) ||
      failed(splitOperand(b, op.getLoc(), domain, streamed, mapB))) {
    return failure();
  }
  Value empty = tensor::EmptyOp::create(
      b, op.getLoc(), shape, reshape.getResultType().getElementType());
  auto result = ContractOp::create(
      b, op.getLoc(), reshape.getResultType(), a, streamed, empty,
      b.getAffineMapArrayAttr({mapA, mapB, mapC}), b.getArrayAttr(iterators),
      /*zero_init=*/true);
  reshape.getResult().replaceAllUsesWith(result->getResult(0));
  reshape.erase();
  op.erase();
  return result;
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// The last contraction that `op` is the only user of, and that has room for an
/// epilogue.
static ContractOp findContract(VectorOp op) {
  ContractOp last;
  for (Value input : op.getInputs()) {
    Value sums = input;
    auto reshape = input.getDefiningOp<tensor::ExpandShapeOp>();
    if (reshape && reshape.getSrc().hasOneUse()) {
      sums = reshape.getSrc();
    }
    auto contract = sums.getDefiningOp<ContractOp>();
    if (!contract || contract->getBlock() != op->getBlock() ||
        contract.hasEpilogue() || !input.hasOneUse()) {
      continue;
    }
    if (!last || last->isBeforeInBlock(contract)) {
      last = contract;
    }
  }
  return last;
}

/// Whether the program of `op` gives one element for each of `sums`.
static bool isOnePerSum(VectorOp op, Value sums) {
  auto type = cast<RankedTensorType>(sums.getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getNumElements() != result.getNumElements()) {
    return false;
  }
  std::string reason;
  Operation *culprit = op;
  std::optional<MicroStages> stages =
      MicroStages::analyze(op.getBody().front(), reason, culprit);
  if (!stages || stages->hasReducedDimensions()) {
    return false;
  }
  unsigned index = llvm::find(op.getInputs(), sums) - op.getInputs().begin();
  for (auto [position, size] : llvm::enumerate(type.getShape())) {
    if (size != 1 &&
        !stages->getDomainDim(op.getInputArgument(index), position)) {
      return false;
    }
  }
  return true;
}

namespace {

struct FuseEpiloguesPass
    : mlir::lpu::impl::FuseEpiloguesPassBase<FuseEpiloguesPass> {
  using FuseEpiloguesPassBase::FuseEpiloguesPassBase;

  void runOnOperation() override {
    SmallVector<VectorOp> vectors;
    getOperation().walk([&](VectorOp op) { vectors.push_back(op); });
    for (VectorOp op : vectors) {
      ContractOp contract = isElementwise(op) ? findContract(op) : ContractOp();
      if (!contract) {
        continue;
      }
      auto reshape =
          dyn_cast<tensor::ExpandShapeOp>(*contract->getUsers().begin());
      if (reshape) {
        FailureOr<ContractOp> whole = splitResult(contract, reshape);
        if (failed(whole)) {
          continue;
        }
        contract = *whole;
      }
      if (isOnePerSum(op, contract->getResult(0)) && fuse(contract, op)) {
        ++numFused;
      }
    }
  }

  static bool fuse(ContractOp contract, VectorOp op) {
    Value sums = contract->getResult(0);
    SmallVector<Value> inputs;
    bool isReady = true;
    for (Value input : op.getInputs()) {
      if (input == sums) {
        continue;
      }
      inputs.push_back(input);
      Operation *def = input.getDefiningOp();
      isReady &= !def || def->isBeforeInBlock(contract);
    }
    // Where the contraction stood, if all is there by then.
    OpBuilder b(op);
    Value out = contract.getZeroInit() ? op.getOuts()[0] : contract.getOuts();
    if (Operation *def = out.getDefiningOp()) {
      isReady &= def->isBeforeInBlock(contract);
    }
    if (out.getType() != op.getOuts()[0].getType()) {
      return false;
    }
    if (isReady) {
      b.setInsertionPoint(contract);
    }
    auto fused = ContractOp::create(
        b, op.getLoc(), op->getResultTypes(), contract.getA(), contract.getB(),
        contract.getPrologueInputs(), inputs, out, /*temporary=*/Value(),
        contract.getIndexingMaps(), contract.getIteratorTypes(),
        contract.getZeroInit(), /*tiling=*/TilingAttr());
    fillRegion(fused.getEpilogue(), op, sums);
    if (!contract.getZeroInit() && !mayUseDestination(fused)) {
      fused.erase();
      return false;
    }
    fused.getPrologue().takeBody(contract.getPrologue());
    op->getResult(0).replaceAllUsesWith(fused->getResult(0));
    op.erase();
    contract.erase();
    return true;
  }
};

} // namespace

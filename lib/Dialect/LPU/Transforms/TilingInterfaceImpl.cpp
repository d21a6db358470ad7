//===- TilingInterfaceImpl.cpp - How lpu ops are tiled --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All lpu operations know their domain (TilingDomain.h), so that one model
// serves them: a tile of the operation works on slices of its operands, those
// of a destination among them. What differs is how the operation is made anew:
// the map of a contraction's window moves along, the region of a vector program
// shrinks, and a `linalg.index` in it counts from the start of the tile.
//
// Shapes of lpu operations are static, so sizes of tiles must be constants, and
// offsets as well if the region asks for an index that they move.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/TilingInterfaceImpl.h"

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/TilingDomain.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::lpu;

namespace {

/// A part of a domain, or of a tensor.
struct Tile {
  SmallVector<OpFoldResult> offsets;
  SmallVector<OpFoldResult> sizes;
};

/// A part of a domain with constant sizes.
struct DomainTile {
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes;
};

} // namespace

/// The tile of a tensor of `shape` whose dimensions are `dimensions` of the
/// domain.
static Tile getTile(Builder &b, ArrayRef<int> dimensions,
                    ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes) {
  Tile tile;
  for (auto [dimension, size] : llvm::zip(dimensions, shape)) {
    bool isWhole = dimension < 0;
    tile.offsets.push_back(isWhole ? b.getIndexAttr(0) : offsets[dimension]);
    tile.sizes.push_back(isWhole ? b.getIndexAttr(size) : sizes[dimension]);
  }
  return tile;
}

/// `value` itself if the tile is all of it, else a slice.
static Value slice(OpBuilder &b, Location loc, Value value, const Tile &tile,
                   SmallVectorImpl<Operation *> &slices) {
  auto type = cast<RankedTensorType>(value.getType());
  bool isWhole =
      llvm::all_of(llvm::zip(tile.sizes, type.getShape()), [](auto sizes) {
        auto [size, whole] = sizes;
        return getConstantIntValue(size) == whole;
      });
  if (isWhole) {
    return value;
  }
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  auto sliced = tensor::ExtractSliceOp::create(b, loc, value, tile.offsets,
                                               tile.sizes, strides);
  slices.push_back(sliced);
  return sliced;
}

//===----------------------------------------------------------------------===//
// Making operations anew
//===----------------------------------------------------------------------===//

/// `op` with other operands, its results being the destinations; its regions
/// are left empty.
static Operation *cloneOnto(OpBuilder &b, DestinationStyleOpInterface op,
                            ArrayRef<Value> operands) {
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(operands);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    state.addTypes(operands[init.getOperandNumber()].getType());
  }
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  for (unsigned i = 0, e = op->getNumRegions(); i < e; ++i) {
    state.addRegion();
  }
  return b.create(state);
}

/// Adds the offset of the tile to every index of `op`, a clone of `original`.
static void shiftIndices(OpBuilder &b, Operation *op, Operation *original,
                         const RegionDimensions &dimensions,
                         const DomainTile &tile) {
  op->walk([&](linalg::IndexOp index) {
    int dimension = dimensions.getLoopDimension(original, index.getDim());
    int64_t offset =
        dimension < 0 ? 0 : *getConstantIntValue(tile.offsets[dimension]);
    if (offset == 0) {
      return;
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(index);
    Value start = arith::ConstantIndexOp::create(b, index.getLoc(), offset);
    Value moved = arith::AddIOp::create(b, index.getLoc(), index, start);
    index.getResult().replaceAllUsesExcept(moved, moved.getDefiningOp());
  });
}

/// Whether `region` asks for a `linalg.index` that `tile` moves by an offset
/// that is no constant.
static bool dependsOnOffset(Region &region, const RegionDimensions &dimensions,
                            const DomainTile &tile) {
  return region
      .walk([&](linalg::IndexOp index) {
        int dimension =
            dimensions.getLoopDimension(index->getParentOp(), index.getDim());
        bool isMoved =
            dimension >= 0 && !getConstantIntValue(tile.offsets[dimension]);
        return isMoved ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Clones the one block of `from` into the empty region `to`, with tensors of
/// the tile's sizes.
static void cloneRegion(OpBuilder &b, Region &from, Region &to,
                        const RegionDimensions &dimensions,
                        const DomainTile &tile) {
  auto shrink = [&](Value original) -> Type {
    auto type = dyn_cast<RankedTensorType>(original.getType());
    if (!type) {
      return original.getType();
    }
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, dimension] :
         llvm::zip(shape, dimensions.getDimensions(original))) {
      size = dimension < 0 ? size : tile.sizes[dimension];
    }
    return RankedTensorType::get(shape, type.getElementType());
  };
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&to);
  IRMapping mapping;
  for (BlockArgument argument : from.getArguments()) {
    mapping.map(argument,
                block->addArgument(shrink(argument), argument.getLoc()));
  }
  for (Operation &original : from.front()) {
    Operation *copy = b.clone(original, mapping);
    for (auto [whole, part] :
         llvm::zip(original.getResults(), copy->getResults())) {
      part.setType(shrink(whole));
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
        constant.setValueAttr(
            splat.resizeSplat(cast<ShapedType>(constant.getType())));
      }
    }
    shiftIndices(b, copy, &original, dimensions, tile);
  }
}

/// The part of an operand dimension of size `size` that a linear `expr` reaches
/// from a tile of the domain, and the expression counted from there.
static AffineExpr sliceComputed(OpBuilder &b, Location loc, AffineExpr expr,
                                const DomainTile &tile, Tile &operand) {
  LinearForm form = *getLinearForm(expr, tile.sizes.size());
  int64_t extent = 1, below = 0;
  AffineExpr start = b.getAffineConstantExpr(form.constant);
  AffineExpr inside = b.getAffineConstantExpr(0);
  for (auto [dim, coefficient] : llvm::enumerate(form.coefficients)) {
    int64_t reach = coefficient * (tile.sizes[dim] - 1);
    extent += std::abs(reach);
    below += std::min<int64_t>(reach, 0);
    start = start + b.getAffineDimExpr(dim) * coefficient;
    inside = inside + b.getAffineDimExpr(dim) * coefficient;
  }
  AffineMap map = AffineMap::get(tile.sizes.size(), 0, start + below);
  operand.offsets.push_back(
      affine::makeComposedFoldedAffineApply(b, loc, map, tile.offsets));
  operand.sizes.push_back(b.getIndexAttr(extent));
  return inside - below;
}

/// Slices the operands of `op` and makes it anew, without its regions.
static TilingResult tileOperands(OpBuilder &b, DestinationStyleOpInterface op,
                                 const TilingDomain &domain,
                                 const DomainTile &tile) {
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), tile.sizes);
  TilingResult result;
  SmallVector<Value> operands;
  for (auto [operand, dimensions] :
       llvm::zip_equal(op->getOperands(), domain.operands)) {
    auto type = cast<RankedTensorType>(operand.getType());
    Tile part = getTile(b, dimensions, type.getShape(), tile.offsets, sizes);
    operands.push_back(
        slice(b, op.getLoc(), operand, part, result.generatedSlices));
  }
  Operation *tiled = cloneOnto(b, op, operands);
  result.tiledOps.push_back(tiled);
  result.tiledValues.assign(tiled->result_begin(), tiled->result_end());
  return result;
}

/// Lets the windows of operand `number` of a contraction, if it has some, move
/// with the tile: slices what they reach, and gives the map from there.
static AffineMap sliceWindows(OpBuilder &b, ContractOp op, unsigned number,
                              AffineMap map, const TilingDomain &domain,
                              const DomainTile &tile, Operation *tiled,
                              SmallVectorImpl<Operation *> &slices) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(tiled);
  auto type = cast<RankedTensorType>(tiled->getOperand(number).getType());
  Tile part;
  part.offsets.assign(type.getRank(), b.getIndexAttr(0));
  part.sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  SmallVector<AffineExpr> results(map.getResults());
  for (auto [position, dimension] : llvm::enumerate(domain.operands[number])) {
    AffineExpr expr = map.getResult(position);
    bool moves = dimension == computedDimension &&
                 llvm::any_of(llvm::enumerate(tile.sizes), [&](auto size) {
                   return size.value() != domain.extents[size.index()] &&
                          expr.isFunctionOfDim(size.index());
                 });
    if (moves) {
      Tile window;
      results[position] = sliceComputed(b, op.getLoc(), expr, tile, window);
      part.offsets[position] = window.offsets.front();
      part.sizes[position] = window.sizes.front();
    }
  }
  tiled->setOperand(
      number, slice(b, op.getLoc(), tiled->getOperand(number), part, slices));
  return AffineMap::get(map.getNumDims(), 0, results, b.getContext());
}

static FailureOr<TilingResult> tileContract(OpBuilder &b, ContractOp op,
                                            const TilingDomain &domain,
                                            const DomainTile &tile) {
  using Cut = std::tuple<Region *, RegionDimensions, unsigned>;
  SmallVector<Cut> cuts;
  if (op.hasPrologue()) {
    cuts.emplace_back(&op.getPrologue(), getPrologueDimensions(op), 0);
  }
  if (op.hasEpilogue()) {
    cuts.emplace_back(&op.getEpilogue(), getEpilogueDimensions(op), 1);
  }
  for (auto &[region, dimensions, index] : cuts) {
    if (dependsOnOffset(*region, dimensions, tile)) {
      return failure();
    }
  }
  TilingResult result = tileOperands(
      b, cast<DestinationStyleOpInterface>(op.getOperation()), domain, tile);
  auto tiled = cast<ContractOp>(result.tiledOps.front());
  for (auto &[region, dimensions, index] : cuts) {
    cloneRegion(b, *region, tiled->getRegion(index), dimensions, tile);
  }
  SmallVector<AffineMap> maps{op.getMapA(), op.getMapB(), op.getMapC()};
  for (unsigned number : {0, 1}) {
    if (number == 0 || !op.hasPrologue()) {
      maps[number] = sliceWindows(b, op, number, maps[number], domain, tile,
                                  tiled, result.generatedSlices);
    }
  }
  tiled.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  return result;
}

static FailureOr<TilingResult> tileVector(OpBuilder &b, VectorOp op,
                                          const TilingDomain &domain,
                                          const DomainTile &tile) {
  RegionDimensions dimensions = getVectorDimensions(op);
  if (dependsOnOffset(op.getBody(), dimensions, tile)) {
    return failure();
  }
  TilingResult result = tileOperands(
      b, cast<DestinationStyleOpInterface>(op.getOperation()), domain, tile);
  cloneRegion(b, op.getBody(), result.tiledOps.front()->getRegion(0),
              dimensions, tile);
  return result;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

namespace {

template <typename Op>
struct TilingModel : TilingInterface::ExternalModel<TilingModel<Op>, Op> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return llvm::map_to_vector(
        getTilingDomain(op).isTileable, [](bool isTileable) {
          return isTileable ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction;
        });
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    return llvm::map_to_vector(
        getTilingDomain(op).extents, [&](int64_t extent) {
          return Range{b.getIndexAttr(0), b.getIndexAttr(extent),
                       b.getIndexAttr(1)};
        });
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    TilingDomain domain = getTilingDomain(op);
    DomainTile tile{SmallVector<OpFoldResult>(offsets), {}};
    for (auto [extent, isTileable, size] :
         llvm::zip_equal(domain.extents, domain.isTileable, sizes)) {
      std::optional<int64_t> constant = getConstantIntValue(size);
      if (!constant || (!isTileable && *constant != extent)) {
        return failure();
      }
      tile.sizes.push_back(*constant);
    }
    return llvm::TypeSwitch<Operation *, FailureOr<TilingResult>>(op)
        .Case([&](ContractOp contract) {
          return tileContract(b, contract, domain, tile);
        })
        .Case([&](VectorOp vector) {
          return tileVector(b, vector, domain, tile);
        })
        .Default([&](Operation *plain) {
          return FailureOr<TilingResult>(tileOperands(
              b, cast<DestinationStyleOpInterface>(plain), domain, tile));
        });
  }

  LogicalResult
  getResultTilePosition(Operation *op, OpBuilder &b, unsigned number,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) const {
    TilingDomain domain = getTilingDomain(op);
    auto type = cast<RankedTensorType>(op->getResult(number).getType());
    Tile tile =
        getTile(b, domain.results[number], type.getShape(), offsets, sizes);
    resultOffsets = tile.offsets;
    resultSizes = tile.sizes;
    return success();
  }

  LogicalResult getIterationDomainTileFromResultTile(
      Operation *op, OpBuilder &b, unsigned number,
      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    return getDomainTile(op, b, getTilingDomain(op).results[number],
                         op->getResult(number), offsets, sizes, domainOffsets,
                         domainSizes);
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) const {
    SmallVector<OpFoldResult> domainOffsets, domainSizes;
    if (failed(getIterationDomainTileFromResultTile(
            op, b, number, offsets, sizes, domainOffsets, domainSizes))) {
      return failure();
    }
    FailureOr<TilingResult> result =
        getTiledImplementation(op, b, domainOffsets, domainSizes);
    if (succeeded(result)) {
      result->tiledValues = {result->tiledValues[number]};
    }
    return result;
  }

  bool isOpFusableWithConsumerSlice(Operation *op, unsigned number,
                                    ArrayRef<OpFoldResult>,
                                    ArrayRef<OpFoldResult>) const {
    return !getTilingDomain(op).extents.empty();
  }

  LogicalResult getIterationDomainTileFromOperandTiles(
      Operation *op, OpBuilder &b, ArrayRef<unsigned> numbers,
      ArrayRef<SmallVector<OpFoldResult>> offsets,
      ArrayRef<SmallVector<OpFoldResult>> sizes,
      SmallVectorImpl<OpFoldResult> &domainOffsets,
      SmallVectorImpl<OpFoldResult> &domainSizes) const {
    if (numbers.size() != 1) {
      return failure();
    }
    return getDomainTile(op, b, getTilingDomain(op).operands[numbers.front()],
                         op->getOperand(numbers.front()), offsets.front(),
                         sizes.front(), domainOffsets, domainSizes);
  }

  FailureOr<TilingResult> getTiledImplementationFromOperandTiles(
      Operation *op, OpBuilder &b, ArrayRef<unsigned> numbers,
      ArrayRef<SmallVector<OpFoldResult>> offsets,
      ArrayRef<SmallVector<OpFoldResult>> sizes) const {
    SmallVector<OpFoldResult> domainOffsets, domainSizes;
    if (failed(getIterationDomainTileFromOperandTiles(
            op, b, numbers, offsets, sizes, domainOffsets, domainSizes))) {
      return failure();
    }
    return getTiledImplementation(op, b, domainOffsets, domainSizes);
  }

private:
  /// The tile of the domain that a tile of `value` belongs to, which must be
  /// whole wherever `value` does not follow the domain.
  static LogicalResult
  getDomainTile(Operation *op, OpBuilder &b, ArrayRef<int> dimensions,
                Value value, ArrayRef<OpFoldResult> offsets,
                ArrayRef<OpFoldResult> sizes,
                SmallVectorImpl<OpFoldResult> &domainOffsets,
                SmallVectorImpl<OpFoldResult> &domainSizes) {
    TilingDomain domain = getTilingDomain(op);
    if (domain.extents.empty()) {
      return failure();
    }
    domainOffsets.assign(domain.extents.size(), b.getIndexAttr(0));
    domainSizes = getAsIndexOpFoldResult(b.getContext(), domain.extents);
    auto type = cast<RankedTensorType>(value.getType());
    for (auto [dimension, offset, size, whole] :
         llvm::zip_equal(dimensions, offsets, sizes, type.getShape())) {
      if (getConstantIntValue(size) == whole) {
        continue;
      }
      if (dimension < 0 || !domain.isTileable[dimension]) {
        return failure();
      }
      domainOffsets[dimension] = offset;
      domainSizes[dimension] = size;
    }
    return success();
  }
};

} // namespace

void mlir::lpu::registerTilingInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LPUDialect *) {
    ContractOp::attachInterface<TilingModel<ContractOp>>(*context);
    VectorOp::attachInterface<TilingModel<VectorOp>>(*context);
    GatherOp::attachInterface<TilingModel<GatherOp>>(*context);
    CopyOp::attachInterface<TilingModel<CopyOp>>(*context);
  });
}

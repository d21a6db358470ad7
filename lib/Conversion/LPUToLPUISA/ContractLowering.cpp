//===- ContractLowering.cpp - From lpu.contract to stream, mm and vec -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maps of a contraction are linear, so every operand is a strided view over
// its domain: transposes, strides of convolutions and their windows are views.
//
// Tile by tile, in program order:
//
//   multiply tile i      stream and mm
//   bring tile i + 2     memory unit: copy; with a prologue, vector unit
//   finish tile i        vector unit: the epilogue
//
// Tiles take turns in the temporary, so that each unit can be ahead of the one
// behind it. Tile i + 2 is brought to where tile i - 1 was and waits for its
// product; by then tile i is in the stream buffer, and tile i + 1 has arrived.
// Nothing waits in a queue in front of what it waits for: all that an mm reads
// is asked for before the stream that it consumes.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ContractPlan.h"
#include "lpu/Conversion/LPUToLPUISA/Lowerings.h"
#include "lpu/Conversion/LPUToLPUISA/MatrixProduct.h"
#include "lpu/Conversion/LPUToLPUISA/VectorLowering.h"

using namespace mlir;
using namespace mlir::lpu;

namespace {

class ContractLowering {
public:
  ContractLowering(ContractOp op, LoweringContext &context)
      : op(op), context(context), plan(op), domain(op.getDomainSizes()) {}

  LogicalResult lower();

private:
  LogicalResult getViews();
  LogicalResult checkPlan();
  StridedView getTile(RankedTensorType type, ArrayRef<int64_t> tileShape,
                      std::optional<unsigned> position,
                      ArrayRef<int64_t> places, int64_t tile) const;
  StridedView getSums(int64_t tile);
  StridedView getStreamed(int64_t tile);
  LogicalResult runRegion(Region &region, StridedView first, ValueRange inputs,
                          StridedView result, unsigned dim, int64_t tile);
  LogicalResult bring(int64_t tile);
  LogicalResult multiply(int64_t tile);
  LogicalResult finish(int64_t tile);

  ContractOp op;
  LoweringContext &context;
  ContractPlan plan;
  SmallVector<int64_t> domain;
  StridedView a, b, out, temporary;
};

} // namespace

LogicalResult ContractLowering::checkPlan() {
  if (op.getTilingAttr() && !plan.cut) {
    return op.emitOpError("cannot be cut at dimension ")
           << op.getTilingAttr().getDim();
  }
  if (!op.getZeroInit() && !mayUseDestination(op)) {
    return op.emitOpError("sums up onto a destination of which its epilogue "
                          "reads other elements than it writes");
  }
  if (plan.bytes == 0) {
    return success();
  }
  if (!op.getTemporary()) {
    return op.emitOpError("has no temporary; expected one of ")
           << plan.bytes << " bytes (run lpu-materialize-temporaries)";
  }
  auto [low, high] = temporary.byteRange();
  if (high - low < plan.bytes) {
    return op.emitOpError("has a temporary of ")
           << high - low << " bytes; expected at least " << plan.bytes;
  }
  return success();
}

LogicalResult ContractLowering::getViews() {
  for (auto [memref, target] : {std::pair(Value(op.getA()), &a),
                                {op.getB(), &b},
                                {op.getOuts(), &out},
                                {op.getTemporary(), &temporary}}) {
    if (!memref) {
      continue;
    }
    FailureOr<StridedView> view = context.views.getView(memref);
    if (failed(view)) {
      return failure();
    }
    *target = *view;
  }
  return success();
}

/// A tensor of which one tile lies in the temporary, seen as if all of it did.
StridedView ContractLowering::getTile(RankedTensorType type,
                                      ArrayRef<int64_t> tileShape,
                                      std::optional<unsigned> position,
                                      ArrayRef<int64_t> places,
                                      int64_t tile) const {
  StridedView view = temporary;
  view.type = *getDType(type.getElementType());
  view.offset += places[tile % places.size()];
  view.sizes.assign(type.getShape().begin(), type.getShape().end());
  view.strides.assign(view.sizes.size(), 1);
  for (int dim = static_cast<int>(view.rank()) - 2; dim >= 0; --dim) {
    view.strides[dim] = view.strides[dim + 1] * tileShape[dim + 1];
  }
  if (position) {
    view.offset -= plan.firstOf(tile) * view.strides[*position] *
                   ::lpu::byteWidth(view.type);
  }
  return view;
}

StridedView ContractLowering::getSums(int64_t tile) {
  RankedTensorType type = op.getSumType();
  if (plan.hasOwnSums) {
    return getTile(type, plan.sumShape,
                   plan.cut ? std::optional(plan.cut->sumPosition)
                            : std::nullopt,
                   plan.sums, tile);
  }
  // The destination may have more or fewer dimensions of size 1.
  StridedView view = out;
  view.sizes.assign(type.getShape().begin(), type.getShape().end());
  view.strides.assign(view.sizes.size(), 0);
  SmallVector<int64_t> strides;
  for (auto [size, stride] : llvm::zip_equal(out.sizes, out.strides)) {
    if (size != 1) {
      strides.push_back(stride);
    }
  }
  const int64_t *next = strides.begin();
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides)) {
    if (size != 1) {
      stride = *next++;
    }
  }
  return view;
}

StridedView ContractLowering::getStreamed(int64_t tile) {
  return plan.isStaged
             ? getTile(op.getStreamedType(), plan.streamedShape,
                       plan.cut ? plan.cut->streamedPosition : std::nullopt,
                       plan.streamed, tile)
             : b;
}

/// The program of a region for the part of it that belongs to `tile`.
LogicalResult ContractLowering::runRegion(Region &region, StridedView first,
                                          ValueRange inputs, StridedView result,
                                          unsigned dim, int64_t tile) {
  VectorBody body{&region.front(), {first}, {result}, std::nullopt};
  for (Value input : inputs) {
    FailureOr<StridedView> view = context.views.getView(input);
    if (failed(view)) {
      return failure();
    }
    body.arguments.push_back(*view);
  }
  if (plan.cut) {
    body.slice = {dim, plan.firstOf(tile), plan.sizeOf(tile)};
  }
  return VectorLowering(op.getLoc(), std::move(body), context.views)
      .lower(context.builder);
}

LogicalResult ContractLowering::bring(int64_t tile) {
  if (!plan.isStaged) {
    return success();
  }
  StridedView to = getStreamed(tile);
  if (op.hasPrologue()) {
    return runRegion(op.getPrologue(), b, op.getPrologueInputs(), to,
                     plan.cut ? plan.cut->prologueDim : 0, tile);
  }
  StridedView from = b;
  if (plan.cut) {
    unsigned position = *plan.cut->streamedPosition;
    from = from.slice(position, plan.firstOf(tile), plan.sizeOf(tile));
    to = to.slice(position, plan.firstOf(tile), plan.sizeOf(tile));
  }
  return emitCopy(op.getLoc(), from, to, context.builder);
}

LogicalResult ContractLowering::multiply(int64_t tile) {
  MatrixProduct product;
  for (auto [base, map, target] :
       {std::tuple(a, op.getMapA(), &product.a),
        std::tuple(getStreamed(tile), op.getMapB(), &product.b),
        std::tuple(getSums(tile), op.getMapC(), &product.c)}) {
    std::optional<StridedView> view = base.through(map, domain);
    assert(view && "maps of contractions are linear");
    *target = plan.cut ? view->slice(plan.cut->dim, plan.firstOf(tile),
                                     plan.sizeOf(tile))
                       : *view;
  }
  product.dims = op.classify();
  product.accumulates = !op.getZeroInit();
  return product.emit(context.builder, op.getLoc(), context.machine);
}

LogicalResult ContractLowering::finish(int64_t tile) {
  if (!op.hasEpilogue()) {
    return success();
  }
  return runRegion(op.getEpilogue(), getSums(tile), op.getEpilogueInputs(), out,
                   plan.cut ? plan.cut->epilogueDim : 0, tile);
}

LogicalResult ContractLowering::lower() {
  if (failed(getViews()) || failed(checkPlan())) {
    return failure();
  }
  if (out.isEmpty()) {
    return success();
  }
  int64_t numTiles = plan.numTiles();
  if (failed(bring(0)) || (numTiles > 1 && failed(bring(1)))) {
    return failure();
  }
  for (int64_t tile = 0; tile < numTiles; ++tile) {
    if (failed(multiply(tile)) ||
        (tile + 2 < numTiles && failed(bring(tile + 2))) ||
        failed(finish(tile))) {
      return failure();
    }
  }
  return success();
}

LogicalResult mlir::lpu::lowerContract(ContractOp op,
                                       LoweringContext &context) {
  return ContractLowering(op, context).lower();
}

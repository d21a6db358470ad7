//===- DataMovement.cpp - Copies, gathers and scatters --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory unit moves between views of any strides; all that is done here is
// to merge dimensions, so that a move has as few as it needs.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/Lowerings.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

using namespace mlir;
using namespace mlir::lpu;

static lpuisa::ViewAttr toAttr(OpBuilder &builder, const StridedView &view) {
  return lpuisa::ViewAttr::fromView(builder.getContext(), view.toView());
}

static LogicalResult checkRank(Location location, const StridedView &view) {
  if (view.rank() > ::lpu::maxRank) {
    return emitError(location)
           << "moves a buffer of " << view.rank()
           << " dimensions that do not merge; the machine's views have "
           << unsigned(::lpu::maxRank);
  }
  return success();
}

LogicalResult mlir::lpu::emitCopy(Location location, StridedView from,
                                  StridedView to, OpBuilder &builder) {
  bool isSame = from.space == to.space && from.argument == to.argument &&
                from.offset == to.offset && from.strides == to.strides;
  if (to.isEmpty() || isSame) {
    return success();
  }
  unsigned length = to.rank();
  coalesce({&to, &from}, length);
  if (failed(checkRank(location, to))) {
    return failure();
  }
  lpuisa::CopyOp::create(builder, location, toAttr(builder, to),
                         toAttr(builder, from));
  return success();
}

LogicalResult mlir::lpu::lowerCopy(Location location, Value source,
                                   Value destination,
                                   LoweringContext &context) {
  FailureOr<StridedView> from = context.views.getView(source);
  FailureOr<StridedView> to = context.views.getView(destination);
  if (failed(from) || failed(to)) {
    return failure();
  }
  return emitCopy(location, *from, *to, context.builder);
}

/// Merges the dimensions before and after the axis, which stays as it is;
/// gives its new number.
static unsigned mergeAroundAxis(StridedView &a, StridedView &b, unsigned axis) {
  auto part = [](const StridedView &view, unsigned begin, unsigned end) {
    SmallVector<unsigned> dims;
    for (unsigned dim = begin; dim < end; ++dim) {
      dims.push_back(dim);
    }
    return view.permuted(dims);
  };
  unsigned rank = a.rank(), before = axis, after = rank - axis - 1;
  StridedView aBefore = part(a, 0, axis), bBefore = part(b, 0, axis);
  StridedView aAfter = part(a, axis + 1, rank),
              bAfter = part(b, axis + 1, rank);
  coalesce({&aBefore, &bBefore}, before);
  coalesce({&aAfter, &bAfter}, after);
  auto join = [axis](StridedView &view, const StridedView &first,
                     const StridedView &last) {
    SmallVector<int64_t> sizes(first.sizes), strides(first.strides);
    sizes.push_back(view.sizes[axis]);
    strides.push_back(view.strides[axis]);
    llvm::append_range(sizes, last.sizes);
    llvm::append_range(strides, last.strides);
    view.sizes = sizes;
    view.strides = strides;
  };
  join(a, aBefore, aAfter);
  join(b, bBefore, bAfter);
  return before;
}

/// Views of a gather or a scatter; `table` is the one that the index addresses.
template <typename OpTy, typename InstructionOp>
static LogicalResult lowerIndexed(OpTy op, LoweringContext &context) {
  FailureOr<StridedView> source = context.views.getView(op.getSrc());
  FailureOr<StridedView> index = context.views.getView(op.getIndex());
  FailureOr<StridedView> destination = context.views.getView(op.getOuts());
  if (failed(source) || failed(index) || failed(destination)) {
    return failure();
  }
  if (source->isEmpty() || index->isEmpty() || destination->isEmpty()) {
    return success();
  }
  unsigned axis = mergeAroundAxis(*destination, *source,
                                  static_cast<unsigned>(op.getAxis()));
  if (failed(checkRank(op.getLoc(), *source))) {
    return failure();
  }
  OpBuilder &builder = context.builder;
  InstructionOp::create(builder, op.getLoc(), toAttr(builder, *destination),
                        toAttr(builder, *source), toAttr(builder, *index), axis,
                        op.getWrapNegative());
  return success();
}

LogicalResult mlir::lpu::lowerGather(GatherOp op, LoweringContext &context) {
  return lowerIndexed<GatherOp, lpuisa::GatherOp>(op, context);
}

LogicalResult mlir::lpu::lowerScatter(ScatterOp op, LoweringContext &context) {
  return lowerIndexed<ScatterOp, lpuisa::ScatterOp>(op, context);
}

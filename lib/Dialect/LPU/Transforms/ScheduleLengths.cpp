//===- ScheduleLengths.cpp - Compute lengths before everything else -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves what a length is computed from to the start of the block. It works on
// tensors, where an order is free as long as definitions come before uses.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_SCHEDULELENGTHSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// What has to be computed for `length`, in order of the block; nothing if that
/// cannot be early.
static SmallVector<Operation *> getProducers(Value length) {
  Operation *last = length.getDefiningOp();
  if (!last || !isa<RankedTensorType>(length.getType())) {
    return {};
  }
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == last->getBlock();
  };
  SetVector<Operation *> slice;
  if (failed(getBackwardSlice(length, &slice, options)) ||
      llvm::any_of(slice, [](Operation *op) {
        return isa<ContractOp, AttentionOp>(op);
      })) {
    return {};
  }
  SmallVector<Operation *> producers(slice.begin(), slice.end());
  llvm::sort(producers,
             [](Operation *l, Operation *r) { return l->isBeforeInBlock(r); });
  return producers;
}

namespace {

struct ScheduleLengthsPass
    : mlir::lpu::impl::ScheduleLengthsPassBase<ScheduleLengthsPass> {
  using ScheduleLengthsPassBase::ScheduleLengthsPassBase;

  void runOnOperation() override {
    SetVector<Value> lengths;
    getOperation().walk([&](AttentionOp op) {
      if (op.getLength()) {
        lengths.insert(op.getLength());
      }
    });
    Operation *last = nullptr;
    llvm::SmallPtrSet<Operation *, 16> moved;
    for (Value length : lengths) {
      for (Operation *op : getProducers(length)) {
        if (!moved.insert(op).second) {
          continue;
        }
        if (last) {
          op->moveAfter(last);
        } else {
          op->moveBefore(&op->getBlock()->front());
        }
        last = op;
        ++numMoved;
      }
    }
  }
};

} // namespace

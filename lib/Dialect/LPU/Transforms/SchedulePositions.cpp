//===- SchedulePositions.cpp - Compute positions before all else ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves what lengths and indices are computed from to the start of the block.
// It works on tensors, where an order is free as long as definitions come
// before uses. What is moved waits on chip until it is used, so all of it
// together is kept to a small part of the memory there.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_SCHEDULEPOSITIONSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// The length or the index of `op`, or null.
static Value getPosition(Operation *op) {
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    return attention.getLength();
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    return gather.getIndex();
  }
  if (auto scatter = dyn_cast<ScatterOp>(op)) {
    return scatter.getIndex();
  }
  return {};
}

/// What has to be computed for `position`, in order of the block; nothing if
/// that cannot be early.
static SmallVector<Operation *> getProducers(Value position) {
  Operation *last = position.getDefiningOp();
  if (!last || !isa<RankedTensorType>(position.getType())) {
    return {};
  }
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == last->getBlock();
  };
  SetVector<Operation *> slice;
  if (failed(getBackwardSlice(position, &slice, options)) ||
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

/// Bytes of the tensors that `op` computes.
static int64_t getResultBytes(Operation *op) {
  int64_t bytes = 0;
  if (isa<DestinationStyleOpInterface>(op)) {
    for (Type type : op->getResultTypes()) {
      bytes += getByteSize(cast<ShapedType>(type));
    }
  }
  return bytes;
}

namespace {

struct SchedulePositionsPass
    : mlir::lpu::impl::SchedulePositionsPassBase<SchedulePositionsPass> {
  using SchedulePositionsPassBase::SchedulePositionsPassBase;

  void runOnOperation() override {
    SetVector<Value> positions;
    getOperation().walk([&](Operation *op) {
      if (Value position = getPosition(op)) {
        positions.insert(position);
      }
    });
    int64_t room = getMachine(getOperation()).lmuBytes / 16;
    for (Value position : positions) {
      SmallVector<Operation *> producers = getProducers(position);
      llvm::erase_if(producers,
                     [&](Operation *op) { return moved.contains(op); });
      int64_t bytes = 0;
      for (Operation *op : producers) {
        bytes += getResultBytes(op);
      }
      if (bytes > room) {
        continue;
      }
      room -= bytes;
      for (Operation *op : producers) {
        moveToStart(op);
      }
    }
    numMoved += moved.size();
  }

  /// Places `op` at the start, behind what was placed there before.
  void moveToStart(Operation *op) {
    if (moved.empty()) {
      op->moveBefore(&op->getBlock()->front());
    } else {
      op->moveAfter(moved.back());
    }
    moved.insert(op);
  }

  SetVector<Operation *> moved;
};

} // namespace

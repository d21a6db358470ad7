//===- ForwardDestinations.cpp - Compute buffers where they end up --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An allocation that is computed and then copied into part of another buffer
// can be that part from the start, if nothing else touches the part meanwhile.
// Bufferization does so for the single result of an operation; this pass does
// for all that is left, such as several results of one program that go into one
// concatenation. It works on straight-line functions before memory spaces are
// assigned, when all allocations are alike.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_FORWARDDESTINATIONSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// The slice of its root that `view` lies within: the view of the root that it
/// is a view of. Null if it is the root, or a view that is no static slice.
static memref::SubViewOp getSliceOfRoot(Value view) {
  Operation *last = nullptr;
  while (Value source = getViewSource(view.getDefiningOp())) {
    last = view.getDefiningOp();
    view = source;
  }
  auto slice = dyn_cast_or_null<memref::SubViewOp>(last);
  bool isStatic = slice && slice.getOffsets().empty() &&
                  slice.getSizes().empty() && slice.getStrides().empty();
  return isStatic ? slice : memref::SubViewOp();
}

/// Whether two slices of one buffer have no element in common, seen from one
/// dimension: they lie apart or interleave.
static bool areDisjoint(memref::SubViewOp a, memref::SubViewOp b) {
  if (a.getSource() != b.getSource()) {
    return false;
  }
  for (auto [startA, sizeA, strideA, startB, sizeB, strideB] : llvm::zip(
           a.getStaticOffsets(), a.getStaticSizes(), a.getStaticStrides(),
           b.getStaticOffsets(), b.getStaticSizes(), b.getStaticStrides())) {
    int64_t lastA = startA + (sizeA - 1) * strideA;
    int64_t lastB = startB + (sizeB - 1) * strideB;
    bool isApart = lastA < startB || lastB < startA;
    bool interleaves = strideA == strideB && (startA - startB) % strideA != 0;
    if (isApart || interleaves) {
      return true;
    }
  }
  return false;
}

namespace {

struct ForwardDestinationsPass
    : mlir::lpu::impl::ForwardDestinationsPassBase<ForwardDestinationsPass> {
  using ForwardDestinationsPassBase::ForwardDestinationsPassBase;

  void runOnOperation() override {
    SmallVector<CopyOp> copies;
    getOperation().walk([&](CopyOp copy) { copies.push_back(copy); });
    for (CopyOp copy : copies) {
      if (copy.getSrc() == copy.getOuts()) {
        copy.erase();
      } else if (memref::SubViewOp place = getPlace(copy)) {
        computeIn(place, copy);
        ++numForwarded;
      }
    }
  }

  /// Where the source of `copy` can be computed instead; null if nowhere.
  static memref::SubViewOp getPlace(CopyOp copy) {
    auto source = copy.getSrc().getDefiningOp<memref::AllocOp>();
    auto place = copy.getOuts().getDefiningOp<memref::SubViewOp>();
    if (!source || !place || getSliceOfRoot(place) != place) {
      return {};
    }
    auto root = place.getSource().getDefiningOp<memref::AllocOp>();
    if (!root || root == source || root->getBlock() != copy->getBlock()) {
      return {};
    }
    // The source takes on the layout of the place, which its users have to
    // take: operations do, a view may not.
    Operation *first = copy;
    bool isWrittenLater = false, isUsedLater = false;
    for (OpOperand &use : source->getUses()) {
      Operation *user = use.getOwner();
      if (user->getBlock() != copy->getBlock() ||
          user->getDialect() != copy->getDialect()) {
        return {};
      }
      if (user->isBeforeInBlock(first)) {
        first = user;
      }
      bool isLater = copy->isBeforeInBlock(user);
      isUsedLater |= isLater;
      isWrittenLater |= isLater && isWrite(use);
    }
    bool isFree = true;
    forEachAccess(root, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      memref::SubViewOp slice = getSliceOfRoot(use.get());
      if (user == copy || (slice && areDisjoint(slice, place))) {
        return;
      }
      bool isMeanwhile =
          !user->isBeforeInBlock(first) && user->isBeforeInBlock(copy);
      bool isOverwritten =
          isUsedLater && copy->isBeforeInBlock(user) && isWrite(use);
      isFree &= !isMeanwhile && !isOverwritten;
    });
    return isFree && !isWrittenLater ? place : memref::SubViewOp();
  }

  static void computeIn(memref::SubViewOp place, CopyOp copy) {
    auto source = copy.getSrc().getDefiningOp<memref::AllocOp>();
    Operation *root = place.getSource().getDefiningOp();
    // Neither the buffer nor a static slice of it depends on anything.
    if (!root->isBeforeInBlock(source)) {
      root->moveBefore(source);
    }
    place->moveAfter(root);
    source.replaceAllUsesWith(place.getResult());
    copy.erase();
    source.erase();
  }
};

} // namespace

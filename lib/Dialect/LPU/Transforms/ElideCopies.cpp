//===- ElideCopies.cpp - Remove copies that bring nothing new -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterpart of the passes that materialise copies. It works on
// straight-line functions: "between" means between two places of one block.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_ELIDECOPIESPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// The operations that write to `root`, in order of the block.
static SmallVector<Operation *> getWriters(Value root) {
  SmallVector<Operation *> writers;
  forEachAccess(root, [&](OpOperand &use) {
    if (isWrite(use)) {
      writers.push_back(use.getOwner());
    }
  });
  llvm::sort(writers,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return writers;
}

/// The allocation that `copy` fills, if nothing else writes to it.
static memref::AllocOp getFilledAllocation(CopyOp copy) {
  auto alloc = copy.getOuts().getDefiningOp<memref::AllocOp>();
  if (!alloc || getWriters(alloc).size() != 1) {
    return {};
  }
  return alloc;
}

/// The last operation that uses `root`, or null.
static Operation *getLastAccess(Value root) {
  Operation *last = nullptr;
  forEachAccess(root, [&](OpOperand &use) {
    if (!last || last->isBeforeInBlock(use.getOwner())) {
      last = use.getOwner();
    }
  });
  return last;
}

/// Whether `root` is written after `from`, up to and by `last`.
static bool isWrittenAfter(Value root, Operation *from, Operation *last) {
  return llvm::any_of(getWriters(root), [&](Operation *writer) {
    return from->isBeforeInBlock(writer) && !last->isBeforeInBlock(writer);
  });
}

namespace {

struct ElideCopiesPass : mlir::lpu::impl::ElideCopiesPassBase<ElideCopiesPass> {
  using ElideCopiesPassBase::ElideCopiesPassBase;

  void runOnOperation() override {
    elideRepeatedLoads();
    forEachCopy([&](CopyOp copy) { return forwardSource(copy); });
    forEachCopy([&](CopyOp copy) { return produceInPlace(copy); });
  }

  void forEachCopy(function_ref<LogicalResult(CopyOp)> elide) {
    SmallVector<CopyOp> copies;
    getOperation().walk([&](CopyOp copy) { copies.push_back(copy); });
    for (CopyOp copy : copies) {
      if (succeeded(elide(copy))) {
        ++numElided;
      }
    }
  }

  /// A second copy of a source that has not changed uses the first one.
  void elideRepeatedLoads() {
    llvm::DenseMap<Value, CopyOp> loaded;
    forEachCopy([&](CopyOp copy) -> LogicalResult {
      memref::AllocOp alloc = getFilledAllocation(copy);
      if (!alloc || getSpace(copy.getSrc().getType()) == Space::LMU ||
          getSpace(alloc.getType()) != Space::LMU) {
        return failure();
      }
      CopyOp &first = loaded[copy.getSrc()];
      if (!first || isWrittenAfter(getRoot(copy.getSrc()), first, copy)) {
        first = copy;
        return failure();
      }
      alloc.replaceAllUsesWith(first.getOuts());
      copy.erase();
      alloc.erase();
      return success();
    });
  }

  /// A copy within HBM of what stays unwritten for as long as it is used.
  LogicalResult forwardSource(CopyOp copy) {
    memref::AllocOp alloc = getFilledAllocation(copy);
    if (!alloc || getSpace(alloc.getType()) != Space::Scratch ||
        getSpace(copy.getSrc().getType()) == Space::LMU ||
        cast<MemRefType>(copy.getSrc().getType()).getLayout() !=
            alloc.getType().getLayout() ||
        isWrittenAfter(getRoot(copy.getSrc()), copy, getLastAccess(alloc))) {
      return failure();
    }
    Value source = copy.getSrc();
    copy.erase();
    alloc.replaceAllUsesWith(source);
    setSpace(source, *getSpace(source.getType()));
    alloc.erase();
    return success();
  }

  /// A buffer in scratch that ends as an output is computed in the output, if
  /// nothing else uses the output.
  LogicalResult produceInPlace(CopyOp copy) {
    auto output = dyn_cast<BlockArgument>(copy.getOuts());
    auto alloc = getRoot(copy.getSrc()).getDefiningOp<memref::AllocOp>();
    if (!output || !output.hasOneUse() || !alloc ||
        getSpace(alloc.getType()) != Space::Scratch ||
        !getOperation().getArgAttr(output.getArgNumber(),
                                   LPUDialect::outputAttrName) ||
        !isWholeBuffer(copy.getSrc())) {
      return failure();
    }
    OpBuilder b(alloc);
    Value inPlace = output;
    auto type = cast<MemRefType>(output.getType());
    MemRefType wanted = MemRefType::Builder(alloc.getType())
                            .setMemorySpace(type.getMemorySpace());
    if (wanted != type) {
      SmallVector<int64_t> strides = wanted.getStridesAndOffset().first;
      inPlace = memref::ReinterpretCastOp::create(b, alloc.getLoc(), wanted,
                                                  output, /*offset=*/0,
                                                  wanted.getShape(), strides);
    }
    copy.erase();
    alloc.replaceAllUsesWith(inPlace);
    setSpace(inPlace, Space::Arg);
    alloc.erase();
    return success();
  }
};

} // namespace

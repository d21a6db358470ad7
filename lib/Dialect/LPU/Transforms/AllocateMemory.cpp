//===- AllocateMemory.cpp - Give every buffer an address ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects lifetimes, lets the planner decide, writes the decision into the IR:
// collect, decide, rewrite. That units run ahead of each other does not matter
// for correctness: whoever reuses memory waits for its last user, which the
// insertion of semaphores sees to. It matters for speed, so bytes on chip rest
// before they are used again.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Lifetimes.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_ALLOCATEMEMORYPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct AllocateMemoryPass
    : mlir::lpu::impl::AllocateMemoryPassBase<AllocateMemoryPass> {
  using AllocateMemoryPassBase::AllocateMemoryPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration()) {
      return;
    }
    Lifetimes onChip =
        collectLifetimes(function, Space::LMU, getMachine(function).lmuBytes);
    onChip.problem.rest = rest;
    std::optional<MemoryPlan> chip = plan(onChip);
    if (!chip) {
      return signalPassFailure();
    }
    // What finds no room only now, for elision made lifetimes longer.
    for (auto [alloc, address] : llvm::zip(onChip.allocs, chip->addresses)) {
      if (!address) {
        setSpace(alloc, Space::Scratch);
      }
    }
    Lifetimes inScratch = collectLifetimes(function, Space::Scratch,
                                           std::numeric_limits<int64_t>::max());
    std::optional<MemoryPlan> scratch = plan(inScratch);
    if (!scratch) {
      return signalPassFailure();
    }
    setBytes(LPUDialect::lmuBytesAttrName, chip->bytesUsed);
    setBytes(LPUDialect::lmuLiveBytesAttrName, chip->bytesLive);
    setBytes(LPUDialect::scratchBytesAttrName, scratch->bytesUsed);
    setBytes(LPUDialect::scratchLiveBytesAttrName, scratch->bytesLive);
    lmuBytes += chip->bytesUsed;
    lmuLiveBytes += chip->bytesLive;
    scratchBytes += scratch->bytesUsed;
    scratchLiveBytes += scratch->bytesLive;
    bytesDemoted += chip->bytesEvicted;
  }

  /// Plans and writes the addresses. None, after an error, if the planner made
  /// a mistake: what shares bytes by accident would compute garbage.
  std::optional<MemoryPlan> plan(const Lifetimes &lifetimes) {
    MemoryPlan plan = planMemory(lifetimes.problem);
    if (std::optional<std::string> mistake =
            verifyPlan(lifetimes.problem, plan)) {
      getOperation().emitOpError("found a memory plan in which ")
          << *mistake << ", expected a sound one";
      return std::nullopt;
    }
    for (auto [alloc, address] : llvm::zip(lifetimes.allocs, plan.addresses)) {
      if (address) {
        alloc->setAttr(LPUDialect::addressAttrName,
                       Builder(alloc).getI64IntegerAttr(*address));
      }
    }
    return plan;
  }

  void setBytes(StringRef name, int64_t bytes) {
    getOperation()->setAttr(name,
                            Builder(&getContext()).getI64IntegerAttr(bytes));
  }
};

} // namespace

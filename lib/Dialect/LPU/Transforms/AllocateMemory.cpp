//===- AllocateMemory.cpp - Give every buffer an address ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects lifetimes, lets the planner decide, writes the decision into the IR:
// collect, decide, rewrite. A lifetime is an interval of positions in the
// function, which is straight-line code at this stage. That units run ahead of
// each other does not matter here: whoever reuses memory waits for its last
// user, which the insertion of semaphores sees to.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/MemoryPlanner.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_ALLOCATEMEMORYPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Buffers start at whole bursts of the HBM and whole words of the LMU's ports.
static constexpr int64_t alignment = 64;

namespace {

struct AllocateMemoryPass
    : mlir::lpu::impl::AllocateMemoryPassBase<AllocateMemoryPass> {
  using AllocateMemoryPassBase::AllocateMemoryPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration()) {
      return;
    }
    ::lpu::MachineModel machine = getMachine(function);
    SmallVector<memref::AllocOp> onChip = collect(Space::LMU);
    MemoryPlan chip = plan(onChip, machine.lmuBytes);
    for (auto [alloc, address] : llvm::zip(onChip, chip.addresses)) {
      if (!address) {
        setSpace(alloc, Space::Scratch);
      }
    }
    write(onChip, chip);

    SmallVector<memref::AllocOp> inScratch = collect(Space::Scratch);
    MemoryPlan scratch = plan(inScratch, std::numeric_limits<int64_t>::max());
    write(inScratch, scratch);

    Builder b(function);
    function->setAttr(LPUDialect::lmuBytesAttrName,
                      b.getI64IntegerAttr(chip.bytesUsed));
    function->setAttr(LPUDialect::scratchBytesAttrName,
                      b.getI64IntegerAttr(scratch.bytesUsed));
    lmuBytes += chip.bytesUsed;
    scratchBytes += scratch.bytesUsed;
    bytesDemoted += chip.bytesEvicted;
  }

  SmallVector<memref::AllocOp> collect(Space space) {
    SmallVector<memref::AllocOp> allocs;
    getOperation().walk([&](memref::AllocOp alloc) {
      if (getSpace(alloc.getType()) == space) {
        allocs.push_back(alloc);
      }
    });
    return allocs;
  }

  MemoryPlan plan(ArrayRef<memref::AllocOp> allocs, int64_t capacity) {
    llvm::DenseMap<Operation *, int64_t> positions;
    for (Operation &op : getOperation().getBody().front()) {
      positions[&op] = positions.size();
    }
    MemoryProblem problem{{}, capacity, alignment};
    for (memref::AllocOp alloc : allocs) {
      // Unused buffers still get an address, so that the IR stays uniform.
      BufferRequest request{getByteSize(alloc.getType()),
                            std::numeric_limits<int64_t>::max(), -1};
      forEachAccess(alloc, [&](OpOperand &use) {
        int64_t position = positions.lookup(use.getOwner());
        request.first = std::min(request.first, position);
        request.last = std::max(request.last, position);
      });
      if (request.last < 0) {
        request.first = request.last = positions.lookup(alloc);
      }
      problem.buffers.push_back(request);
    }
    MemoryPlan plan = planMemory(problem);
    assert(!verifyPlan(problem, plan) && "the planner solves its problem");
    return plan;
  }

  static void write(ArrayRef<memref::AllocOp> allocs, const MemoryPlan &plan) {
    for (auto [alloc, address] : llvm::zip(allocs, plan.addresses)) {
      if (address) {
        alloc->setAttr(LPUDialect::addressAttrName,
                       Builder(alloc).getI64IntegerAttr(*address));
      }
    }
  }
};

} // namespace

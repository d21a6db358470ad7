//===- DemoteBuffers.cpp - Send to HBM what finds no room on chip ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the memory planner which buffers find no place in the LMU, and moves
// those to scratch, before addresses are given: a copy that brings an operand
// to a buffer which is in HBM itself can still be elided then.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Lifetimes.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_DEMOTEBUFFERSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct DemoteBuffersPass
    : mlir::lpu::impl::DemoteBuffersPassBase<DemoteBuffersPass> {
  using DemoteBuffersPassBase::DemoteBuffersPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration()) {
      return;
    }
    Lifetimes chip =
        collectLifetimes(function, Space::LMU, getMachine(function).lmuBytes);
    MemoryPlan plan = planMemory(chip.problem);
    for (auto [alloc, address] : llvm::zip(chip.allocs, plan.addresses)) {
      if (!address) {
        setSpace(alloc, Space::Scratch);
        ++numDemoted;
        bytesDemoted += getByteSize(alloc.getType());
      }
    }
  }
};

} // namespace

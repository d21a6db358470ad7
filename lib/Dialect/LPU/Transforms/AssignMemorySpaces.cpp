//===- AssignMemorySpaces.cpp - Decide where each buffer lies -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets the memory space of every root buffer; views follow. Which on-chip
// buffers really find room is decided when they get addresses.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_ASSIGNMEMORYSPACESPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct AssignMemorySpacesPass
    : mlir::lpu::impl::AssignMemorySpacesPassBase<AssignMemorySpacesPass> {
  using AssignMemorySpacesPassBase::AssignMemorySpacesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    int64_t capacity = getMachine(module).lmuBytes;
    for (auto global : module.getOps<memref::GlobalOp>()) {
      global.setType(MemRefType(
          MemRefType::Builder(global.getType())
              .setMemorySpace(SpaceAttr::get(&getContext(), Space::Constant))));
    }
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration()) {
        continue;
      }
      for (BlockArgument argument : function.getArguments()) {
        if (isa<MemRefType>(argument.getType())) {
          setSpace(argument, Space::Arg);
        }
      }
      function.walk([&](Operation *op) {
        if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
          setSpace(global, Space::Constant);
        } else if (auto alloc = dyn_cast<memref::AllocOp>(op);
                   alloc && !alloc.getType().getMemorySpace()) {
          bool fits = getByteSize(alloc.getType()) <= capacity;
          setSpace(alloc, fits ? Space::LMU : Space::Scratch);
          ++(fits ? numOnChip : numInScratch);
        }
      });
      function.setType(FunctionType::get(&getContext(),
                                         function.getBody().getArgumentTypes(),
                                         function.getResultTypes()));
    }
  }
};

} // namespace

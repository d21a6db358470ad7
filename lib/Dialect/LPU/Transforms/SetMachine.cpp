//===- SetMachine.cpp - Attach the machine to compile for -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the name of a machine once, at the start of a pipeline, and writes
// all its parameters into the module, so that a dump shows what it was made
// for.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_SETMACHINEPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct SetMachinePass : mlir::lpu::impl::SetMachinePassBase<SetMachinePass> {
  using SetMachinePassBase::SetMachinePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    ::lpu::MachineModel model = getMachine(module);
    if (!machine.empty()) {
      auto named = ::lpu::MachineModel::get(machine.getValue());
      if (!named) {
        module.emitError() << named.message();
        return signalPassFailure();
      }
      model = *named;
    }
    module->setAttr(LPUDialect::machineAttrName,
                    MachineAttr::fromModel(&getContext(), model));
  }
};

} // namespace

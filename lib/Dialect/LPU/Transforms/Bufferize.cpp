//===- Bufferize.cpp - Give every tensor a buffer -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's one-shot bufferization, set up for programs whose arguments are
// tensors: which arguments may be overwritten, identity layouts for arguments,
// and `lpu.copy` wherever a copy is needed, which later passes elide. Every
// destination without a value gets a buffer of its own: that buffers share
// memory is for the allocator to decide.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::lpu;

static OneShotBufferizationOptions getOptions() {
  OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(LayoutMapOption::IdentityLayoutMap);
  // A returned view keeps its layout; results are tied to arguments later.
  options.inferFunctionResultLayout = true;
  options.unknownTypeConverterFn = [](TensorType type, Attribute space,
                                      const BufferizationOptions &) {
    return getMemRefTypeWithStaticIdentityLayout(type, space);
  };
  options.memCpyFn = [](OpBuilder &b, Location loc, Value from, Value to) {
    CopyOp::create(b, loc, TypeRange(), from, to);
    return success();
  };
  // A vector program on buffers still has tensors in its region, for which the
  // final check would take it for left over; the verifier of the stage checks.
  options.allowUnknownOps = true;
  // What is inside a vector program is registers, not memory.
  options.opFilter.denyOperation([](Operation *op) {
    return op->getParentOfType<VectorOp>() || op->getParentOfType<ContractOp>();
  });
  return options;
}

/// Lets an argument be overwritten if and only if some result is its new value.
static void markWritableArguments(func::FuncOp function) {
  Builder b(function.getContext());
  SmallVector<bool> writable(function.getNumArguments(), false);
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
    auto alias =
        function.getResultAttrOfType<IntegerAttr>(i, LPUDialect::aliasAttrName);
    if (alias && alias.getInt() >= 0 &&
        alias.getInt() < static_cast<int64_t>(writable.size())) {
      writable[alias.getInt()] = true;
    }
  }
  for (auto [index, value] : llvm::enumerate(writable)) {
    function.setArgAttr(index, BufferizationDialect::kWritableAttrName,
                        b.getBoolAttr(value));
  }
}

/// Gives each use of an empty tensor an empty tensor of its own.
static void separateDestinations(ModuleOp module) {
  SmallVector<tensor::EmptyOp> empties;
  module.walk([&](tensor::EmptyOp empty) {
    if (!empty->getParentOfType<VectorOp>()) {
      empties.push_back(empty);
    }
  });
  for (tensor::EmptyOp empty : empties) {
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*empty)->getResult(0));
    }
    empty.erase();
  }
}

namespace {

struct BufferizePass : mlir::lpu::impl::BufferizePassBase<BufferizePass> {
  using BufferizePassBase::BufferizePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      markWritableArguments(function);
    }
    separateDestinations(module);
    OneShotBufferizationOptions options = getOptions();
    BufferizationState state;
    if (failed(runOneShotModuleBufferize(module, options, state))) {
      return signalPassFailure();
    }
    module.walk([&](memref::AllocOp) { ++numBuffers; });
    removeBufferizationAttributesInModule(module);
  }
};

} // namespace

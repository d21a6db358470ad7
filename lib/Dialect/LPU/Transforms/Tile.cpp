//===- Tile.cpp - Find operations that exceed the on-chip memory ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the working set of each operation: the operands that its unit works
// on directly. What is streamed or read as a table needs no room on chip.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Operands.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_TILEPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct TilePass : mlir::lpu::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  void runOnOperation() override {
    int64_t capacity = getMachine(getOperation()).lmuBytes;
    getOperation().walk([&](DestinationStyleOpInterface op) {
      if (!isa<LPUDialect>(op->getDialect())) {
        return;
      }
      int64_t bytes = 0;
      for (OpOperand &operand : op->getOpOperands()) {
        if (wantsLMU(operand)) {
          bytes += getByteSize(cast<ShapedType>(operand.get().getType()));
        }
      }
      if (bytes > capacity) {
        op->setAttr("lpu.exceeds_lmu",
                    Builder(op).getI64IntegerAttr(bytes - capacity));
        ++numExceeding;
      }
    });
  }
};

} // namespace

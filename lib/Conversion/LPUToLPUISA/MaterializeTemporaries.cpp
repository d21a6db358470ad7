//===- MaterializeTemporaries.cpp - Buffers that operations work in -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks each operation that needs room on chip how much it needs and gives it an
// allocation, before memory is allocated.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/AttentionPlan.h"
#include "lpu/Conversion/LPUToLPUISA/ContractPlan.h"
#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_MATERIALIZETEMPORARIESPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct MaterializeTemporariesPass
    : mlir::lpu::impl::MaterializeTemporariesPassBase<
          MaterializeTemporariesPass> {
  void runOnOperation() override {
    ::lpu::MachineModel machine = getMachine(getOperation());
    getOperation().walk([&](AttentionOp op) {
      if (!op.getTemporary() && isa<MemRefType>(op.getQ().getType())) {
        materialize(op, AttentionPlan(op, machine).bytes);
      }
    });
    getOperation().walk([&](ContractOp op) {
      if (!op.getTemporary() && isa<MemRefType>(op.getA().getType())) {
        materialize(op, ContractPlan(op).bytes);
      }
    });
  }

  template <typename Op>
  void materialize(Op op, int64_t bytes) {
    if (bytes == 0) {
      return;
    }
    OpBuilder builder(op);
    auto type = MemRefType::get({bytes}, builder.getI8Type(),
                                MemRefLayoutAttrInterface(),
                                SpaceAttr::get(&getContext(), Space::LMU));
    auto buffer = memref::AllocOp::create(builder, op.getLoc(), type);
    op.getTemporaryMutable().assign(buffer);
    ++numTemporaries;
    numBytes += bytes;
  }
};

} // namespace

//===- StageOperands.cpp - Bring operands on chip -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts the copies between HBM and the on-chip memory around each operation
// whose unit works on chip. It materialises every one of them; removing the
// superfluous is another pass.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Operands.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_STAGEOPERANDSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct StageOperandsPass
    : mlir::lpu::impl::StageOperandsPassBase<StageOperandsPass> {
  using StageOperandsPassBase::StageOperandsPassBase;

  void runOnOperation() override {
    // Several operands of one operation, and those of its neighbours, have to
    // fit at the same time.
    int64_t limit = getMachine(getOperation()).lmuBytes / 4;
    SmallVector<DestinationStyleOpInterface> ops;
    getOperation().walk([&](DestinationStyleOpInterface op) {
      if (isa<LPUDialect>(op->getDialect())) {
        ops.push_back(op);
      }
    });
    for (DestinationStyleOpInterface op : ops) {
      for (OpOperand &operand : op->getOpOperands()) {
        auto type = dyn_cast<MemRefType>(operand.get().getType());
        if (type && getSpace(type) != Space::LMU && wantsLMU(operand) &&
            getByteSize(type) <= limit && type.getNumElements() != 0) {
          stage(op, operand, type);
        }
      }
    }
  }

  void stage(DestinationStyleOpInterface op, OpOperand &operand,
             MemRefType type) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value home = operand.get();
    Value staged = allocate(b, loc, type, Space::LMU);
    bool isDestination = op.isDpsInit(&operand);
    if (!isDestination || readsDestination(op, operand)) {
      CopyOp::create(b, loc, TypeRange(), home, staged);
      bytesLoaded += getByteSize(type);
    }
    operand.set(staged);
    if (isDestination) {
      b.setInsertionPointAfter(op);
      CopyOp::create(b, loc, TypeRange(), staged, home);
      bytesStored += getByteSize(type);
    }
  }

  /// Whether the old value of a destination matters. It does as well if the
  /// destination has elements that the operation does not write.
  static bool readsDestination(DestinationStyleOpInterface op,
                               OpOperand &operand) {
    unsigned index =
        operand.getOperandNumber() - op.getDpsInits().getBeginOperandIndex();
    if (auto contract = dyn_cast<ContractOp>(op.getOperation())) {
      return contract.readsInit(index);
    }
    if (auto vector = dyn_cast<VectorOp>(op.getOperation())) {
      return vector.readsInit(index);
    }
    return !isa<AttentionOp>(op.getOperation());
  }
};

} // namespace

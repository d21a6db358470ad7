//===- Operands.cpp - Where operations want their operands ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line for each kind of operation.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/Operands.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::lpu;

bool mlir::lpu::wantsLMU(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  return llvm::TypeSwitch<Operation *, bool>(operand.getOwner())
      .Case([&](ContractOp) { return number != 1; })
      .Case([&](AttentionOp op) {
        // Keys and values are streamed; the control unit loads the length.
        return operand.get() != op.getK() && operand.get() != op.getV() &&
               operand.get() != op.getLength();
      })
      .Case([&](VectorOp op) {
        return !VectorOp::isTable(op.getBody().getArgument(number));
      })
      .Case<GatherOp, ScatterOp>([&](auto op) {
        // Rows are addressed by them: in the HBM their latency would come
        // first.
        return operand.get() == op.getIndex();
      })
      .Default([](Operation *) { return false; });
}

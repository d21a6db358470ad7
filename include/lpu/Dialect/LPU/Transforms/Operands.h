//===- Operands.h - Where operations want their operands --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement that suits each operand of an lpu operation.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_OPERANDS_H
#define LPU_DIALECT_LPU_TRANSFORMS_OPERANDS_H

#include "lpu/Dialect/LPU/IR/LPU.h"

namespace mlir::lpu {

/// Whether the unit that runs the operation works on `operand` directly, so
/// that it should lie on chip. Not so for what is streamed (b of a contraction,
/// keys and values), for tables, and for operands of the memory unit.
bool wantsLMU(OpOperand &operand);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_OPERANDS_H

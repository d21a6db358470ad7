//===- LPU.h - The lpu dialect ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the lpu dialect, its attributes and its operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_IR_LPU_H
#define LPU_DIALECT_LPU_IR_LPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lpu/Dialect/LPU/IR/LPUOpsDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lpu/Dialect/LPU/IR/LPUOpsAttributes.h.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/LPU/IR/LPUOps.h.inc"

#endif // LPU_DIALECT_LPU_IR_LPU_H

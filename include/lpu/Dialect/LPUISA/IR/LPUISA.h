//===- LPUISA.h - The lpuisa dialect ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the lpuisa dialect, its attributes and its operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISA_H
#define LPU_DIALECT_LPUISA_IR_LPUISA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lpu/Dialect/LPUISA/IR/LPUISAOpsDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lpu/Dialect/LPUISA/IR/LPUISAOpsAttributes.h.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/LPUISA/IR/LPUISAOps.h.inc"

#endif // LPU_DIALECT_LPUISA_IR_LPUISA_H

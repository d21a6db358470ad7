//===- LPUISA.h - The lpuisa dialect ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the lpuisa dialect, its attributes, its interface and its
// operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISA_H
#define LPU_DIALECT_LPUISA_IR_LPUISA_H

#include "lpu/Dialect/LPUISA/IR/MachineEnums.h"
#include "lpu/Target/Encoding.h"
#include "lpu/Target/MicroOps.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lpu/Dialect/LPUISA/IR/LPUISAOpsDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lpu/Dialect/LPUISA/IR/LPUISAOpsAttributes.h.inc"

namespace mlir::lpuisa {

/// How an instruction touches memory.
enum class AccessKind {
  Read,
  Write,
  /// The stream entry that an `mm` takes: its bytes may be read as late as
  /// here, but they are ordered after their writer by the `stream`.
  LateRead,
};

/// One view that an instruction touches.
struct Access {
  ViewAttr view;
  AccessKind kind;
};

/// The micro-register type of an SSA type, if it is one.
std::optional<::lpu::MicroType> getMicroType(Type type);
/// The SSA type of a micro-register.
Type getMicroRegisterType(MLIRContext *context, ::lpu::MicroType type);

} // namespace mlir::lpuisa

#include "lpu/Dialect/LPUISA/IR/LPUISAInterfaces.h.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/LPUISA/IR/LPUISAOps.h.inc"

#endif // LPU_DIALECT_LPUISA_IR_LPUISA_H

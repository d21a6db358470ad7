//===- LPUISADialect.cpp - The lpuisa dialect -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the operations of the lpuisa dialect.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

#include "lpu/Dialect/LPUISA/IR/LPUISAOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/LPUISA/IR/LPUISAOps.cpp.inc"

void mlir::lpuisa::LPUISADialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lpu/Dialect/LPUISA/IR/LPUISAOps.cpp.inc"
      >();
}

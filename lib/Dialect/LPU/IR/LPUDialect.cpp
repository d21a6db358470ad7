//===- LPUDialect.cpp - The lpu dialect -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the operations of the lpu dialect.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

#include "lpu/Dialect/LPU/IR/LPUOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/LPU/IR/LPUOps.cpp.inc"

void mlir::lpu::LPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lpu/Dialect/LPU/IR/LPUOps.cpp.inc"
      >();
}

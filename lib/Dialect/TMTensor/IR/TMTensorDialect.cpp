//===- TMTensorDialect.cpp - The tm_tensor dialect ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the operations of the tm_tensor dialect.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

#include "lpu/Dialect/TMTensor/IR/TMTensorOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/TMTensor/IR/TMTensorOps.cpp.inc"

void mlir::tm_tensor::TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lpu/Dialect/TMTensor/IR/TMTensorOps.cpp.inc"
      >();
}

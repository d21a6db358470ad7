//===- LPUISADialect.cpp - The lpuisa dialect -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the lpuisa dialect, and relates the types of SSA values to those of
// micro-registers.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

using namespace mlir;
using namespace mlir::lpuisa;

#include "lpu/Dialect/LPUISA/IR/LPUISAOpsDialect.cpp.inc"

#include "lpu/Dialect/LPUISA/IR/LPUISAInterfaces.cpp.inc"

void LPUISADialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "lpu/Dialect/LPUISA/IR/LPUISAOps.cpp.inc"
      >();
}

std::optional<::lpu::MicroType> mlir::lpuisa::getMicroType(Type type) {
  if (type.isF32()) {
    return ::lpu::MicroType::F32;
  }
  if (!type.isSignlessInteger()) {
    return std::nullopt;
  }
  switch (type.getIntOrFloatBitWidth()) {
  case 64:
    return ::lpu::MicroType::I64;
  case 32:
    return ::lpu::MicroType::I32;
  case 16:
    return ::lpu::MicroType::I16;
  case 8:
    return ::lpu::MicroType::I8;
  case 1:
    return ::lpu::MicroType::I1;
  default:
    return std::nullopt;
  }
}

Type mlir::lpuisa::getMicroRegisterType(MLIRContext *context,
                                        ::lpu::MicroType type) {
  if (type == ::lpu::MicroType::F32) {
    return Float32Type::get(context);
  }
  return IntegerType::get(context, ::lpu::bitWidth(type));
}

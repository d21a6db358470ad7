//===- ExportMicroProgram.h - Encodes the body of a vec ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the exporter that turns the region of a vector instruction into
// a list of micro-operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_TARGET_LPUISA_EXPORTMICROPROGRAM_H
#define LPU_LIB_TARGET_LPUISA_EXPORTMICROPROGRAM_H

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Target/Program.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::lpuisa {

/// Encodes the micro-program of `vec`. Registers are numbered in the order in
/// which they are assigned; `addString` gives the offset of a message.
FailureOr<::lpu::MicroProgram>
exportMicroProgram(VecOp vec,
                   llvm::function_ref<uint32_t(StringRef)> addString);

} // namespace mlir::lpuisa

#endif // LPU_LIB_TARGET_LPUISA_EXPORTMICROPROGRAM_H

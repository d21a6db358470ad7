//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the conversion passes of Passes.td and their registration.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_PASSES_H
#define LPU_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::lpu {

#define GEN_PASS_DECL
#include "lpu/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lpu/Conversion/Passes.h.inc"

} // namespace mlir::lpu

#endif // LPU_CONVERSION_PASSES_H

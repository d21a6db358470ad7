//===- Passes.h - Passes on the lpuisa dialect ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of Passes.td and their registration.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_H
#define LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_H

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include "mlir/Pass/Pass.h"

namespace mlir::lpuisa {

#define GEN_PASS_DECL
#include "lpu/Dialect/LPUISA/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lpu/Dialect/LPUISA/Transforms/Passes.h.inc"

} // namespace mlir::lpuisa

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_H

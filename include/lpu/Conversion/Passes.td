//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that convert linalg to lpu and lpu to lpuisa.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_PASSES_TD
#define LPU_CONVERSION_PASSES_TD

include "lpu/Conversion/LinalgToLPU/Passes.td"
include "lpu/Conversion/LPUToLPUISA/Passes.td"
include "mlir/Pass/PassBase.td"

#endif // LPU_CONVERSION_PASSES_TD

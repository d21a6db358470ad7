//===- Passes.td - Passes on the lpu dialect ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that work within the lpu dialect.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_PASSES_TD
#define LPU_DIALECT_LPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // LPU_DIALECT_LPU_TRANSFORMS_PASSES_TD

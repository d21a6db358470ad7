//===- Passes.td - Passes on the lpuisa dialect ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that work within the lpuisa dialect.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD
#define LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD

//===- LPUOps.td - Operations of the lpu dialect -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the lpu dialect, and the root file that TableGen is run on.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_IR_LPUOPS_TD
#define LPU_DIALECT_LPU_IR_LPUOPS_TD

include "lpu/Dialect/LPU/IR/LPUDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class LPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<LPU_Dialect, mnemonic, traits>;

#endif // LPU_DIALECT_LPU_IR_LPUOPS_TD

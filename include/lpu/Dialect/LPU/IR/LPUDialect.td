//===- LPUDialect.td - The lpu dialect ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the dialect itself; its operations are in LPUOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_IR_LPUDIALECT_TD
#define LPU_DIALECT_LPU_IR_LPUDIALECT_TD

include "mlir/IR/OpBase.td"

def LPU_Dialect : Dialect {
  let name = "lpu";
  let cppNamespace = "::mlir::lpu";
  let summary = "Structured operations of the LPU";
  let description = [{
    Whole operations of the LPU on tensors and on buffers: what a compiler fuses,
    tiles, bufferizes and allocates before it becomes machine instructions.
  }];
}

#endif // LPU_DIALECT_LPU_IR_LPUDIALECT_TD

//===- LPUISADialect.td - The lpuisa dialect ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the dialect itself; its operations are in LPUISAOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISADIALECT_TD
#define LPU_DIALECT_LPUISA_IR_LPUISADIALECT_TD

include "mlir/IR/OpBase.td"

def LPUISA_Dialect : Dialect {
  let name = "lpuisa";
  let cppNamespace = "::mlir::lpuisa";
  let summary = "Machine instructions of the LPU";
  let description = [{
    One operation per machine instruction. The textual form of this dialect is
    the LPU's assembly language.
  }];
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISADIALECT_TD

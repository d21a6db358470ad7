//===- LPUISAOps.td - Operations of the lpuisa dialect -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the lpuisa dialect, and the root file that TableGen is run on.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD
#define LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD

include "lpu/Dialect/LPUISA/IR/LPUISADialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class LPUISA_Op<string mnemonic, list<Trait> traits = []>
    : Op<LPUISA_Dialect, mnemonic, traits>;

def LPUISA_HaltOp : LPUISA_Op<"halt"> {
  let summary = "Stop the program";
  let description = [{
    Ends the program once every unit has drained its queue.

    Example:

    ```mlir
    lpuisa.halt
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD

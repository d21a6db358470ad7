//===- LPUISADialect.td - The lpuisa dialect ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the dialect itself. Its attributes are in LPUISAAttrs.td, its
// interface in LPUISAInterfaces.td, its operations in LPUISAOps.td.
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
    One operation per machine instruction, in the order of the binary's text.
    The textual form of this dialect is the LPU's assembly language:
    `lpu-translate --mlir-to-lpubin` is the assembler and `--lpubin-to-mlir`
    the disassembler, and the two undo each other.

    Everything an instruction says is an attribute, because the machine has no
    values but its registers and memories. SSA values occur in one place, the
    micro-programs of `lpuisa.vec`, whose registers are assigned once.

    ```
       lpuisa.program          control (ICP) walks the text in order
       +----------------+
       | li, ld, alu    |----- executes these itself
       | branch, loop   |
       | copy, stream   |----> SMA queue --+ stream buffer (a FIFO)
       | mm             |----> SXE queue <-+
       | vec            |----> VXE queue
       | wait, post     |----> the queue that they name
       +----------------+
    ```

    Each queue runs in order; two queues are ordered against each other by
    `lpuisa.wait` and `lpuisa.post` alone, and an `mm` against its own `stream`
    by the stream buffer. `lpuisa-insert-semaphores` inserts what is needed.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISADIALECT_TD

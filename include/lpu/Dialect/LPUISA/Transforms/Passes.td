//===- Passes.td - Passes on the lpuisa dialect ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that work within the lpuisa dialect.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD
#define LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LPUISAInsertSemaphoresPass
    : Pass<"lpuisa-insert-semaphores", "::mlir::lpuisa::ProgramOp"> {
  let summary = "Order the units against each other where they share bytes";
  let description = [{
    Finds the hazards between instructions of different units (read after write,
    write after read, write after write) on the bytes that their views can
    reach, and inserts a post after the producer and a wait before the consumer
    for those that do not follow from others. SemaphorePlanner.h describes the
    algorithm, and what it does at loops and branches.

    An `mm` needs nothing against its own `stream`. The `stream` waits for the
    writer of its source, and later writers of that source wait for the `mm`.

    *Before*

    ```mlir
    lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {...}
    lpuisa.copy <arg[1], f32, [16], [1], 0> = <lmu, f32, [16], [1], 64>
    ```

    *After*

    ```mlir
    lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
    lpuisa.post sma, 5, 1
    lpuisa.wait vxe, 5, 1
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {...}
    lpuisa.post vxe, 10, 1
    lpuisa.wait sma, 10, 1
    lpuisa.copy <arg[1], f32, [16], [1], 0> = <lmu, f32, [16], [1], 64>
    ```

    Pre-condition: the program has no posts and waits, and each `mm` follows its
    `stream` in straight-line code, without a write to the source in between.
    Post-condition: any order of execution that the queues and semaphores allow
    gives the same values; every count is zero at the end.
  }];
  let statistics = [
    Statistic<"numWaits", "waits inserted", "Waits (and posts) inserted">,
    Statistic<"numElided", "waits elided",
              "Waits that hazards ask for and that follow from others">,
    Statistic<"numDrains", "drains", "Points at which the ICP waits for all units">,
  ];
}

def LPUISAVerifyPass : Pass<"lpuisa-verify", "::mlir::lpuisa::ProgramOp"> {
  let summary = "Check a program as a whole";
  let description = [{
    The end of stage `isa`: what no single instruction can see. The program
    ends; on every straight-line path posts and waits balance and each `mm` has
    its `stream`, with the same view; every view stays within its memory, in any
    iteration and whatever registers hold within their bounds; constants are
    only read; scratch, LMU and constants fit the machine.
  }];
}

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD

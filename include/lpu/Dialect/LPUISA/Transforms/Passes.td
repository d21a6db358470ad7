//===- Passes.td - Passes on the lpuisa dialect ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that work within the lpuisa dialect.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD
#define LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LPUISASchedulePass : Pass<"lpuisa-schedule", "::mlir::lpuisa::ProgramOp"> {
  let summary = "Put instructions into an order in which units overlap";
  let description = [{
    Queues are in order, so what waits at the head of one holds up all behind
    it. The pass moves instructions within straight-line pieces: transfers to
    before the streams that would hold them up, those that nobody waits for to
    behind, and of independent products that one first whose result is needed
    for longest. Scheduler.h describes the algorithm. Streams keep the order of
    their products, and run ahead of them as far as the stream buffer has room.

    *Before*: the second copy stands behind a stream that fills the buffer.

    ```mlir
    lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
    lpuisa.stream <arg[1], f32, [8192, 64], [64, 1], 0> passes 1
    lpuisa.mm <lmu, f32, [8192], [1], 512> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [8192, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
    lpuisa.copy <lmu, f32, [8192], [1], 65536> = <arg[2], f32, [8192], [1], 0>
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [8192], [1], 512>, <lmu, f32, [8192], [1], 65536>] {...}
    ```

    *After*

    ```mlir
    lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
    lpuisa.copy <lmu, f32, [8192], [1], 65536> = <arg[2], f32, [8192], [1], 0>
    lpuisa.stream <arg[1], f32, [8192, 64], [64, 1], 0> passes 1
    lpuisa.mm <lmu, f32, [8192], [1], 512> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [8192, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [8192], [1], 512>, <lmu, f32, [8192], [1], 65536>] {...}
    ```

    Pre-condition: the program has no posts and waits. Post-condition: whoever
    touches common bytes does so in the same order as before, and no stream
    stands before a transfer without which it would find no room.
  }];
  let options = [
    Option<"window", "window", "unsigned", /*default=*/"128",
           "Instructions by which one may come early">
  ];
  let statistics = [
    Statistic<"numMoved", "instructions moved", "Instructions that changed their place">,
    Statistic<"cyclesSaved", "cycles saved", "Cycles saved, as the scheduler sees time">,
  ];
}

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
    only read; scratch, LMU and constants fit the machine. A program without
    loops and branches comes to its end: no stream stands before a transfer
    without which it finds no room in the stream buffer.
  }];
}

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_PASSES_TD

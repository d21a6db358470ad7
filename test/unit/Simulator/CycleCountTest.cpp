//===- CycleCountTest.cpp - Cycles of programs, counted by hand -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole programs of a few instructions on the `tiny` machine, each about one
// rule of docs/ISA.md, "Timing", with the arithmetic in its comment. Control,
// memory and semaphores; CycleCountUnitsTest.cpp has the matrix and vector
// units.
//
// `tiny` at 1 GHz: an issue takes 4 cycles, a semaphore 8. The HBM moves 64
// bytes a cycle in bursts of 64, with a latency of 100. The LMU reads 2 x 32
// bytes a cycle and writes 32, with a latency of 10. Transfers ask for 1024
// bytes at once (1/16 of a stream buffer of 16384). `halt` takes one cycle of
// the ICP while others still work, and so never shows but in the first tests.
//
//===----------------------------------------------------------------------===//

#include "CountCycles.h"

using namespace lpu;
using namespace lpu::test;

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

// cost_icp: halt alone.
TEST(CycleCount, Halt) { EXPECT_EQ(Counted().cycles(), 1); }

// cost_icp: li, alu, branch, trace and halt; the second li is jumped over.
TEST(CycleCount, Scalars) {
  Counted run;
  run.li(1, 5);
  run.increment(1);
  run.emit(Opcode::Branch, 0, 0, 4);
  run.li(1, 0);
  run.emit(Opcode::Trace, 0, 0, run.string("here"));
  EXPECT_EQ(run.cycles(), 5);
}

// A body runs three times at no cost for going back: li, loop, 3 alu, halt.
TEST(CycleCount, Loop) {
  Counted run;
  run.li(1, 3);
  run.emit(Opcode::Loop, LoopTripsInRegister, 0, 1, 3, 8);
  run.increment(2);
  EXPECT_EQ(run.cycles(), 1 + 1 + 3 + 1);
}

// cost_ld: 1 cycle, then the LMU's latency of 10; halt 1.
TEST(CycleCount, LoadFromLMU) {
  Counted run;
  run.ld(1, lmu(0, DType::I32, {1}));
  EXPECT_EQ(run.cycles(), 1 + 10 + 1);
}

// cost_ld: 1 cycle, a burst of 1 cycle, the HBM's latency of 100; halt 1.
TEST(CycleCount, LoadFromHBM) {
  Counted run;
  unsigned x = run.input(DType::I64, {1});
  run.ld(1, arg(x, DType::I64, {1}));
  EXPECT_EQ(run.cycles(), 1 + 1 + 100 + 1);
}

// cost_issue: ten copies of 32 bytes take the SMA one cycle each, but the ICP
// issues one every 4: the last at 40. Latency 10.
TEST(CycleCount, IssueBound) {
  Counted run;
  for (int64_t i = 1; i <= 10; ++i) {
    run.copy(lmu(64 * i, DType::F32, {8}), lmu(0, DType::F32, {8}));
  }
  EXPECT_EQ(run.cycles(), 10 * 4 + 1 + 10);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// cost_copy, cost_lmu: 400 bytes on chip: ceil(400 / 64) = 7 cycles to read,
// ceil(400 / 32) = 13 to write.
TEST(CycleCount, CopyOnChip) {
  Counted run;
  run.copy(lmu(1024, DType::F32, {100}), lmu(0, DType::F32, {100}));
  EXPECT_EQ(run.cycles(), 4 + 13 + 10);
}

// cost_hbm: 256 bytes in a row are 4 bursts, 4 cycles; writing takes 8.
TEST(CycleCount, CopyRow) {
  Counted run;
  unsigned x = run.input(DType::F32, {64, 16});
  run.copy(lmu(0, DType::F32, {64}), arg(x, DType::F32, {64}));
  EXPECT_EQ(run.cycles(), 4 + 8 + 100);
}

// cost_hbm: a column of the same size touches 64 bursts, 64 cycles.
TEST(CycleCount, CopyColumnWastesBursts) {
  Counted run;
  unsigned x = run.input(DType::F32, {64, 16});
  run.copy(lmu(0, DType::F32, {64}), arg(x, DType::F32, {64}, {16}));
  Report report = run.report();
  EXPECT_EQ(report.cycles, 4 + 64 + 100);
  EXPECT_EQ(report.hbmRead(), 64 * 64);
}

// cost_hbm: a broadcast touches one burst; writing takes 8.
TEST(CycleCount, CopyBroadcast) {
  Counted run;
  unsigned x = run.input(DType::F32, {1});
  run.copy(lmu(0, DType::F32, {64}), arg(x, DType::F32, {64}, {0}));
  Report report = run.report();
  EXPECT_EQ(report.cycles, 4 + 8 + 100);
  EXPECT_EQ(report.hbmRead(), 64);
}

// cost_copy: from HBM to HBM, 1024 bytes are moved twice: 32 cycles.
TEST(CycleCount, CopyWithinHBM) {
  Counted run;
  unsigned x = run.input(DType::F32, {256}), y = run.output(DType::F32, {256});
  run.copy(arg(y, DType::F32, {256}), arg(x, DType::F32, {256}));
  EXPECT_EQ(run.cycles(), 4 + 32 + 100);
}

// cost_unit: the first copy occupies the SMA for 1024 / 32 = 32 cycles, 4 to
// 36; the second follows at once, 36 to 68, though the first is complete at 136
// only.
TEST(CycleCount, CopiesFollowAtOnce) {
  Counted run;
  unsigned x = run.input(DType::F32, {512});
  run.copy(lmu(0, DType::F32, {256}), arg(x, DType::F32, {256}));
  run.copy(lmu(1024, DType::F32, {256}), arg(x, DType::F32, {256}, {1}, 1024));
  EXPECT_EQ(run.cycles(), 68 + 100);
}

// cost_unit: a copy of what the first one writes waits until that is complete,
// at 136; then 1024 / 64 = 16 cycles, through the ports and in HBM alike.
TEST(CycleCount, CopyOfACopyWaits) {
  Counted run;
  unsigned x = run.input(DType::F32, {256}), y = run.output(DType::F32, {256});
  run.copy(lmu(0, DType::F32, {256}), arg(x, DType::F32, {256}));
  run.copy(arg(y, DType::F32, {256}), lmu(0, DType::F32, {256}));
  EXPECT_EQ(run.cycles(), 136 + 16 + 10);
}

// Four rows of 256 bytes in a loop: `loop` takes 1 cycle, the copies are issued
// at 5, 9, 13 and 17 and occupy the SMA for 8 each: 5 to 37.
TEST(CycleCount, LoopOfCopies) {
  Counted run;
  unsigned x = run.input(DType::F32, {4, 64});
  View from = arg(x, DType::F32, {64}), to = lmu(0, DType::F32, {64});
  from.loopIncrements[0] = to.loopIncrements[0] = 256;
  run.emit(Opcode::Loop, 0, 0, 4, 2, 4);
  run.copy(to, from);
  EXPECT_EQ(run.cycles(), 5 + 4 * 8 + 100);
}

/// Copies the first r1 of 64 floats to the LMU.
static void copySome(Counted &run, unsigned x) {
  View from = arg(x, DType::F32, {64}), to = lmu(0, DType::F32, {64});
  from.dynamicDim = to.dynamicDim = 0;
  from.sizeRegister = to.sizeRegister = 1;
  run.copy(to, from);
}

// A size in a register: 16 of 64 elements are one burst and 2 cycles of the
// write port. li takes 1 cycle, so the copy is issued at 5.
TEST(CycleCount, SizeInARegister) {
  Counted run;
  unsigned x = run.input(DType::F32, {64});
  run.li(1, 16);
  copySome(run, x);
  EXPECT_EQ(run.cycles(), 5 + 2 + 100);
}

// Nothing to copy: at least 1 cycle, and the latency.
TEST(CycleCount, SizeZero) {
  Counted run;
  unsigned x = run.input(DType::F32, {64});
  run.li(1, 0);
  copySome(run, x);
  Report report = run.report();
  EXPECT_EQ(report.cycles, 5 + 1 + 100);
  EXPECT_EQ(report.hbmRead(), 0);
}

// A size that ld brings: 102 cycles, then as above; where the argument is not
// there, the size counts at its bound: 64 elements, 8 cycles.
TEST(CycleCount, SizeFromMemory) {
  Counted run;
  unsigned n = run.input(DType::I64, {1}), x = run.input(DType::F32, {64});
  run.ld(1, arg(n, DType::I64, {1}));
  copySome(run, x);
  int64_t size = 16;
  EXPECT_EQ(run.cycles({&size}), 102 + 4 + 2 + 100);
  EXPECT_EQ(run.cycles(), 102 + 4 + 8 + 100);
}

// cost_gather: 4 rows of 32 bytes are 4 bursts, 4 indices one more: 5 cycles of
// the HBM, more than 4 for the indices or 128 / 32 to write. The address of a
// row comes from the HBM, the row too: 200.
TEST(CycleCount, GatherInHBM) {
  Counted run;
  unsigned table = run.input(DType::F32, {16, 8});
  unsigned index = run.input(DType::I64, {4});
  run.indexed(Opcode::Gather, lmu(0, DType::F32, {4, 8}),
              arg(table, DType::F32, {16, 8}), arg(index, DType::I64, {4}));
  EXPECT_EQ(run.cycles(), 4 + 5 + 200);
}

// cost_gather: 64 rows of a table of 2 are one burst altogether; 64 indices,
// and 2048 / 32 = 64 to write. Latency of an index on chip and of the table:
// 110.
TEST(CycleCount, GatherFromASmallTable) {
  Counted run;
  unsigned table = run.input(DType::F32, {2, 8});
  run.indexed(Opcode::Gather, lmu(0, DType::F32, {64, 8}),
              arg(table, DType::F32, {2, 8}), lmu(4096, DType::I64, {64}));
  Report report = run.report();
  EXPECT_EQ(report.cycles, 4 + 64 + 110);
  EXPECT_EQ(report.hbmRead(), 64);
}

// cost_scatter: 40 indices take 40 cycles; reading 160 + 320 bytes takes 8,
// writing 160 takes 5. Latencies of index and rows: 20.
TEST(CycleCount, ScatterOnChip) {
  Counted run;
  run.indexed(Opcode::Scatter, lmu(0, DType::F32, {64}),
              lmu(1024, DType::F32, {40}), lmu(2048, DType::I64, {40}));
  EXPECT_EQ(run.cycles(), 4 + 40 + 20);
}

//===----------------------------------------------------------------------===//
// Semaphores and sharing
//===----------------------------------------------------------------------===//

// Units that nothing orders: the copy is complete at 4 + 32 + 100; the vector
// instruction, issued at 8, takes 256 / 8 = 32 cycles and 20, in its shadow.
TEST(CycleCount, UnitsOverlap) {
  Counted run;
  unsigned x = run.input(DType::F32, {256});
  run.copy(lmu(0, DType::F32, {256}), arg(x, DType::F32, {256}));
  run.addOne(lmu(1024, DType::F32, {256}), lmu(2048, DType::F32, {256}));
  EXPECT_EQ(run.cycles(), 136);
}

// cost_semaphore: the same, one after the other. The copy is complete at 136,
// the post takes effect at 144, the wait takes 1; then 32 and 20.
TEST(CycleCount, Semaphore) {
  Counted run;
  unsigned x = run.input(DType::F32, {256});
  run.copy(lmu(0, DType::F32, {256}), arg(x, DType::F32, {256}));
  run.order(Unit::SMA, Unit::VXE, 0);
  run.addOne(lmu(1024, DType::F32, {256}), lmu(0, DType::F32, {256}));
  EXPECT_EQ(run.cycles(), 136 + 8 + 1 + 32 + 20);
}

// cost_semaphore: the ICP waits itself and issues the second copy afterwards,
// at 145 + 4; then 16 cycles and 10.
TEST(CycleCount, ControlWaits) {
  Counted run;
  unsigned x = run.input(DType::F32, {256}), y = run.output(DType::F32, {256});
  run.copy(lmu(0, DType::F32, {256}), arg(x, DType::F32, {256}));
  run.order(Unit::SMA, Unit::ICP, 0);
  run.copy(arg(y, DType::F32, {256}), lmu(0, DType::F32, {256}));
  EXPECT_EQ(run.cycles(), 149 + 16 + 10);
}

// cost_semaphore: the ICP posts at 8, which takes effect at 16; the wait takes
// 1, the vector instruction 1 and 20.
TEST(CycleCount, ControlPosts) {
  Counted run;
  run.wait(Unit::VXE, 0);
  run.addOne(lmu(32, DType::F32, {8}), lmu(0, DType::F32, {8}));
  run.post(Unit::ICP, 0);
  EXPECT_EQ(run.cycles(), 8 + 8 + 1 + 1 + 20);
}

// cost_hbm, cost_chunk: the weight is 16 chunks of 16 cycles. The vector
// instruction asks for 1024 bytes at 8, while the first is served, and gets
// them before the second, which delays all others by 16: the last is served at
// 276, arrives at 376 and takes the SXE 32 * 4 / 16 = 8 cycles; then 30.
TEST(CycleCount, ContentionForHBM) {
  for (bool hasOther : {false, true}) {
    Counted run;
    unsigned w = run.input(DType::F32, {128, 32});
    unsigned x = run.input(DType::F32, {256});
    run.stream(run.add(arg(w, DType::F32, {128, 32})), 1);
    if (hasOther) {
      run.addOne(lmu(2048, DType::F32, {256}), arg(x, DType::F32, {256}));
    }
    uint32_t a = run.add(lmu(0, DType::F32, {1, 32}));
    uint32_t c = run.add(lmu(512, DType::F32, {1, 128}));
    run.emit(Opcode::Mm, 0, MmFields{0, 1, 1, 1}.pack(), a, c, 0);
    EXPECT_EQ(run.cycles(), (hasOther ? 376 : 360) + 8 + 30);
  }
}

// A layer: x comes in, is multiplied, gets 1 added and goes out.
//   SMA   copy 4..8 (128 bytes / 32), complete at 108; post -> 116
//         stream issued at 12: chunks are served at 28, 44, 60 and 76
//   SXE   wait until 117; chunks arrive at 128, 144, 160, 176, 8 cycles each:
//         until 184, complete at 214; post -> 222
//   VXE   wait until 223; 32 / 8 = 4 cycles: until 227, complete at 247;
//         post -> 255
//   SMA   wait until 256; 128 / 64 = 2 cycles, complete at 268
TEST(CycleCount, Layer) {
  Counted run;
  unsigned x = run.input(DType::F32, {1, 32});
  unsigned w = run.input(DType::F32, {32, 32});
  unsigned y = run.output(DType::F32, {1, 32});
  run.copy(lmu(0, DType::F32, {32}), arg(x, DType::F32, {32}));
  run.post(Unit::SMA, 0);
  uint32_t weight = run.add(arg(w, DType::F32, {32, 32}));
  run.stream(weight, 1);
  run.wait(Unit::SXE, 0);
  uint32_t a = run.add(lmu(0, DType::F32, {1, 32}));
  uint32_t c = run.add(lmu(512, DType::F32, {1, 32}));
  run.emit(Opcode::Mm, 0, MmFields{0, 1, 1, 1}.pack(), a, c, weight);
  run.order(Unit::SXE, Unit::VXE, 1);
  run.addOne(lmu(1024, DType::F32, {32}), lmu(512, DType::F32, {32}));
  run.order(Unit::VXE, Unit::SMA, 2);
  run.copy(arg(y, DType::F32, {32}), lmu(1024, DType::F32, {32}));
  EXPECT_EQ(run.cycles(), 268);
}

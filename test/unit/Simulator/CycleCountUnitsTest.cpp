//===- CycleCountUnitsTest.cpp - Cycles of products and vectors -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As CycleCountTest.cpp, for the SXE and the VXE of the `tiny` machine: 4 trees
// of 8, fill and drain 20, 4 rows a pass, 8 lanes, transcendentals 4 cycles,
// depth of the VXE 10. HBM: 64 bytes a cycle, latency 100, chunks of 1024. LMU:
// 64 bytes a cycle in, 32 out, latency 10. An issue takes 4 cycles: the stream
// of a product is issued at 4, its mm at 8.
//
//===----------------------------------------------------------------------===//

#include "CountCycles.h"

using namespace lpu;
using namespace lpu::test;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// rows x 32 times 32 x 32, with a weight in HBM; activations at 0 and the
/// result at 4096 in the LMU.
static int64_t squareProduct(int64_t rows, DType type = DType::F32,
                             MachineModel machine = *MachineModel::get("tiny"),
                             bool activationsInHBM = false,
                             bool resultInHBM = false) {
  Counted run(machine);
  unsigned w = run.input(type, {32, 32}), x = run.input(type, {rows, 32});
  unsigned y = run.output(type, {rows, 32});
  run.product(
      activationsInHBM ? arg(x, type, {rows, 32}) : lmu(0, type, {rows, 32}),
      arg(w, type, {32, 32}),
      resultInHBM ? arg(y, type, {rows, 32}) : lmu(4096, type, {rows, 32}));
  return run.cycles();
}

// cost_mm, bound by bandwidth: 4096 bytes are 4 chunks, served until 20, 36, 52
// and 68. ceil(32 / 4) * ceil(32 / 8) * 1 = 32 cycles are 8 a chunk: the last
// arrives at 168 and is used up at 176. Fill and LMU: 30.
TEST(CycleCount, ProductBoundByBandwidth) {
  EXPECT_EQ(squareProduct(1), 68 + 100 + 8 + 30);
}

// cost_mm, bound by compute: 4 rows take 128 cycles from the first chunk on.
TEST(CycleCount, ProductBoundByCompute) {
  EXPECT_EQ(squareProduct(4), 20 + 100 + 128 + 30);
}

// cost_stream: 8 rows are two passes, 8 chunks, one each 16 cycles; 256 cycles
// of compute are 32 a chunk, so compute is the limit still.
TEST(CycleCount, ProductOfTwoPasses) {
  EXPECT_EQ(squareProduct(8), 20 + 100 + 256 + 30);
}

// Half the bytes: 2 chunks, 16 of 32 cycles each. The second arrives at 136, as
// the first is used up.
TEST(CycleCount, ProductInBF16) {
  EXPECT_EQ(squareProduct(1, DType::BF16), 20 + 100 + 32 + 30);
}

// cost_mm, bound by ports of 4 bytes: the activations, 4 * 32 * 4 = 512 bytes,
// are read for each of 8 groups of columns: 4096 / 8 = 512 cycles, 128 a chunk.
TEST(CycleCount, ProductBoundByPorts) {
  MachineModel machine = *MachineModel::get("tiny");
  machine.lmuPortBytes = 4;
  EXPECT_EQ(squareProduct(4, DType::F32, machine), 20 + 100 + 512 + 30);
}

// cost_mm: the result goes to HBM when all is computed, at 176: 128 bytes take
// 2 cycles.
TEST(CycleCount, ResultInHBM) {
  EXPECT_EQ(
      squareProduct(1, DType::F32, *MachineModel::get("tiny"), false, true),
      176 + 2 + 30);
}

// cost_mm: activations in HBM are read once for each of 8 groups of columns:
// 1024 bytes, asked for at 8 and served after the first chunk, 20 to 36. The
// other three chunks are served 16 later: the last at 84, there at 184, used up
// at 192. Fill 20 and latency of the HBM 100.
TEST(CycleCount, ActivationsInHBM) {
  EXPECT_EQ(
      squareProduct(1, DType::F32, *MachineModel::get("tiny"), true, false),
      84 + 100 + 8 + 120);
}

// cost_mm: edges count in full: 5 columns of depth 9 are 2 groups of 2 steps.
// 180 bytes are 3 bursts: served at 7, there at 107.
TEST(CycleCount, ProductWithEdges) {
  Counted run;
  unsigned w = run.input(DType::F32, {5, 9});
  run.product(lmu(0, DType::F32, {1, 9}), arg(w, DType::F32, {5, 9}),
              lmu(512, DType::F32, {1, 5}));
  EXPECT_EQ(run.cycles(), 4 + 3 + 100 + 2 * 2 + 30);
}

// cost_mm: a batch of three 1 x 8 times 4 x 8 takes 3 cycles. 384 bytes take 6.
TEST(CycleCount, ProductOfABatch) {
  Counted run;
  unsigned w = run.input(DType::F32, {3, 4, 8});
  run.matmul(lmu(0, DType::F32, {3, 1, 8}), arg(w, DType::F32, {3, 4, 8}),
             lmu(512, DType::F32, {3, 1, 4}), MmFields{1, 1, 1, 1});
  EXPECT_EQ(run.cycles(), 4 + 6 + 100 + 3 + 30);
}

// cost_stream: a weight in the LMU comes at 64 bytes a cycle: 4 chunks of 16
// cycles, with a latency of 10. The last is there at 78.
TEST(CycleCount, StreamFromLMU) {
  Counted run;
  run.product(lmu(0, DType::F32, {1, 32}), lmu(8192, DType::F32, {32, 32}),
              lmu(512, DType::F32, {1, 32}));
  Report report = run.report();
  EXPECT_EQ(report.cycles, 4 + 64 + 10 + 8 + 30);
  EXPECT_EQ(report.hbmBytes(), 0);
}

// The SMA runs ahead: the second weight follows the first one at 68, its chunks
// arrive at 184, 200, 216 and 232, used up at 240.
TEST(CycleCount, StreamsRunAhead) {
  Counted run;
  unsigned w = run.input(DType::F32, {2, 32, 32});
  for (int64_t i : {0, 1}) {
    run.product(lmu(0, DType::F32, {1, 32}),
                arg(w, DType::F32, {32, 32}, {32, 1}, 4096 * i),
                lmu(512 + 128 * i, DType::F32, {1, 32}));
  }
  EXPECT_EQ(run.cycles(), 240 + 30);
}

// cost_unit: the second product adds to the result of the first, which is
// complete at 206: by then two chunks are there. 206..214, 214..222, 222..230
// and, when the last one arrives, 232..240. So the wait hides in the stream.
TEST(CycleCount, Accumulate) {
  Counted run;
  unsigned w = run.input(DType::F32, {2, 32, 32});
  for (int64_t i : {0, 1}) {
    run.product(lmu(128 * i, DType::F32, {1, 32}),
                arg(w, DType::F32, {32, 32}, {32, 1}, 4096 * i),
                lmu(512, DType::F32, {1, 32}), i == 1);
  }
  EXPECT_EQ(run.cycles(), 240 + 30);
}

// cost_buffer: a buffer of 2048 bytes holds 16 chunks of 128, 2 cycles each.
// Chunk j arrives at 106 + 2 j and takes the SXE 1 of its 32 cycles. Chunk
// 16 + j is asked for when chunk j is used up, at 107 + 2 j, and arrives at
// 209 + 2 j: the last one, j = 15, at 239.
TEST(CycleCount, RunAheadIsLimitedByTheBuffer) {
  MachineModel machine = *MachineModel::get("tiny");
  machine.streamBufferBytes = 2048;
  EXPECT_EQ(squareProduct(1, DType::F32, machine), 239 + 1 + 30);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

// cost_section: exp(x + 1) of 100 elements: ceil(100 / 8) = 13 positions of
// 1 + 4 cycles; the ports would take 7 and 13. Depth and LMU: 20.
TEST(CycleCount, Elementwise) {
  Counted run;
  MicroBuilder micro(1, 1);
  micro.elements();
  uint16_t one = micro.constant(MicroType::F32, 1.0f);
  uint16_t sum = micro.f(MicroOpcode::AddF, micro.load(0), one);
  micro.store(1, micro.f(MicroOpcode::ExpF, sum));
  run.vec(micro, {lmu(0, DType::F32, {100}), lmu(512, DType::F32, {100})});
  EXPECT_EQ(run.cycles(), 4 + 13 * 5 + 20);
}

/// out = in, which costs nothing but the traffic.
static void move(Counted &run, const View &out, const View &in) {
  MicroBuilder micro(1, 1);
  micro.elements();
  micro.store(1, micro.load(0));
  run.vec(micro, {in, out});
}

// cost_lmu: 1024 bytes take 16 cycles to read and 32 to write.
TEST(CycleCount, VectorBoundByPorts) {
  Counted run;
  move(run, lmu(1024, DType::F32, {256}), lmu(0, DType::F32, {256}));
  EXPECT_EQ(run.cycles(), 4 + 32 + 20);
}

// cost_vec: 4096 bytes from HBM and as many to it take 128 cycles; depth 10 and
// HBM 100.
TEST(CycleCount, VectorBoundByBandwidth) {
  Counted run;
  unsigned x = run.input(DType::F32, {1024});
  unsigned y = run.output(DType::F32, {1024});
  move(run, arg(y, DType::F32, {1024}), arg(x, DType::F32, {1024}));
  EXPECT_EQ(run.cycles(), 4 + 128 + 110);
}

// cost_section: x / sum(x) on 2 rows of 20. The sum pads each row to 24: 2 * 24
// / 8 = 6 positions of 1 cycle, and a tree of 2 * 8 / 8 = 2. The second section
// waits for the pipeline, 10, and takes 5 positions of a division, 4.
TEST(CycleCount, Reduction) {
  Counted run;
  MicroBuilder micro(2, 1);
  micro.elements();
  uint16_t sum = micro.reduce(micro.load(0), MicroCombine::AddF);
  micro.elements();
  micro.store(1, micro.f(MicroOpcode::DivF, micro.load(0), sum));
  run.vec(micro, {lmu(0, DType::F32, {2, 20}), lmu(512, DType::F32, {2, 20})});
  EXPECT_EQ(run.cycles(), 4 + (6 + 2) + 10 + 20 + 20);
}

// cost_section: x * rsqrt(sum(x * x)) on a row of 64, in three sections. The
// first: 8 positions of a product and a sum, 16, and a tree of 1. The second,
// after 10: one position of 4. The third, after 10: 8 positions of 1; 256 / 32
// = 8 to write.
TEST(CycleCount, ThreeSections) {
  Counted run;
  MicroBuilder micro(2, 1);
  micro.elements();
  uint16_t x = micro.load(0);
  uint16_t sum =
      micro.reduce(micro.f(MicroOpcode::MulF, x, x), MicroCombine::AddF);
  micro.rows();
  uint16_t scale = micro.f(MicroOpcode::RsqrtF, sum);
  micro.elements();
  micro.store(1, micro.f(MicroOpcode::MulF, micro.load(0), scale));
  run.vec(micro, {lmu(0, DType::F32, {1, 64}), lmu(512, DType::F32, {1, 64})});
  EXPECT_EQ(run.cycles(), 4 + 17 + (10 + 4) + (10 + 8) + 20);
}

// cost_section: a fold in order on 2 rows of 20 takes 20 steps of 2 cycles.
// What comes before it costs nothing; what comes after stores one value a row:
// 10 and 1.
TEST(CycleCount, Carry) {
  Counted run;
  MicroBuilder micro(2, 1);
  micro.rows();
  uint16_t zero = micro.constant(MicroType::F32, 0.0f);
  micro.elements();
  uint16_t sum = micro.carry(zero);
  micro.next(sum, micro.f(MicroOpcode::AddF, sum, micro.load(0)));
  micro.rows();
  micro.store(1, sum);
  run.vec(micro, {lmu(0, DType::F32, {2, 20}),
                  view(Space::LMU, 0, DType::F32, {2, 20}, {1, 0}, 512)});
  EXPECT_EQ(run.cycles(), 4 + 20 * 2 + (10 + 1) + 20);
}

// cost_walk: table[32 * row(i) + j] for 4 rows of 32: iota, product, sum and
// gather are 4 cycles in 16 positions. A walk over j is 128 bytes at an unknown
// place, at most 3 bursts: 12 for all, in the shadow of the 64 cycles.
TEST(CycleCount, GatherOfRows) {
  Counted run;
  unsigned table = run.input(DType::F32, {4096});
  MicroBuilder micro(2, 2);
  micro.elements();
  uint16_t row = micro.load(0, MicroType::I64);
  uint16_t width = micro.constant(MicroType::I64, 32);
  uint16_t start = micro.op(MicroOpcode::MulI, MicroType::I64, row, width);
  uint16_t at =
      micro.op(MicroOpcode::AddI, MicroType::I64, start, micro.iota(1));
  micro.store(1, micro.gather(2, at));
  run.vec(micro,
          {view(Space::LMU, 0, DType::I64, {4, 32}, {1, 0}),
           lmu(512, DType::F32, {4, 32}), arg(table, DType::F32, {4096})});
  Report report = run.report();
  EXPECT_EQ(report.cycles, 4 + 16 * 4 + 110);
  EXPECT_EQ(report.hbmRead(), 12 * 64);
}

// cost_walk: 128 elements at places that only the values tell are 128 bursts,
// 128 cycles.
TEST(CycleCount, GatherOfElements) {
  Counted run;
  unsigned table = run.input(DType::F32, {4096});
  MicroBuilder micro(1, 1);
  micro.elements();
  micro.store(1, micro.gather(2, micro.load(0, MicroType::I64)));
  run.vec(micro, {lmu(0, DType::I64, {128}), lmu(2048, DType::F32, {128}),
                  arg(table, DType::F32, {4096})});
  EXPECT_EQ(run.cycles(), 4 + 128 + 110);
}

//===- CostTest.cpp - Tests of what instructions cost ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs worked out by hand on the `tiny` machine: 4 trees x 8, 8 lanes, bursts
// of 64 bytes, LMU ports 2 x 32 bytes in and 1 x 32 out, HBM latency 100, LMU
// and VXE latency 10, SXE fill 20, transcendentals 4 cycles.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Cost.h"
#include "TimelineRecorder.h"
#include "lpu/Target/Names.h"

#include <set>

using namespace lpu;
using namespace lpu::test;

/// Applies no registers.
static ResolvedView fixed(const View &view) {
  return *ResolvedView::resolve(view, ControlState());
}

static MachineModel tiny() { return *MachineModel::get("tiny"); }

static Cost costOf(Instruction word, std::vector<ResolvedView> views,
                   const MicroProgram *micro = nullptr) {
  return cost(
      {0, word, views.data(), static_cast<unsigned>(views.size()), micro},
      tiny());
}

static int64_t bursts(const Shape &sizes, const Shape &strides,
                      int64_t offset = 0, DType type = DType::F32) {
  return countTouchedBursts(fixed(arg(0, type, sizes, strides, offset)), 64);
}

TEST(TouchedBursts, Contiguous) {
  EXPECT_EQ(bursts({16}, {1}), 1);
  EXPECT_EQ(bursts({17}, {1}), 2);
  EXPECT_EQ(bursts({16}, {1}, 4), 2); // Straddles a boundary.
  EXPECT_EQ(bursts({4, 4}, {4, 1}), 1);
  EXPECT_EQ(bursts({}, {}), 1);
  EXPECT_EQ(bursts({0, 4}, {4, 1}), 0);
}

TEST(TouchedBursts, Strided) {
  EXPECT_EQ(bursts({4}, {16}), 4);          // One element a burst.
  EXPECT_EQ(bursts({4}, {8}), 2);           // Two elements a burst.
  EXPECT_EQ(bursts({4}, {-8}, 96), 2);      // Backwards over the same bytes.
  EXPECT_EQ(bursts({1000}, {0}), 1);        // A broadcast.
  EXPECT_EQ(bursts({16, 16}, {1, 16}), 16); // Transposed: the same bytes.
  EXPECT_EQ(bursts({3, 2}, {100, 1}), 3);   // 400 bytes apart.
  EXPECT_EQ(bursts({4, 3}, {1, 2}), 1);     // Overlapping windows.
}

// Every view of a few sizes and strides against a set of bursts.
TEST(TouchedBursts, AgreesWithEnumeration) {
  for (int64_t offset : {0, 20, 60}) {
    for (int64_t s0 : {1, 3, 17, 40}) {
      for (int64_t s1 : {0, 1, 5, 16, 33}) {
        for (int64_t s2 : {1, 2, 64, 100}) {
          Shape sizes = {3, 5, 4}, strides = {s0, s1, s2};
          std::set<int64_t> expected;
          for (int64_t i = 0; i < 3; ++i) {
            for (int64_t j = 0; j < 5; ++j) {
              for (int64_t k = 0; k < 4; ++k) {
                int64_t at = offset + 4 * (i * s0 + j * s1 + k * s2);
                expected.insert(at / 64);
                expected.insert((at + 3) / 64);
              }
            }
          }
          EXPECT_EQ(bursts(sizes, strides, offset),
                    static_cast<int64_t>(expected.size()))
              << offset << " " << s0 << " " << s1 << " " << s2;
        }
      }
    }
  }
}

// 100 floats from HBM: 400 bytes are 7 bursts. Into the LMU at 32 bytes a
// cycle: ceil(400 / 32) = 13 cycles.
TEST(Cost, CopyIn) { // cost_copy, cost_lmu
  Cost cost =
      costOf({Opcode::Copy, 0, 0, 0, 1, 0}, {fixed(lmu(0, DType::F32, {100})),
                                             fixed(arg(0, DType::F32, {100}))});
  EXPECT_EQ(cost.hbmRead, 7 * 64);
  EXPECT_EQ(cost.hbmWritten, 0);
  EXPECT_EQ(cost.lmuWritten, 400);
  EXPECT_EQ(cost.cycles, 13);
  EXPECT_EQ(cost.latency, 100);
}

// Two of sixteen rows of 32 bytes: each row lies in one burst. Two indices of 8
// bytes: one burst. The latencies of index and table add up.
TEST(Cost, GatherReadsRows) { // cost_gather
  Cost cost = costOf({Opcode::Gather, 0, 0, 0, 1, 2},
                     {fixed(lmu(0, DType::F32, {2, 8})),
                      fixed(arg(0, DType::F32, {16, 8})),
                      fixed(arg(1, DType::I64, {2}))});
  EXPECT_EQ(cost.hbmRead, (2 + 1) * 64);
  EXPECT_EQ(cost.lmuWritten, 64);
  EXPECT_EQ(cost.cycles, 2);
  EXPECT_EQ(cost.latency, 200);
}

// The other way round: rows from the LMU into bursts of the table.
TEST(Cost, ScatterWritesRows) { // cost_scatter
  Cost cost = costOf({Opcode::Scatter, 0, 0, 0, 1, 2},
                     {fixed(arg(0, DType::F32, {16, 8})),
                      fixed(lmu(0, DType::F32, {2, 8})),
                      fixed(arg(1, DType::I64, {2}))});
  EXPECT_EQ(cost.hbmRead, 64);
  EXPECT_EQ(cost.hbmWritten, 2 * 64);
  EXPECT_EQ(cost.lmuRead, 64);
  EXPECT_EQ(cost.cycles, 2);
  EXPECT_EQ(cost.latency, 100 + 10);
}

// However many indices, no more than the table is read.
TEST(Cost, GatherIsBoundedByTheTable) {
  Cost cost = costOf({Opcode::Gather, 0, 0, 0, 1, 2},
                     {fixed(lmu(0, DType::F32, {64, 8})),
                      fixed(arg(0, DType::F32, {2, 8})),
                      fixed(lmu(4096, DType::I64, {64}))});
  EXPECT_EQ(cost.hbmRead, 64);
}

// Each pass streams the weights again.
TEST(Cost, StreamPasses) { // cost_stream
  Cost cost = costOf({Opcode::Stream, 0, 0, 0, 3, 0},
                     {fixed(arg(0, DType::F32, {8, 16}))});
  EXPECT_EQ(cost.hbmRead, 3 * 8 * 64);
  EXPECT_EQ(cost.latency, 100);
}

// rows 5, cols 6, depth 20: ceil(6 / 4) * ceil(20 / 8) * 5 = 2 * 3 * 5 = 30.
// The 400 bytes of a are read for each of 2 groups of columns; c has 120 bytes.
TEST(Cost, Mm) { // cost_mm
  Instruction word{Opcode::Mm, 0, MmFields{0, 1, 1, 1}.pack(), 0, 1, 2};
  std::vector<ResolvedView> views = {fixed(lmu(0, DType::F32, {5, 20})),
                                     fixed(lmu(1024, DType::F32, {5, 6}))};
  Cost cost = costOf(word, views);
  EXPECT_EQ(cost.cycles, 30);
  EXPECT_EQ(cost.latency, 20 + 10);
  EXPECT_EQ(cost.lmuRead, 2 * 400);
  EXPECT_EQ(cost.lmuWritten, 120);
  word.flags = MmAccumulate;
  EXPECT_EQ(costOf(word, views).lmuRead, 2 * 400 + 120);
}

// A batch of matrices is that many times the cycles.
TEST(Cost, MmBatch) {
  Instruction word{Opcode::Mm, 0, MmFields{1, 1, 1, 1}.pack(), 0, 1, 2};
  Cost cost = costOf(word, {fixed(lmu(0, DType::F32, {3, 1, 8})),
                            fixed(lmu(1024, DType::F32, {3, 1, 4}))});
  EXPECT_EQ(cost.cycles, 3);
}

/// out = exp(in + 1)
static MicroProgram expOfSum(unsigned rank) {
  MicroBuilder micro(rank, rank);
  micro.elements();
  uint16_t one = micro.constant(MicroType::F32, 1.0f);
  uint16_t sum = micro.f(MicroOpcode::AddF, micro.load(0), one);
  micro.store(1, micro.f(MicroOpcode::ExpF, sum));
  return micro.program;
}

// 100 elements in 8 lanes: 13 positions of 1 + 4 cycles. The ports would take
// 400 / 64 = 7 and 400 / 32 = 13 cycles.
TEST(Cost, VecElementwise) { // cost_vec
  MicroProgram micro = expOfSum(1);
  Cost cost = costOf(
      {Opcode::Vec, 0, 1 | 1 << 8, 0, 0, 2},
      {fixed(lmu(0, DType::F32, {100})), fixed(lmu(512, DType::F32, {100}))},
      &micro);
  EXPECT_EQ(cost.cycles, 13 * 5);
  EXPECT_EQ(cost.latency, 10 + 10);
  EXPECT_EQ(cost.lmuRead, 400);
  EXPECT_EQ(cost.lmuWritten, 400);
}

// The same from and to HBM: no port cycles, 7 bursts each way, HBM latency.
TEST(Cost, VecInHBM) {
  MicroProgram micro = expOfSum(1);
  Cost cost = costOf(
      {Opcode::Vec, 0, 1 | 1 << 8, 0, 0, 2},
      {fixed(arg(0, DType::F32, {100})), fixed(arg(1, DType::F32, {100}))},
      &micro);
  EXPECT_EQ(cost.cycles, 65);
  EXPECT_EQ(cost.latency, 10 + 100);
  EXPECT_EQ(cost.hbmRead, 7 * 64);
  EXPECT_EQ(cost.hbmWritten, 7 * 64);
}

// x / sum(x) on 2 rows of 20. Section 1: a row takes ceil(20 / 8) * 8 = 24
// lanes' worth (partials in groups of 8 lanes), 2 * 24 / 8 = 6 positions of 1
// cycle for the reduction, plus the tree: 2 rows * 8 / 8 = 2. Reading takes
// ceil(160 / 64) = 3. Section 2: 40 / 8 = 5 positions of 4 (division), plus the
// pipeline of 10 before it.
TEST(Cost, VecPhases) { // cost_section
  MicroBuilder micro(2, 1);
  micro.elements();
  uint16_t sum = micro.reduce(micro.load(0), MicroCombine::AddF);
  micro.elements();
  micro.store(1, micro.f(MicroOpcode::DivF, micro.load(0), sum));
  Cost cost = costOf({Opcode::Vec, 0, 2 | 1 << 8, 0, 0, 2},
                     {fixed(lmu(0, DType::F32, {2, 20})),
                      fixed(lmu(512, DType::F32, {2, 20}))},
                     &micro.program);
  EXPECT_EQ(cost.cycles, (6 + 2) + 10 + 5 * 4);
  EXPECT_EQ(cost.lmuRead, 2 * 160);
}

// A fold in order uses one lane a row: 20 elements * ceil(2 / 8) * 1 cycle for
// Next and 1 for the addition.
TEST(Cost, VecCarry) {
  MicroBuilder micro(2, 1);
  micro.rows();
  uint16_t zero = micro.constant(MicroType::F32, 0.0f);
  micro.elements();
  uint16_t sum = micro.carry(zero);
  micro.next(sum, micro.f(MicroOpcode::AddF, sum, micro.load(0)));
  Cost cost = costOf({Opcode::Vec, 0, 2 | 1 << 8, 0, 0, 1},
                     {fixed(lmu(0, DType::F32, {2, 20}))}, &micro.program);
  EXPECT_EQ(cost.cycles, 20 * 2);
}

// table[row(i) * 32 + j] for 4 x 32 elements, rows 128 bytes apart in HBM: the
// walk over j is contiguous, so each of the 4 rows touches ceil(128 / 64) + 1
// bursts (the address is not known to be aligned), not 32.
TEST(Cost, VecGatherWalksRows) {
  MicroBuilder micro(2, 2);
  micro.elements();
  uint16_t row = micro.load(0, MicroType::I64);
  uint16_t width = micro.constant(MicroType::I64, 32);
  uint16_t start = micro.op(MicroOpcode::MulI, MicroType::I64, row, width);
  uint16_t at =
      micro.op(MicroOpcode::AddI, MicroType::I64, start, micro.iota(1));
  micro.store(1, micro.gather(2, at));
  ResolvedView index = fixed(view(Space::LMU, 0, DType::I64, {4, 32}, {1, 0}));
  Cost cost = costOf({Opcode::Vec, 0, 2 | 2 << 8, 0, 0, 3},
                     {index, fixed(lmu(512, DType::F32, {4, 32})),
                      fixed(arg(0, DType::F32, {100000}))},
                     &micro.program);
  EXPECT_EQ(cost.hbmRead, 4 * 3 * 64);
  // An index that changes along j in an unknown way: a burst for each element.
  index.strides[1] = 4;
  cost = costOf({Opcode::Vec, 0, 2 | 2 << 8, 0, 0, 3},
                {index, fixed(lmu(512, DType::F32, {4, 32})),
                 fixed(arg(0, DType::F32, {100000}))},
                &micro.program);
  EXPECT_EQ(cost.hbmRead, 4 * 32 * 64);
}

// cost_unit: every opcode, on nothing at all, occupies its unit for a cycle.
TEST(Cost, EveryOpcodeTakesACycle) {
  MicroProgram micro = expOfSum(1);
  const View empty = lmu(0, DType::F32, {0}),
             square = lmu(0, DType::F32, {0, 0});
  unsigned numOpcodes = 0;
  for (unsigned number = 0; number < 256; ++number) {
    auto opcode = static_cast<Opcode>(number);
    if (nameOf(opcode).empty()) {
      continue; // Illegal.
    }
    ++numOpcodes;
    Recorder run;
    Instruction word{opcode, 0, 0, 1, 1, 0};
    std::vector<View> views;
    Unit unit = unitOf(opcode);
    switch (opcode) {
    case Opcode::Ld:
      views = {lmu(0, DType::I64, {1})};
      break;
    case Opcode::Copy:
      views = {empty, empty};
      break;
    case Opcode::Gather:
    case Opcode::Scatter:
      views = {empty, empty, lmu(0, DType::I64, {0})};
      break;
    case Opcode::Stream:
      views = {square};
      break;
    case Opcode::Mm:
      run.stream(square);
      word.aux = MmFields{0, 1, 1, 1}.pack();
      views = {square, square};
      break;
    case Opcode::Vec:
      views = {empty, empty};
      break;
    case Opcode::Wait:
      run.post(Unit::SMA, 0);
      unit = Unit::VXE;
      word.flags = static_cast<uint8_t>(unit);
      break;
    case Opcode::Post:
      unit = Unit::SXE;
      word.flags = static_cast<uint8_t>(unit);
      break;
    case Opcode::Halt:
    case Opcode::Li:
    case Opcode::Alu:
    case Opcode::Branch:
    case Opcode::Loop:
    case Opcode::Trace:
    case Opcode::Fault:
      break;
    }
    run.issue(word, views, opcode == Opcode::Vec ? &micro : nullptr);
    if (opcode == Opcode::Stream) {
      run.mm(square, square); // Nothing may be left in the buffer.
    }
    Report report = run.finish();
    const UnitReport &its = report.units[static_cast<unsigned>(unit)];
    EXPECT_GE(its.instructions, 1) << nameOf(opcode);
    EXPECT_GE(its.busy, its.instructions) << nameOf(opcode);
  }
  EXPECT_EQ(numOpcodes, 16u);
}

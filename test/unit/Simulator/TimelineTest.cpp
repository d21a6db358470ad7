//===- TimelineTest.cpp - Tests of when instructions run ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycle counts worked out by hand on the `tiny` machine: issue 4 cycles,
// semaphores 8, HBM 64 bytes a cycle with latency 100, stream buffer 16 KiB in
// chunks of 1 KiB, LMU latency 10 and ports 2 x 32 in, 1 x 32 out, VXE latency
// 10 and 8 lanes, SXE 4 trees x 8 with fill 20.
//
//===----------------------------------------------------------------------===//

#include "TimelineRecorder.h"

using namespace lpu;
using namespace lpu::test;

static std::vector<uint32_t> queueOf(const Deadlock &deadlock, Unit unit) {
  return deadlock.queues[static_cast<unsigned>(unit)];
}

// The ICP: one cycle an instruction, and it waits for what it loads. 8 bytes
// are one burst: 1 cycle at 64 bytes a cycle, then 100 of latency.
TEST(Timeline, ControlUnit) { // cost_icp, cost_ld
  Recorder run;
  run.issue({Opcode::Li, 0, 1, 5, 0, 0});
  uint32_t ld =
      run.issue({Opcode::Ld, 0, 1, 0, 0, 0}, {arg(0, DType::I64, {1})});
  run.issue({Opcode::Halt, 0, 0, 0, 0, 0});
  Report report = run.finish();
  EXPECT_EQ(run.start(ld), 1);
  EXPECT_EQ(run.end(ld), 1 + 1 + 1 + 100);
  EXPECT_EQ(report.cycles, 104);
  EXPECT_EQ(report.units[0].busy, 3);
  EXPECT_EQ(report.units[0].waitingForData, 101);
  EXPECT_EQ(report.units[0].hbmRead, 64);
}

// 1024 bytes: issued at 4; the HBM takes 16 cycles, the LMU's write port 32, so
// the SMA is busy to 36; latency 100.
TEST(Timeline, CopyIn) { // cost_issue, cost_hbm
  Recorder run;
  uint32_t copy =
      run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  Report report = run.finish();
  EXPECT_EQ(run.start(copy), 4);
  EXPECT_EQ(run.end(copy), 4 + 32 + 100);
  EXPECT_EQ(report.cycles, 136);
  EXPECT_EQ(report.units[1].busy, 32);
  EXPECT_EQ(report.units[1].waitingForData, 100); // The pipeline drains.
  EXPECT_EQ(report.units[1].idle, 4);
}

// Transfers pipeline: the second one starts when the first has made its
// requests, not when it is complete.
TEST(Timeline, CopiesPipeline) { // cost_unit
  Recorder run;
  run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  uint32_t second =
      run.copy(lmu(1024, DType::F32, {256}), arg(1, DType::F32, {256}));
  run.finish();
  EXPECT_EQ(run.start(second), 36);
  EXPECT_EQ(run.end(second), 36 + 32 + 100);
}

// Unless it needs what the first one writes: then it waits for 136. Out of the
// LMU: read ports 1024 / 64 = 16 cycles, HBM 16 cycles, latency 10.
TEST(Timeline, CopyOfACopyWaits) {
  Recorder run;
  run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  uint32_t out = run.copy(arg(1, DType::F32, {256}), lmu(0, DType::F32, {256}));
  Report report = run.finish();
  EXPECT_EQ(run.start(out), 136);
  EXPECT_EQ(run.end(out), 136 + 16 + 10);
  EXPECT_EQ(report.units[1].waitingForData, 100 + 10);
}

// SMA -> VXE. The copy completes at 136 (above); the post is at most at that
// time and arrives 8 later, at 144; the wait takes 1, so the vector instruction
// starts at 145: 256 / 8 = 32 positions of 1 cycle; latency 10 + 10.
TEST(Timeline, SemaphoreOrders) { // cost_semaphore
  Recorder run;
  run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  run.post(Unit::SMA, 0);
  uint32_t wait = run.wait(Unit::VXE, 0);
  uint32_t vec =
      run.addOne(lmu(1024, DType::F32, {256}), lmu(0, DType::F32, {256}));
  Report report = run.finish();
  EXPECT_EQ(run.start(wait), 12); // Third to be issued.
  EXPECT_EQ(run.end(wait), 145);
  EXPECT_EQ(run.start(vec), 145);
  EXPECT_EQ(run.end(vec), 145 + 32 + 20);
  EXPECT_EQ(report.units[3].waitingForSemaphore, 144 - 12);
  EXPECT_EQ(report.units[3].busy, 1 + 32);
}

// The wait may be issued before its post.
TEST(Timeline, WaitBeforePost) {
  Recorder run;
  uint32_t wait = run.wait(Unit::VXE, 5, 2);
  run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  run.post(Unit::SMA, 5);
  run.post(Unit::SMA, 5);
  run.finish();
  // Issued at 8, the copy is complete at 140; both posts arrive at 148.
  EXPECT_EQ(run.end(wait), 149);
}

// Counts are taken away: one post serves one wait.
TEST(Timeline, CountsAreConsumed) {
  Recorder run;
  run.post(Unit::SMA, 0, 3);
  run.wait(Unit::VXE, 0, 2);
  run.wait(Unit::VXE, 0, 2);
  std::optional<Deadlock> deadlock = run.timeline.finish();
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(queueOf(*deadlock, Unit::VXE), std::vector<uint32_t>({2}));
  EXPECT_EQ(queueOf(*deadlock, Unit::SMA), std::vector<uint32_t>());
  EXPECT_EQ(deadlock->counts[0], 1u);
}

// The ICP's own wait holds up everything after it.
TEST(Timeline, ControlUnitWaits) {
  Recorder run;
  run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  run.post(Unit::SMA, 0);
  uint32_t wait = run.wait(Unit::ICP, 0);
  uint32_t copy =
      run.copy(arg(1, DType::F32, {256}), lmu(0, DType::F32, {256}));
  Report report = run.finish();
  EXPECT_EQ(run.end(wait), 136 + 8 + 1);
  EXPECT_EQ(run.start(copy), 145 + 4);
  EXPECT_EQ(report.units[0].waitingForSemaphore, 144 - 8);
}

TEST(Timeline, ControlUnitDeadlock) {
  Recorder run;
  run.wait(Unit::ICP, 7);
  run.copy(lmu(0, DType::F32, {8}), arg(0, DType::F32, {8})); // Never issued.
  std::optional<Deadlock> deadlock = run.timeline.finish();
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(queueOf(*deadlock, Unit::ICP), std::vector<uint32_t>({0}));
  EXPECT_EQ(queueOf(*deadlock, Unit::SMA), std::vector<uint32_t>());
  EXPECT_EQ(deadlock->counts[7], 0u);
}

// w is 32 x 32 floats = 4096 bytes = 4 chunks; the SMA requests one every 16
// cycles from 4 on; they arrive at 120, 136, 152, 168. The mm (one row)
// computes ceil(32 / 4) * ceil(32 / 8) = 32 cycles, 8 a chunk: the last begins
// at 168 and ends at 176; fill and LMU latency 30.
TEST(Timeline, MemoryBoundMm) {
  Recorder run;
  uint32_t stream = run.stream(arg(0, DType::F32, {32, 32}));
  uint32_t mm =
      run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 32}));
  Report report = run.finish();
  EXPECT_EQ(run.start(stream), 4);
  EXPECT_EQ(run.end(stream), 168);
  EXPECT_EQ(run.start(mm), 120);
  EXPECT_EQ(run.end(mm), 176 + 30);
  EXPECT_EQ(report.units[2].busy, 32);
  // From its issue at 8 to the first chunk, between chunks, and the drain.
  EXPECT_EQ(report.units[2].waitingForData, (120 - 8) + 3 * 8 + 30);
  EXPECT_EQ(report.streamBufferPeak, 4096);
}

// Four rows in one pass: 128 cycles of compute, 32 a chunk, from 120 on.
TEST(Timeline, ComputeBoundMm) {
  Recorder run;
  run.stream(arg(0, DType::F32, {32, 32}));
  uint32_t mm =
      run.mm(lmu(0, DType::F32, {4, 32}), lmu(512, DType::F32, {4, 32}));
  run.finish();
  EXPECT_EQ(run.start(mm), 120);
  EXPECT_EQ(run.end(mm), 120 + 128 + 30);
}

// The SMA runs ahead: the second weight is requested right after the first, so
// two matrix instructions take the time of their bytes. The last of 8 chunks is
// requested at 4 + 7 * 16 = 116, arrives at 232, and is used up at 240.
TEST(Timeline, StreamsRunAhead) {
  Recorder run;
  run.stream(arg(0, DType::F32, {32, 32}));
  run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 32}));
  run.stream(arg(1, DType::F32, {32, 32}));
  uint32_t mm =
      run.mm(lmu(0, DType::F32, {1, 32}), lmu(640, DType::F32, {1, 32}));
  run.finish();
  EXPECT_EQ(run.end(mm), 240 + 30);
}

// A result in the LMU that the next mm reads: it waits for it to be complete.
TEST(Timeline, DependentMm) {
  Recorder run;
  run.stream(arg(0, DType::F32, {32, 32}));
  run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 32}));
  run.stream(arg(1, DType::F32, {32, 32}));
  uint32_t mm =
      run.mm(lmu(512, DType::F32, {1, 32}), lmu(640, DType::F32, {1, 32}));
  run.finish();
  // The first is complete at 206. By then chunks have arrived at 184 and 200;
  // the others come at 216 and 232: 206..214, 214..222, 222..230, 232..240.
  EXPECT_EQ(run.start(mm), 206);
  EXPECT_EQ(run.end(mm), 240 + 30);
}

// A stream of twice the buffer stops when the buffer is full of bytes that
// nobody uses: 16 chunks are requested by 4 + 16 * 16 = 260, the 17th has to
// wait for the consumer, which is held up by a semaphore until the ICP posts
// it.
TEST(Timeline, StreamBufferLimitsRunAhead) { // cost_buffer
  Recorder run;
  uint32_t wait = run.wait(Unit::SXE, 0);
  run.stream(arg(0, DType::F32, {256, 32})); // 32 KiB, 32 chunks.
  uint32_t mm =
      run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 256}));
  // 200 loads from the LMU of 1 + 10 cycles keep the ICP until 12 + 2200 =
  // 2212.
  for (unsigned i = 0; i < 200; ++i) {
    run.issue({Opcode::Ld, 0, 1, 0, 0, 0}, {lmu(4096, DType::I64, {1})});
  }
  run.post(Unit::ICP, 0);
  Report report = run.finish();
  EXPECT_EQ(report.streamBufferPeak, 16384);
  EXPECT_EQ(run.end(wait), 2212 + 8 + 1);
  EXPECT_EQ(run.start(mm), 2221);
  // 256 columns of 32: 64 * 4 = 256 cycles, 8 a chunk. The first 16 chunks last
  // until 2221 + 128 = 2349; the 17th was requested when the first was used up,
  // at 2229, and arrives at 2229 + 16 + 100 = 2345; from then on one every 16
  // cycles: the 32nd arrives at 2345 + 15 * 16 = 2585 and is used up at 2593.
  EXPECT_EQ(run.end(mm), 2593 + 30);
}

// A stream from the LMU takes the read ports (64 bytes a cycle) and no HBM.
TEST(Timeline, StreamFromLMU) {
  Recorder run;
  uint32_t stream = run.stream(lmu(1024, DType::F32, {32, 32}));
  uint32_t mm =
      run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 32}));
  Report report = run.finish();
  EXPECT_EQ(report.hbmBytes(), 0);
  EXPECT_EQ(run.end(stream), 4 + 64 + 10);
  EXPECT_EQ(run.end(mm), 4 + 64 + 10 + 8 + 30);
}

// Two units share the HBM: the vector instruction's 1024 bytes go between two
// chunks of the stream, not after all of it.
TEST(Timeline, UnitsShareTheHBM) {
  Recorder run;
  run.stream(arg(0, DType::F32, {128, 32})); // 16 chunks: 4 .. 260.
  uint32_t vec =
      run.addOne(lmu(2048, DType::F32, {256}), arg(1, DType::F32, {256}));
  run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 128}));
  Report report = run.finish();
  // Issued at 8. The HBM is at chunk 1 until 20, when chunk 2 is requested; the
  // vector's request came first: 20 .. 36, then 110 of latency.
  EXPECT_EQ(run.start(vec), 8);
  EXPECT_EQ(run.end(vec), 8 + 32 + 110);
  EXPECT_EQ(report.units[3].hbmRead, 1024);
  // The stream as a whole is 16 cycles later: its last chunk is served at 276.
  EXPECT_EQ(report.units[1].waitingForData, 16 + 100);
}

// No schedule moves bytes faster than the HBM does.
TEST(Timeline, BandwidthIsConserved) {
  Recorder run;
  for (unsigned i = 0; i < 50; ++i) {
    run.stream(arg(i % 3, DType::F32, {32, 32}), 1 + i % 2);
    run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 32}));
    run.addOne(lmu(4096, DType::F32, {64}), arg(4, DType::F32, {64}));
  }
  Report report = run.finish();
  EXPECT_EQ(report.hbmRead(), 75 * 4096 + 50 * 256);
  EXPECT_GE(report.cycles * 64, report.hbmBytes());
}

// Nothing at all takes no time.
TEST(Timeline, Empty) {
  Recorder run;
  EXPECT_EQ(run.finish().cycles, 0);
}

//===- CriticalPathTest.cpp - Tests of what the total is made of ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chain of steps that determines the time of small programs on the `tiny`
// machine, worked out by hand, and the table that sums it up.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/CriticalPath.h"
#include "TimelineRecorder.h"

using namespace lpu;
using namespace lpu::test;

namespace lpu {
/// "4..20 1 hbm bandwidth (issue)": from, to, instruction, reason and link.
static std::string text(const PathStep &step) {
  return std::to_string(step.start) + ".." + std::to_string(step.end) + " " +
         std::to_string(step.index) + " " + std::string(nameOf(step.reason)) +
         " (" + std::string(nameOf(step.link)) + ")";
}
} // namespace lpu

static std::vector<std::string> texts(const std::vector<PathStep> &path) {
  std::vector<std::string> result;
  for (const PathStep &step : path) {
    result.push_back(text(step));
  }
  return result;
}

// cost_path: a copy is issued, moves its bytes, which takes the write port 32
// cycles, and is complete a latency later; another that reads the result
// continues there.
TEST(CriticalPath, OverlappingCopies) {
  Recorder run;
  run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  run.copy(arg(1, DType::F32, {256}), lmu(0, DType::F32, {256}));
  run.finish();
  EXPECT_EQ(texts(run.path),
            (std::vector<std::string>{
                "0..4 0 issue (begin)", "4..36 0 busy (issue)",
                "36..136 0 hbm latency (same step)",
                // 1024 bytes at 64 a cycle, in HBM as through the ports.
                "136..152 1 busy (overlapping access)",
                "152..162 1 pipeline (same step)"}));
}

// Two units: the path goes over the semaphore.
TEST(CriticalPath, Semaphore) {
  Recorder run;
  run.copy(lmu(0, DType::F32, {256}), arg(0, DType::F32, {256}));
  run.post(Unit::SMA, 0);
  run.wait(Unit::VXE, 0);
  run.addOne(lmu(1024, DType::F32, {256}), lmu(0, DType::F32, {256}));
  run.finish();
  EXPECT_EQ(texts(run.path),
            (std::vector<std::string>{
                "0..4 0 issue (begin)", "4..36 0 busy (issue)",
                "36..136 0 hbm latency (same step)",
                "136..144 1 semaphore (unit)", "144..145 2 semaphore (post)",
                "145..177 3 busy (unit)", "177..197 3 pipeline (same step)"}));
}

// A product that is bound by bandwidth: 4 chunks of 16 cycles follow one
// another, only the last one's latency and use count.
TEST(CriticalPath, MemoryBoundMm) {
  Recorder run;
  run.stream(arg(0, DType::F32, {32, 32}));
  run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 32}));
  run.finish();
  EXPECT_EQ(texts(run.path),
            (std::vector<std::string>{
                "0..4 0 issue (begin)", "4..68 0 hbm bandwidth (issue)",
                "68..168 0 hbm latency (same step)", "168..176 1 busy (chunk)",
                "176..206 1 pipeline (same step)"}));
}

// One that is bound by compute: after the first chunk only the unit counts.
TEST(CriticalPath, ComputeBoundMm) {
  Recorder run;
  run.stream(arg(0, DType::F32, {32, 32}));
  run.mm(lmu(0, DType::F32, {4, 32}), lmu(512, DType::F32, {4, 32}));
  run.finish();
  EXPECT_EQ(texts(run.path),
            (std::vector<std::string>{
                "0..4 0 issue (begin)", "4..20 0 hbm bandwidth (issue)",
                "20..120 0 hbm latency (same step)", "120..248 1 busy (chunk)",
                "248..278 1 pipeline (same step)"}));
}

// A transfer that another unit's holds up: the path goes through both. 4096
// bytes from HBM to HBM are 8 chunks of 16 cycles; the vec asks at 8, while the
// first is served, for a burst in and one out, which take 2.
TEST(CriticalPath, Contention) {
  Recorder run;
  run.copy(arg(1, DType::F32, {1024}), arg(0, DType::F32, {1024}));
  run.addOne(arg(3, DType::F32, {8}), arg(2, DType::F32, {8}));
  run.finish();
  EXPECT_EQ(run.end(1), 22 + 10 + 100);
  EXPECT_EQ(run.end(0), 4 + 8 * 16 + 2 + 100);

  EXPECT_EQ(texts(run.path),
            (std::vector<std::string>{
                "0..4 0 issue (begin)", "4..20 0 hbm bandwidth (issue)",
                "20..22 1 hbm bandwidth (earlier request)",
                "22..134 0 hbm bandwidth (earlier request)",
                "134..234 0 hbm latency (same step)"}));
}

// A buffer that is too small for the latency: every chunk that waited for room
// costs its latency. Two chunks of 64 bytes fit into a buffer of 128.
TEST(CriticalPath, BufferSpace) {
  MachineModel machine = *MachineModel::get("tiny");
  machine.streamBufferBytes = 128;
  Recorder run(machine);
  run.stream(arg(0, DType::F32, {4, 16})); // 4 chunks of 1 cycle.
  run.mm(lmu(0, DType::F32, {1, 16}), lmu(512, DType::F32, {1, 4}));
  Report report = run.finish();
  // ceil(4 / 4) * ceil(16 / 8) = 2 cycles over 4 chunks: 0, 1, 0 and 1. Chunks
  // 1 and 2 arrive at 105 and 106, are used up at 105 and 107. Chunk 3 is asked
  // for at 105, served at 106, there at 206 and used up at once; chunk 4 is
  // asked for at 107 and there at 208.
  EXPECT_EQ(report.cycles, 209 + 30);
  EXPECT_EQ(texts(run.path),
            (std::vector<std::string>{
                "0..4 0 issue (begin)", "4..6 0 hbm bandwidth (issue)",
                "6..106 0 hbm latency (same step)", "106..107 1 busy (chunk)",
                "107..108 0 hbm bandwidth (room)",
                "108..208 0 stream buffer (same step)",
                "208..209 1 busy (chunk)", "209..239 1 pipeline (same step)"}));
  // The SMA stood still for room from 6 to 105 and from 106 to 107, then for
  // the rest of its pipeline.
  EXPECT_EQ(report.units[1].dataWaits[unsigned(DataWait::BufferSpace)], 100);
}

// Fractions of cycles: 48 bytes a cycle, so a chunk of 1024 takes 21.33. The
// steps are whole cycles and still leave no gap (Recorder::finish checks).
TEST(CriticalPath, Fractions) {
  MachineModel machine = *MachineModel::get("tiny");
  machine.hbmGBps = 48;
  Recorder run(machine);
  run.stream(arg(0, DType::F32, {32, 32}));
  run.mm(lmu(0, DType::F32, {1, 32}), lmu(512, DType::F32, {1, 32}));
  // 4 + 4096 / 48 = 89.33: the last byte is there at 190, and used up at 198.
  EXPECT_EQ(run.finish().cycles, 198 + 30);
}

// What is not asked for is not kept.
TEST(CriticalPath, OnlyIfAskedFor) {
  Timeline timeline(*MachineModel::get("tiny"));
  timeline.issue({0, {Opcode::Li, 0, 0, 0, 0, 0}, nullptr, 0, nullptr});
  EXPECT_FALSE(timeline.finish());
  EXPECT_TRUE(timeline.criticalPath().empty());
}

// Of a run that is too long there is no path, and a warning says so.
TEST(CriticalPath, TooLong) {
  for (size_t steps : {2, 3}) {
    Timeline timeline(*MachineModel::get("tiny"), nullptr, steps);
    for (uint32_t i = 0; i < 3; ++i) {
      timeline.issue({i, {Opcode::Li, 0, 0, 0, 0, 0}, nullptr, 0, nullptr});
    }
    EXPECT_FALSE(timeline.finish());
    EXPECT_EQ(timeline.criticalPath().size(), steps == 3 ? 3u : 0u);
    Report report;
    timeline.fill(report);
    EXPECT_EQ(report.cycles, 3);
    EXPECT_EQ(report.warnings.size(), steps == 3 ? 0u : 1u);
  }
}

// Steps of one place, opcode, unit and reason are one row; largest first.
TEST(CriticalPath, Summary) {
  Program program;
  program.text = {{Opcode::Copy, 0, 0, 0, 0, 0},
                  {Opcode::Copy, 0, 0, 0, 0, 0},
                  {Opcode::Halt, 0, 0, 0, 0, 0}};
  program.locations = {{"mm", "model.py", 7}};
  program.locationOf = {0, 0, UINT32_MAX};
  std::vector<PathStep> path = {
      {0, 4, 0, Unit::ICP, PathReason::Issue, PathLink::Begin},
      {4, 14, 0, Unit::SMA, PathReason::Busy, PathLink::Issue},
      {14, 34, 1, Unit::SMA, PathReason::Busy, PathLink::Unit},
      {34, 35, 2, Unit::ICP, PathReason::Control, PathLink::Unit}};
  std::vector<PathRow> rows = summarizePath(path, program);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].cycles, 30);
  EXPECT_EQ(rows[0].steps, 2);
  EXPECT_EQ(rows[0].location.line, 7u);
  EXPECT_EQ(rows[1].reason, PathReason::Issue);
  EXPECT_EQ(rows[2].opcode, Opcode::Halt);
  EXPECT_EQ(rows[2].location.file, "");
}

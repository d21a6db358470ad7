//===- RaceCheckerTest.cpp - Tests of the race checker --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with and without a semaphore where one is needed. A race is found in
// a run that gets the order right by luck.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

using namespace lpu;
using namespace lpu::test;

namespace {
/// A builder with an input, an output and short names for the steps.
struct Steps : ProgramBuilder {
  Steps() {
    in = input(DType::F32, {8, 8});
    out = output(DType::F32, {8, 8});
  }
  View block(int64_t offset) { return lmu(offset, DType::F32, {8, 8}); }
  void load(int64_t offset) {
    copy(block(offset), arg(in, DType::F32, {8, 8}));
  }
  void store(int64_t offset) {
    copy(arg(out, DType::F32, {8, 8}), block(offset));
  }
  void negate(int64_t to, int64_t from) {
    MicroBuilder micro(2, 2);
    micro.elements();
    micro.store(1, micro.f(MicroOpcode::NegF, micro.load(0)));
    vec(micro, {block(from), block(to)});
  }

  unsigned in, out;
};
} // namespace

/// The message of a run with the race checker, or "ok".
static std::string outcome(const ProgramBuilder &builder) {
  std::vector<float> in(64), out(64);
  RunOptions options;
  options.checks = Checks::Standard;
  options.threads = 1;
  Result<Report> report = runProgram(builder, {in.data(), out.data()}, options);
  return report ? "ok" : report.message();
}

TEST(RaceChecker, OrderedProgram) { // sync_o1, sync_o3
  Steps steps;
  steps.load(0);
  steps.order(Unit::SMA, Unit::VXE, 0);
  steps.negate(256, 0);
  steps.order(Unit::VXE, Unit::SMA, 1);
  steps.store(256);
  EXPECT_EQ(outcome(steps), "ok");
}

TEST(RaceChecker, ReadAfterWrite) { // sync_c2
  Steps steps;
  steps.load(0);
  steps.negate(256, 0);
  EXPECT_EQ(outcome(steps),
            "race: reads bytes [0, 256) of lmu, some of which instruction 0 "
            "(copy) writes, expected a semaphore that orders the two "
            "[instruction 1 (vec)]");
}

// The buffer is filled again while the vector unit may still read it.
TEST(RaceChecker, WriteAfterRead) {
  Steps steps;
  steps.load(0);
  steps.order(Unit::SMA, Unit::VXE, 0);
  steps.negate(256, 0);
  steps.load(0);
  EXPECT_EQ(outcome(steps),
            "race: writes bytes [0, 256) of lmu, some of which instruction 3 "
            "(vec) reads, expected a semaphore that orders the two "
            "[instruction 4 (copy)]");
}

TEST(RaceChecker, OtherBytesAreNoRace) {
  Steps steps;
  steps.load(0);
  steps.order(Unit::SMA, Unit::VXE, 0);
  steps.negate(256, 0);
  steps.load(512);
  EXPECT_EQ(outcome(steps), "ok");
}

TEST(RaceChecker, TwoReadsAreNoRace) {
  Steps steps;
  steps.negate(256, 0);
  steps.store(0);
  EXPECT_EQ(outcome(steps), "ok");
}

// SMA -> VXE -> SXE orders SMA before SXE.
TEST(RaceChecker, OrderIsTransitive) { // sync_o5
  Steps steps;
  steps.load(0);
  steps.order(Unit::SMA, Unit::VXE, 0);
  steps.negate(256, 512);
  steps.order(Unit::VXE, Unit::SXE, 1);
  steps.matmul(steps.block(0), arg(steps.in, DType::F32, {8, 8}),
               steps.block(768), {0, 1, 1, 1});
  EXPECT_EQ(outcome(steps), "ok");
}

// What is streamed has been read when the matrix instruction is done.
TEST(RaceChecker, StreamOrdersItsSource) { // sync_o4
  for (bool waits : {true, false}) {
    Steps steps;
    steps.matmul(steps.block(0), steps.block(256), steps.block(512),
                 {0, 1, 1, 1});
    if (waits) {
      steps.order(Unit::SXE, Unit::VXE, 0);
    }
    steps.negate(256, 1024);
    std::string message = outcome(steps);
    if (waits) {
      EXPECT_EQ(message, "ok");
    } else {
      EXPECT_NE(message.find("which instruction 0 (stream) reads"),
                std::string::npos)
          << message;
    }
  }
}

// An entry of the stream buffer says that the stream has read its source, not
// that the copy before it in the queue is complete.
TEST(RaceChecker, StreamOrdersNothingElse) { // sync_o4
  for (bool waits : {true, false}) {
    Steps steps;
    steps.load(0);
    if (waits) {
      steps.order(Unit::SMA, Unit::SXE, 0);
    }
    steps.matmul(steps.block(0), arg(steps.in, DType::F32, {8, 8}),
                 steps.block(512), {0, 1, 1, 1});
    std::string message = outcome(steps);
    EXPECT_EQ(message == "ok", waits) << message;
  }
}

// The ICP is a unit as well, and what it issues comes after what it waited for.
TEST(RaceChecker, ControlUnit) { // sync_o2
  for (bool waits : {true, false}) {
    Steps steps;
    steps.load(0);
    if (waits) {
      steps.order(Unit::SMA, Unit::ICP, 0);
    }
    steps.emit(Opcode::Ld, 0, 1, steps.add(lmu(0, DType::I32, {1})));
    steps.negate(256, 0); // Ordered by its issue.
    std::string message = outcome(steps);
    EXPECT_EQ(message == "ok", waits) << message;
  }
}

// One post too early: the second load is not what the wait is for.
TEST(RaceChecker, WrongPost) {
  Steps steps;
  steps.load(0);
  steps.post(Unit::SMA, 0);
  steps.load(256);
  steps.wait(Unit::VXE, 0);
  steps.negate(512, 256);
  EXPECT_NE(outcome(steps).find("which instruction 2 (copy) writes"),
            std::string::npos);
}

// The halves of rows interleave without sharing a byte: the copy fills the left
// ones while the vector unit reads the right ones, or the left ones.
TEST(RaceChecker, InterleavedViews) {
  for (int64_t half : {16, 0}) {
    Steps steps;
    View left = view(Space::LMU, 0, DType::F32, {8, 4}, {8, 1}, 0);
    View other = view(Space::LMU, 0, DType::F32, {8, 4}, {8, 1}, half);
    steps.copy(left, arg(steps.in, DType::F32, {8, 4}, {8, 1}));
    MicroBuilder micro(2, 2);
    micro.elements();
    micro.store(1, micro.load(0));
    steps.vec(micro, {other, lmu(1024, DType::F32, {8, 4})});
    EXPECT_EQ(outcome(steps) == "ok", half != 0) << outcome(steps);
  }
}

// So many runs that they are not compared one by one.
TEST(RaceChecker, ManyInterleavedRuns) {
  for (int64_t shift : {4, 2, 0}) {
    Steps steps;
    steps.program.scratchBytes = 1 << 20;
    auto column = [](int64_t offset) {
      return view(Space::Scratch, 0, DType::F16, {100000}, {4}, offset);
    };
    steps.copy(column(0), arg(steps.in, DType::F16, {100000}, {0}));
    MicroBuilder micro(1, 1);
    micro.rows();
    micro.store(0, micro.constant(MicroType::F32, 0));
    steps.vec(micro, {column(shift)});
    EXPECT_EQ(outcome(steps) == "ok", shift != 0) << outcome(steps);
  }
}

// Two units post, one wait takes both: whatever comes first, all is known.
TEST(RaceChecker, OneWaitTakesPostsOfTwoUnits) { // sync_o3
  Steps steps;
  steps.load(0);
  steps.post(Unit::SMA, 0, 2);
  steps.negate(256, 1024);
  steps.post(Unit::VXE, 0);
  steps.wait(Unit::SXE, 0, 3);
  steps.matmul(steps.block(0), steps.block(512), steps.block(256),
               {0, 1, 1, 1});
  EXPECT_EQ(outcome(steps), "ok");
}

// Each wait takes one, and which one is a matter of luck: here, as it comes,
// the load is complete before it is used. Both orders of the posts are found.
TEST(RaceChecker, WaitsForOneOfTwoUnits) { // sync_c2
  for (bool isOrdered : {true, false}) {
    for (Unit first : {Unit::SMA, Unit::SXE}) {
      Unit second = first == Unit::SMA ? Unit::SXE : Unit::SMA;
      Steps steps;
      steps.load(0);
      steps.post(first, 0);
      if (isOrdered) {
        steps.order(first, second, 1);
      }
      steps.post(second, 0);
      steps.wait(Unit::VXE, 0);
      if (first == Unit::SMA) {
        steps.negate(256, 0);
      }
      steps.wait(Unit::VXE, 0);
      std::string message = outcome(steps);
      EXPECT_EQ(message == "ok", isOrdered) << message;
      EXPECT_EQ(message.find("race: a wait for semaphore 0 takes counts of "
                             "instruction 1 (post)") == 0,
                !isOrdered)
          << message;
    }
  }
}

// As many posts as waits take one by one, with a late one of another unit: a
// wait that looked at all of them would take minutes.
TEST(RaceChecker, ManyPostsWithOneOfAnotherUnit) {
  constexpr uint32_t count = 1 << 18;
  ProgramBuilder builder;
  builder.emit(Opcode::Loop, 0, 0, count, 2, count);
  builder.post(Unit::SMA, 0);
  builder.order(Unit::SMA, Unit::VXE, 1);
  builder.post(Unit::VXE, 0);
  builder.emit(Opcode::Loop, 0, 0, count + 1, 7, count + 1);
  builder.wait(Unit::ICP, 0);
  RunOptions options;
  options.values = options.timing = false;
  options.checks = Checks::Standard;
  Result<Report> report = runProgram(builder, {}, options);
  EXPECT_TRUE(bool(report)) << report.message();
}

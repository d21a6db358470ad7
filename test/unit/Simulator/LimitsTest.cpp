//===- LimitsTest.cpp - Programs that ask for too much --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever a program asks for, a run ends: at the program's end or at a limit,
// with an error that names it. Nothing here takes a noticeable time.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

using namespace lpu;
using namespace lpu::test;

/// Runs in each mode and expects the same end.
static void expectLimit(const ProgramBuilder &builder,
                        const std::vector<void *> &arguments,
                        const RunOptions &limits, const std::string &message,
                        bool withValues = true, bool withTiming = true) {
  for (bool values : {true, false}) {
    if (!(values ? withValues : withTiming)) {
      continue;
    }
    RunOptions options = limits;
    options.values = values;
    options.timing = !values;
    options.threads = 1;
    Result<Report> report = runProgram(builder, arguments, options);
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.kind(), ErrorKind::Limit) << report.message();
    EXPECT_NE(report.message().find(message), std::string::npos)
        << report.message();
  }
}

TEST(Limits, AnEndlessBranchEnds) {
  ProgramBuilder builder;
  builder.emit(Opcode::Branch, static_cast<uint8_t>(BranchCondition::Always), 0,
               0);
  RunOptions limits;
  limits.maxInstructions = 1000;
  expectLimit(builder, {}, limits,
              "the run issued 1001 instructions, more than the limit of 1000; "
              "if the program is right, raise max-instructions "
              "[instruction 0 (branch)]");
}

TEST(Limits, AnEndlessLoopOfWaitsEnds) {
  ProgramBuilder builder;
  builder.emit(Opcode::Loop, 0, 0, UINT32_MAX, 2, UINT32_MAX);
  builder.emit(Opcode::Wait, static_cast<uint8_t>(Unit::SMA), 0, 1);
  builder.emit(Opcode::Branch, 0, 0, 3); // The counts are not known at load.
  RunOptions limits;
  limits.maxInstructions = 1000;
  expectLimit(builder, {}, limits, "raise max-instructions");
}

// What stands behind a wait for ever, with a loop that never ends feeding it.
TEST(Limits, QueuesDoNotGrowForEver) {
  ProgramBuilder builder;
  View x = lmu(0, DType::F32, {8});
  builder.emit(Opcode::Wait, static_cast<uint8_t>(Unit::SMA), 0, 1);
  builder.copy(x, x);
  builder.emit(Opcode::Branch, 0, 0, 1);
  RunOptions limits;
  limits.maxQueued = 1000;
  std::string message = "1001 instructions, posts and stream entries wait at "
                        "once, more than the limit of 1000; if the program is "
                        "right, raise max-queued [instruction 1 (copy)]";
  expectLimit(builder, {}, limits, message, false, true); // The clock's queue.
  limits.checks = Checks::Standard;
  expectLimit(builder, {}, limits, message); // The race check's.
}

// Posts that nobody takes: the clock counts them, the race check keeps each.
TEST(Limits, PostsDoNotPileUpForEver) {
  ProgramBuilder builder;
  builder.emit(Opcode::Post, static_cast<uint8_t>(Unit::ICP), 0, 1);
  builder.emit(Opcode::Branch, 0, 0, 0);
  RunOptions limits;
  limits.maxQueued = 1000;
  limits.checks = Checks::Standard;
  expectLimit(builder, {}, limits, "1001 instructions, posts and stream");
}

// Stream entries that nobody takes, with something in them or nothing.
TEST(Limits, StreamEntriesDoNotPileUpForEver) {
  for (int64_t size : {0, 1}) {
    ProgramBuilder builder;
    uint32_t x = builder.add(lmu(0, DType::F32, {size}));
    builder.emit(Opcode::Stream, 0, 0, x, 1);
    builder.emit(Opcode::Branch, 0, 0, 0);
    RunOptions limits;
    limits.maxQueued = 1000;
    std::string message = "wait at once, more than the limit of 1000";
    expectLimit(builder, {}, limits, message);
    limits.checks = Checks::Standard;
    expectLimit(builder, {}, limits, message);
  }
}

TEST(Limits, AnInstructionOfYearsIsNotBegun) {
  // Repeats one element 2^55 times.
  Shape sizes = {1 << 30, 1 << 25}, strides = {0, 0};
  ProgramBuilder builder;
  builder.copy(view(Space::LMU, 0, DType::F32, sizes, strides),
               view(Space::LMU, 0, DType::F32, sizes, strides));
  expectLimit(builder, {}, RunOptions(), "raise max-work", true, false);
}

TEST(Limits, AMatrixProductOfYearsIsNotBegun) {
  ProgramBuilder builder;
  Shape a = {1 << 30, 1 << 20}, b = {1 << 30, 1 << 20}, c = {1 << 30, 1 << 25};
  b[0] = 1 << 25;
  builder.matmul(view(Space::LMU, 0, DType::F32, a, {0, 0}),
                 view(Space::LMU, 0, DType::F32, b, {0, 0}),
                 view(Space::LMU, 0, DType::F32, c, {0, 0}), {0, 1, 1, 1});
  expectLimit(builder, {}, RunOptions(), "", true, true);
}

TEST(Limits, AStreamOfMoreBytesThanCanBeCounted) {
  ProgramBuilder builder;
  uint32_t streamed =
      builder.add(view(Space::LMU, 0, DType::F32, {1 << 30, 1 << 24}, {0, 0}));
  builder.stream(streamed, UINT32_MAX);
  builder.emit(Opcode::Branch, 0, 0, 2);
  expectLimit(builder, {}, RunOptions(), "", false, true);
}

TEST(Limits, ScratchBeyondTheHost) {
  for (uint64_t bytes : {uint64_t(1) << 50, uint64_t(1) << 56}) {
    ProgramBuilder builder;
    builder.program.scratchBytes = bytes;
    expectLimit(builder, {}, RunOptions(),
                "scratch and LMU take " +
                    std::to_string(bytes + builder.program.lmuBytes) +
                    " bytes of the host",
                true, false);
    // There is no limit to what is only timed.
    RunOptions options;
    options.values = false;
    Result<Report> report = runProgram(builder, {}, options);
    EXPECT_TRUE(bool(report)) << report.message();
  }
}

TEST(Limits, ScratchWithoutAddressSpace) {
  ProgramBuilder builder;
  builder.program.scratchBytes = uint64_t(1) << 56;
  RunOptions limits;
  limits.maxHostBytes = uint64_t(1) << 60;
  expectLimit(builder, {}, limits, "no address space", true, false);
}

TEST(Limits, StagedBytesCount) {
  // A column of the scratch, 2^20 bytes apart, onto itself: the copy would set
  // aside all that lies between.
  ProgramBuilder builder;
  builder.program.scratchBytes = uint64_t(1) << 34;
  View column = view(Space::Scratch, 0, DType::I8, {1 << 14}, {1 << 20});
  builder.copy(column, column);
  RunOptions limits;
  limits.maxHostBytes = uint64_t(1) << 36;
  limits.maxWork = uint64_t(1) << 30;
  expectLimit(builder, {}, limits, "raise max-work", true, false);
}

TEST(Limits, AFootprintOfVeryManyPiecesIsBounded) {
  // 2^31 single bytes, two apart, of an argument that is not there.
  ProgramBuilder builder;
  unsigned x = builder.input(DType::I8, {int64_t(1) << 32});
  builder.copy(view(Space::LMU, 0, DType::I8, {1 << 31}, {0}),
               arg(x, DType::I8, {1 << 31}, {2}));
  RunOptions options;
  options.values = false;
  Result<Report> report = runProgram(builder, {nullptr}, options);
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(report->compulsoryReadBytes, (int64_t(1) << 32) - 1);
}

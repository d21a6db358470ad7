//===- SimulatorTest.cpp - Order, faults and control ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver promises: semaphores order units and nothing else does, a
// missing wait shows, a deadlock is reported, control flow and run-time views.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include <cmath>

using namespace lpu;
using namespace lpu::test;

namespace {

constexpr int64_t n = 100;

/// out = in + 1 through the LMU: load, add, store. `waits` chooses which of the
/// two waits stand in the program.
ProgramBuilder addOne(bool waitForLoad, bool waitForAdd) {
  ProgramBuilder builder;
  unsigned in = builder.input(DType::F32, {n});
  unsigned out = builder.output(DType::F32, {n});
  builder.copy(lmu(0, DType::F32, {n}), arg(in, DType::F32, {n}));
  if (waitForLoad) {
    builder.order(Unit::SMA, Unit::VXE, 0);
  }
  MicroBuilder micro(1, 1);
  micro.elements();
  uint16_t one = micro.constant(MicroType::F32, 1.0f);
  micro.store(1, micro.f(MicroOpcode::AddF, micro.load(0), one));
  builder.vec(micro, {lmu(0, DType::F32, {n}), lmu(1024, DType::F32, {n})});
  if (waitForAdd) {
    builder.order(Unit::VXE, Unit::SMA, 1);
  }
  builder.copy(arg(out, DType::F32, {n}), lmu(1024, DType::F32, {n}));
  return builder;
}

struct Buffers {
  std::vector<float> in, out;
  Buffers() : in(n), out(n) {
    for (int64_t i = 0; i < n; ++i) {
      in[i] = float(i);
    }
  }
  std::vector<void *> arguments() { return {in.data(), out.data()}; }
  bool isCorrect() const {
    for (int64_t i = 0; i < n; ++i) {
      if (out[i] != float(i + 1)) {
        return false;
      }
    }
    return true;
  }
};

bool runsCorrectly(const ProgramBuilder &builder, Dma dma) {
  Buffers buffers;
  RunOptions options;
  options.dma = dma;
  Result<Report> report = runProgram(builder, buffers.arguments(), options);
  EXPECT_TRUE(bool(report)) << report.message();
  return buffers.isCorrect();
}

TEST(Simulator, RunsInBothOrders) {
  EXPECT_TRUE(runsCorrectly(addOne(true, true), Dma::Early));
  EXPECT_TRUE(runsCorrectly(addOne(true, true), Dma::Late));
}

TEST(Simulator, AMissingWaitForALoadShowsLate) {
  EXPECT_FALSE(runsCorrectly(addOne(false, true), Dma::Late));
}

TEST(Simulator, AMissingWaitForAResultShowsEarly) {
  EXPECT_FALSE(runsCorrectly(addOne(true, false), Dma::Early));
}

TEST(Simulator, CountsCompulsoryBytes) {
  ProgramBuilder builder = addOne(true, true);
  // Reading the input a second time costs nothing more.
  builder.copy(lmu(4096, DType::F32, {n}), arg(0, DType::F32, {n}));
  Buffers buffers;
  Result<Report> report = runProgram(builder, buffers.arguments(), {});
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(report->compulsoryReadBytes, 4 * n);
  EXPECT_EQ(report->compulsoryWrittenBytes, 4 * n);
  EXPECT_EQ(report->instructions[uint8_t(Opcode::Copy)], 3);
}

TEST(Simulator, TimingNeedsNoData) {
  RunOptions options;
  options.values = false;
  Result<Report> timed =
      runProgram(addOne(true, true), {nullptr, nullptr}, options);
  ASSERT_TRUE(bool(timed)) << timed.message();
  Buffers buffers;
  Result<Report> both = runProgram(addOne(true, true), buffers.arguments(), {});
  ASSERT_TRUE(bool(both)) << both.message();
  EXPECT_EQ(timed->cycles, both->cycles);
  EXPECT_EQ(timed->compulsoryBytes(), both->compulsoryBytes());
}

TEST(Simulator, NullArgumentsAreAnError) {
  Result<Report> report =
      runProgram(addOne(true, true), {nullptr, nullptr}, {});
  ASSERT_FALSE(bool(report));
  EXPECT_NE(report.message().find("argument 0"), std::string::npos);
}

TEST(Simulator, ReportsADeadlock) { // sync_f1
  ProgramBuilder builder;
  // Each waits for the other first.
  builder.wait(Unit::SMA, 3, 2);
  builder.post(Unit::SMA, 4);
  builder.wait(Unit::VXE, 4);
  builder.post(Unit::VXE, 3, 2);
  for (Checks checks : {Checks::None, Checks::Standard}) {
    RunOptions options;
    options.checks = checks;
    Result<Report> report = runProgram(builder, {}, options);
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.kind(), ErrorKind::Deadlock);
    EXPECT_EQ(report.message(),
              "deadlock: no unit can go on\n"
              "  sma waits at instruction 0 (wait) for 2 on semaphore 3, which "
              "holds 0; instruction 3 (post) would post it, number 2 in the "
              "queue of vxe\n"
              "  vxe waits at instruction 2 (wait) for 1 on semaphore 4, which "
              "holds 0; instruction 1 (post) would post it, number 2 in the "
              "queue of sma");
  }
}

// The ICP waits for what a unit would post after it waited for the ICP's post,
// to which the ICP does not come; and an mm waits for a stream behind that.
TEST(Simulator, ReportsADeadlockOfTheICP) {
  ProgramBuilder builder;
  unsigned in = builder.input(DType::F32, {1, 4});
  builder.wait(Unit::SMA, 0);
  builder.post(Unit::SMA, 1);
  builder.matmul(lmu(0, DType::F32, {1, 4}), arg(in, DType::F32, {1, 4}),
                 lmu(64, DType::F32, {1, 1}), {0, 1, 1, 1});
  builder.wait(Unit::ICP, 1);
  builder.post(Unit::ICP, 0);
  std::vector<float> x(4);
  for (Checks checks : {Checks::None, Checks::Standard}) {
    RunOptions options;
    options.checks = checks;
    Result<Report> report = runProgram(builder, {x.data()}, options);
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.kind(), ErrorKind::Deadlock);
    EXPECT_EQ(report.message(),
              "deadlock: no unit can go on\n"
              "  icp waits at instruction 4 (wait) for 1 on semaphore 1, which "
              "holds 0; instruction 1 (post) would post it, number 2 in the "
              "queue of sma\n"
              "  sma waits at instruction 0 (wait) for 1 on semaphore 0, which "
              "holds 0; instruction 5 (post) would post it, but icp does not "
              "get there\n"
              "  sxe waits at instruction 3 (mm) for an entry of the stream "
              "buffer, which is empty; instruction 2 (stream) would push it, "
              "number 3 in the queue of sma");
  }
}

// Only the clock knows how much the stream buffer holds: 16 KiB, which the
// first entry fills.
TEST(Simulator, ReportsADeadlockOfTheStreamBuffer) {
  ProgramBuilder builder;
  builder.program.machine.streamBufferBytes = 64 * 64 * 4;
  unsigned in = builder.input(DType::F32, {64, 64});
  View matrix = arg(in, DType::F32, {64, 64});
  uint32_t streamed = builder.add(matrix);
  uint32_t x = builder.add(lmu(0, DType::F32, {1, 64}));
  uint32_t y = builder.add(lmu(256, DType::F32, {1, 64}));
  builder.stream(streamed, 1);
  builder.stream(streamed, 1);
  builder.order(Unit::SMA, Unit::SXE, 0);
  for (unsigned i = 0; i < 2; ++i) {
    builder.emit(Opcode::Mm, 0, MmFields{0, 1, 1, 1}.pack(), x, y, streamed);
  }
  RunOptions options;
  options.values = false;
  Result<Report> report = runProgram(builder, {nullptr}, options);
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.kind(), ErrorKind::Deadlock);
  EXPECT_EQ(
      report.message(),
      "deadlock: no unit can go on\n"
      "  sma waits at instruction 1 (stream) for room in the stream "
      "buffer, which is full; instruction 4 (mm) would free it, number 2 "
      "in the queue of sxe\n"
      "  sxe waits at instruction 3 (wait) for 1 on semaphore 0, which "
      "holds 0; instruction 2 (post) would post it, number 2 in the queue "
      "of sma");
}

// What the checks see when a wait or a post is left out of a program.
TEST(Simulator, LeavesOutWaitsAndPosts) {
  ProgramBuilder builder;
  unsigned in = builder.input(DType::F32, {4});
  unsigned out = builder.output(DType::F32, {4});
  builder.copy(lmu(0, DType::F32, {4}), arg(in, DType::F32, {4}));
  builder.order(Unit::SMA, Unit::VXE, 0); // 1: post, 2: wait.
  MicroBuilder micro(1, 1);
  micro.elements();
  micro.store(1, micro.load(0));
  builder.vec(micro, {lmu(0, DType::F32, {4}), arg(out, DType::F32, {4})});
  builder.order(Unit::VXE, Unit::ICP, 1); // 4, 5: nobody needs it.
  std::vector<float> x(4), y(4);
  auto outcome = [&](std::vector<uint32_t> omit) {
    RunOptions options;
    options.values = options.timing = false;
    options.checks = Checks::Standard;
    options.omit = std::move(omit);
    Result<Report> report = runProgram(builder, {x.data(), y.data()}, options);
    return report ? "ok" : report.message();
  };
  auto begins = [](const std::string &text, const char *prefix) {
    return text.rfind(prefix, 0) == 0;
  };
  EXPECT_EQ(outcome({}), "ok");
  EXPECT_TRUE(begins(outcome({2}), "race: ")) << outcome({2});
  EXPECT_TRUE(begins(outcome({1}), "deadlock: ")) << outcome({1});
  EXPECT_TRUE(begins(outcome({1, 2}), "race: ")) << outcome({1, 2});
  EXPECT_EQ(outcome({5}),
            "left over at the end of the program, expected a wait for every "
            "post and an mm for every stream:\n"
            "  semaphore 1 holds 1, posted last by instruction 4 (post)");
  EXPECT_EQ(outcome({4, 5}), "ok");
  EXPECT_EQ(outcome({0}),
            "instruction 0 cannot be left out, expected a wait or a post");
}

// An mm may go on before the copy in front of its stream is complete.
TEST(Simulator, AMissingWaitForACopyBeforeAStreamShowsLate) {
  ProgramBuilder builder;
  unsigned in = builder.input(DType::F32, {1, 4});
  unsigned weight = builder.input(DType::F32, {2, 4});
  unsigned out = builder.output(DType::F32, {1, 2});
  builder.copy(lmu(0, DType::F32, {1, 4}), arg(in, DType::F32, {1, 4}));
  builder.matmul(lmu(0, DType::F32, {1, 4}), arg(weight, DType::F32, {2, 4}),
                 arg(out, DType::F32, {1, 2}), {0, 1, 1, 1});
  std::vector<float> x(4, 1.0f), w(8, 1.0f), y(2);
  for (Dma dma : {Dma::Early, Dma::Late}) {
    RunOptions options;
    options.dma = dma;
    Result<Report> report =
        runProgram(builder, {x.data(), w.data(), y.data()}, options);
    ASSERT_TRUE(bool(report)) << report.message();
    EXPECT_EQ(y == std::vector<float>(2, 4.0f), dma.kind == Dma::Early);
  }
}

TEST(Simulator, AStreamedValueIsThatOfItsStream) {
  // The source of the stream changes after the stream and before the mm.
  ProgramBuilder builder;
  unsigned x = builder.input(DType::F32, {1, 4});
  unsigned w = builder.input(DType::F32, {2, 4});
  unsigned other = builder.input(DType::F32, {2, 4});
  unsigned out = builder.output(DType::F32, {1, 2});
  View staged = lmu(0, DType::F32, {2, 4});
  builder.copy(staged, arg(w, DType::F32, {2, 4}));
  uint32_t streamed = builder.add(staged);
  builder.stream(streamed, 1);
  builder.copy(staged, arg(other, DType::F32, {2, 4}));
  uint32_t a = builder.add(arg(x, DType::F32, {1, 4}));
  uint32_t c = builder.add(arg(out, DType::F32, {1, 2}));
  builder.order(Unit::SMA, Unit::SXE, 0);
  builder.emit(Opcode::Mm, 0, MmFields{0, 1, 1, 1}.pack(), a, c, streamed);
  std::vector<float> xs = {1, 2, 3, 4}, ws = {1, 1, 1, 1, 1, 0, 0, 0};
  std::vector<float> others(8, 7.0f), result(2);
  expectRuns(builder, {xs.data(), ws.data(), others.data(), result.data()});
  EXPECT_EQ(result, (std::vector<float>{10, 1}));
}

TEST(Simulator, LoopsAdvanceViews) {
  // Reverses eight numbers one at a time: the source advances, the destination
  // goes back.
  ProgramBuilder builder;
  unsigned in = builder.input(DType::F32, {8});
  unsigned out = builder.output(DType::F32, {8});
  View from = arg(in, DType::F32, {1});
  View to = arg(out, DType::F32, {1}, {1}, 28);
  from.loopIncrements[0] = 4;
  to.loopIncrements[0] = -4;
  uint32_t loop = builder.emit(Opcode::Loop, 0, 0, 8, 0, 8);
  builder.copy(to, from);
  builder.program.text[loop].b = uint32_t(builder.program.text.size());
  std::vector<float> source = {0, 1, 2, 3, 4, 5, 6, 7}, result(8);
  expectRuns(builder, {source.data(), result.data()});
  EXPECT_EQ(result, (std::vector<float>{7, 6, 5, 4, 3, 2, 1, 0}));
}

/// Copies `count` elements from element `start` on; both are run-time values.
ProgramBuilder dynamicCopy() {
  ProgramBuilder builder;
  unsigned in = builder.input(DType::I32, {10});
  unsigned scalars = builder.input(DType::I64, {2});
  unsigned out = builder.output(DType::I32, {10});
  uint32_t start = builder.add(arg(scalars, DType::I64, {}));
  uint32_t count = builder.add(arg(scalars, DType::I64, {}, {}, 8));
  builder.emit(Opcode::Ld, 0, 1, start);
  builder.emit(Opcode::Ld, 0, 2, count);
  builder.emit(Opcode::Alu, uint8_t(AluFunction::Mul),
               AluFields{1, 1, 0, true}.pack(), 4);
  View from = arg(in, DType::I32, {5}), to = arg(out, DType::I32, {5});
  from.offsetRegister = 1;
  from.offsetBound = 20;
  for (View *view : {&from, &to}) {
    view->dynamicDim = 0;
    view->sizeRegister = 2;
  }
  builder.copy(to, from);
  return builder;
}

TEST(Simulator, RegistersMoveAndCutViews) {
  std::vector<int32_t> in = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, out(10, -1);
  std::vector<int64_t> scalars = {4, 3};
  // Not all of the output is written.
  expectRuns(dynamicCopy(), {in.data(), scalars.data(), out.data()},
             Checks::Standard);
  EXPECT_EQ(out, (std::vector<int32_t>{4, 5, 6, -1, -1, -1, -1, -1, -1, -1}));
  // An empty view does nothing.
  scalars = {4, 0};
  out.assign(10, -1);
  expectRuns(dynamicCopy(), {in.data(), scalars.data(), out.data()},
             Checks::Standard);
  EXPECT_EQ(out, std::vector<int32_t>(10, -1));
}

TEST(Simulator, RegistersOutOfBoundsFault) { // view_f1
  std::vector<int32_t> in(10), out(10);
  for (auto scalars : {std::vector<int64_t>{6, 3}, {0, 6}, {-1, 1}, {0, -1}}) {
    Result<Report> report =
        runProgram(dynamicCopy(), {in.data(), scalars.data(), out.data()}, {});
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.kind(), ErrorKind::Index);
    EXPECT_NE(report.message().find("instruction 3 (copy)"), std::string::npos)
        << report.message();
  }
}

TEST(Simulator, OffsetsKeepElementsAligned) { // view_f1
  ProgramBuilder builder;
  unsigned in = builder.input(DType::I32, {10});
  builder.emit(Opcode::Li, 0, 1, 6);
  View from = arg(in, DType::I32, {1});
  from.offsetRegister = 1;
  from.offsetBound = 20;
  builder.copy(lmu(0, DType::I32, {1}), from);
  std::vector<int32_t> values(10);
  Result<Report> report = runProgram(builder, {values.data()}, {});
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.kind(), ErrorKind::Index);
  EXPECT_EQ(report.message(),
            "offset register r1 holds 6 bytes, expected a multiple of the 4 "
            "bytes of an element [instruction 1 (copy)]");
}

TEST(Simulator, TripCountsOutOfBoundsFault) { // loop_f1
  for (int32_t trips : {-1, 3, 4}) {
    ProgramBuilder builder;
    builder.emit(Opcode::Alu, uint8_t(AluFunction::Add),
                 AluFields{1, 0, 0, true}.pack(), uint32_t(trips));
    builder.emit(Opcode::Loop, LoopTripsInRegister, 0, 1, 2, 3);
    Result<Report> report = runProgram(builder, {}, {});
    EXPECT_EQ(bool(report), trips == 3) << report.message();
    if (trips != 3) {
      EXPECT_EQ(report.kind(), ErrorKind::Index);
      EXPECT_EQ(report.message(), "trip count register r1 holds " +
                                      std::to_string(trips) +
                                      ", expected a value in [0, 3] "
                                      "[instruction 1 (loop)]");
    }
  }
}

TEST(Simulator, UnknownSizesCountAsTheirBound) {
  ProgramBuilder builder = dynamicCopy();
  // Six times, says a register that depends on what was loaded.
  builder.emit(Opcode::Alu, uint8_t(AluFunction::Add),
               AluFields{3, 2, 0, true}.pack(), 3);
  builder.emit(Opcode::Loop, LoopTripsInRegister, 0, 3, 7, 8);
  builder.copy(lmu(0, DType::I32, {10}), arg(0, DType::I32, {10}));
  RunOptions options;
  options.values = false;
  Result<Report> report =
      runProgram(builder, {nullptr, nullptr, nullptr}, options);
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(report->compulsoryWrittenBytes, 4 * 5);
  EXPECT_EQ(report->instructions[uint8_t(Opcode::Copy)], 1 + 8);
  // What the caller gives is known.
  std::vector<int64_t> scalars = {4, 3};
  report = runProgram(builder, {nullptr, scalars.data(), nullptr}, options);
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(report->compulsoryWrittenBytes, 4 * 3);
  EXPECT_EQ(report->instructions[uint8_t(Opcode::Copy)], 1 + 6);
}

TEST(Simulator, BranchesAndFaults) { // fault_f1
  for (int64_t value : {0, 1}) {
    ProgramBuilder builder;
    unsigned in = builder.input(DType::I64, {});
    builder.emit(Opcode::Ld, 0, 5, builder.add(arg(in, DType::I64, {})));
    builder.emit(Opcode::Branch, uint8_t(BranchCondition::Zero), 5, 3);
    builder.emit(Opcode::Fault, uint8_t(FaultKind::Runtime), 0,
                 builder.string("value must be zero"));
    Result<Report> report = runProgram(builder, {&value}, {});
    EXPECT_EQ(bool(report), value == 0);
    if (value != 0) {
      EXPECT_EQ(report.kind(), ErrorKind::Runtime);
      EXPECT_NE(report.message().find("value must be zero"), std::string::npos);
    }
  }
}

TEST(Simulator, MessagesNameTheSource) { // fault_where
  ProgramBuilder builder;
  builder.program.locations.push_back({"embedding", "model.py", 12});
  builder.emit(Opcode::Fault, uint8_t(FaultKind::Index), 0,
               builder.string("index out of range"));
  builder.program.locationOf[0] = 0;
  Result<Report> report = runProgram(builder, {}, {});
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.kind(), ErrorKind::Index);
  EXPECT_EQ(report.message(), "index out of range [instruction 0 (fault) of "
                              "embedding at model.py:12]");
}

} // namespace

//===- ListenerTest.cpp - Tests of what watches a run ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a listener is told of an instruction, what it can look at then, and what
// a run is that it has stopped.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include <algorithm>

using namespace lpu;
using namespace lpu::test;

namespace {

/// Writes down the order of effects, and what the first float of the LMU was
/// before and after.
struct Recorder : Listener {
  uint32_t stopAt = UINT32_MAX;
  std::vector<uint32_t> order;
  std::vector<float> before, after;
  uint64_t semaphore = 0;
  MachineState::Queue queue;

  static float firstFloat(const MachineState &state) {
    ResolvedView view;
    view.space = Space::LMU;
    float value;
    std::memcpy(&value, state.memory().address(view), sizeof(value));
    return value;
  }
  bool willExecute(const IssuedInstruction &instruction,
                   const MachineState &state) override {
    semaphore = state.semaphore(4);
    queue = state.queue(Unit::SMA);
    if (instruction.index == stopAt) {
      return false;
    }
    order.push_back(instruction.index);
    before.push_back(firstFloat(state));
    return true;
  }
  void didExecute(const IssuedInstruction &instruction,
                  const MachineState &state) override {
    EXPECT_EQ(std::count(order.begin(), order.end(), instruction.index), 1);
    after.push_back(firstFloat(state));
  }
};

using Order = std::vector<uint32_t>;

/// 0: lmu = x; 1, 2: SMA to ICP; 3: r1 = 7; 4: y = lmu; 5: halt.
ProgramBuilder throughTheLMU() {
  ProgramBuilder builder;
  builder.program.lmuBytes = 64;
  unsigned x = builder.input(DType::F32, {4});
  unsigned y = builder.output(DType::F32, {4});
  builder.copy(lmu(0, DType::F32, {4}), arg(x, DType::F32, {4}));
  builder.post(Unit::SMA, 4);
  builder.wait(Unit::ICP, 4);
  builder.emit(Opcode::Li, 0, 1, 7);
  builder.copy(arg(y, DType::F32, {4}), lmu(0, DType::F32, {4}));
  return builder;
}

Result<Report> observe(const RunOptions &options, Listener &listener) {
  ProgramBuilder builder = throughTheLMU();
  builder.emit(Opcode::Halt);
  Result<std::unique_ptr<Simulator>> simulator =
      Simulator::create(std::move(builder.program));
  float x[4] = {1, 2, 3, 4}, y[4] = {};
  void *arguments[] = {x, y};
  return (*simulator)->run(arguments, 2, options, &listener);
}

} // namespace

TEST(Listener, UnitsLagUnlessTheICPGoesLast) {
  RunOptions options;
  Recorder lagging;
  ASSERT_TRUE(bool(observe(options, lagging)));
  // The copy to y is done when the ICP has nothing more to issue.
  EXPECT_EQ(lagging.order, (Order{2, 0, 1, 3, 5, 4}));
  options.interleave = Interleave::Prompt;
  Recorder prompt;
  ASSERT_TRUE(bool(observe(options, prompt)));
  EXPECT_EQ(prompt.order, (Order{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(prompt.before[0], 0);
  EXPECT_EQ(prompt.after[0], 1);
}

TEST(Listener, IsToldWithoutValuesAndWithoutTiming) {
  RunOptions options;
  options.values = false;
  struct : Listener {
    Order order;
    bool willExecute(const IssuedInstruction &instruction,
                     const MachineState &) override {
      order.push_back(instruction.index);
      return true;
    }
  } listener;
  ASSERT_TRUE(bool(observe(options, listener)));
  EXPECT_EQ(listener.order, (Order{0, 1, 2, 3, 4, 5}));
  options.values = true;
  options.timing = false;
  options.interleave = Interleave::Prompt;
  Recorder untimed;
  ASSERT_TRUE(bool(observe(options, untimed)));
  EXPECT_EQ(untimed.order, (Order{0, 1, 2, 3, 4, 5}));
}

TEST(Listener, StopsBeforeAnInstruction) {
  RunOptions options;
  options.interleave = Interleave::Prompt;
  Recorder recorder;
  recorder.stopAt = 4;
  Result<Report> report = observe(options, recorder);
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.kind(), ErrorKind::Stopped);
  EXPECT_EQ(report.message(), "stopped [instruction 4 (copy)]");
  EXPECT_EQ(recorder.order, (Order{0, 1, 2, 3}));
  EXPECT_EQ(recorder.queue.length, 1u); // The copy, which has not begun.
  EXPECT_EQ(recorder.queue.head, 4u);
}

TEST(Listener, SeesSemaphores) {
  RunOptions options;
  options.interleave = Interleave::Prompt;
  Recorder recorder;
  recorder.stopAt = 2;
  ASSERT_FALSE(bool(observe(options, recorder)));
  EXPECT_EQ(recorder.semaphore, 1u);
}

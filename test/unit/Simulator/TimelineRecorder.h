//===- TimelineRecorder.h - Timelines of instruction sequences ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds instructions to a timeline one by one, without a program around them,
// and keeps when each of them ran.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_UNIT_SIMULATOR_TIMELINERECORDER_H
#define LPU_TEST_UNIT_SIMULATOR_TIMELINERECORDER_H

#include "ProgramBuilder.h"
#include "lpu/Simulator/Timeline.h"

#include "gtest/gtest.h"

#include <vector>

namespace lpu::test {

/// Feeds a timeline and keeps what retires.
class Recorder : public Listener {
public:
  explicit Recorder(const MachineModel &machine = *MachineModel::get("tiny"))
      : timeline(machine, this, Timeline::maxPathSteps) {}

  void didRetire(const RetiredInstruction &instruction) override {
    if (instruction.index >= retired.size()) {
      retired.resize(instruction.index + 1);
    }
    retired[instruction.index] = instruction;
  }

  uint32_t issue(Instruction word, const std::vector<View> &views = {},
                 const MicroProgram *micro = nullptr) {
    std::vector<ResolvedView> resolved;
    for (const View &view : views) {
      resolved.push_back(*ResolvedView::resolve(view, ControlState()));
    }
    timeline.issue({count, word, resolved.data(),
                    static_cast<unsigned>(resolved.size()), micro});
    return count++;
  }
  uint32_t copy(const View &to, const View &from) {
    return issue({Opcode::Copy, 0, 0, 0, 0, 0}, {to, from});
  }
  uint32_t stream(const View &view, uint32_t passes = 1) {
    return issue({Opcode::Stream, 0, 0, 0, passes, 0}, {view});
  }
  uint32_t mm(const View &a, const View &c) {
    return issue({Opcode::Mm, 0, MmFields{0, 1, 1, 1}.pack(), 0, 0, 0}, {a, c});
  }
  /// out = in + 1.
  uint32_t addOne(const View &out, const View &in) {
    MicroBuilder micro(1, 1);
    micro.elements();
    uint16_t one = micro.constant(MicroType::F32, 1.0f);
    micro.store(1, micro.f(MicroOpcode::AddF, micro.load(0), one));
    return issue({Opcode::Vec, 0, 1 | 1 << 8, 0, 0, 2}, {in, out},
                 &micro.program);
  }
  uint32_t wait(Unit unit, uint16_t semaphore, uint32_t n = 1) {
    return issue(
        {Opcode::Wait, static_cast<uint8_t>(unit), semaphore, n, 0, 0});
  }
  uint32_t post(Unit unit, uint16_t semaphore, uint32_t n = 1) {
    return issue(
        {Opcode::Post, static_cast<uint8_t>(unit), semaphore, n, 0, 0});
  }

  /// Ends the run. Every unit's cycles must add up to the total, and so must
  /// the steps of the critical path, each of which begins where the one before
  /// it ends.
  Report finish() {
    EXPECT_FALSE(timeline.finish()) << "a deadlock";
    Report report;
    timeline.fill(report);
    for (const UnitReport &unit : report.units) {
      EXPECT_EQ(unit.total(), report.cycles);
      EXPECT_GE(unit.idle, 0);
      int64_t waits = 0;
      for (int64_t cycles : unit.dataWaits) {
        waits += cycles;
      }
      EXPECT_EQ(waits, unit.waitingForData);
    }
    path = timeline.criticalPath();
    int64_t end = 0;
    for (const PathStep &step : path) {
      EXPECT_EQ(step.start, end);
      EXPECT_GT(step.end, step.start);
      end = step.end;
    }
    EXPECT_EQ(end, report.cycles);
    return report;
  }

  int64_t start(uint32_t index) const { return retired[index].startCycle; }
  int64_t end(uint32_t index) const { return retired[index].endCycle; }

  Timeline timeline;
  std::vector<RetiredInstruction> retired;
  std::vector<PathStep> path; ///< After finish().
  uint32_t count = 0;
};

} // namespace lpu::test

#endif // LPU_TEST_UNIT_SIMULATOR_TIMELINERECORDER_H

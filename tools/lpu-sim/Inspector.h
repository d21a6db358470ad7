//===- Inspector.h - Watches, stops and steps through a run ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lpu-sim hangs onto a run that someone wants to look into: it prints what
// watches see, stops at places, and hands over to the prompt.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_INSPECTOR_H
#define LPU_TOOLS_LPU_SIM_INSPECTOR_H

#include "Prompt.h"
#include "Stop.h"
#include "Watch.h"
#include "lpu/Simulator/Trace.h"

#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace lpu {

class Inspector final : public Listener {
public:
  /// `trace` may be null; it is told of everything too.
  Inspector(const Program &program, Trace *trace)
      : program(program), trace(trace) {}

  std::vector<Watch> watches;
  std::vector<Stop> stops;
  /// Set in step mode.
  std::optional<Prompt> prompt;

  /// Whether the run was stopped on purpose.
  bool isStopped() const { return stopped; }
  /// Whether one of the stops was met.
  bool isStopReached() const { return stopReached; }

  void willIssue(uint32_t index, Unit unit, int64_t cycle) override;
  bool willExecute(const IssuedInstruction &instruction,
                   const MachineState &state) override;
  void didExecute(const IssuedInstruction &instruction,
                  const MachineState &state) override;
  void didRetire(const RetiredInstruction &instruction) override;
  void didMark(std::string_view text, int64_t cycle) override;

private:
  /// Forgets when an instruction was issued, and tells.
  int64_t takeIssueCycle(Unit unit, uint32_t index);

  const Program &program;
  Trace *trace;
  /// What is issued and has not taken effect: its number, and the cycle.
  std::array<std::deque<std::pair<uint32_t, int64_t>>, numUnits> issued;
  bool stopped = false, stopReached = false;
};

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_INSPECTOR_H

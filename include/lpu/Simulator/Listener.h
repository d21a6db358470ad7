//===- Listener.h - Observers of a run ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces, counters and progress bars watch a run through this interface. A
// listener observes; it cannot change values or time.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_LISTENER_H
#define LPU_SIMULATOR_LISTENER_H

#include "lpu/Simulator/CriticalPath.h"
#include "lpu/Target/Encoding.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lpu {

/// One executed instruction in time. Cycles are zero in a run without timing.
struct RetiredInstruction {
  uint32_t index = 0; ///< In .text.
  Opcode opcode = Opcode::Halt;
  Unit unit = Unit::ICP;
  int64_t issueCycle = 0; ///< When it entered its queue.
  int64_t startCycle = 0; ///< When its unit began with it.
  int64_t endCycle = 0;   ///< When its results were complete.
  int64_t hbmRead = 0;
  int64_t hbmWritten = 0;
};

class Listener {
public:
  virtual ~Listener() = default;
  /// The ICP puts instruction `index` into the queue of `unit` (or runs it).
  /// In program order.
  virtual void willIssue(uint32_t index, Unit unit, int64_t cycle) {
    (void)index, (void)unit, (void)cycle;
  }
  /// An instruction has completed. In order within a unit, not across units.
  virtual void didRetire(const RetiredInstruction &instruction) {
    (void)instruction;
  }
  /// The run has ended; these are the steps that determined its time.
  virtual void didFindPath(const std::vector<PathStep> &path) { (void)path; }
  /// A Trace instruction ran.
  virtual void didMark(std::string_view text, int64_t cycle) {
    (void)text, (void)cycle;
  }
};

} // namespace lpu

#endif // LPU_SIMULATOR_LISTENER_H

//===- Listener.h - Observers of a run ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces, counters, watches and debuggers see a run through this interface. A
// listener observes; it cannot change values or time, but it can end a run.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_LISTENER_H
#define LPU_SIMULATOR_LISTENER_H

#include "lpu/Simulator/Cost.h"
#include "lpu/Simulator/CriticalPath.h"
#include "lpu/Simulator/Memory.h"
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

/// What one can look at between two instructions.
class MachineState {
public:
  virtual ~MachineState() = default;
  /// The ICP, which may be ahead of the units.
  virtual const ControlState &control() const = 0;
  /// Arguments are null in a run without values.
  virtual const Memory &memory() const = 0;
  virtual uint64_t semaphore(unsigned number) const = 0;

  struct Queue {
    size_t length = 0;
    uint32_t head = 0; ///< The number of its first instruction, if any.
  };
  /// What waits for a unit. The instruction that is about to take effect is
  /// still there. Empty in a run without values.
  virtual Queue queue(Unit unit) const = 0;
};

class Listener {
public:
  virtual ~Listener() = default;
  /// The ICP puts instruction `index` into the queue of `unit` (or runs it).
  /// In program order.
  virtual void willIssue(uint32_t index, Unit unit, int64_t cycle) {
    (void)index, (void)unit, (void)cycle;
  }
  /// An instruction is about to take effect: nothing has changed yet. Units are
  /// not in step: this is the order in which values are computed, that of the
  /// program only with Interleave::Prompt or in a run without values. False
  /// ends the run here, with an error that says so.
  virtual bool willExecute(const IssuedInstruction &instruction,
                           const MachineState &state) {
    (void)instruction, (void)state;
    return true;
  }
  /// It has taken effect. A wait of the ICP does so after what it waits for.
  virtual void didExecute(const IssuedInstruction &instruction,
                          const MachineState &state) {
    (void)instruction, (void)state;
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

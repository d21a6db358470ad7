//===- Budget.h - What a run may take of the host -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program can loop for ever, and one instruction can ask for more work than a
// host does in a year, or for more memory than it has. So each instruction is
// estimated from its resolved views before anything is done about it, and a run
// that would pass a limit of its RunOptions ends in an error instead.
//
// Estimates are upper bounds in doubles, which hold any product of the fields
// of a program; what stays below `largest` fits the 64-bit integers that cost
// functions and clocks count in.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_BUDGET_H
#define LPU_LIB_SIMULATOR_BUDGET_H

#include "Executor.h"
#include "lpu/Simulator/Simulator.h"

#include <optional>
#include <vector>

namespace lpu {

/// What an instruction takes at most.
struct Need {
  double work = 0;      ///< Steps of the host: see RunOptions::maxWork.
  double hostBytes = 0; ///< Memory while it runs, arguments apart.
  double bytes = 0;     ///< Moved by the machine.
  double cycles = 0;    ///< Of the machine.
};

class Budget {
public:
  Budget(const Program &program, const std::vector<MicroPlan> &plans,
         const RunOptions &options);

  /// Whether the memories of the program fit.
  std::optional<Error> checkMemories() const;
  /// Takes what an instruction needs, or says which limit it passes.
  std::optional<Error> spend(const QueuedInstruction &instruction);

  /// Whether as many things may wait at one time.
  std::optional<Error> checkQueued(size_t count) const;

  uint64_t hostBytes() const { return maxHostBytes; }

private:
  Need estimate(const QueuedInstruction &instruction) const;
  void addWalk(const ResolvedView &view, Need &need) const;
  void addCopy(const ResolvedView &to, const ResolvedView &from, double times,
               Need &need) const;
  void addIndexed(const QueuedInstruction &instruction, Need &need) const;
  void addMm(const QueuedInstruction &instruction, Need &need) const;
  void addVec(const QueuedInstruction &instruction, Need &need) const;
  void addTiming(const QueuedInstruction &instruction, Need &need) const;

  const Program &program;
  const std::vector<MicroPlan> &plans;
  const RunOptions &options;
  uint64_t maxHostBytes;
  uint64_t instructions = 0;
  double accesses = 0; ///< Views issued, which the race check compares.
  Need spent;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_BUDGET_H

//===- Deadlock.h - Who waits for what --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A snapshot of units that stand still, and the report of it: for each unit
// the instruction at the head of its queue with its source, what it waits for,
// and who would provide it.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_DEADLOCK_H
#define LPU_SIMULATOR_DEADLOCK_H

#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <array>
#include <deque>
#include <optional>
#include <vector>

namespace lpu {

struct Deadlock {
  /// By unit, the instructions that it has not done, the head first. That of
  /// the ICP holds the wait in which it stands, or nothing. A head is a wait,
  /// an mm without a stream entry or a stream without room for one.
  std::array<std::vector<uint32_t>, numUnits> queues;
  std::array<uint64_t, numSemaphores> counts{};

  /// One line a unit that waits.
  Error describe(const Program &program) const;
};

/// What is left when all units have done everything.
struct LeftOver {
  std::array<uint64_t, numSemaphores> counts{};
  /// The last instruction that posted each semaphore.
  std::array<uint32_t, numSemaphores> lastPosts{};
  /// Instructions whose stream entries nobody took.
  std::vector<uint32_t> streams;

  /// Nothing if nothing is left over.
  std::optional<Error> describe(const Program &program) const;
};

/// What instructions leave over once all are done, from their order of issue
/// alone: for runs in which nothing but the clock looks at semaphores.
class IssuedTokens {
public:
  void issue(uint32_t index, const Instruction &word);
  /// When nothing waits any more.
  std::optional<Error> checkDrained(const Program &program) const;
  /// Stream entries that no mm takes so far.
  size_t streamCount() const { return streams.size(); }

private:
  LeftOver rest; ///< Counts are below zero, modulo 2^64, while waits lead.
  std::deque<uint32_t> streams;
  uint64_t leadingProducts = 0; ///< Issued before their streams.
};

} // namespace lpu

#endif // LPU_SIMULATOR_DEADLOCK_H

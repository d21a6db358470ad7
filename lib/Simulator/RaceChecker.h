//===- RaceChecker.h - Are conflicting accesses ordered? ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before with vector clocks (Mattern 1988, Fidge 1988), one component a
// unit. An instruction knows what its queue did before, what the ICP had done
// when it issued it, what a post says that a wait of its queue took, and, for a
// matrix instruction, the stream that fed it. Two accesses to the same bytes
// from different units, one of them a write, of which neither is known to the
// other are a race, whatever happened to come first in this run.
//
// Ranges are bounding ranges: views that interleave without sharing a byte
// count as overlapping. If several units post one semaphore, counts are taken
// in the order of this run.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_RACECHECKER_H
#define LPU_LIB_SIMULATOR_RACECHECKER_H

#include "Accesses.h"
#include "lpu/Target/Program.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace lpu {

class RaceChecker {
public:
  explicit RaceChecker(const Program &program) : program(program) {}

  /// The next instruction in the order of issue. An error is the first race.
  std::optional<Error> issue(const IssuedInstruction &instruction);

  /// The later instruction of the race.
  uint32_t faultIndex() const { return lastIndex; }

private:
  /// How many instructions of each unit are known to have been done.
  using Clock = std::array<uint64_t, numUnits>;

  struct Item {
    uint32_t index;
    Instruction word;
    Clock issued; ///< What the ICP knew.
    std::vector<Access> accesses;
  };
  struct Token {
    uint32_t count;
    Clock clock;
  };
  /// The last access of a unit to a set of bytes; the ones before are known to
  /// whoever knows this one.
  struct Use {
    uint64_t number = 0; ///< In the unit's component of the clock; 0: none.
    uint32_t index = 0;
  };
  struct Uses {
    std::array<Use, numUnits> reads, writes;
  };
  using Memory = std::pair<Space, uint16_t>;

  bool isReady(const Item &item) const;
  std::optional<Error> run(Unit unit, const Item &item);
  void takeTokens(unsigned semaphore, uint32_t count, Clock &clock);
  bool mayRace(const Uses &uses, unsigned self, bool isWrite) const;
  std::optional<Error> check(Unit unit, const Access &access);
  Error describe(const Access &access, const Use &other,
                 bool otherWrites) const;

  const Program &program;
  std::array<std::deque<Item>, numUnits> queues;
  std::array<Clock, numUnits> clocks{};
  std::array<std::deque<Token>, numSemaphores> tokens;
  std::array<uint64_t, numSemaphores> counts{};
  std::deque<Clock> streams;
  std::map<Memory, std::map<StridedBytes, Uses>> memories;
  uint32_t lastIndex = 0;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_RACECHECKER_H

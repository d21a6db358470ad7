//===- RaceChecker.h - Are conflicting accesses ordered? ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before (docs/ISA.md, `sync_c2`) with vector clocks (Mattern 1988,
// Fidge 1988), one component a unit. An instruction knows what its queue did
// before, what the ICP had done when it issued it, and what a post says that a
// wait of its queue took. A matrix instruction also knows that the stream which
// fed it has read its source, but not what the SMA did before that stream: so
// reads of streams have a component of their own, the stream port. Two accesses
// to the same bytes, one of them a write, of which neither is known to the
// other are a race, whatever happened to come first in this run.
//
// Neither values nor time are looked at. If several units post one semaphore
// and a wait takes a part of what they post, the posts have to be ordered too,
// else another run takes other ones. If several units wait for one semaphore,
// who takes what is as in this run. Gather and scatter count as touching their
// whole table, since rows depend on values.
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

  /// The next instruction in the order of issue. An error is the first race, or
  /// a deadlock if the ICP cannot go on.
  std::optional<Error> issue(const IssuedInstruction &instruction);
  /// The end of the program: an error if units stand still, or if posts or
  /// stream entries are left over.
  std::optional<Error> finish() const;

  /// Instructions in queues, and posts and stream entries that nobody took.
  size_t queued() const;

  /// The later instruction of the race, or the wait or post.
  uint32_t faultIndex() const { return lastIndex; }

private:
  /// Where instructions of a unit are counted, and the reads of streams.
  static constexpr unsigned streamPort = numUnits;
  static constexpr unsigned numComponents = numUnits + 1;
  /// How many instructions of each unit are known to have been done.
  using Clock = std::array<uint64_t, numComponents>;

  struct Item {
    uint32_t index;
    Instruction word;
    Clock issued; ///< What the ICP knew.
    std::vector<Access> accesses;
  };
  /// What is left of a post.
  struct Token {
    uint32_t count;
    unsigned unit;
    uint32_t index;
    Clock clock; ///< With the post's own number, in the component of `unit`.
    Token *next = nullptr; ///< Of the same unit and semaphore.
  };
  /// The last access of a unit to a set of bytes; the ones before are known to
  /// whoever knows this one.
  struct Use {
    uint64_t number = 0; ///< In the unit's component of the clock; 0: none.
    uint32_t index = 0;
  };
  struct Uses {
    std::array<Use, numComponents> reads, writes;
  };
  using Memory = std::pair<Space, uint16_t>;

  struct StreamEntry {
    uint32_t index;
    uint64_t number; ///< Of the stream port.
  };

  bool isReady(const Item &item) const;
  std::optional<Error> run(Unit unit, const Item &item);
  std::optional<Error> post(unsigned unit, const Item &item);
  std::optional<Error> takeTokens(unsigned semaphore, uint32_t count,
                                  Clock &clock);
  std::optional<Error> checkTurn(unsigned semaphore, const Token &token) const;
  static bool mayRace(const Uses &uses, const Clock &clock, bool isWrite);
  std::optional<Error> check(unsigned component, const Clock &clock,
                             const Access &access);
  Error describe(const Access &access, const Use &other,
                 bool otherWrites) const;
  Error describeDeadlock() const;

  const Program &program;
  std::array<std::deque<Item>, numUnits> queues;
  std::array<Clock, numUnits> clocks{};
  std::array<std::deque<Token>, numSemaphores> tokens;
  size_t numTokens = 0; ///< In all of them.
  /// The last post of each unit that a wait took.
  std::array<std::array<Use, numUnits>, numSemaphores> taken{};
  /// Each unit's tokens as a list; the last is null or gone if the first is.
  std::array<std::array<Token *, numUnits>, numSemaphores> firstOf{}, lastOf{};
  std::array<uint64_t, numSemaphores> counts{};
  std::array<uint32_t, numSemaphores> lastPosts{};
  std::deque<StreamEntry> streams;
  std::map<Memory, std::map<StridedBytes, Uses>> memories;
  uint32_t lastIndex = 0;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_RACECHECKER_H

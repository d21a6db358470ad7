//===- RaceChecker.cpp - Are conflicting accesses ordered? ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues run as far as semaphores and the stream let them, in any order: the
// clocks come out the same. What is reported breaks sync_c2. See RaceChecker.h.
//
//===----------------------------------------------------------------------===//

#include "RaceChecker.h"

#include "lpu/Target/Names.h"

#include <algorithm>

using namespace lpu;

/// Learns all that `other` knows.
template <typename Clock>
static void join(Clock &clock, const Clock &other) {
  for (size_t unit = 0; unit < clock.size(); ++unit) {
    clock[unit] = std::max(clock[unit], other[unit]);
  }
}

bool RaceChecker::isReady(const Item &item) const {
  if (item.word.opcode == Opcode::Wait) {
    return counts[item.word.aux] >= item.word.a;
  }
  return item.word.opcode != Opcode::Mm || !streams.empty();
}

void RaceChecker::takeTokens(unsigned semaphore, uint32_t count, Clock &clock) {
  counts[semaphore] -= count;
  std::deque<Token> &posted = tokens[semaphore];
  while (count > 0) {
    Token &first = posted.front();
    join(clock, first.clock);
    uint32_t taken = std::min(count, first.count);
    count -= taken;
    first.count -= taken;
    if (first.count == 0) {
      posted.pop_front();
    }
  }
}

Error RaceChecker::describe(const Access &access, const Use &other,
                            bool otherWrites) const {
  std::string memory(nameOf(access.range.space));
  if (access.range.space == Space::Arg) {
    memory += " " + std::to_string(access.range.argument);
  }
  return {std::string("race: ") + (access.isWrite ? "writes" : "reads") +
              " bytes [" + std::to_string(access.range.begin) + ", " +
              std::to_string(access.range.end) + ") of " + memory +
              ", some of which " + describeInstruction(program, other.index) +
              (otherWrites ? " writes" : " reads") +
              ", expected a semaphore that orders the two",
          ErrorKind::Runtime};
}

/// Whether some unit's use is not known to `self`. Most are known, which spares
/// the comparison of bytes.
bool RaceChecker::mayRace(const Uses &uses, unsigned self, bool isWrite) const {
  for (unsigned other = 0; other < numUnits; ++other) {
    uint64_t known = clocks[self][other];
    if (other != self && (uses.writes[other].number > known ||
                          (isWrite && uses.reads[other].number > known))) {
      return true;
    }
  }
  return false;
}

/// Compares one access with the last ones of all other units, and notes it.
std::optional<Error> RaceChecker::check(Unit unit, const Access &access) {
  auto self = static_cast<unsigned>(unit);
  const Clock &clock = clocks[self];
  auto &sets = memories[{access.range.space, access.range.argument}];
  for (const auto &[bytes, uses] : sets) {
    if (bytes.begin >= access.range.end) {
      break; // Sorted by their beginning.
    }
    if (!mayRace(uses, self, access.isWrite) || !bytes.overlaps(access.bytes)) {
      continue;
    }
    for (unsigned other = 0; other < numUnits; ++other) {
      if (other == self) {
        continue;
      }
      if (uses.writes[other].number > clock[other]) {
        return describe(access, uses.writes[other], true);
      }
      if (access.isWrite && uses.reads[other].number > clock[other]) {
        return describe(access, uses.reads[other], false);
      }
    }
  }
  Uses &uses = sets[access.bytes];
  (access.isWrite ? uses.writes : uses.reads)[self] = {clock[self], lastIndex};
  return std::nullopt;
}

std::optional<Error> RaceChecker::run(Unit unit, const Item &item) {
  auto self = static_cast<unsigned>(unit);
  Clock &clock = clocks[self];
  join(clock, item.issued);
  if (item.word.opcode == Opcode::Wait) {
    takeTokens(item.word.aux, item.word.a, clock);
    return std::nullopt;
  }
  if (item.word.opcode == Opcode::Post) {
    tokens[item.word.aux].push_back({item.word.a, clock});
    counts[item.word.aux] += item.word.a;
    return std::nullopt;
  }
  if (item.word.opcode == Opcode::Mm) {
    join(clock, streams.front());
    streams.pop_front();
  }
  ++clock[self];
  lastIndex = item.index;
  for (const Access &access : item.accesses) {
    if (std::optional<Error> error = check(unit, access)) {
      return error;
    }
  }
  if (item.word.opcode == Opcode::Stream) {
    streams.push_back(clock);
  }
  return std::nullopt;
}

std::optional<Error> RaceChecker::issue(const IssuedInstruction &instruction) {
  auto issuer = static_cast<unsigned>(Unit::ICP);
  queues[static_cast<unsigned>(instruction.unit())].push_back(
      {instruction.index, instruction.word, clocks[issuer],
       accessesOf(instruction)});
  // The ICP does not go on before its own instruction is done, so its queue
  // never holds more than one; others can fall behind.
  for (bool progress = true; progress;) {
    progress = false;
    for (unsigned unit = 0; unit < numUnits; ++unit) {
      while (!queues[unit].empty() && isReady(queues[unit].front())) {
        Item item = std::move(queues[unit].front());
        queues[unit].pop_front();
        if (std::optional<Error> error = run(static_cast<Unit>(unit), item)) {
          return error;
        }
        progress = true;
      }
    }
  }
  return std::nullopt;
}

//===- RaceChecker.cpp - Are conflicting accesses ordered? ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues run as far as semaphores and the stream let them, in any order: the
// clocks come out the same. What is reported breaks sync_c2. See RaceChecker.h.
//
//===----------------------------------------------------------------------===//

#include "RaceChecker.h"

#include "lpu/Simulator/Deadlock.h"
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

/// Whether a post that is still to be taken might have come before one of
/// another unit that a wait took: then the wait knows either, by luck.
std::optional<Error> RaceChecker::checkTurn(unsigned semaphore,
                                            const Token &token) const {
  for (unsigned other = 0; other < numUnits; ++other) {
    const Use &post = taken[semaphore][other];
    if (other != token.unit && post.number > token.clock[other]) {
      return Error{"race: a wait for semaphore " + std::to_string(semaphore) +
                       " takes counts of " +
                       describeInstruction(program, post.index) +
                       " and leaves those of " +
                       describeInstruction(program, token.index) +
                       ", expected an order between the two",
                   ErrorKind::Check};
    }
  }
  return std::nullopt;
}

std::optional<Error> RaceChecker::takeTokens(unsigned semaphore, uint32_t count,
                                             Clock &clock) {
  counts[semaphore] -= count;
  std::deque<Token> &posted = tokens[semaphore];
  while (count > 0) {
    Token &first = posted.front();
    join(clock, first.clock);
    taken[semaphore][first.unit] = {first.clock[first.unit], first.index};
    uint32_t part = std::min(count, first.count);
    count -= part;
    first.count -= part;
    if (first.count == 0) {
      firstOf[semaphore][first.unit] = first.next;
      posted.pop_front();
      --numTokens;
    }
  }
  // Of the posts of one unit the first knows least.
  std::optional<Error> error;
  for (const Token *token : firstOf[semaphore]) {
    error = error || !token ? error : checkTurn(semaphore, *token);
  }
  return error;
}

std::optional<Error> RaceChecker::post(unsigned unit, const Item &item) {
  unsigned semaphore = item.word.aux;
  ++clocks[unit][unit];
  std::deque<Token> &posted = tokens[semaphore];
  posted.push_back({item.word.a, unit, item.index, clocks[unit]});
  ++numTokens;
  Token *&first = firstOf[semaphore][unit], *&last = lastOf[semaphore][unit];
  (first ? last->next : first) = &posted.back();
  last = &posted.back();
  counts[semaphore] += item.word.a;
  lastPosts[semaphore] = item.index;
  return checkTurn(semaphore, posted.back());
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
          ErrorKind::Check};
}

/// Whether some use is not known. Most are, which spares the comparison of
/// bytes. A unit knows its own.
bool RaceChecker::mayRace(const Uses &uses, const Clock &clock, bool isWrite) {
  for (unsigned other = 0; other < numComponents; ++other) {
    if (uses.writes[other].number > clock[other] ||
        (isWrite && uses.reads[other].number > clock[other])) {
      return true;
    }
  }
  return false;
}

/// Compares one access of an instruction that knows `clock` with the last ones
/// of all others, and notes it as one of `component`.
std::optional<Error> RaceChecker::check(unsigned component, const Clock &clock,
                                        const Access &access) {
  auto &sets = memories[{access.range.space, access.range.argument}];
  for (const auto &[bytes, uses] : sets) {
    if (bytes.begin >= access.range.end) {
      break; // Sorted by their beginning.
    }
    if (!mayRace(uses, clock, access.isWrite) ||
        !bytes.overlaps(access.bytes)) {
      continue;
    }
    for (unsigned other = 0; other < numComponents; ++other) {
      if (uses.writes[other].number > clock[other]) {
        return describe(access, uses.writes[other], true);
      }
      if (access.isWrite && uses.reads[other].number > clock[other]) {
        return describe(access, uses.reads[other], false);
      }
    }
  }
  Uses &uses = sets[access.bytes];
  (access.isWrite ? uses.writes : uses.reads)[component] = {clock[component],
                                                            lastIndex};
  return std::nullopt;
}

std::optional<Error> RaceChecker::run(Unit unit, const Item &item) {
  auto self = static_cast<unsigned>(unit);
  Clock &clock = clocks[self];
  join(clock, item.issued);
  lastIndex = item.index;
  if (item.word.opcode == Opcode::Wait) {
    return takeTokens(item.word.aux, item.word.a, clock);
  }
  if (item.word.opcode == Opcode::Post) {
    return post(self, item);
  }
  if (item.word.opcode == Opcode::Mm) {
    clock[streamPort] = std::max(clock[streamPort], streams.front().number);
    streams.pop_front();
  }
  ++clock[self];
  unsigned component = self;
  if (item.word.opcode == Opcode::Stream) {
    component = streamPort;
    streams.push_back({item.index, ++clock[streamPort]});
  }
  for (const Access &access : item.accesses) {
    if (std::optional<Error> error = check(component, clock, access)) {
      return error;
    }
  }
  return std::nullopt;
}

Error RaceChecker::describeDeadlock() const {
  Deadlock deadlock;
  deadlock.counts = counts;
  for (unsigned unit = 0; unit < numUnits; ++unit) {
    for (const Item &item : queues[unit]) {
      deadlock.queues[unit].push_back(item.index);
    }
  }
  return deadlock.describe(program);
}

std::optional<Error> RaceChecker::finish() const {
  for (const std::deque<Item> &queue : queues) {
    if (!queue.empty()) {
      return describeDeadlock();
    }
  }
  LeftOver rest{counts, lastPosts, {}};
  for (const StreamEntry &entry : streams) {
    rest.streams.push_back(entry.index);
  }
  return rest.describe(program);
}

size_t RaceChecker::queued() const {
  size_t count = numTokens + streams.size();
  for (const std::deque<Item> &queue : queues) {
    count += queue.size();
  }
  return count;
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
  if (!queues[issuer].empty()) {
    return describeDeadlock();
  }
  return std::nullopt;
}

//===- SemaphorePlanner.cpp - Which waits a program needs -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SemaphorePlanner.h. One planner for each block walks its items in order
// and keeps, for each unit, the clock of its queue: what is known to be
// complete when its next instruction starts. Positions in the block are the
// time.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/Transforms/SemaphorePlanner.h"

#include "LiveAccesses.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <set>
#include <unordered_map>

using namespace mlir::lpuisa;

using ::lpu::numUnits;
using ::lpu::Unit;
using Kind = HazardItem::Kind;
using Place = PlannedSemaphore::Place;

static constexpr std::array<Unit, 3> queueUnits = {Unit::SMA, Unit::SXE,
                                                   Unit::VXE};

static unsigned indexOf(Unit unit) { return static_cast<unsigned>(unit); }

/// Ordered pairs of different units, numbered from 0 to 11.
static unsigned pairNumber(Unit producer, Unit consumer) {
  unsigned p = indexOf(producer), c = indexOf(consumer);
  assert(p != c && "a queue needs no semaphore against itself");
  return p * (numUnits - 1) + (c > p ? c - 1 : c);
}
static constexpr unsigned numPairs = numUnits * (numUnits - 1);
static_assert(numPairs * (1 + ::lpu::maxLoopDepth) <= ::lpu::numSemaphores,
              "one semaphore for each pair, and one for each pair and level");

unsigned SemaphorePlan::numWaits() const {
  return std::count_if(semaphores.begin(), semaphores.end(),
                       [](const PlannedSemaphore &s) { return !s.isPost; });
}

namespace {

/// For each unit, the last position up to which everything is complete.
struct Clock {
  std::array<int64_t, numUnits> upTo{-1, -1, -1, -1};

  bool knows(Unit unit, int64_t position) const {
    return upTo[indexOf(unit)] >= position;
  }
  void join(const Clock &other) {
    for (unsigned i = 0; i < numUnits; ++i) {
      upTo[i] = std::max(upTo[i], other.upTo[i]);
    }
  }
};

/// The part of an item that one unit runs: an instruction, or what a loop has
/// for that unit.
struct Node {
  int64_t position;
  Unit unit;
  std::vector<const HazardAccess *> accesses;
  bool isLoop;
};

/// What the block around a loop must know of its body.
struct BlockSummary {
  std::array<std::vector<const HazardAccess *>, numUnits> accesses;
  std::array<bool, numUnits> isUsed{};
  std::array<bool, numPairs> usesPair{};
  bool canHalt = false;
};

class BlockPlanner {
public:
  /// `writtenMemories` are those that the program writes at all; `level` is the
  /// number of loops around the block.
  BlockPlanner(const std::vector<HazardItem> &block, unsigned level,
               const std::set<uint32_t> &writtenMemories, SemaphorePlan &plan,
               SemaphoreProblem &problem)
      : block(block), level(level), writtenMemories(writtenMemories),
        plan(plan), problem(problem) {}

  /// Plans the block of a program.
  bool run();
  /// Plans the body of `loop`, and what its iterations need of each other.
  bool runBody(const HazardItem &loop);

  BlockSummary summary;

private:
  bool visit(int64_t position);
  bool visitInstruction(int64_t position);
  bool visitLoop(int64_t position);
  bool matchStreams(int64_t position);
  bool checkStreamsClosed(const HazardItem &item);

  void orderAfterHazards(const Node &node);
  void addEdge(Unit producer, int64_t from, Unit consumer, int64_t to);
  void makeLive(const Node &node);
  void drain(Place place, unsigned id);
  void forgetAll();
  void planCarried(const HazardItem &loop);

  void insert(Place place, unsigned id, bool isPost, Unit unit,
              unsigned semaphore) {
    plan.semaphores.push_back({place, id, isPost, unit, semaphore});
  }
  bool fail(const HazardItem &item, const char *message) {
    problem = {item.id, message};
    return false;
  }

  const std::vector<HazardItem> &block;
  unsigned level;
  const std::set<uint32_t> &writtenMemories;
  SemaphorePlan &plan;
  SemaphoreProblem &problem;

  std::array<Clock, numUnits> clocks;
  /// The last position in each queue.
  std::array<int64_t, numUnits> last{-1, -1, -1, -1};
  /// What is complete when a unit has completed the item at a position.
  std::array<std::unordered_map<int64_t, Clock>, numUnits> completed;
  std::unordered_map<uint32_t, LiveAccesses> live;
  std::vector<Node> nodes;
  /// Positions of loops, with the pairs of units that they use semaphores of.
  std::vector<std::pair<int64_t, std::array<bool, numPairs>>> loops;
  /// Positions of streams whose mm has not come yet.
  std::deque<int64_t> openStreams;
  bool hasBranches = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Hazards and edges
//===----------------------------------------------------------------------===//

void BlockPlanner::addEdge(Unit producer, int64_t from, Unit consumer,
                           int64_t to) {
  unsigned pair = pairNumber(producer, consumer);
  // A loop in between that posts the same semaphore must find it at zero.
  int64_t waitAt = to;
  for (const auto &[position, usesPair] : loops) {
    if (position > from && position < to && usesPair[pair]) {
      waitAt = position;
      break;
    }
  }
  insert(Place::After, block[from].id, /*isPost=*/true, producer, pair);
  insert(Place::Before, block[waitAt].id, /*isPost=*/false, consumer, pair);
  summary.usesPair[pair] = true;
}

void BlockPlanner::orderAfterHazards(const Node &node) {
  std::array<int64_t, numUnits> needed{-1, -1, -1, -1};
  for (const HazardAccess *access : node.accesses) {
    auto found = live.find(access->range.getMemory());
    if (found == live.end()) {
      continue;
    }
    found->second.forEachNear(access->range, [&](const LiveAccess &before) {
      // What the ICP loaded was complete before it issued this.
      if (before.unit == node.unit || before.unit == Unit::ICP ||
          before.position <= needed[indexOf(before.unit)] ||
          !isHazard(*before.access, *access)) {
        return;
      }
      if (access->range.mayOverlap(before.access->range, level)) {
        needed[indexOf(before.unit)] = before.position;
      }
    });
  }
  // The queue's own order, and what the ICP knew when it issued this.
  Clock &clock = clocks[indexOf(node.unit)];
  clock.join(clocks[indexOf(Unit::ICP)]);
  // The latest producer first: it is the most likely to imply the others.
  std::array<Unit, 3> producers = queueUnits;
  std::sort(producers.begin(), producers.end(), [&](Unit l, Unit r) {
    return needed[indexOf(l)] > needed[indexOf(r)];
  });
  for (Unit producer : producers) {
    int64_t position = needed[indexOf(producer)];
    if (position < 0) {
      continue;
    }
    ++plan.edgesNeeded;
    if (clock.knows(producer, position)) {
      ++plan.edgesElided;
      continue;
    }
    addEdge(producer, position, node.unit, node.position);
    clock.join(completed[indexOf(producer)].at(position));
  }
  clock.upTo[indexOf(node.unit)] = node.position;
  completed[indexOf(node.unit)][node.position] = clock;
  last[indexOf(node.unit)] = node.position;
  nodes.push_back(node);
}

void BlockPlanner::makeLive(const Node &node) {
  for (const HazardAccess *access : node.accesses) {
    uint32_t memory = access->range.getMemory();
    if (writtenMemories.count(memory) == 0) {
      continue;
    }
    LiveAccesses &accesses = live[memory];
    // Whatever conflicts with an access that this one covers also conflicts
    // with this one, which is ordered after it: by its hazard if this is a
    // write, by their queue if both are of one unit.
    auto isSuperseded = [&](const LiveAccess &before) {
      if (before.position == node.position || node.isLoop) {
        return false;
      }
      bool isOrdered = access->isWrite ||
                       (before.unit == node.unit && !before.access->isWrite);
      return isOrdered && access->range.covers(before.access->range, level);
    };
    accesses.removeWithin(access->range, isSuperseded);
    accesses.add({node.position, node.unit, access});
  }
}

//===----------------------------------------------------------------------===//
// Drains
//===----------------------------------------------------------------------===//

/// Everything so far is complete, for whoever comes next.
void BlockPlanner::forgetAll() {
  Clock all;
  for (unsigned i = 0; i < numUnits; ++i) {
    all.upTo[i] = last[i];
  }
  clocks.fill(all);
  live.clear();
}

/// The ICP waits for all units, so that what it issues next comes after all
/// that it has issued.
void BlockPlanner::drain(Place place, unsigned id) {
  std::vector<Unit> busy;
  for (Unit unit : queueUnits) {
    if (!clocks[indexOf(Unit::ICP)].knows(unit, last[indexOf(unit)])) {
      busy.push_back(unit);
    }
  }
  for (Unit unit : busy) {
    unsigned pair = pairNumber(unit, Unit::ICP);
    insert(place, id, /*isPost=*/true, unit, pair);
    summary.usesPair[pair] = true;
  }
  for (Unit unit : busy) {
    insert(place, id, /*isPost=*/false, Unit::ICP, pairNumber(unit, Unit::ICP));
  }
  plan.drains += !busy.empty();
  forgetAll();
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

bool BlockPlanner::checkStreamsClosed(const HazardItem &item) {
  if (openStreams.empty()) {
    return true;
  }
  return fail(block[openStreams.front()],
              item.kind == Kind::Loop
                  ? "found a loop between this stream and its mm, expected the "
                    "mm before the loop"
                  : "found a label, a branch or the end of the block between "
                    "this stream and its mm, expected the mm before it");
}

/// Pairs streams with their mm, and looks for writes in between.
bool BlockPlanner::matchStreams(int64_t position) {
  const HazardItem &item = block[position];
  for (const HazardAccess &access : item.accesses) {
    if (!access.isWrite) {
      continue;
    }
    for (int64_t open : openStreams) {
      for (const HazardAccess &source : block[open].accesses) {
        bool isOwn = item.kind == Kind::Mm && open == openStreams.front();
        if (!isOwn && access.range.mayOverlap(source.range, level)) {
          return fail(item, "found a write to the source of a stream whose mm "
                            "follows, expected it after the mm");
        }
      }
    }
  }
  if (item.kind == Kind::Stream) {
    openStreams.push_back(position);
  } else if (item.kind == Kind::Mm) {
    if (openStreams.empty()) {
      return fail(item, "found no stream for this mm, expected one before it "
                        "in the same straight-line code");
    }
    openStreams.pop_front();
  }
  return true;
}

bool BlockPlanner::visitInstruction(int64_t position) {
  const HazardItem &item = block[position];
  if (!matchStreams(position)) {
    return false;
  }
  Node node{position, item.unit, {}, /*isLoop=*/false};
  for (const HazardAccess &access : item.accesses) {
    node.accesses.push_back(&access);
  }
  orderAfterHazards(node);
  makeLive(node);
  std::vector<const HazardAccess *> &all = summary.accesses[indexOf(item.unit)];
  all.insert(all.end(), node.accesses.begin(), node.accesses.end());
  summary.isUsed[indexOf(item.unit)] = true;
  return true;
}

bool BlockPlanner::visitLoop(int64_t position) {
  const HazardItem &loop = block[position];
  if (!checkStreamsClosed(loop)) {
    return false;
  }
  BlockPlanner body(loop.body, level + 1, writtenMemories, plan, problem);
  if (!body.runBody(loop)) {
    return false;
  }
  if (body.summary.canHalt) {
    summary.canHalt = hasBranches = true;
    drain(Place::Before, loop.id);
  }
  // The ICP first: what it waits for, all that it issues later knows.
  std::vector<Node> parts;
  for (Unit unit : {Unit::ICP, Unit::SMA, Unit::SXE, Unit::VXE}) {
    unsigned index = indexOf(unit);
    if (!body.summary.isUsed[index]) {
      continue;
    }
    parts.push_back(
        {position, unit, body.summary.accesses[index], /*isLoop=*/true});
    std::vector<const HazardAccess *> &all = summary.accesses[index];
    all.insert(all.end(), parts.back().accesses.begin(),
               parts.back().accesses.end());
    summary.isUsed[index] = true;
  }
  for (const Node &part : parts) {
    orderAfterHazards(part);
  }
  for (const Node &part : parts) {
    makeLive(part);
  }
  loops.emplace_back(position, body.summary.usesPair);
  for (unsigned pair = 0; pair < numPairs; ++pair) {
    summary.usesPair[pair] |= body.summary.usesPair[pair];
  }
  if (body.summary.canHalt) {
    drain(Place::After, loop.id);
  }
  return true;
}

bool BlockPlanner::visit(int64_t position) {
  const HazardItem &item = block[position];
  switch (item.kind) {
  case Kind::Instruction:
  case Kind::Stream:
  case Kind::Mm:
    return visitInstruction(position);
  case Kind::Loop:
    return visitLoop(position);
  case Kind::Label:
  case Kind::Branch:
    hasBranches = true;
    if (!checkStreamsClosed(item)) {
      return false;
    }
    drain(Place::Before, item.id);
    return true;
  case Kind::Halt:
  case Kind::Fault:
    summary.canHalt |= item.kind == Kind::Halt;
    hasBranches = true;
    if (!checkStreamsClosed(item)) {
      return false;
    }
    forgetAll(); // What follows comes from elsewhere, through a label.
    return true;
  }
  return true;
}

bool BlockPlanner::run() {
  for (size_t position = 0; position < block.size(); ++position) {
    if (!visit(static_cast<int64_t>(position))) {
      return false;
    }
  }
  HazardItem end;
  end.kind = Kind::Label;
  return checkStreamsClosed(end);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool BlockPlanner::runBody(const HazardItem &loop) {
  if (!run()) {
    return false;
  }
  if (hasBranches) {
    drain(Place::EndOfBody, loop.id);
    return true;
  }
  if (loop.trips > 1) {
    planCarried(loop);
  }
  return true;
}

/// Orders each iteration after the one before, for each pair of units by one
/// edge from the last producer to the first consumer.
void BlockPlanner::planCarried(const HazardItem &loop) {
  unsigned loopLevel = level - 1;
  for (Unit producer : queueUnits) {
    for (Unit consumer : {Unit::ICP, Unit::SMA, Unit::SXE, Unit::VXE}) {
      if (producer == consumer) {
        continue;
      }
      int64_t from = -1, to = static_cast<int64_t>(block.size());
      for (const Node &before : nodes) {
        for (const Node &after : nodes) {
          if (before.unit != producer || after.unit != consumer ||
              (before.position <= from && after.position >= to)) {
            continue;
          }
          for (const HazardAccess *left : before.accesses) {
            for (const HazardAccess *right : after.accesses) {
              if (isHazard(*left, *right) &&
                  left->range.mayOverlapLater(right->range, loopLevel)) {
                from = std::max(from, before.position);
                to = std::min(to, after.position);
              }
            }
          }
        }
      }
      if (from < 0) {
        continue;
      }
      ++plan.edgesNeeded;
      // What the consumer's queue, or the ICP, knows at the end of the body.
      if (clocks[indexOf(consumer)].knows(producer, from) ||
          clocks[indexOf(Unit::ICP)].knows(producer, from)) {
        ++plan.edgesElided;
        continue;
      }
      unsigned semaphore = numPairs * level + pairNumber(producer, consumer);
      insert(Place::Before, loop.id, /*isPost=*/true, consumer, semaphore);
      insert(Place::Before, block[to].id, /*isPost=*/false, consumer,
             semaphore);
      insert(Place::After, block[from].id, /*isPost=*/true, producer,
             semaphore);
      insert(Place::After, loop.id, /*isPost=*/false, consumer, semaphore);
    }
  }
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

std::optional<SemaphorePlan>
mlir::lpuisa::planSemaphores(const std::vector<HazardItem> &block,
                             SemaphoreProblem &problem) {
  std::set<uint32_t> writtenMemories = getWrittenMemories(block);
  SemaphorePlan plan;
  BlockPlanner planner(block, /*level=*/0, writtenMemories, plan, problem);
  if (!planner.run()) {
    return std::nullopt;
  }
  return plan;
}

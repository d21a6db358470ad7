//===- ScheduleClock.h - Time as the scheduler sees it ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small model of the simulator's timeline: when each unit is free, what the
// HBM has served, and how full the stream buffer is. Instructions are added one
// by one; each starts when its unit is free and what it needs is complete.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_DIALECT_LPUISA_TRANSFORMS_SCHEDULECLOCK_H
#define LPU_LIB_DIALECT_LPUISA_TRANSFORMS_SCHEDULECLOCK_H

#include "lpu/Dialect/LPUISA/Transforms/Scheduler.h"

#include <array>
#include <vector>

namespace mlir::lpuisa {

class ScheduleClock {
public:
  explicit ScheduleClock(const ScheduleProblem &problem)
      : nodes(problem.nodes), machine(problem.machine),
        done(problem.nodes.size(), -1), announced(problem.nodes.size(), -1),
        isAdded(problem.nodes.size(), false) {}

  /// Whether `node` was added.
  bool has(unsigned node) const { return isAdded[node]; }
  /// Whether a stream waits for room that only a product makes which was not
  /// added yet: nothing can be added to the SMA until then.
  bool isBlocked() const { return requested < chunks.size(); }
  /// When `unit` takes its next instruction; a lower bound if it is blocked.
  int64_t freeAt(::lpu::Unit unit) const {
    return free[static_cast<unsigned>(unit)];
  }
  /// When what needs `node` on `unit` can start. `node` was added.
  int64_t readyAfter(unsigned node, ::lpu::Unit unit) const {
    bool isOwn = nodes[node].unit == unit;
    return (isOwn ? done[node] : announced[node]) +
           crossing(nodes[node].unit, unit);
  }
  /// When all that was added to `unit` is complete.
  int64_t allDone(::lpu::Unit unit) const {
    return lastDone[static_cast<unsigned>(unit)];
  }
  /// What it takes to hear of the end of an instruction on another unit. The
  /// ICP issues in order, so whoever comes after it knows.
  int64_t crossing(::lpu::Unit from, ::lpu::Unit to) const {
    bool isFree = from == to || from == ::lpu::Unit::ICP;
    // A post and a wait take a cycle of their queues each.
    return isFree ? 0 : machine.semaphoreCycles + 2;
  }
  /// The earliest that `node` can start, as all it needs was added.
  int64_t startOf(unsigned node) const;
  /// When the first bytes of the oldest entry that no product took are there.
  int64_t firstArrival() const;

  /// Adds a node, all of whose predecessors were added.
  void add(unsigned node);

  /// When everything is complete.
  int64_t end() const { return last; }

private:
  /// A part of a stream entry.
  struct Chunk {
    unsigned entry;
    int64_t bytes;
    bool isLast;
    int64_t arrival = 0;
    int64_t consumed = 0;
  };

  void addTransfer(unsigned node, int64_t start);
  void addStream(unsigned node, int64_t start);
  void advanceStreams();
  bool requestChunk();
  bool consumeChunk();
  void complete(unsigned node, int64_t time);

  int64_t &freeOf(::lpu::Unit unit) {
    return free[static_cast<unsigned>(unit)];
  }

  const std::vector<ScheduleNode> &nodes;
  ScheduleMachine machine;
  std::vector<int64_t> done;
  /// When a post behind a node takes effect: it waits for the whole queue.
  std::vector<int64_t> announced;
  std::vector<bool> isAdded;
  std::array<int64_t, ::lpu::numUnits> free{}, lastDone{};
  double hbmFree = 0;
  int64_t last = 0;

  /// Entries in the order of their streams, and the products that take them.
  std::vector<unsigned> streams, products;
  std::vector<Chunk> chunks;
  /// How many chunks were requested, consumed and are out of the buffer.
  size_t requested = 0, consumed = 0, released = 0;
  int64_t bufferUsed = 0, lastRelease = 0;
};

} // namespace mlir::lpuisa

#endif // LPU_LIB_DIALECT_LPUISA_TRANSFORMS_SCHEDULECLOCK_H

//===- SemaphorePlanner.h - Which waits a program needs ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision of `lpuisa-insert-semaphores` on plain data: instructions with
// their units and the bytes that they touch go in, posts and waits come out.
//
// A hazard is a pair of accesses to common bytes, one of them a write, by
// different units. It needs an edge: a post after the producer and a wait
// before the consumer. Vector clocks (Mattern 1989; Lamport's happens-before
// with a component for each unit) say what an instruction already knows to be
// complete, so that an edge which follows from others is not emitted.
//
// Semaphores. One for each ordered pair of units, with counts of one. Posts of
// a pair stand in the order of the producer's queue and waits in that of the
// consumer's, and neither order turns around (a wait for an earlier post than
// the one before is implied by it), so the k-th wait is for the k-th post.
//
// Loops. Seen from outside, a loop is one instruction in each unit that it
// uses: edges into it wait before the loop, edges out of it post after it, and
// so do not depend on the number of trips. Inside, a body is planned like a
// program of its own. What one iteration must know of the one before goes over
// a second semaphore for each pair and loop level:
//
//     post consumer     once, before the loop: nothing precedes iteration 0
//     loop
//       wait consumer   before its first instruction that conflicts
//       ...
//       post producer   after its last instruction that conflicts
//     wait consumer     once, after the loop: takes the count that is left
//
// so posts and waits balance for any number of trips, zero included. The
// consumer takes the last count: were it the producer, the consumer might take
// what is left of this loop in the next one, and go on too early.
//
// Branches. At a label and at a branch the ICP waits for all units (a drain),
// so that no edge spans a join of paths. A body with branches also drains at
// its end instead of the above. A loop in which the program can halt is drained
// around, for what waits after it might never run.
//
// Assumes that queues are in order, that the ICP finishes a load before it
// issues what follows, and that an `mm` takes the oldest stream entry.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_SEMAPHOREPLANNER_H
#define LPU_DIALECT_LPUISA_TRANSFORMS_SEMAPHOREPLANNER_H

#include "lpu/Dialect/LPUISA/Transforms/HazardItems.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::lpuisa {

/// A post or wait to insert.
struct PlannedSemaphore {
  enum class Place { Before, After, EndOfBody };
  Place place;
  unsigned id; ///< The item before or after which, or the loop.
  bool isPost;
  ::lpu::Unit unit;
  unsigned semaphore;
};

struct SemaphorePlan {
  /// Insertions at one place take effect in the order of this list.
  std::vector<PlannedSemaphore> semaphores;
  /// Edges that hazards ask for: each consumer and each other unit.
  unsigned edgesNeeded = 0;
  /// Edges that follow from others.
  unsigned edgesElided = 0;
  /// Drains at labels, branches and the ends of bodies.
  unsigned drains = 0;

  unsigned numWaits() const;
};

/// Why there is no plan.
struct SemaphoreProblem {
  unsigned id = 0; ///< The item that is wrong.
  std::string message;
};

/// Plans the block of a program. Fails, with the reason in `problem`, if a
/// stream and its `mm` are not in one piece of straight-line code, or if the
/// stream's source is written between the two.
std::optional<SemaphorePlan>
planSemaphores(const std::vector<HazardItem> &block, SemaphoreProblem &problem);

} // namespace mlir::lpuisa

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_SEMAPHOREPLANNER_H

//===- Scheduler.h - In which order instructions stand ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision of `lpuisa-schedule` on plain data: the instructions of one
// straight-line piece, what each takes of its unit and of the HBM, and which
// must be complete before which. An order of the same instructions comes out.
//
// Two steps. First the matrix products: two neighbours change places if the
// longest path through either gets shorter, so that of independent products
// that goes first whose result is needed for longest. Streams keep the order of
// their products. Then list scheduling in simulated time (Graham 1969), with
// the machine's queues, HBM and stream buffer: whenever a unit is free, that
// one of its instructions starts which should go before each of the others, for
// the longer of the paths through both is shorter then; or none, if that one is
// not ready and to wait for it is better.
// Paths go over data, over the queues of streams and products, and over the
// room in the stream buffer, so they know that a late product stops the HBM.
//
// A stream that finds no room in the buffer stops the SMA, so one never stands
// before a transfer that a product which makes that room waits for: since the
// schedule is made by running it, one that comes to its end cannot deadlock.
//
// Where a schedule is no faster than the order that was given, that order
// stays.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_SCHEDULER_H
#define LPU_DIALECT_LPUISA_TRANSFORMS_SCHEDULER_H

#include "lpu/Target/Encoding.h"

#include <cstdint>
#include <vector>

namespace mlir::lpuisa {

/// One instruction.
struct ScheduleNode {
  enum class Kind {
    Stream, ///< Pushes `streamBytes`; the k-th belongs to the k-th Mm.
    Mm,     ///< Takes the oldest entry.
    Other,
  };
  Kind kind = Kind::Other;
  ::lpu::Unit unit = ::lpu::Unit::ICP;
  /// As the simulator's `Cost`.
  int64_t cycles = 1;
  int64_t latency = 0;
  int64_t hbmBytes = 0;
  int64_t streamBytes = 0;
  /// Earlier nodes that must be complete before this one starts.
  std::vector<unsigned> after;
  /// Earlier nodes that must stand before this one, and no more than that.
  std::vector<unsigned> behind;
};

struct ScheduleMachine {
  double hbmBytesPerCycle = 1;
  double lmuBytesPerCycle = 1;
  int64_t hbmLatency = 0;
  int64_t streamBufferBytes = 0;
  int64_t chunkBytes = 0; ///< What a stream asks for at once.
  int64_t issueCycles = 0;
  int64_t semaphoreCycles = 0;
};

struct ScheduleProblem {
  std::vector<ScheduleNode> nodes;
  ScheduleMachine machine;
  /// How many instructions ahead of the first one left a unit may take its
  /// next from.
  unsigned window = 128;
};

struct Schedule {
  /// Numbers of nodes.
  std::vector<unsigned> order;
  /// What the model thinks that the order takes, and that the given one does.
  int64_t cycles = 0;
  int64_t givenCycles = 0;
};

/// Solves `problem`. Deterministic.
Schedule planSchedule(const ScheduleProblem &problem);

} // namespace mlir::lpuisa

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_SCHEDULER_H

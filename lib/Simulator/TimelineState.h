//===- TimelineState.h - Queues, channels and events of a timeline --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Timeline.cpp (issue and the order of events) and TimelineSteps.cpp (what
// one step of an instruction does) share.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_TIMELINESTATE_H
#define LPU_LIB_SIMULATOR_TIMELINESTATE_H

#include "Accesses.h"
#include "CausalLog.h"
#include "lpu/Simulator/Timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <vector>

namespace lpu {

constexpr int64_t never = std::numeric_limits<int64_t>::max();

/// A resource that moves bytes at a fixed rate, first come, first served.
struct Channel {
  double bytesPerCycle = 1;
  double free = 0;
  Moment freeMoment; ///< `free` in whole cycles, rounded down.

  /// When a request is served. The cycle in which one ends and the next begins
  /// is shared, so rounding costs no bandwidth.
  struct Service {
    Moment start; ///< Rounded down.
    Moment end;   ///< Rounded down: the next request may be made.
    Moment done;  ///< Rounded up: the last byte has moved.
  };
  Service serve(Moment request, int64_t bytes, CausalLog &log, uint32_t index,
                Unit unit, PathReason reason) {
    double asked = static_cast<double>(request.time);
    Service service;
    service.start = free > asked ? freeMoment.as(PathLink::Channel) : request;
    free = std::max(asked, free) + static_cast<double>(bytes) / bytesPerCycle;
    service.end =
        log.add(service.start, static_cast<int64_t>(free), index, unit, reason);
    service.done = log.add(service.end, static_cast<int64_t>(std::ceil(free)),
                           index, unit, reason);
    freeMoment = service.end;
    return service;
  }
};

/// An instruction in a queue.
struct Entry {
  uint32_t index = 0;
  Instruction word{};
  Moment issued;
  Cost cost;
  std::vector<Access> accesses;
};

/// A part of a stream on its way to the SXE.
struct Chunk {
  int64_t requested;
  int64_t served;
  Moment arrival;
  int64_t bytes;
  int64_t entryBytes; ///< Of the whole stream entry.
  bool isLast;
};

/// What arrives at a later time than the event that caused it.
struct Token {
  Moment when;
  enum Kind { Post, BufferSpace } kind;
  unsigned semaphore; ///< Post.
  int64_t amount;     ///< Counts or bytes.
  friend bool operator>(const Token &l, const Token &r) {
    return l.when.time > r.when.time;
  }
};

struct Semaphore {
  int64_t count = 0;
  Moment lastArrival;
};

/// A write or read that later instructions of the same queue must respect.
struct InFlight {
  Access access;
  Moment end;
};

/// The queue of a unit, the progress of its head and its account of cycles.
struct Queue {
  Unit unit;
  std::deque<Entry> entries;
  Moment free;    ///< When the head may start.
  Moment lastEnd; ///< When everything started so far is complete.
  std::vector<InFlight> inFlight;
  UnitReport report;
  int64_t accounted = 0; ///< Cycles before this one are in the report.

  // The head, once it has started.
  bool hasStarted = false;
  Moment start;
  Moment next;          ///< When its next step can happen.
  int64_t moved = 0;    ///< Bytes that it has requested or consumed so far.
  int64_t computed = 0; ///< Cycles of compute done (Mm).
  Moment dataEnd;       ///< When the last of its data arrived or left.
  int64_t stalled = 0;  ///< Cycles its requests waited for bandwidth or space.
  enum { Operands, Consume, Results } phase = Operands; ///< Of an Mm.

  /// Adds cycles up to `until` to one kind.
  void account(int64_t until, int64_t UnitReport::*kind) {
    if (until > accounted) {
      report.*kind += until - accounted;
      accounted = until;
    }
  }
  /// Adds cycles up to `until` as a wait for data.
  void accountWait(int64_t until, DataWait kind) {
    if (until > accounted) {
      report.dataWaits[static_cast<unsigned>(kind)] += until - accounted;
      account(until, &UnitReport::waitingForData);
    }
  }
  /// Cycles without an instruction: the pipeline drains, or there is no work.
  void accountEmpty(int64_t until) {
    accountWait(std::min(until, lastEnd.time), DataWait::Latency);
    account(until, &UnitReport::idle);
  }
};

struct Timeline::Implementation {
  Implementation(const MachineModel &machine, Listener *listener,
                 size_t pathSteps);

  void issue(const IssuedInstruction &instruction);
  void runOnICP(const IssuedInstruction &instruction);
  void advance(int64_t horizon);
  bool step(int64_t horizon);
  Moment ready(const Queue &queue) const;
  Moment nextEvent(const Queue &queue) const;
  Moment interlock(const Queue &queue) const;
  void stepHead(Queue &queue, Moment time);
  void begin(Queue &queue, Moment time);
  void stepTransfer(Queue &queue, Moment time);
  void stepStream(Queue &queue, Moment time);
  void stepMm(Queue &queue, Moment time);
  void consumeChunk(Queue &queue, Moment time);
  void moveHBM(Queue &queue, Moment time, int64_t bytes);
  void accountStall(Queue &queue, int64_t until);
  Moment addLatency(const Queue &queue, const Entry &entry, Moment start);
  void retire(Queue &queue, Moment occupiedUntil, Moment end);
  void passWait(Queue &queue, Moment time);
  void passPost(Queue &queue, Moment time);
  void arrive(const Token &token);
  std::optional<Deadlock> finish();
  Deadlock deadlock() const;
  int64_t chunkAfter(int64_t moved, int64_t total) const;

  MachineModel machine;
  Listener *listener;
  /// Predecessors of every step; nothing but the critical path looks at it.
  CausalLog log;
  Channel hbm;
  Channel lmuStream; ///< LMU ports as a source of streams.
  int64_t hbmLatency;
  int64_t chunkBytes;
  std::array<Queue, numUnits> queues;
  std::array<Semaphore, numSemaphores> semaphores;
  std::priority_queue<Token, std::vector<Token>, std::greater<>> tokens;
  std::deque<Chunk> stream;
  int64_t bufferUsed = 0;
  int64_t bufferPeak = 0;
  Moment lastBufferSpace;
  Moment last; ///< The end of the run.
  /// The ICP's Wait that can never pass, once there is one.
  std::optional<Entry> blockedICP;

  Queue &queue(Unit unit) { return queues[static_cast<unsigned>(unit)]; }
  Queue &icp() { return queue(Unit::ICP); }

  /// The end of a step of the head of a queue that takes so many cycles.
  Moment after(Moment start, int64_t cycles, const Queue &queue,
               const Entry &entry, PathReason reason) {
    return log.add(start, start.time + cycles, entry.index, queue.unit, reason);
  }
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_TIMELINESTATE_H

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
#include "lpu/Simulator/Timeline.h"

#include <algorithm>
#include <array>
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

  struct Service {
    double start, end;
  };
  Service serve(int64_t time, int64_t bytes) {
    Service service;
    service.start = std::max(static_cast<double>(time), free);
    service.end = service.start + static_cast<double>(bytes) / bytesPerCycle;
    free = service.end;
    return service;
  }
};

/// An instruction in a queue.
struct Entry {
  uint32_t index = 0;
  Instruction word{};
  int64_t issueCycle = 0;
  Cost cost;
  std::vector<Access> accesses;
};

/// A part of a stream on its way to the SXE.
struct Chunk {
  int64_t arrival;
  int64_t bytes;
  int64_t entryBytes; ///< Of the whole stream entry.
  bool isLast;
};

/// What arrives at a later time than the event that caused it.
struct Token {
  int64_t time;
  enum Kind { Post, BufferSpace } kind;
  unsigned semaphore; ///< Post.
  int64_t amount;     ///< Counts or bytes.
  friend bool operator>(const Token &l, const Token &r) {
    return l.time > r.time;
  }
};

struct Semaphore {
  int64_t count = 0;
  int64_t lastArrival = 0;
};

/// A write or read that later instructions of the same queue must respect.
struct InFlight {
  Access access;
  int64_t end;
};

/// The queue of a unit, the progress of its head and its account of cycles.
struct Queue {
  Unit unit;
  std::deque<Entry> entries;
  int64_t free = 0;    ///< When the head may start.
  int64_t lastEnd = 0; ///< When everything started so far is complete.
  std::vector<InFlight> inFlight;
  UnitReport report;
  int64_t accounted = 0; ///< Cycles before this one are in the report.

  // The head, once it has started.
  bool hasStarted = false;
  int64_t start = 0;
  int64_t next = 0;     ///< When its next step can happen.
  int64_t moved = 0;    ///< Bytes that it has requested or consumed so far.
  int64_t computed = 0; ///< Cycles of compute done (Mm).
  int64_t dataEnd = 0;  ///< When the last of its data arrived or left.
  int64_t stalled = 0;  ///< Cycles its requests waited for bandwidth or space.
  enum { Operands, Consume, Results } phase = Operands; ///< Of an Mm.

  /// Adds cycles up to `until` to one kind.
  void account(int64_t until, int64_t UnitReport::*kind) {
    if (until > accounted) {
      report.*kind += until - accounted;
      accounted = until;
    }
  }
  /// Cycles without an instruction: the pipeline drains, or there is no work.
  void accountEmpty(int64_t until) {
    account(std::min(until, lastEnd), &UnitReport::waitingForData);
    account(until, &UnitReport::idle);
  }
};

struct Timeline::Implementation {
  Implementation(const MachineModel &machine, Listener *listener);

  void issue(const IssuedInstruction &instruction);
  void runOnICP(const IssuedInstruction &instruction);
  void advance(int64_t horizon);
  bool step(int64_t horizon);
  int64_t nextEvent(const Queue &queue) const;
  int64_t interlock(const Queue &queue) const;
  void stepHead(Queue &queue, int64_t time);
  void begin(Queue &queue, int64_t time);
  void stepTransfer(Queue &queue, int64_t time);
  void stepStream(Queue &queue, int64_t time);
  void stepMm(Queue &queue, int64_t time);
  void moveHBM(Queue &queue, int64_t time, int64_t bytes, int64_t total);
  void retire(Queue &queue, int64_t occupiedUntil, int64_t end);
  void passWait(Queue &queue, int64_t time);
  void passPost(Queue &queue, int64_t time);
  void arrive(const Token &token);
  std::optional<Error> finish();
  Error describeDeadlock() const;
  int64_t chunkAfter(int64_t moved, int64_t total) const;

  MachineModel machine;
  Listener *listener;
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
  int64_t lastBufferSpace = 0;
  int64_t cycles = 0;
  /// The ICP's Wait that can never pass, once there is one.
  std::optional<Entry> blockedICP;

  Queue &queue(Unit unit) { return queues[static_cast<unsigned>(unit)]; }
  Queue &icp() { return queue(Unit::ICP); }
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_TIMELINESTATE_H

//===- TimelineSteps.cpp - What one step of an instruction does -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The head of a queue advances by steps: a wait or post at once, a transfer by
// the chunk, a matrix instruction by the chunk that it consumes. Each step
// accounts for the cycles up to it as busy or as one kind of waiting, and tells
// the log what it took its time for.
//
//===----------------------------------------------------------------------===//

#include "TimelineState.h"

#include <cassert>

using namespace lpu;

void Timeline::Implementation::passWait(Queue &queue, Moment time) {
  Entry &head = queue.entries.front();
  semaphores[head.word.aux].count -= head.word.a;
  queue.start = ready(queue);
  queue.accountEmpty(queue.start.time);
  queue.account(time.time, &UnitReport::waitingForSemaphore);
  Moment passed = after(time, 1, queue, head, PathReason::Semaphore);
  retire(queue, passed, passed);
}

/// The post is done at once; what it announces is done when everything before
/// it in the queue is.
void Timeline::Implementation::passPost(Queue &queue, Moment time) {
  Entry &head = queue.entries.front();
  Moment effect =
      after(later(time, queue.lastEnd.as(PathLink::Unit)),
            machine.semaphoreCycles, queue, head, PathReason::Semaphore);
  tokens.push({effect.as(PathLink::Post), Token::Post, head.word.aux,
               static_cast<int64_t>(head.word.a)});
  queue.start = time;
  queue.accountEmpty(time.time);
  Moment passed = after(time, 1, queue, head, PathReason::Semaphore);
  retire(queue, passed, passed);
}

/// Accounts for the time that the head could not go on: an instruction before
/// it was not complete, or the stream buffer was full or empty.
void Timeline::Implementation::accountStall(Queue &queue, int64_t until) {
  if (!queue.hasStarted) {
    queue.accountWait(std::min(until, interlock(queue).time),
                      DataWait::Overlap);
  }
  if (queue.unit == Unit::SMA) {
    queue.accountWait(until, DataWait::BufferSpace);
  } else if (queue.unit == Unit::SXE && !stream.empty()) {
    const Chunk &chunk = stream.front();
    // Once chunks follow one another only the bandwidth is left of the wait
    // for each, so what is longer than being served counts as latency.
    int64_t latency = chunk.arrival.time - chunk.served;
    queue.accountWait(std::min(until, chunk.requested), DataWait::Supply);
    queue.accountWait(std::min(until, chunk.requested + latency),
                      DataWait::Latency);
    queue.accountWait(until, DataWait::Bandwidth);
  }
}

/// Marks the start of the head, unless it has started.
void Timeline::Implementation::begin(Queue &queue, Moment time) {
  if (queue.hasStarted) {
    return;
  }
  queue.accountEmpty(ready(queue).time);
  accountStall(queue, time.time);
  queue.hasStarted = true;
  queue.start = time;
  queue.next = time;
  queue.moved = 0;
  queue.computed = 0;
  queue.dataEnd = time;
  queue.stalled = 0;
  queue.phase = Queue::Operands;
}

/// Requests one chunk from the HBM. The next request can follow when this one
/// is served.
void Timeline::Implementation::moveHBM(Queue &queue, Moment time,
                                       int64_t bytes) {
  Channel::Service service =
      hbm.serve(time, bytes, log, queue.entries.front().index, queue.unit,
                PathReason::Bandwidth);
  queue.stalled += service.start.time - time.time;
  queue.moved += bytes;
  queue.next = service.end;
  queue.dataEnd = service.done;
}

/// Copy, Gather, Scatter, Vec: compute and HBM traffic overlap.
void Timeline::Implementation::stepTransfer(Queue &queue, Moment time) {
  Entry &head = queue.entries.front();
  int64_t total = head.cost.hbmRead + head.cost.hbmWritten;
  if (queue.moved < total) {
    moveHBM(queue, time, chunkAfter(queue.moved, total));
    if (queue.moved < total) {
      return;
    }
  }
  Moment computeEnd =
      after(queue.start, head.cost.cycles, queue, head, PathReason::Busy);
  Moment occupied = later(computeEnd, queue.next);
  // The SMA works while it moves bytes; for the VXE those cycles are a wait.
  bool isMover = queue.unit == Unit::SMA;
  int64_t busy =
      isMover ? std::max(head.cost.cycles,
                         occupied.time - queue.start.time - queue.stalled)
              : head.cost.cycles;
  queue.account(queue.start.time + busy, &UnitReport::busy);
  queue.accountWait(occupied.time, DataWait::Bandwidth);
  retire(queue, occupied,
         addLatency(queue, head, later(computeEnd, queue.dataEnd)));
}

/// A stream pushes its chunks into the buffer, each when there is room for it.
void Timeline::Implementation::stepStream(Queue &queue, Moment time) {
  Entry &head = queue.entries.front();
  int64_t total = head.cost.hbmRead + head.cost.lmuRead;
  int64_t bytes = chunkAfter(queue.moved, total);
  bool waitedForSpace = time.link == PathLink::Space;
  accountStall(queue, time.time);
  if (head.cost.hbmRead != 0) {
    int64_t stalledBefore = queue.stalled;
    moveHBM(queue, time, bytes);
    queue.accountWait(time.time + queue.stalled - stalledBefore,
                      DataWait::Bandwidth);
  } else if (bytes != 0) {
    Channel::Service service = lmuStream.serve(time, bytes, log, head.index,
                                               queue.unit, PathReason::Busy);
    queue.moved += bytes;
    queue.next = service.end;
    queue.dataEnd = service.done;
  }
  queue.account(queue.next.time, &UnitReport::busy);
  bool isLast = queue.moved == total;
  Moment arrival = queue.dataEnd;
  if (waitedForSpace) {
    // A larger buffer would have hidden this latency.
    arrival =
        after(arrival, head.cost.latency, queue, head, PathReason::BufferSpace);
  } else if (total != 0) {
    arrival = addLatency(queue, head, arrival);
  }
  stream.push_back({time.time, queue.dataEnd.time, arrival.as(PathLink::Chunk),
                    bytes, total, isLast});
  bufferUsed += bytes;
  bufferPeak = std::max(bufferPeak, bufferUsed);
  if (isLast) {
    Moment occupied =
        later(queue.next, after(queue.start, 1, queue, head, PathReason::Busy));
    queue.account(occupied.time, &UnitReport::busy);
    retire(queue, occupied, later(occupied, arrival));
  }
}

/// An Mm uses up the next chunk, for its share of the cycles.
void Timeline::Implementation::consumeChunk(Queue &queue, Moment time) {
  Entry &head = queue.entries.front();
  accountStall(queue, time.time);
  Chunk chunk = stream.front();
  stream.pop_front();
  queue.moved += chunk.bytes;
  int64_t target =
      chunk.isLast
          ? head.cost.cycles
          : static_cast<int64_t>(static_cast<double>(head.cost.cycles) *
                                 static_cast<double>(queue.moved) /
                                 static_cast<double>(chunk.entryBytes));
  queue.next =
      after(time, target - queue.computed, queue, head, PathReason::Busy);
  queue.computed = target;
  queue.account(queue.next.time, &UnitReport::busy);
  tokens.push(
      {queue.next.as(PathLink::Space), Token::BufferSpace, 0, chunk.bytes});
  if (chunk.isLast) {
    queue.phase = Queue::Results;
    queue.moved = 0;
    queue.dataEnd = queue.next;
  }
}

/// Operands that lie in HBM first, then the stream chunk by chunk, then a
/// result that goes to HBM.
void Timeline::Implementation::stepMm(Queue &queue, Moment time) {
  Entry &head = queue.entries.front();
  queue.accountWait(std::min(time.time, queue.next.time), DataWait::Bandwidth);
  if (queue.phase == Queue::Operands) {
    if (queue.moved < head.cost.hbmRead) {
      return moveHBM(queue, time, chunkAfter(queue.moved, head.cost.hbmRead));
    }
    queue.phase = Queue::Consume;
    queue.moved = 0;
    if (head.cost.hbmRead != 0) {
      queue.next = later(time, queue.dataEnd);
      return;
    }
  }
  if (queue.phase == Queue::Consume) {
    consumeChunk(queue, time);
    if (queue.phase == Queue::Consume || head.cost.hbmWritten != 0) {
      return;
    }
  } else if (queue.moved < head.cost.hbmWritten) {
    moveHBM(queue, time, chunkAfter(queue.moved, head.cost.hbmWritten));
    if (queue.moved < head.cost.hbmWritten) {
      return;
    }
  }
  queue.accountWait(queue.next.time, DataWait::Bandwidth);
  retire(queue, queue.next,
         addLatency(queue, head, later(queue.next, queue.dataEnd)));
}

/// The head leaves its queue: the unit is free for the next one, results are
/// complete at `end`.
void Timeline::Implementation::retire(Queue &queue, Moment occupiedUntil,
                                      Moment end) {
  Entry &head = queue.entries.front();
  queue.account(occupiedUntil.time, &UnitReport::busy);
  queue.free = occupiedUntil;
  bool isSync =
      head.word.opcode == Opcode::Wait || head.word.opcode == Opcode::Post;
  if (!isSync) {
    queue.lastEnd = later(queue.lastEnd, end);
  }
  auto isOver = [&](const InFlight &other) {
    return other.end.time <= queue.free.time;
  };
  queue.inFlight.erase(
      std::remove_if(queue.inFlight.begin(), queue.inFlight.end(), isOver),
      queue.inFlight.end());
  for (const Access &access : head.accesses) {
    queue.inFlight.push_back({access, end});
  }
  ++queue.report.instructions;
  queue.report.hbmRead += head.cost.hbmRead;
  queue.report.hbmWritten += head.cost.hbmWritten;
  if (listener) {
    listener->didRetire({head.index, head.word.opcode, queue.unit,
                         head.issued.time, queue.start.time, end.time,
                         head.cost.hbmRead, head.cost.hbmWritten});
  }
  queue.hasStarted = false;
  queue.moved = 0;
  queue.entries.pop_front();
}

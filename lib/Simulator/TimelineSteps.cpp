//===- TimelineSteps.cpp - What one step of an instruction does -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The head of a queue advances by steps: a wait or post at once, a transfer by
// the chunk, a matrix instruction by the chunk that it consumes. Each step
// accounts for the cycles up to it as busy or as one kind of waiting.
//
//===----------------------------------------------------------------------===//

#include "TimelineState.h"

#include <cassert>
#include <cmath>

using namespace lpu;

void Timeline::Implementation::passWait(Queue &queue, int64_t time) {
  Entry &head = queue.entries.front();
  semaphores[head.word.aux].count -= head.word.a;
  queue.start = std::max(queue.free, head.issueCycle);
  queue.accountEmpty(queue.start);
  queue.account(time, &UnitReport::waitingForSemaphore);
  retire(queue, time + 1, time + 1);
}

/// The post is done at once; what it announces is done when everything before
/// it in the queue is.
void Timeline::Implementation::passPost(Queue &queue, int64_t time) {
  Entry &head = queue.entries.front();
  tokens.push({std::max(time, queue.lastEnd) + machine.semaphoreCycles,
               Token::Post, head.word.aux, static_cast<int64_t>(head.word.a)});
  queue.start = time;
  queue.accountEmpty(time);
  retire(queue, time + 1, time + 1);
}

/// Marks the start of the head, unless it has started.
void Timeline::Implementation::begin(Queue &queue, int64_t time) {
  if (queue.hasStarted) {
    return;
  }
  int64_t ready = std::max(queue.free, queue.entries.front().issueCycle);
  queue.accountEmpty(ready);
  queue.account(time, &UnitReport::waitingForData);
  queue.hasStarted = true;
  queue.start = time;
  queue.next = time;
  queue.moved = 0;
  queue.computed = 0;
  queue.dataEnd = time;
  queue.stalled = 0;
  queue.phase = Queue::Operands;
}

/// Requests one chunk of `total` bytes from the HBM. The next request can
/// follow when this one is served; the cycle it ends in is shared.
void Timeline::Implementation::moveHBM(Queue &queue, int64_t time,
                                       int64_t bytes, int64_t total) {
  (void)total;
  assert(queue.moved + bytes <= total && "moves more bytes than it has");
  Channel::Service service = hbm.serve(time, bytes);
  queue.stalled += static_cast<int64_t>(service.start) - time;
  queue.moved += bytes;
  queue.next = std::max(time, static_cast<int64_t>(service.end));
  queue.dataEnd = static_cast<int64_t>(std::ceil(service.end));
}

/// Copy, Gather, Scatter, Vec: compute and HBM traffic overlap.
void Timeline::Implementation::stepTransfer(Queue &queue, int64_t time) {
  Entry &head = queue.entries.front();
  int64_t total = head.cost.hbmRead + head.cost.hbmWritten;
  if (queue.moved < total) {
    moveHBM(queue, time, chunkAfter(queue.moved, total), total);
    if (queue.moved < total) {
      return;
    }
  }
  int64_t computeEnd = queue.start + head.cost.cycles;
  int64_t occupied = std::max(computeEnd, queue.next);
  // The SMA works while it moves bytes; for the VXE those cycles are a wait.
  bool isMover = queue.unit == Unit::SMA;
  int64_t busy = isMover ? std::max(head.cost.cycles,
                                    occupied - queue.start - queue.stalled)
                         : head.cost.cycles;
  queue.account(queue.start + busy, &UnitReport::busy);
  queue.account(occupied, &UnitReport::waitingForData);
  retire(queue, occupied,
         std::max(computeEnd, queue.dataEnd) + head.cost.latency);
}

/// A stream pushes its chunks into the buffer, each when there is room for it.
void Timeline::Implementation::stepStream(Queue &queue, int64_t time) {
  Entry &head = queue.entries.front();
  bool isInHBM = head.cost.hbmRead != 0;
  int64_t total = head.cost.hbmRead + head.cost.lmuRead;
  int64_t bytes = chunkAfter(queue.moved, total);
  queue.account(time, &UnitReport::waitingForData); // For room in the buffer.
  if (isInHBM) {
    int64_t stalledBefore = queue.stalled;
    moveHBM(queue, time, bytes, total);
    queue.account(time + queue.stalled - stalledBefore,
                  &UnitReport::waitingForData);
  } else if (bytes) {
    Channel::Service service = lmuStream.serve(time, bytes);
    queue.moved += bytes;
    queue.next = std::max(time, static_cast<int64_t>(service.end));
    queue.dataEnd = static_cast<int64_t>(std::ceil(service.end));
  }
  queue.account(queue.next, &UnitReport::busy);
  bool isLast = queue.moved == total;
  int64_t arrival = queue.dataEnd + (total ? head.cost.latency : 0);
  stream.push_back({arrival, bytes, total, isLast});
  bufferUsed += bytes;
  bufferPeak = std::max(bufferPeak, bufferUsed);
  if (isLast) {
    int64_t occupied = std::max(queue.next, queue.start + 1);
    queue.account(occupied, &UnitReport::busy);
    retire(queue, occupied, std::max(occupied, arrival));
  }
}

/// Operands that lie in HBM first, then the stream chunk by chunk, then a
/// result that goes to HBM.
void Timeline::Implementation::stepMm(Queue &queue, int64_t time) {
  Entry &head = queue.entries.front();
  queue.account(time, &UnitReport::waitingForData);
  if (queue.phase == Queue::Operands) {
    if (queue.moved < head.cost.hbmRead) {
      moveHBM(queue, time, chunkAfter(queue.moved, head.cost.hbmRead),
              head.cost.hbmRead);
      return;
    }
    queue.phase = Queue::Consume;
    queue.moved = 0;
    if (head.cost.hbmRead) {
      queue.next = std::max(time, queue.dataEnd);
      return;
    }
  }
  if (queue.phase == Queue::Consume) {
    Chunk chunk = stream.front();
    stream.pop_front();
    queue.moved += chunk.bytes;
    int64_t target =
        chunk.isLast
            ? head.cost.cycles
            : static_cast<int64_t>(static_cast<double>(head.cost.cycles) *
                                   static_cast<double>(queue.moved) /
                                   static_cast<double>(chunk.entryBytes));
    queue.next = time + target - queue.computed;
    queue.computed = target;
    queue.account(queue.next, &UnitReport::busy);
    tokens.push({queue.next, Token::BufferSpace, 0, chunk.bytes});
    if (!chunk.isLast) {
      return;
    }
    queue.phase = Queue::Results;
    queue.moved = 0;
    queue.dataEnd = queue.next;
    if (head.cost.hbmWritten) {
      return;
    }
  } else if (queue.moved < head.cost.hbmWritten) {
    moveHBM(queue, time, chunkAfter(queue.moved, head.cost.hbmWritten),
            head.cost.hbmWritten);
    if (queue.moved < head.cost.hbmWritten) {
      return;
    }
  }
  queue.account(queue.next, &UnitReport::waitingForData);
  retire(queue, queue.next,
         std::max(queue.next, queue.dataEnd) + head.cost.latency);
}

/// The head leaves its queue: the unit is free for the next one, results are
/// complete at `end`.
void Timeline::Implementation::retire(Queue &queue, int64_t occupiedUntil,
                                      int64_t end) {
  Entry &head = queue.entries.front();
  queue.account(occupiedUntil, &UnitReport::busy);
  queue.free = occupiedUntil;
  bool isSync =
      head.word.opcode == Opcode::Wait || head.word.opcode == Opcode::Post;
  if (!isSync) {
    queue.lastEnd = std::max(queue.lastEnd, end);
  }
  auto isOver = [&](const InFlight &other) { return other.end <= queue.free; };
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
                         head.issueCycle, queue.start, end, head.cost.hbmRead,
                         head.cost.hbmWritten});
  }
  queue.hasStarted = false;
  queue.moved = 0;
  queue.entries.pop_front();
}

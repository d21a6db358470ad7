//===- Timeline.cpp - When every instruction runs -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event is one step of the instruction at the head of a queue (start,
// request a chunk, consume a chunk, pass a wait) or a token that arrives (a
// post, buffer space that becomes free). `advance` takes the earliest event
// there is until the horizon; each event only causes later ones, so a single
// pass in the order of time is exact. Times are whole cycles; the HBM keeps
// fractions, so that rounding costs no bandwidth.
//
//===----------------------------------------------------------------------===//

#include "TimelineState.h"
#include "lpu/Target/Names.h"

#include <cassert>

using namespace lpu;

Timeline::Implementation::Implementation(const MachineModel &machine,
                                         Listener *listener, size_t pathSteps)
    : machine(machine), listener(listener), log(pathSteps) {
  hbm.bytesPerCycle = machine.hbmBytesPerCycle();
  lmuStream.bytesPerCycle =
      static_cast<double>(machine.lmuReadPorts * machine.lmuPortBytes);
  hbmLatency = static_cast<int64_t>(std::ceil(machine.hbmLatencyCycles()));
  chunkBytes = streamChunkBytes(machine);
  for (unsigned i = 0; i < numUnits; ++i) {
    queues[i].unit = static_cast<Unit>(i);
  }
}

/// The size of the chunk that follows `moved` bytes of `total`.
int64_t Timeline::Implementation::chunkAfter(int64_t moved,
                                             int64_t total) const {
  return std::min({chunkBytes, total - moved, machine.streamBufferBytes});
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

void Timeline::Implementation::issue(const IssuedInstruction &instruction) {
  if (blockedICP) {
    return;
  }
  Queue &control = icp();
  Unit unit = instruction.unit();
  if (listener) {
    listener->willIssue(instruction.index, unit, control.free.time);
  }
  if (unit == Unit::ICP) {
    runOnICP(instruction);
    return;
  }
  Entry entry;
  entry.index = instruction.index;
  entry.word = instruction.word;
  entry.cost = lpu::cost(instruction, machine);
  entry.accesses = accessesOf(instruction);
  control.free = after(control.free, machine.issueCycles, control, entry,
                       PathReason::Issue);
  control.account(control.free.time, &UnitReport::busy);
  entry.issued = control.free.as(PathLink::Issue);
  queue(unit).entries.push_back(std::move(entry));
  advance(control.free.time);
}

/// The ICP runs its own instructions one after the other.
void Timeline::Implementation::runOnICP(const IssuedInstruction &instruction) {
  Queue &control = icp();
  const Instruction &word = instruction.word;
  Entry entry;
  entry.index = instruction.index;
  entry.word = word;
  entry.issued = control.free;
  entry.cost = lpu::cost(instruction, machine);
  // Everything that happens before now decides when the ICP goes on.
  advance(control.free.time);
  control.start = control.free;
  PathReason reason = PathReason::Control;
  if (word.opcode == Opcode::Wait) {
    Semaphore &semaphore = semaphores[word.aux];
    while (semaphore.count < word.a) {
      if (!step(never)) {
        blockedICP = entry;
        return;
      }
    }
    semaphore.count -= word.a;
    reason = PathReason::Semaphore;
    control.free = later(control.free, semaphore.lastArrival);
    control.account(control.free.time, &UnitReport::waitingForSemaphore);
  } else if (word.opcode == Opcode::Post) {
    reason = PathReason::Semaphore;
    Moment effect =
        after(control.free, machine.semaphoreCycles, control, entry, reason);
    tokens.push({effect.as(PathLink::Post), Token::Post, word.aux,
                 static_cast<int64_t>(word.a)});
  }
  control.free = after(control.free, entry.cost.cycles, control, entry, reason);
  control.account(control.free.time, &UnitReport::busy);
  if (word.opcode == Opcode::Ld) {
    if (entry.cost.hbmRead) {
      // Requests that were made before this one are served first.
      advance(control.free.time);
      control.free = hbm.serve(control.free, entry.cost.hbmRead, log,
                               entry.index, Unit::ICP, PathReason::Bandwidth)
                         .done;
      control.accountWait(control.free.time, DataWait::Bandwidth);
    }
    control.free = addLatency(control, entry, control.free);
    control.accountWait(control.free.time, DataWait::Latency);
  }
  control.report.hbmRead += entry.cost.hbmRead;
  ++control.report.instructions;
  control.lastEnd = control.free;
  if (listener) {
    listener->didRetire({entry.index, word.opcode, Unit::ICP, entry.issued.time,
                         control.start.time, control.free.time,
                         entry.cost.hbmRead, 0});
  }
}

/// What follows the end of the occupation: data that is still on its way, then
/// the pipeline.
Moment Timeline::Implementation::addLatency(const Queue &queue,
                                            const Entry &entry, Moment start) {
  Moment arrived =
      after(start, entry.cost.hbmLatency, queue, entry, PathReason::Latency);
  return after(arrived, entry.cost.latency - entry.cost.hbmLatency, queue,
               entry, PathReason::Pipeline);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void Timeline::Implementation::advance(int64_t horizon) {
  while (step(horizon)) {
  }
}

/// Takes the earliest event before the horizon. Tokens come first at equal
/// times, then units by number.
bool Timeline::Implementation::step(int64_t horizon) {
  Moment time = tokens.empty() ? Moment{never} : tokens.top().when;
  Queue *next = nullptr;
  for (Queue &candidate : queues) {
    Moment event = nextEvent(candidate);
    if (event.time < time.time) {
      time = event;
      next = &candidate;
    }
  }
  if (time.time == never || time.time >= horizon) {
    return false;
  }
  if (!next) {
    Token token = tokens.top();
    tokens.pop();
    arrive(token);
    return true;
  }
  stepHead(*next, time);
  return true;
}

void Timeline::Implementation::arrive(const Token &token) {
  switch (token.kind) {
  case Token::Post: {
    Semaphore &semaphore = semaphores[token.semaphore];
    semaphore.count += token.amount;
    semaphore.lastArrival = token.when;
    return;
  }
  case Token::BufferSpace:
    bufferUsed -= token.amount;
    lastBufferSpace = token.when;
    return;
  }
}

/// When earlier instructions of the same queue let the head start: one that
/// overlaps with something in flight waits until that is complete.
Moment Timeline::Implementation::interlock(const Queue &queue) const {
  Moment time;
  for (const Access &access : queue.entries.front().accesses) {
    for (const InFlight &other : queue.inFlight) {
      bool conflicts = (access.isWrite || other.access.isWrite) &&
                       access.range.overlaps(other.access.range);
      if (conflicts) {
        time = later(time, other.end);
      }
    }
  }
  return time;
}

/// When the head could start as far as its unit and the ICP are concerned.
Moment Timeline::Implementation::ready(const Queue &queue) const {
  return later(queue.entries.front().issued, queue.free.as(PathLink::Unit));
}

Moment Timeline::Implementation::nextEvent(const Queue &queue) const {
  if (queue.entries.empty()) {
    return {never};
  }
  const Entry &head = queue.entries.front();
  const Opcode opcode = head.word.opcode;
  Moment time = queue.hasStarted ? queue.next : ready(queue);
  if (opcode == Opcode::Wait) {
    const Semaphore &semaphore = semaphores[head.word.aux];
    return semaphore.count < head.word.a ? Moment{never}
                                         : later(time, semaphore.lastArrival);
  }
  if (!queue.hasStarted && opcode != Opcode::Post) {
    time = later(time, interlock(queue).as(PathLink::Overlap));
  }
  if (opcode == Opcode::Stream) {
    int64_t total = head.cost.hbmRead + head.cost.lmuRead;
    int64_t bytes = chunkAfter(queue.moved, total);
    bool fits = bufferUsed + bytes <= machine.streamBufferBytes;
    return fits ? later(time, lastBufferSpace) : Moment{never};
  }
  bool consumes =
      opcode == Opcode::Mm && (queue.hasStarted ? queue.phase == Queue::Consume
                                                : head.cost.hbmRead == 0);
  if (consumes) {
    return stream.empty() ? Moment{never} : later(time, stream.front().arrival);
  }
  return time;
}

void Timeline::Implementation::stepHead(Queue &queue, Moment time) {
  switch (queue.entries.front().word.opcode) {
  case Opcode::Wait:
    return passWait(queue, time);
  case Opcode::Post:
    return passPost(queue, time);
  case Opcode::Stream:
    begin(queue, time);
    return stepStream(queue, time);
  case Opcode::Mm:
    begin(queue, time);
    return stepMm(queue, time);
  case Opcode::Copy:
  case Opcode::Gather:
  case Opcode::Scatter:
  case Opcode::Vec:
    begin(queue, time);
    return stepTransfer(queue, time);
  case Opcode::Halt:
  case Opcode::Li:
  case Opcode::Ld:
  case Opcode::Alu:
  case Opcode::Branch:
  case Opcode::Loop:
  case Opcode::Trace:
  case Opcode::Fault:
    break;
  }
  assert(false && "the ICP's instructions enter no queue");
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// A snapshot of who waits for what.
Deadlock Timeline::Implementation::deadlock() const {
  Deadlock deadlock;
  for (unsigned i = 0; i < numSemaphores; ++i) {
    deadlock.counts[i] = semaphores[i].count;
  }
  if (blockedICP) {
    deadlock.queues[static_cast<unsigned>(Unit::ICP)] = {blockedICP->index};
  }
  for (const Queue &queue : queues) {
    for (const Entry &entry : queue.entries) {
      deadlock.queues[static_cast<unsigned>(queue.unit)].push_back(entry.index);
    }
  }
  return deadlock;
}

std::optional<Deadlock> Timeline::Implementation::finish() {
  advance(never);
  bool isBlocked = blockedICP.has_value();
  last = {};
  for (Queue &queue : queues) {
    isBlocked |= !queue.entries.empty();
    last = later(last, later(queue.free, queue.lastEnd));
  }
  if (isBlocked) {
    return deadlock();
  }
  for (Queue &queue : queues) {
    queue.accountEmpty(last.time);
    assert(queue.report.total() == last.time &&
           "every cycle is accounted for once");
  }
  return std::nullopt;
}

Timeline::Timeline(const MachineModel &machine, Listener *listener,
                   size_t pathSteps)
    : implementation(
          std::make_unique<Implementation>(machine, listener, pathSteps)) {}

Timeline::~Timeline() = default;

void Timeline::issue(const IssuedInstruction &instruction) {
  implementation->issue(instruction);
}

void Timeline::mark(std::string_view text) {
  if (implementation->listener) {
    implementation->listener->didMark(text, now());
  }
}

std::optional<Deadlock> Timeline::finish() { return implementation->finish(); }

void Timeline::fill(Report &report) const {
  report.timed = true;
  report.clockGHz = implementation->machine.clockGHz;
  report.hbmGBps = implementation->machine.hbmGBps;
  report.cycles = implementation->last.time;
  report.streamBufferPeak = implementation->bufferPeak;
  for (unsigned i = 0; i < numUnits; ++i) {
    report.units[i] = implementation->queues[i].report;
  }
  if (implementation->log.isOverfull()) {
    report.warnings.push_back(
        "the run has more steps than are kept to find the critical path");
  }
}

std::vector<PathStep> Timeline::criticalPath() const {
  return implementation->log.walkBack(implementation->last);
}

int64_t Timeline::now() const { return implementation->icp().free.time; }

size_t Timeline::queued() const {
  size_t count = implementation->stream.size();
  for (const Queue &queue : implementation->queues) {
    count += queue.entries.size();
  }
  return count;
}

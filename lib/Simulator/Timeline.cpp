//===- Timeline.cpp - When every instruction runs -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event is one step of the instruction at the head of a queue (start, request
// a chunk, consume a chunk, pass a wait) or a token that arrives (a post,
// buffer space that becomes free). `advance` takes the earliest event there is
// until the horizon; each event only causes later ones, so a single pass in the
// order of time is exact. Times are whole cycles; the HBM keeps fractions, so
// that rounding costs no bandwidth.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Timeline.h"
#include "lpu/Target/Names.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <vector>

using namespace lpu;

constexpr int64_t never = std::numeric_limits<int64_t>::max();

namespace {
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

/// Bytes that an instruction in flight reads or writes.
struct Access {
  ByteRange range;
  bool isWrite;
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
  friend bool operator>(const Token &l, const Token &r) { return l.time > r.time; }
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
  int64_t free = 0;     ///< When the head may start.
  int64_t lastEnd = 0;  ///< When everything started so far is complete.
  std::vector<InFlight> inFlight;
  UnitReport report;
  int64_t accounted = 0; ///< Cycles before this one are in the report.

  // The head, once it has started.
  bool hasStarted = false;
  int64_t start = 0;
  int64_t next = 0;      ///< When its next step can happen.
  int64_t moved = 0;     ///< Bytes that it has requested or consumed so far.
  int64_t computed = 0;  ///< Cycles of compute done (Mm).
  int64_t dataEnd = 0;   ///< When the last of its data arrived or left.
  int64_t stalled = 0;   ///< Cycles its requests waited for bandwidth or space.
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
} // namespace

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

Timeline::Implementation::Implementation(const MachineModel &machine,
                                         Listener *listener)
    : machine(machine), listener(listener) {
  hbm.bytesPerCycle = machine.hbmBytesPerCycle();
  lmuStream.bytesPerCycle =
      static_cast<double>(machine.lmuReadPorts * machine.lmuPortBytes);
  hbmLatency = static_cast<int64_t>(std::ceil(machine.hbmLatencyCycles()));
  // A sixteenth of the stream buffer: small enough that units share the HBM,
  // large enough that a model of many gigabytes takes few events.
  int64_t burst = machine.hbmBurstBytes;
  chunkBytes = std::max(burst, machine.streamBufferBytes / 16 / burst * burst);
  for (unsigned i = 0; i < numUnits; ++i) {
    queues[i].unit = static_cast<Unit>(i);
  }
}

/// The size of the chunk that follows `moved` bytes of `total`.
int64_t Timeline::Implementation::chunkAfter(int64_t moved, int64_t total) const {
  return std::min({chunkBytes, total - moved, machine.streamBufferBytes});
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

/// The bytes that an instruction reads and writes, by bounding ranges.
static std::vector<Access> accessesOf(const IssuedInstruction &instruction) {
  std::vector<Access> accesses;
  auto add = [&](unsigned number, bool isWrite) {
    ByteRange range = instruction.views[number].bounds();
    if (!range.empty()) {
      accesses.push_back({range, isWrite});
    }
  };
  switch (instruction.word.opcode) {
  case Opcode::Copy:
  case Opcode::Gather:
  case Opcode::Scatter:
    for (unsigned i = 0; i < instruction.numViews; ++i) {
      add(i, i == 0);
    }
    break;
  case Opcode::Stream:
    add(0, false);
    break;
  case Opcode::Mm:
    add(0, false);
    add(1, true);
    break;
  case Opcode::Vec: {
    std::vector<bool> isWritten(instruction.numViews);
    for (const MicroOp &op : instruction.micro->ops) {
      if (op.opcode == MicroOpcode::Store || op.opcode == MicroOpcode::Scatter) {
        isWritten[op.operand] = true;
      }
    }
    for (unsigned i = 0; i < instruction.numViews; ++i) {
      add(i, isWritten[i]);
    }
    break;
  }
  default:
    break;
  }
  return accesses;
}

void Timeline::Implementation::issue(const IssuedInstruction &instruction) {
  if (blockedICP) {
    return;
  }
  Queue &control = icp();
  Unit unit = instruction.unit();
  if (listener) {
    listener->willIssue(instruction.index, unit, control.free);
  }
  if (unit == Unit::ICP) {
    runOnICP(instruction);
    return;
  }
  control.free += machine.issueCycles;
  control.account(control.free, &UnitReport::busy);
  Entry entry;
  entry.index = instruction.index;
  entry.word = instruction.word;
  entry.issueCycle = control.free;
  entry.cost = lpu::cost(instruction, machine);
  entry.accesses = accessesOf(instruction);
  queue(unit).entries.push_back(std::move(entry));
  advance(control.free);
}

/// The ICP runs its own instructions one after the other.
void Timeline::Implementation::runOnICP(const IssuedInstruction &instruction) {
  Queue &control = icp();
  const Instruction &word = instruction.word;
  Entry entry;
  entry.index = instruction.index;
  entry.word = word;
  entry.issueCycle = control.free;
  entry.cost = lpu::cost(instruction, machine);
  // Everything that happens before now decides when the ICP goes on.
  advance(control.free);
  control.start = control.free;
  if (word.opcode == Opcode::Wait) {
    Semaphore &semaphore = semaphores[word.aux];
    while (semaphore.count < word.a) {
      if (!step(never)) {
        blockedICP = entry;
        return;
      }
    }
    semaphore.count -= word.a;
    control.free = std::max(control.free, semaphore.lastArrival);
    control.account(control.free, &UnitReport::waitingForSemaphore);
  } else if (word.opcode == Opcode::Post) {
    tokens.push({control.free + machine.semaphoreCycles, Token::Post, word.aux,
                 static_cast<int64_t>(word.a)});
  }
  control.free += entry.cost.cycles;
  control.account(control.free, &UnitReport::busy);
  if (word.opcode == Opcode::Ld) {
    int64_t end = control.free;
    if (entry.cost.hbmRead) {
      Channel::Service service = hbm.serve(control.free, entry.cost.hbmRead);
      end = static_cast<int64_t>(std::ceil(service.end));
    }
    control.free = end + entry.cost.latency;
    control.account(control.free, &UnitReport::waitingForData);
  }
  control.report.hbmRead += entry.cost.hbmRead;
  ++control.report.instructions;
  control.lastEnd = control.free;
  if (listener) {
    listener->didRetire({entry.index, word.opcode, Unit::ICP, entry.issueCycle,
                         control.start, control.free, entry.cost.hbmRead, 0});
  }
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
  int64_t time = tokens.empty() ? never : tokens.top().time;
  Queue *next = nullptr;
  for (Queue &candidate : queues) {
    int64_t event = nextEvent(candidate);
    if (event < time) {
      time = event;
      next = &candidate;
    }
  }
  if (time == never || time >= horizon) {
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
    semaphore.lastArrival = token.time;
    return;
  }
  case Token::BufferSpace:
    bufferUsed -= token.amount;
    lastBufferSpace = token.time;
    return;
  }
}

/// When earlier instructions of the same queue let the head start: one that
/// overlaps with something in flight waits until that is complete.
int64_t Timeline::Implementation::interlock(const Queue &queue) const {
  int64_t time = 0;
  for (const Access &access : queue.entries.front().accesses) {
    for (const InFlight &other : queue.inFlight) {
      bool conflicts = (access.isWrite || other.access.isWrite) &&
                       access.range.overlaps(other.access.range);
      if (conflicts) {
        time = std::max(time, other.end);
      }
    }
  }
  return time;
}

int64_t Timeline::Implementation::nextEvent(const Queue &queue) const {
  if (queue.entries.empty()) {
    return never;
  }
  const Entry &head = queue.entries.front();
  const Opcode opcode = head.word.opcode;
  int64_t time = queue.hasStarted
                     ? queue.next
                     : std::max(queue.free, head.issueCycle);
  if (opcode == Opcode::Wait) {
    const Semaphore &semaphore = semaphores[head.word.aux];
    return semaphore.count < head.word.a
               ? never
               : std::max(time, semaphore.lastArrival);
  }
  if (!queue.hasStarted && opcode != Opcode::Post) {
    time = std::max(time, interlock(queue));
  }
  if (opcode == Opcode::Stream) {
    int64_t total = head.cost.hbmRead + head.cost.lmuRead;
    int64_t bytes = chunkAfter(queue.moved, total);
    bool fits = bufferUsed + bytes <= machine.streamBufferBytes;
    return fits ? std::max(time, lastBufferSpace) : never;
  }
  bool consumes = opcode == Opcode::Mm &&
                  (queue.hasStarted ? queue.phase == Queue::Consume
                                    : head.cost.hbmRead == 0);
  if (consumes) {
    return stream.empty() ? never : std::max(time, stream.front().arrival);
  }
  return time;
}

void Timeline::Implementation::stepHead(Queue &queue, int64_t time) {
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
  default:
    begin(queue, time);
    return stepTransfer(queue, time);
  }
}

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
void Timeline::Implementation::moveHBM(Queue &queue, int64_t time, int64_t bytes,
                                       int64_t total) {
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
        chunk.isLast ? head.cost.cycles
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
  queue.inFlight.erase(std::remove_if(queue.inFlight.begin(),
                                      queue.inFlight.end(), isOver),
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

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// "sxe waits for the stream at instruction 7 (mm)".
static std::string describeHead(Unit unit, const Entry &head) {
  std::string text(nameOf(unit));
  const Instruction &word = head.word;
  if (word.opcode == Opcode::Wait) {
    text += " waits for semaphore " + std::to_string(word.aux) + " to reach " +
            std::to_string(word.a);
  } else if (word.opcode == Opcode::Stream) {
    text += " waits for room in the stream buffer";
  } else {
    text += " waits for the stream";
  }
  return text + " at instruction " + std::to_string(head.index) + " (" +
         std::string(nameOf(word.opcode)) + ")";
}

Error Timeline::Implementation::describeDeadlock() const {
  std::string text = "deadlock: ";
  bool isFirst = true;
  auto add = [&](Unit unit, const Entry &head) {
    text += (isFirst ? "" : "; ") + describeHead(unit, head);
    if (head.word.opcode == Opcode::Wait) {
      text += ", which stands at " +
              std::to_string(semaphores[head.word.aux].count);
    }
    isFirst = false;
  };
  if (blockedICP) {
    add(Unit::ICP, *blockedICP);
  }
  for (const Queue &queue : queues) {
    if (!queue.entries.empty()) {
      add(queue.unit, queue.entries.front());
    }
  }
  return Error{text, ErrorKind::Deadlock};
}

std::optional<Error> Timeline::Implementation::finish() {
  advance(never);
  bool isBlocked = blockedICP.has_value();
  cycles = 0;
  for (Queue &queue : queues) {
    isBlocked |= !queue.entries.empty();
    cycles = std::max({cycles, queue.free, queue.lastEnd});
  }
  if (isBlocked) {
    return describeDeadlock();
  }
  for (Queue &queue : queues) {
    queue.accountEmpty(cycles);
    assert(queue.report.total() == cycles && "every cycle is accounted for once");
  }
  return std::nullopt;
}

Timeline::Timeline(const MachineModel &machine, Listener *listener)
    : implementation(std::make_unique<Implementation>(machine, listener)) {}

Timeline::~Timeline() = default;

void Timeline::issue(const IssuedInstruction &instruction) {
  implementation->issue(instruction);
}

void Timeline::mark(std::string_view text) {
  if (implementation->listener) {
    implementation->listener->didMark(text, now());
  }
}

std::optional<Error> Timeline::finish() { return implementation->finish(); }

void Timeline::fill(Report &report) const {
  report.timed = true;
  report.clockGHz = implementation->machine.clockGHz;
  report.hbmGBps = implementation->machine.hbmGBps;
  report.cycles = implementation->cycles;
  report.streamBufferPeak = implementation->bufferPeak;
  for (unsigned i = 0; i < numUnits; ++i) {
    report.units[i] = implementation->queues[i].report;
  }
}

int64_t Timeline::now() const { return implementation->icp().free; }

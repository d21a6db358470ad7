//===- UnitQueues.cpp - Which unit does its next instruction --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnitQueues.h.
//
//===----------------------------------------------------------------------===//

#include "UnitQueues.h"

#include "lpu/Simulator/Deadlock.h"

using namespace lpu;

UnitQueues::UnitQueues(const Program &program, Executor &executor,
                       const RunOptions &options, const MachineState &state,
                       Listener *listener)
    : program(program), executor(executor), order(options.interleave),
      state(state), listener(listener), isTimed(options.timing),
      dma(options.dma.kind), dmaRandom(options.dma.seed) {
  if (dma == Dma::Random) {
    rarity = static_cast<unsigned>(dmaRandom.draw() % 8);
  }
}

void UnitQueues::push(Unit unit, QueuedInstruction instruction) {
  pendingViews += instruction.views.size();
  queues[static_cast<unsigned>(unit)].push_back(std::move(instruction));
  ++pendingCount;
}

bool UnitQueues::isReady(const QueuedInstruction &instruction) const {
  const Instruction &word = instruction.word;
  if (word.opcode == Opcode::Wait) {
    return counts[word.aux] >= word.a;
  }
  // The stream buffer orders an Mm after the stream that feeds it.
  return word.opcode != Opcode::Mm || !executor.streams().empty();
}

std::optional<Error> UnitQueues::execute(Unit unit,
                                         const QueuedInstruction &instruction) {
  const Instruction &word = instruction.word;
  std::optional<Error> error;
  lastIndex = instruction.index;
  pendingViews -= instruction.views.size();
  if (listener != nullptr &&
      !listener->willExecute(executor.issued(instruction), state)) {
    return Error{"stopped", ErrorKind::Stopped};
  }
  if (word.opcode == Opcode::Wait) {
    counts[word.aux] -= word.a;
  } else if (word.opcode == Opcode::Post) {
    post(word.aux, word.a, instruction.index);
  } else {
    error = executor.execute(instruction);
  }
  if (listener == nullptr || error) {
    return error;
  }
  listener->didExecute(executor.issued(instruction), state);
  if (!isTimed) {
    RetiredInstruction retired;
    retired.index = instruction.index;
    retired.opcode = word.opcode;
    retired.unit = unit;
    listener->didRetire(retired);
  }
  return std::nullopt;
}

bool UnitQueues::stepUnit(Unit unit, std::optional<Error> &error) {
  std::deque<QueuedInstruction> &queue = queues[static_cast<unsigned>(unit)];
  if (queue.empty() || !isReady(queue.front())) {
    return false;
  }
  Opcode opcode = queue.front().word.opcode;
  bool isDelayed =
      unit == Unit::SMA && opcode != Opcode::Wait &&
      (opcode == Opcode::Post ? !inFlight.empty() : dma != Dma::Early);
  if (isDelayed) {
    inFlight.push_back(std::move(queue.front()));
    queue.pop_front();
    return true;
  }
  error = execute(unit, queue.front());
  queue.pop_front();
  --pendingCount;
  return true;
}

std::optional<Error> UnitQueues::land() {
  do {
    std::optional<Error> error = execute(Unit::SMA, inFlight.front());
    inFlight.pop_front();
    --pendingCount;
    if (error) {
      return error;
    }
  } while (!inFlight.empty() && inFlight.front().word.opcode == Opcode::Post);
  return std::nullopt;
}

bool UnitQueues::landStream(std::optional<Error> &error) {
  for (auto it = inFlight.begin(); it != inFlight.end(); ++it) {
    if (it->word.opcode != Opcode::Stream) {
      continue;
    }
    ByteRange source = it->views[0].bounds();
    for (auto before = inFlight.begin(); before != it; ++before) {
      // The first view is what a transfer writes.
      if (!before->views.empty() &&
          before->views[0].bounds().overlaps(source)) {
        return false;
      }
    }
    error = execute(Unit::SMA, *it);
    inFlight.erase(it);
    --pendingCount;
    return true;
  }
  return false;
}

bool UnitQueues::step(std::optional<Error> &error) {
  bool landsNow =
      dma == Dma::Random && !inFlight.empty() && dmaRandom.drawOneIn(rarity);
  if (!landsNow) {
    for (Unit unit : order.next()) {
      if (stepUnit(unit, error)) {
        return true;
      }
    }
  }
  if (inFlight.empty()) {
    return false;
  }
  const auto &products = queues[static_cast<unsigned>(Unit::SXE)];
  bool wantsStream = dma == Dma::Late && !products.empty() &&
                     products.front().word.opcode == Opcode::Mm;
  if (!wantsStream || !landStream(error)) {
    error = land();
  }
  return true;
}

std::optional<Error> UnitQueues::goBeforeICP() {
  std::optional<Error> error;
  for (bool isICPNext = false; !isICPNext && !error;) {
    for (Unit unit : order.next()) {
      isICPNext = unit == Unit::ICP;
      if (isICPNext || stepUnit(unit, error)) {
        break;
      }
    }
  }
  return error;
}

std::optional<Error> UnitQueues::wait(unsigned semaphore, uint32_t count,
                                      uint32_t index) {
  std::optional<Error> error;
  while (counts[semaphore] < count) {
    if (!step(error)) {
      lastIndex = index;
      return describeDeadlock(index);
    }
    if (error) {
      return error;
    }
  }
  counts[semaphore] -= count;
  return std::nullopt;
}

std::optional<Error> UnitQueues::run(size_t left) {
  std::optional<Error> error;
  while (pending() > left) {
    if (!step(error)) {
      return describeDeadlock(std::nullopt);
    }
    if (error) {
      return error;
    }
  }
  return std::nullopt;
}

MachineState::Queue UnitQueues::queue(Unit unit) const {
  const auto &queue = queues[static_cast<unsigned>(unit)];
  const auto &head = unit == Unit::SMA && !inFlight.empty() ? inFlight : queue;
  size_t flying = unit == Unit::SMA ? inFlight.size() : 0;
  return {queue.size() + flying, head.empty() ? 0 : head.front().index};
}

/// A snapshot of who waits for what (sync_f1).
Error UnitQueues::describeDeadlock(std::optional<uint32_t> icp) const {
  Deadlock deadlock;
  deadlock.counts = counts;
  if (icp) {
    deadlock.queues[static_cast<unsigned>(Unit::ICP)] = {*icp};
  }
  for (Unit unit : {Unit::SMA, Unit::SXE, Unit::VXE}) {
    for (const QueuedInstruction &item : queues[static_cast<unsigned>(unit)]) {
      deadlock.queues[static_cast<unsigned>(unit)].push_back(item.index);
    }
  }
  return deadlock.describe(program);
}

std::optional<Error> UnitQueues::checkDrained() const {
  return LeftOver{counts, lastPosts, executor.streams().sources()}.describe(
      program);
}

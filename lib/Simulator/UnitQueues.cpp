//===- UnitQueues.cpp - Which unit does its next instruction --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnitQueues.h.
//
//===----------------------------------------------------------------------===//

#include "UnitQueues.h"

#include "lpu/Target/Names.h"

using namespace lpu;

UnitQueues::UnitQueues(Executor &executor, const RunOptions &options,
                       Listener *listener)
    : executor(executor), order(options.interleave), listener(listener),
      dma(options.dma.kind), dmaRandom(options.dma.seed) {
  if (dma == Dma::Random) {
    rarity = static_cast<unsigned>(dmaRandom.draw() % 8);
  }
}

void UnitQueues::push(Unit unit, QueuedInstruction instruction) {
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
  if (word.opcode == Opcode::Wait) {
    counts[word.aux] -= word.a;
  } else if (word.opcode == Opcode::Post) {
    counts[word.aux] += word.a;
  } else {
    error = executor.execute(instruction);
  }
  if (listener != nullptr && !error) {
    RetiredInstruction retired;
    retired.index = instruction.index;
    retired.opcode = word.opcode;
    retired.unit = unit;
    listener->didRetire(retired);
  }
  return error;
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
  error = land();
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
      return describeDeadlock("icp waits for " + std::to_string(count) +
                              " on semaphore " + std::to_string(semaphore) +
                              ", which holds " +
                              std::to_string(counts[semaphore]) +
                              " (instruction " + std::to_string(index) + ")");
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
  while (pendingCount > left) {
    if (!step(error)) {
      return describeDeadlock("");
    }
    if (error) {
      return error;
    }
  }
  return std::nullopt;
}

/// Names every unit that is stuck, where, and on what (sync_f1).
Error UnitQueues::describeDeadlock(const std::string &icp) const {
  std::string message = "deadlock: " + icp;
  for (Unit unit : {Unit::SMA, Unit::SXE, Unit::VXE}) {
    const auto &queue = queues[static_cast<unsigned>(unit)];
    if (queue.empty()) {
      continue;
    }
    if (message.back() != ' ') {
      message += "; ";
    }
    const QueuedInstruction &head = queue.front();
    message += std::string(nameOf(unit)) + " waits for ";
    if (head.word.opcode == Opcode::Wait) {
      message += std::to_string(head.word.a) + " on semaphore " +
                 std::to_string(head.word.aux) + ", which holds " +
                 std::to_string(counts[head.word.aux]);
    } else {
      message += "the stream of view " + std::to_string(head.word.c);
    }
    message += " (instruction " + std::to_string(head.index) + ")";
  }
  return {message, ErrorKind::Deadlock};
}

std::optional<Error> UnitQueues::checkDrained() const {
  std::string message;
  for (unsigned i = 0; i < numSemaphores; ++i) {
    if (counts[i] != 0) {
      message += (message.empty() ? "semaphore " : ", semaphore ") +
                 std::to_string(i) + " holds " + std::to_string(counts[i]);
    }
  }
  if (!message.empty()) {
    return Error{"at the end of the program " + message +
                     ", expected every post to be waited for",
                 ErrorKind::Deadlock};
  }
  if (!executor.streams().empty()) {
    return Error{"at the end of the program the stream buffer is not empty, "
                 "expected an mm for every stream",
                 ErrorKind::Deadlock};
  }
  return std::nullopt;
}

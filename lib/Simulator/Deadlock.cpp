//===- Deadlock.cpp - Who waits for what ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit waits for a semaphore or for the stream buffer. Who would provide it
// stands further back in some queue, or the ICP has not come to it, or nobody
// would.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Deadlock.h"

#include "lpu/Target/Names.h"

using namespace lpu;

/// "instruction 3 (mm) of node at model.py:7".
static std::string nameInstruction(const Program &program, uint32_t index) {
  std::string text = describeInstruction(program, index);
  const Location *location = program.locationOfInstruction(index);
  if (location != nullptr && !location->file.empty()) {
    text += " at " + location->file + ":" + std::to_string(location->line);
  }
  return text;
}

/// Whether `word` is what `waiting` waits for.
static bool provides(const Instruction &word, const Instruction &waiting) {
  switch (waiting.opcode) {
  case Opcode::Wait:
    return word.opcode == Opcode::Post && word.aux == waiting.aux;
  case Opcode::Stream:
    return word.opcode == Opcode::Mm;
  default:
    return word.opcode == Opcode::Stream;
  }
}

/// What is done to that which `waiting` waits for.
static const char *verbOf(const Instruction &waiting) {
  switch (waiting.opcode) {
  case Opcode::Wait:
    return "post";
  case Opcode::Stream:
    return "free";
  default:
    return "push";
  }
}

/// Who would let `waiting` go on: the first one of each queue, else the first
/// one that the ICP has not come to.
static std::string describeProviders(const Deadlock &deadlock,
                                     const Program &program,
                                     const Instruction &waiting) {
  const char *verb = verbOf(waiting);
  std::string text;
  for (unsigned unit = 0; unit < numUnits; ++unit) {
    const std::vector<uint32_t> &queue = deadlock.queues[unit];
    for (size_t i = 0; i < queue.size(); ++i) {
      if (!provides(program.text[queue[i]], waiting)) {
        continue;
      }
      text += text.empty() ? "" : ", ";
      text += nameInstruction(program, queue[i]) + " would " + verb +
              " it, number " + std::to_string(i + 1) + " in the queue of " +
              std::string(nameOf(static_cast<Unit>(unit)));
      break;
    }
  }
  const std::vector<uint32_t> &icp = deadlock.queues[unsigned(Unit::ICP)];
  for (size_t i = icp.empty() ? program.text.size() : icp.front() + 1;
       text.empty() && i < program.text.size(); ++i) {
    if (provides(program.text[i], waiting)) {
      text = nameInstruction(program, static_cast<uint32_t>(i)) + " would " +
             verb + " it, but icp does not get there";
    }
  }
  return text.empty() ? std::string("nobody is left to ") + verb + " it" : text;
}

Error Deadlock::describe(const Program &program) const {
  std::string message = "deadlock: no unit can go on";
  for (unsigned unit = 0; unit < numUnits; ++unit) {
    if (queues[unit].empty()) {
      continue;
    }
    uint32_t head = queues[unit].front();
    const Instruction &word = program.text[head];
    message += "\n  " + std::string(nameOf(static_cast<Unit>(unit))) +
               " waits at " + nameInstruction(program, head) + " for ";
    if (word.opcode == Opcode::Wait) {
      message += std::to_string(word.a) + " on semaphore " +
                 std::to_string(word.aux) + ", which holds " +
                 std::to_string(counts[word.aux]);
    } else if (word.opcode == Opcode::Stream) {
      message += "room in the stream buffer, which is full";
    } else {
      message += "an entry of the stream buffer, which is empty";
    }
    message += "; " + describeProviders(*this, program, word);
  }
  return {message, ErrorKind::Deadlock};
}

std::optional<Error> LeftOver::describe(const Program &program) const {
  std::string message;
  for (unsigned i = 0; i < numSemaphores; ++i) {
    if (counts[i] != 0) {
      message += "\n  semaphore " + std::to_string(i) + " holds " +
                 std::to_string(counts[i]) + ", posted last by " +
                 nameInstruction(program, lastPosts[i]);
    }
  }
  for (uint32_t stream : streams) {
    message += "\n  the stream buffer holds what " +
               nameInstruction(program, stream) + " pushed";
  }
  if (message.empty()) {
    return std::nullopt;
  }
  return Error{"left over at the end of the program, expected a wait for every "
               "post and an mm for every stream:" +
                   message,
               ErrorKind::Deadlock};
}

void IssuedTokens::issue(uint32_t index, const Instruction &word) {
  switch (word.opcode) {
  case Opcode::Post:
    rest.counts[word.aux] += word.a;
    rest.lastPosts[word.aux] = index;
    break;
  case Opcode::Wait:
    rest.counts[word.aux] -= word.a;
    break;
  case Opcode::Stream:
    if (leadingProducts > 0) {
      --leadingProducts;
    } else {
      streams.push_back(index);
    }
    break;
  case Opcode::Mm:
    if (streams.empty()) {
      ++leadingProducts;
    } else {
      streams.pop_front();
    }
    break;
  default:
    break;
  }
}

std::optional<Error> IssuedTokens::checkDrained(const Program &program) const {
  LeftOver all = rest;
  all.streams.assign(streams.begin(), streams.end());
  return all.describe(program);
}

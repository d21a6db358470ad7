//===- Prompt.cpp - Commands between instructions -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prompt.h. What a command cannot do it says on standard output, where the
// answers are, and asks again.
//
//===----------------------------------------------------------------------===//

#include "Prompt.h"

#include "Address.h"
#include "Describe.h"
#include "lpu/Target/Names.h"

#include <cstdio>
#include <iostream>
#include <limits>
#include <unistd.h>

using namespace lpu;

static constexpr int64_t shownElements = 16;

static const char help[] =
    R"(step [N]              s: N instructions, one if not told
continue              c: to the next stop, or the end
break WHERE           b: a stop, as --stop-at
watch ADDRESS[:BYTES] w: as --watch
print instruction     p: its operands, as they are now
print view N          a view of the program, under the registers of now
print memory ADDRESS[:BYTES] [DTYPE]
print registers | semaphores | queues
quit                  q
)";

static void complain(const std::string &message) {
  std::printf("%s\n", message.c_str());
}

static std::vector<std::string> wordsOf(const std::string &line) {
  std::vector<std::string> words;
  for (const std::string &word : split(line, ' ')) {
    if (!word.empty()) {
      words.push_back(word);
    }
  }
  return words;
}

void Prompt::printInstruction(const IssuedInstruction &instruction) const {
  std::printf("%s, unit %s\n", placeOf(program, instruction.index).c_str(),
              std::string(nameOf(instruction.unit())).c_str());
  for (unsigned i = 0; i < instruction.numViews; ++i) {
    std::printf("  operand %u: %s\n", i,
                describe(instruction.views[i]).c_str());
  }
}

void Prompt::printRegisters(const MachineState &state) const {
  const ControlState &control = state.control();
  bool isAny = false;
  for (unsigned i = 0; i < numRegisters; ++i) {
    if (control.isUnknown[i]) {
      std::printf("r%u = unknown\n", i);
    } else if (control.registers[i] != 0) {
      std::printf("r%u = %lld\n", i,
                  static_cast<long long>(control.registers[i]));
    }
    isAny |= control.isUnknown[i] || control.registers[i] != 0;
  }
  for (unsigned i = 0; i < maxLoopDepth; ++i) {
    if (control.iterations[i] != 0) {
      std::printf("iteration of loop %u = %lld\n", i,
                  static_cast<long long>(control.iterations[i]));
      isAny = true;
    }
  }
  if (!isAny) {
    std::printf("all registers are 0\n");
  }
}

void Prompt::printView(const Words &words, const MachineState &state) const {
  std::optional<int64_t> number =
      words.size() == 3 ? parseNumber(words[2]) : std::nullopt;
  auto count = static_cast<int64_t>(program.views.size());
  if (!number || *number >= count) {
    return complain("print view N: expected a number below " +
                    std::to_string(count));
  }
  Result<ResolvedView> view =
      ResolvedView::resolve(program.views[*number], state.control());
  if (!view) {
    return complain("view " + words[2] + ": " + view.message());
  }
  std::printf("%s\n", describe(*view).c_str());
  if (!hasValues) {
    return;
  }
  if (std::optional<Error> error = state.memory().check(*view)) {
    return complain("view " + words[2] + ": " + error->message);
  }
  std::printf("%s\n", valuesText(*view, state.memory(), shownElements).c_str());
}

void Prompt::printMemory(const Words &words, const MachineState &state) const {
  if (words.size() < 3 || words.size() > 4) {
    return complain("print memory: expected ADDRESS[:BYTES] [DTYPE]");
  }
  if (!hasValues) {
    return complain("print memory: --timing-only computes no values");
  }
  Result<ByteRange> range =
      parseAddress(words[2], program, state.memory(), shownElements);
  if (!range) {
    return complain("print memory " + words[2] + ": " + range.message());
  }
  ResolvedView view;
  view.space = range->space;
  view.argument = range->argument;
  view.offset = range->begin;
  const uint8_t *data = state.memory().address(view);
  int64_t size = range->end - range->begin;
  if (words.size() == 3) {
    std::printf("%s\n", bytesText(data, size).c_str());
    return;
  }
  std::optional<DType> type = parseType(words[3]);
  if (!type || size % byteWidth(*type) != 0) {
    return complain("print memory: " + std::to_string(size) + " bytes of '" +
                    words[3] + "', expected whole elements of a type");
  }
  std::printf("%s\n", valuesText(*type, data, size / byteWidth(*type)).c_str());
}

void Prompt::printSemaphores(const MachineState &state) const {
  bool isAny = false;
  for (unsigned i = 0; i < numSemaphores; ++i) {
    if (uint64_t count = state.semaphore(i)) {
      std::printf("semaphore %u = %llu\n", i,
                  static_cast<unsigned long long>(count));
      isAny = true;
    }
  }
  if (!isAny) {
    std::printf("all semaphores are 0\n");
  }
}

void Prompt::printQueues(const MachineState &state) const {
  for (Unit unit : {Unit::SMA, Unit::SXE, Unit::VXE}) {
    MachineState::Queue queue = state.queue(unit);
    std::string name(nameOf(unit));
    if (queue.length == 0) {
      std::printf("%s: empty\n", name.c_str());
    } else {
      std::printf("%s: %zu, first %s\n", name.c_str(), queue.length,
                  placeOf(program, queue.head).c_str());
    }
  }
}

void Prompt::print(const Words &words, const IssuedInstruction &instruction,
                   const MachineState &state) const {
  std::string what = words.size() > 1 ? words[1] : "instruction";
  if (what == "instruction") {
    printInstruction(instruction);
  } else if (what == "registers") {
    printRegisters(state);
  } else if (what == "view") {
    printView(words, state);
  } else if (what == "memory") {
    printMemory(words, state);
  } else if (what == "semaphores") {
    printSemaphores(state);
  } else if (what == "queues") {
    printQueues(state);
  } else {
    complain("print '" + what +
             "', expected instruction, registers, view, memory, semaphores or "
             "queues");
  }
}

bool Prompt::ask(const IssuedInstruction &instruction,
                 const MachineState &state, int64_t cycle,
                 std::vector<Stop> &stops, std::vector<Watch> &watches) {
  if (stepsLeft > 0) {
    --stepsLeft;
    return true;
  }
  std::printf("=> %s, at cycle %lld\n",
              placeOf(program, instruction.index).c_str(),
              static_cast<long long>(cycle));
  bool isTerminal = isatty(STDIN_FILENO) != 0;
  while (true) {
    if (isTerminal) {
      std::printf("(lpu) ");
    }
    std::fflush(stdout);
    std::string line;
    if (!std::getline(std::cin, line)) {
      return false;
    }
    Words words = wordsOf(line);
    std::string command = words.empty() ? "" : words[0];
    if (command.empty() || command[0] == '#') {
      continue;
    }
    bool hasOne = words.size() == 2;
    if (command == "step" || command == "s") {
      std::optional<int64_t> count = words.size() == 1 ? 1
                                     : hasOne          ? parseNumber(words[1])
                                                       : std::nullopt;
      if (count && *count > 0) {
        stepsLeft = *count - 1;
        return true;
      }
      complain("step [N]: expected a number from 1");
    } else if (command == "continue" || command == "c") {
      stepsLeft = std::numeric_limits<int64_t>::max();
      return true;
    } else if (command == "break" || command == "b") {
      Result<Stop> stop = Stop::parse(hasOne ? words[1] : "", program, isTimed);
      if (stop) {
        stops.push_back(*stop);
      } else {
        complain(line + ": " + stop.message());
      }
    } else if (command == "watch" || command == "w") {
      Result<ByteRange> range =
          parseAddress(hasOne ? words[1] : "", program, state.memory());
      if (range && hasValues) {
        watches.emplace_back(*range);
      } else {
        complain(
            line + ": " +
            (range ? "--timing-only computes no values" : range.message()));
      }
    } else if (command == "print" || command == "p") {
      print(words, instruction, state);
    } else if (command == "quit" || command == "q") {
      return false;
    } else if (command == "help" || command == "h") {
      std::fputs(help, stdout);
    } else {
      complain("unknown command '" + command +
               "', expected step, continue, break, watch, print, quit or help");
    }
  }
}

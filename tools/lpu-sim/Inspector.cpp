//===- Inspector.cpp - Watches, stops and steps through a run -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Inspector.h.
//
//===----------------------------------------------------------------------===//

#include "Inspector.h"

#include "Describe.h"

#include <algorithm>
#include <cstdio>

using namespace lpu;

void Inspector::willIssue(uint32_t index, Unit unit, int64_t issueCycle) {
  issued[static_cast<unsigned>(unit)].push_back({index, issueCycle});
  if (trace) {
    trace->willIssue(index, unit, issueCycle);
  }
}

/// A stream may overtake transfers, so the queue is searched; it is the first
/// as a rule.
int64_t Inspector::takeIssueCycle(Unit unit, uint32_t index) {
  auto &queue = issued[static_cast<unsigned>(unit)];
  auto entry = std::find_if(queue.begin(), queue.end(),
                            [&](const auto &e) { return e.first == index; });
  if (entry == queue.end()) {
    return 0;
  }
  int64_t cycle = entry->second;
  queue.erase(entry);
  return cycle;
}

bool Inspector::willExecute(const IssuedInstruction &instruction,
                            const MachineState &state) {
  int64_t cycle = takeIssueCycle(instruction.unit(), instruction.index);
  auto stop = std::find_if(stops.begin(), stops.end(), [&](const Stop &stop) {
    return stop.matches(program, instruction.index, cycle);
  });
  if (stop != stops.end()) {
    stopReached = true;
    if (!prompt) {
      std::printf("stopped before %s, at cycle %lld\n",
                  placeOf(program, instruction.index).c_str(),
                  static_cast<long long>(cycle));
      stopped = true;
      return false;
    }
    prompt->open();
    if (stop->isOnce()) {
      stops.erase(stop);
    }
  }
  if (prompt && !prompt->ask(instruction, state, cycle, stops, watches)) {
    stopped = true;
    return false;
  }
  for (Watch &watch : watches) {
    watch.willExecute(instruction, state);
  }
  return true;
}

void Inspector::didExecute(const IssuedInstruction &instruction,
                           const MachineState &state) {
  for (Watch &watch : watches) {
    std::string line = watch.didExecute(instruction, state, program);
    if (!line.empty()) {
      std::printf("%s\n", line.c_str());
    }
  }
}

void Inspector::didRetire(const RetiredInstruction &instruction) {
  if (trace) {
    trace->didRetire(instruction);
  }
}

void Inspector::didMark(std::string_view text, int64_t markCycle) {
  if (trace) {
    trace->didMark(text, markCycle);
  }
}

//===- CriticalPath.cpp - What the time of a run was spent on -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of steps with their predecessors, the walk back through it, and the
// table of what was found.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/CriticalPath.h"
#include "CausalLog.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

using namespace lpu;

std::string_view lpu::nameOf(PathReason reason) {
  static constexpr std::string_view names[] = {
      "issue",       "control",  "busy",      "hbm bandwidth",
      "hbm latency", "pipeline", "semaphore", "stream buffer"};
  static_assert(std::size(names) == numPathReasons);
  return names[static_cast<unsigned>(reason)];
}

std::string_view lpu::nameOf(PathLink link) {
  static constexpr std::string_view names[] = {
      "begin", "same step", "unit", "issue",          "overlapping access",
      "chunk", "post",      "room", "earlier request"};
  static_assert(std::size(names) == numPathLinks);
  return names[static_cast<unsigned>(link)];
}

Moment CausalLog::add(Moment start, int64_t end, uint32_t index, Unit unit,
                      PathReason reason) {
  Moment result{end, start.cause, PathLink::Same};
  if (isFull || end == start.time) {
    result.link = end == start.time ? start.link : PathLink::Same;
    return result;
  }
  if (steps.size() >= maxSteps) {
    // The beginning of the path would be lost, so there is none.
    isFull = true;
    steps.clear();
    steps.shrink_to_fit();
    return result;
  }
  steps.push_back({end, start.cause, index, unit, reason, start.link});
  result.cause = static_cast<uint32_t>(steps.size());
  return result;
}

std::vector<PathStep> CausalLog::walkBack(Moment last) const {
  std::vector<PathStep> path;
  if (isFull) {
    return path;
  }
  for (uint32_t at = last.cause; at != 0;) {
    const Step &step = steps[at - 1];
    int64_t start = step.previous != 0 ? steps[step.previous - 1].end : 0;
    PathStep *after = path.empty() ? nullptr : &path.back();
    if (after != nullptr && after->link == PathLink::Same &&
        after->index == step.index && after->unit == step.unit &&
        after->reason == step.reason) {
      // The chunks of a transfer are one step.
      after->start = start;
      after->link = step.previous != 0 ? step.link : PathLink::Begin;
      at = step.previous;
      continue;
    }
    PathStep found;
    found.start = start;
    found.end = step.end;
    found.index = step.index;
    found.unit = step.unit;
    found.reason = step.reason;
    found.link = step.previous != 0 ? step.link : PathLink::Begin;
    path.push_back(found);
    at = step.previous;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<PathRow> lpu::summarizePath(const std::vector<PathStep> &path,
                                        const Program &program) {
  using Key = std::tuple<const Location *, Opcode, Unit, PathReason>;
  std::map<Key, PathRow> rows;
  for (const PathStep &step : path) {
    const Location *location = program.locationOfInstruction(step.index);
    Opcode opcode = program.text[step.index].opcode;
    PathRow &row = rows[{location, opcode, step.unit, step.reason}];
    if (row.steps == 0) {
      row.location = location != nullptr ? *location : Location();
      row.opcode = opcode;
      row.unit = step.unit;
      row.reason = step.reason;
    }
    row.cycles += step.cycles();
    ++row.steps;
  }
  std::vector<PathRow> result;
  for (auto &[key, row] : rows) {
    result.push_back(std::move(row));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const PathRow &left, const PathRow &right) {
                     return left.cycles > right.cycles;
                   });
  return result;
}

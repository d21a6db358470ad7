//===- Stop.cpp - Where a run is to stand still ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Stop.h.
//
//===----------------------------------------------------------------------===//

#include "Stop.h"

#include "Address.h"

#include <algorithm>

using namespace lpu;

/// Whether a location is called so: by its node, or by file and line, where the
/// file may lack folders in front.
static bool isCalled(const Location &location, const std::string &name) {
  if (location.name == name) {
    return !name.empty();
  }
  std::string place = location.file + ":" + std::to_string(location.line);
  if (location.file.empty() || place.size() < name.size()) {
    return false;
  }
  size_t start = place.size() - name.size();
  return place.compare(start, std::string::npos, name) == 0 &&
         (start == 0 || place[start - 1] == '/');
}

Result<Stop> Stop::parse(const std::string &text, const Program &program,
                         bool isTimed) {
  Stop stop;
  stop.text = text;
  if (std::optional<int64_t> number = parseNumber(text)) {
    auto count = static_cast<int64_t>(program.text.size());
    if (*number >= count) {
      return Error{"there is no instruction " + text + ", the program has " +
                   std::to_string(count)};
    }
    stop.number = *number;
    return stop;
  }
  constexpr std::string_view prefix = "cycle:";
  if (text.compare(0, prefix.size(), prefix) == 0) {
    std::optional<int64_t> cycle =
        parseNumber(std::string_view(text).substr(prefix.size()));
    if (!cycle) {
      return Error{"expected a number after cycle:"};
    }
    if (!isTimed) {
      return Error{"a run with --no-timing has no cycles"};
    }
    stop.kind = Kind::Cycle;
    stop.number = *cycle;
    return stop;
  }
  stop.kind = Kind::Location;
  bool isFound = false;
  for (size_t i = 0; i < program.text.size() && !isFound; ++i) {
    const Location *location = program.locationOfInstruction(i);
    isFound = location && isCalled(*location, text);
  }
  if (!isFound) {
    return Error{"no instruction comes from there, expected the number of an "
                 "instruction, an FX node, FILE:LINE or cycle:N"};
  }
  return stop;
}

bool Stop::matches(const Program &program, uint32_t index,
                   int64_t cycle) const {
  switch (kind) {
  case Kind::Instruction:
    return index == number;
  case Kind::Cycle:
    return cycle >= number;
  case Kind::Location: {
    const Location *location = program.locationOfInstruction(index);
    return location && isCalled(*location, text);
  }
  }
  return false;
}

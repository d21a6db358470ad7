//===- Conservation.cpp - Does the account of a run add up? ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Conservation.h.
//
//===----------------------------------------------------------------------===//

#include "Conservation.h"

#include "lpu/Target/Names.h"

#include <algorithm>

using namespace lpu;

void Conservation::request(const IssuedInstruction &instruction) {
  Cost asked = cost(instruction, program.machine);
  Traffic &traffic = requested[static_cast<unsigned>(instruction.unit())];
  ++traffic.instructions;
  traffic.read += asked.hbmRead;
  traffic.written += asked.hbmWritten;
}

void Conservation::willIssue(uint32_t index, Unit unit, int64_t cycle) {
  ++open[index];
  if (next != nullptr) {
    next->willIssue(index, unit, cycle);
  }
}

void Conservation::didRetire(const RetiredInstruction &instruction) {
  --open[instruction.index];
  Traffic &traffic = served[static_cast<unsigned>(instruction.unit)];
  ++traffic.instructions;
  traffic.read += instruction.hbmRead;
  traffic.written += instruction.hbmWritten;
  lastEnd = std::max(lastEnd, instruction.endCycle);
  if (next != nullptr) {
    next->didRetire(instruction);
  }
}

void Conservation::didMark(std::string_view text, int64_t cycle) {
  if (next != nullptr) {
    next->didMark(text, cycle);
  }
}

static std::optional<Error> expectEqual(const std::string &what, int64_t found,
                                        int64_t expected) {
  if (found == expected) {
    return std::nullopt;
  }
  return Error{"conservation: " + what + " are " + std::to_string(found) +
                   ", expected " + std::to_string(expected),
               ErrorKind::Check};
}

std::optional<Error> Conservation::check(const Report &report) const {
  for (size_t i = 0; i < open.size(); ++i) {
    if (open[i] != 0) {
      return expectEqual("completions that " + describeInstruction(program, i) +
                             " lacks",
                         open[i], 0);
    }
  }
  int64_t bytes = 0;
  for (unsigned i = 0; i < numUnits; ++i) {
    std::string unit(nameOf(static_cast<Unit>(i)));
    const UnitReport &account = report.units[i];
    const Traffic &asked = requested[i], &got = served[i];
    bytes += got.read + got.written;
    struct Line {
      const char *what;
      int64_t found, expected;
    };
    const Line lines[] = {
        {"instructions completed by ", got.instructions, asked.instructions},
        {"instructions in the account of ", account.instructions,
         asked.instructions},
        {"bytes of HBM read by ", got.read, asked.read},
        {"bytes of HBM written by ", got.written, asked.written},
        {"bytes of HBM read in the account of ", account.hbmRead, asked.read},
        {"bytes of HBM written in the account of ", account.hbmWritten,
         asked.written},
        {"cycles in the account of ", account.total(), report.cycles},
    };
    for (const Line &line : lines) {
      if (std::optional<Error> error =
              expectEqual(line.what + unit, line.found, line.expected)) {
        return error;
      }
    }
  }
  if (lastEnd > report.cycles) {
    return expectEqual("cycles of the run", report.cycles, lastEnd);
  }
  double most =
      program.machine.hbmBytesPerCycle() * static_cast<double>(report.cycles);
  if (static_cast<double>(bytes) > most) {
    return expectEqual("bytes that the HBM moved", bytes,
                       static_cast<int64_t>(most));
  }
  return std::nullopt;
}

//===- Program.cpp - A machine program in memory --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How messages name an instruction.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Program.h"
#include "lpu/Target/Names.h"

using namespace lpu;

std::string lpu::describeInstruction(const Program &program, size_t index) {
  std::string text = "instruction " + std::to_string(index);
  std::string_view name = nameOf(program.text[index].opcode);
  if (!name.empty()) {
    text += " (" + std::string(name) + ")";
  }
  const Location *location = program.locationOfInstruction(index);
  if (location && !location->name.empty()) {
    text += " of " + location->name;
  }
  return text;
}

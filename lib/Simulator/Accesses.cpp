//===- Accesses.cpp - Which bytes an instruction touches ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By opcode. The streamed operand of a matrix instruction is the stream's.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

using namespace lpu;

std::vector<Access> lpu::accessesOf(const IssuedInstruction &instruction) {
  std::vector<Access> accesses;
  auto add = [&](unsigned number, bool isWrite) {
    const ResolvedView &view = instruction.views[number];
    ByteRange range = view.bounds();
    if (!range.empty()) {
      accesses.push_back({range, StridedBytes(view), isWrite});
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
  case Opcode::Ld:
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
      if (op.opcode == MicroOpcode::Store ||
          op.opcode == MicroOpcode::Scatter) {
        isWritten[op.operand] = true;
      }
    }
    for (unsigned i = 0; i < instruction.numViews; ++i) {
      add(i, isWritten[i]);
    }
    break;
  }
  case Opcode::Halt:
  case Opcode::Li:
  case Opcode::Alu:
  case Opcode::Branch:
  case Opcode::Loop:
  case Opcode::Wait:
  case Opcode::Post:
  case Opcode::Trace:
  case Opcode::Fault:
    break; // No memory.
  }
  return accesses;
}

//===- MicroPlan.cpp - Plans a micro-program ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are assigned once, so a register that only one Elements section
// sees is free after its last use there, and its place goes to a later one: the
// register file of a long program still fits the host's first-level cache.
// Constants and values of the row keep a place of their own.
//
//===----------------------------------------------------------------------===//

#include "MicroInterpreter.h"

#include "lpu/Target/MicroOps.h"

#include <algorithm>

using namespace lpu;

namespace {

/// Bytes of one lane of a register.
unsigned laneBytes(MicroType type) {
  return type == MicroType::I1 ? 1 : bitWidth(type) / 8;
}

/// What the planner knows about a register.
struct Register {
  MicroType type = MicroType::F32;
  uint32_t offset = 0;
  size_t lastUse = 0; ///< Index of an operation.
  bool isPermanent = false;
  bool isReadByElements = false; ///< In a section after that of its definition.
  unsigned section = 0;
  bool isCarry = false;
};

class Planner {
public:
  explicit Planner(const MicroProgram &program) : program(program) {
    registers.resize(program.header.numRegisters);
  }

  MicroPlan run();

private:
  void describeRegisters();
  void addStep(size_t index);
  uint32_t place(MicroType type);
  uint32_t placeAlone(MicroType type);
  void release(size_t index);
  void addNexts();

  /// The register inputs of an operation.
  template <typename Function>
  void forEachInput(const MicroOp &op, Function function) {
    const MicroOpInfo *info = lookupMicroOp(op.opcode);
    if (info->a != MicroInput::None) {
      function(op.a);
    }
    if (info->b != MicroInput::None) {
      function(op.b);
    }
    if (info->c != MicroInput::None) {
      function(op.c);
    }
  }

  const MicroProgram &program;
  MicroPlan plan;
  std::vector<Register> registers;
  /// Free places by the bytes of a lane.
  std::vector<uint32_t> freePlaces[9];
};

} // namespace

/// Finds the type, definition and last use of every register.
void Planner::describeRegisters() {
  unsigned section = 0;
  bool inRows = false;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const MicroOp &op = program.ops[i];
    if (op.opcode == MicroOpcode::Elements || op.opcode == MicroOpcode::Rows) {
      ++section;
      inRows = op.opcode == MicroOpcode::Rows;
      continue;
    }
    forEachInput(op, [&](uint16_t number) {
      Register &input = registers[number];
      input.lastUse = i;
      if (!inRows && input.section != section) {
        input.isReadByElements = true;
      }
    });
    const MicroOpInfo *info = lookupMicroOp(op.opcode);
    if (info->result == MicroResult::None) {
      continue;
    }
    Register &result = registers[op.dst];
    result.type = info->result == MicroResult::I1 ? MicroType::I1 : op.type;
    result.section = section;
    result.lastUse = i;
    result.isCarry = op.opcode == MicroOpcode::Carry;
    result.isPermanent = inRows || op.opcode == MicroOpcode::Const ||
                         op.opcode == MicroOpcode::Reduce || result.isCarry;
  }
}

uint32_t Planner::place(MicroType type) {
  unsigned bytes = laneBytes(type);
  std::vector<uint32_t> &available = freePlaces[bytes];
  if (!available.empty()) {
    uint32_t offset = available.back();
    available.pop_back();
    return offset;
  }
  return placeAlone(type);
}

/// A place that nothing has used before.
uint32_t Planner::placeAlone(MicroType type) {
  uint32_t offset = plan.registerBytes;
  // The extra line keeps registers from all falling into the same cache sets.
  plan.registerBytes += laneBytes(type) * maxLanes + 64;
  return offset;
}

/// Gives back the places of registers whose last use was this operation.
void Planner::release(size_t index) {
  const MicroOp &op = program.ops[index];
  std::vector<uint16_t> dead;
  forEachInput(op, [&](uint16_t number) { dead.push_back(number); });
  if (lookupMicroOp(op.opcode)->result != MicroResult::None) {
    dead.push_back(op.dst);
  }
  std::sort(dead.begin(), dead.end());
  dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  for (uint16_t number : dead) {
    const Register &reg = registers[number];
    if (!reg.isPermanent && reg.lastUse == index) {
      freePlaces[laneBytes(reg.type)].push_back(reg.offset);
    }
  }
}

void Planner::addStep(size_t index) {
  const MicroOp &op = program.ops[index];
  const MicroOpInfo *info = lookupMicroOp(op.opcode);
  MicroPlan::Section &section = plan.sections.back();
  MicroStep step{};
  step.opcode = op.opcode;
  step.type = op.type;
  step.source = op.type;
  step.c = op.c;
  step.operand = op.operand;
  if (info->a != MicroInput::None) {
    step.first = registers[op.a].offset;
    step.source = registers[op.a].type;
  }
  if (info->b != MicroInput::None) {
    step.second = registers[op.b].offset;
  }
  if (info->c != MicroInput::None) {
    step.third = registers[op.c].offset;
  }
  if (info->result != MicroResult::None) {
    // Constants and carries hold their values before the operations that stand
    // earlier in their section run, again and again.
    Register &result = registers[op.dst];
    bool isAlone = op.opcode == MicroOpcode::Const || result.isCarry;
    result.offset = isAlone ? placeAlone(result.type) : place(result.type);
    step.dst = result.offset;
  }

  switch (op.opcode) {
  case MicroOpcode::Const:
    plan.constants.push_back({step.dst, op.type, op.imm});
    return;
  case MicroOpcode::Carry:
    plan.hasCarry = true;
    section.carries.push_back({op.type, step.dst, step.first});
    return;
  case MicroOpcode::Next:
    // Runs after all operations of the element, see addNexts.
    registers[op.b].isPermanent = true;
    step.dst = step.first;
    step.first = step.second;
    section.nexts.push_back(step);
    return;
  case MicroOpcode::Reduce:
    plan.hasReduce = true;
    step.partials = plan.partialBytes;
    plan.partialBytes += numPartials * 8;
    break;
  case MicroOpcode::Load:
    plan.isWalked[op.operand] = true;
    plan.isRead[op.operand] = true;
    break;
  case MicroOpcode::Store:
    plan.isWalked[op.operand] = true;
    plan.isWritten[op.operand] = true;
    break;
  case MicroOpcode::Gather:
    plan.isTable[op.operand] = true;
    plan.isRead[op.operand] = true;
    break;
  case MicroOpcode::Scatter:
    plan.isTable[op.operand] = true;
    plan.isRead[op.operand] =
        plan.isRead[op.operand] ||
        static_cast<MicroCombine>(op.c) != MicroCombine::Set;
    plan.isWritten[op.operand] = true;
    plan.hasScatter = true;
    break;
  case MicroOpcode::Iota:
    plan.usedDimensions |= 1u << op.operand;
    break;
  default:
    break;
  }
  section.steps.push_back(step);
}

/// All carries of a section advance at once: a Next that reads another carry
/// reads its value of this element. So values go through places of their own if
/// one of them is a carry.
void Planner::addNexts() {
  MicroPlan::Section &section = plan.sections.back();
  auto isCarried = [&](uint32_t offset) {
    return std::any_of(section.carries.begin(), section.carries.end(),
                       [&](const auto &carry) { return carry.to == offset; });
  };
  if (std::none_of(section.nexts.begin(), section.nexts.end(),
                   [&](const auto &next) { return isCarried(next.first); })) {
    return;
  }
  std::vector<MicroStep> saves = section.nexts, moves = section.nexts;
  for (size_t i = 0; i < saves.size(); ++i) {
    uint32_t temporary = place(saves[i].type);
    saves[i].dst = temporary;
    moves[i].first = temporary;
  }
  section.nexts = saves;
  section.nexts.insert(section.nexts.end(), moves.begin(), moves.end());
}

MicroPlan Planner::run() {
  plan.rank = program.header.rank;
  plan.parallel = program.header.parallel;
  plan.isWalked.resize(program.header.numOperands);
  plan.isTable.resize(program.header.numOperands);
  plan.isRead.resize(program.header.numOperands);
  plan.isWritten.resize(program.header.numOperands);
  describeRegisters();
  bool hasRowValues = false;
  unsigned elementSections = 0;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const MicroOp &op = program.ops[i];
    if (op.opcode == MicroOpcode::Elements || op.opcode == MicroOpcode::Rows) {
      if (!plan.sections.empty()) {
        addNexts();
      }
      plan.sections.emplace_back();
      plan.sections.back().isRows = op.opcode == MicroOpcode::Rows;
      elementSections += op.opcode == MicroOpcode::Elements;
      continue;
    }
    addStep(i);
    MicroPlan::Section &section = plan.sections.back();
    if (section.isRows && op.opcode != MicroOpcode::Const) {
      hasRowValues = true;
    }
    if (lookupMicroOp(op.opcode)->result != MicroResult::None &&
        op.opcode != MicroOpcode::Const) {
      const Register &result = registers[op.dst];
      if (result.isPermanent && result.isReadByElements) {
        section.rowValues.push_back({result.offset, result.type});
      }
    }
    release(i);
  }
  if (!plan.sections.empty()) {
    addNexts();
  }
  plan.isElementwise = !hasRowValues && !plan.hasReduce && !plan.hasCarry &&
                       elementSections <= 1;
  return std::move(plan);
}

MicroPlan MicroPlan::make(const MicroProgram &program) {
  return Planner(program).run();
}

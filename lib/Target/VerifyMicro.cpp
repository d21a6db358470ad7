//===- VerifyMicro.cpp - Checks micro-programs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the operations, driven by the table in MicroOps.h: sections,
// fields, and for each register who assigned it, of what type, and where it can
// be seen.
//
//===----------------------------------------------------------------------===//

#include "VerifierParts.h"
#include "lpu/Target/MicroOps.h"
#include "lpu/Target/Names.h"

using namespace lpu;

namespace {
/// What is known of a register.
struct Register {
  const MicroOp *assignedBy = nullptr;
  MicroType type = MicroType::F32;
  unsigned section = 0; ///< Number of the section that assigned it, from 1.
  bool inRows = false;  ///< That was a Rows section.
  bool hasNext = false; ///< Carry only.
};

class MicroVerifier {
public:
  MicroVerifier(const Program &program, const MicroProgram &micro,
                MicroSummary &summary)
      : program(program), micro(micro), summary(summary),
        registers(micro.header.numRegisters) {}

  Problem run();

private:
  Problem verifyHeader() const;
  Problem verifyOp(const MicroOp &op);
  Problem enterSection(const MicroOp &op);
  Problem leaveSection() const;
  Problem verifyInput(const MicroOp &op, const char *field, MicroInput rule,
                      uint16_t number);
  Problem verifyFieldC(const MicroOp &op, const MicroOpInfo &info) const;
  Problem verifyOperand(const MicroOp &op, const MicroOpInfo &info);
  Problem verifyImmediate(const MicroOp &op, const MicroOpInfo &info) const;
  Problem assign(const MicroOp &op, const MicroOpInfo &info);
  /// Whether the current section sees a register, and as a value of the row.
  bool isVisible(const Register &reg) const;
  bool isRowValue(const Register &reg) const;

  const Program &program;
  const MicroProgram &micro;
  MicroSummary &summary;
  std::vector<Register> registers;
  unsigned section = 0;
  unsigned elementsSections = 0;
  bool inRows = false;
};
} // namespace

static bool isReduction(const Register &reg) {
  return reg.assignedBy->opcode == MicroOpcode::Reduce ||
         reg.assignedBy->opcode == MicroOpcode::Carry;
}

bool MicroVerifier::isVisible(const Register &reg) const {
  if (!reg.assignedBy) {
    return false;
  }
  if (reg.section == section) {
    return reg.assignedBy->opcode != MicroOpcode::Reduce;
  }
  return reg.inRows || isReduction(reg);
}

bool MicroVerifier::isRowValue(const Register &reg) const {
  return isVisible(reg) && (reg.inRows || reg.section != section ||
                            reg.assignedBy->opcode == MicroOpcode::Const);
}

// micro_c1
Problem MicroVerifier::verifyHeader() const {
  const MicroHeader &header = micro.header;
  if (header.numOps != micro.ops.size()) {
    return "the head says " + std::to_string(header.numOps) +
           " operations, expected " + std::to_string(micro.ops.size());
  }
  if (header.rank > maxRank || header.parallel > header.rank) {
    return "rank " + std::to_string(header.rank) + " with " +
           std::to_string(header.parallel) +
           " parallel dimensions, expected parallel <= rank <= " +
           std::to_string(maxRank);
  }
  if (header.reserved) {
    return "the head's reserved field is not zero";
  }
  // More could not all be used; the bound keeps summaries as small as programs.
  if (header.numOperands > micro.ops.size() + 1) {
    return std::to_string(header.numOperands) +
           " operands, expected at most one more than operations (" +
           std::to_string(micro.ops.size()) + ")";
  }
  return {};
}

Problem MicroVerifier::leaveSection() const {
  for (size_t i = 0; i < registers.size(); ++i) {
    const Register &reg = registers[i];
    if (reg.assignedBy && reg.section == section &&
        reg.assignedBy->opcode == MicroOpcode::Carry &&
        !reg.hasNext) { // micro_c11
      return "carry register " + std::to_string(i) +
             " has no next in its section, expected one";
    }
  }
  return {};
}

Problem MicroVerifier::enterSection(const MicroOp &op) {
  if (Problem problem = leaveSection(); !problem.empty()) {
    return problem;
  }
  ++section;
  inRows = op.opcode == MicroOpcode::Rows;
  elementsSections += !inRows;
  if (elementsSections > maxPhases) { // micro_c2
    return "more than " + std::to_string(maxPhases) + " elements sections";
  }
  return {};
}

// Visibility is micro_c9, the types micro_c10.
Problem MicroVerifier::verifyInput(const MicroOp &op, const char *field,
                                   MicroInput rule, uint16_t number) {
  std::string input = std::string("input ") + field;
  if (number >= registers.size()) { // micro_c8
    return input + " is register " + std::to_string(number) +
           ", expected less than " + std::to_string(registers.size());
  }
  input += " (register " + std::to_string(number) + ")";
  Register &reg = registers[number];
  if (!reg.assignedBy) {
    return input + " has not been assigned before";
  }
  if (!isVisible(reg)) {
    return input + " was assigned in another elements section, or is a "
                   "reduction of this one, and is not visible here";
  }
  auto expectType = [&](MicroType type) -> Problem {
    if (reg.type == type) {
      return {};
    }
    return input + " has type " + std::string(nameOf(reg.type)) +
           ", expected " + std::string(nameOf(type));
  };
  switch (rule) {
  case MicroInput::None:
    return {};
  case MicroInput::Type:
    return expectType(op.type);
  case MicroInput::I1:
    return expectType(MicroType::I1);
  case MicroInput::Index:
    return expectType(MicroType::I64);
  case MicroInput::Float:
    return expectType(MicroType::F32);
  case MicroInput::Word:
    return expectType(MicroType::I32);
  case MicroInput::Wider:
    if (reg.type == MicroType::F32 || bitWidth(reg.type) <= bitWidth(op.type)) {
      return input + " has type " + std::string(nameOf(reg.type)) +
             ", expected an integer wider than " + std::string(nameOf(op.type));
    }
    return {};
  case MicroInput::Source: {
    if (reg.type == MicroType::F32 ||
        reg.type != static_cast<MicroType>(op.c)) {
      return input + " has type " + std::string(nameOf(reg.type)) +
             ", expected the integer type in field c (" + std::to_string(op.c) +
             ")";
    }
    bool extends =
        op.opcode == MicroOpcode::ExtS || op.opcode == MicroOpcode::ExtU;
    if (extends && bitWidth(reg.type) >= bitWidth(op.type)) {
      return input + " has type " + std::string(nameOf(reg.type)) +
             ", expected one narrower than " + std::string(nameOf(op.type));
    }
    return {};
  }
  case MicroInput::Row:
    if (!isRowValue(reg)) {
      return input + " varies within the row, expected a value of the row";
    }
    return expectType(op.type);
  case MicroInput::Carry:
    if (reg.assignedBy->opcode != MicroOpcode::Carry ||
        reg.section != section) {
      return input + " is no carry of this section, expected one";
    }
    if (reg.hasNext) { // micro_c11
      return input + " already has a next, expected one a carry";
    }
    reg.hasNext = true;
    return expectType(op.type);
  }
  return {};
}

// micro_c5
Problem MicroVerifier::verifyFieldC(const MicroOp &op,
                                    const MicroOpInfo &info) const {
  auto refuse = [&](const std::string &expected) {
    return "field c is " + std::to_string(op.c) + ", expected " + expected;
  };
  std::string forType = " for " + std::string(nameOf(op.type));
  switch (info.fieldC) {
  case MicroFieldC::None:
    return op.c ? refuse("0") : Problem();
  case MicroFieldC::Register:
    return {}; // Checked as an input.
  case MicroFieldC::Combine:
  case MicroFieldC::CombineSet: {
    auto combine = static_cast<MicroCombine>(op.c);
    bool takesSet = info.fieldC == MicroFieldC::CombineSet;
    if (op.c >= numMicroCombines || !allows(combine, op.type) ||
        (combine == MicroCombine::Set && !takesSet)) {
      return refuse("a way to combine" + forType);
    }
    return {};
  }
  case MicroFieldC::PredicateF:
    return op.c > static_cast<unsigned>(MicroPredicateF::True)
               ? refuse("a predicate, 0 to 15")
               : Problem();
  case MicroFieldC::PredicateI:
    if (op.c > static_cast<unsigned>(MicroPredicateI::UGE) ||
        !allows(static_cast<MicroPredicateI>(op.c), op.type)) {
      return refuse("a predicate" + forType);
    }
    return {};
  case MicroFieldC::SourceType:
    return op.c >= numMicroTypes ? refuse("a type, 0 to 5") : Problem();
  case MicroFieldC::FaultKind:
    return op.c > static_cast<unsigned>(FaultKind::Runtime)
               ? refuse("a fault kind, 0 or 1")
               : Problem();
  }
  return {};
}

// micro_c6
Problem MicroVerifier::verifyOperand(const MicroOp &op,
                                     const MicroOpInfo &info) {
  switch (info.operand) {
  case MicroFieldOperand::None:
    return op.operand ? "field operand is not zero" : Problem();
  case MicroFieldOperand::Dimension: {
    unsigned limit = inRows ? micro.header.parallel : micro.header.rank;
    return op.operand >= limit
               ? "dimension " + std::to_string(op.operand) +
                     ", expected less than " + std::to_string(limit) +
                     (inRows ? " in a rows section" : "")
               : Problem();
  }
  case MicroFieldOperand::String:
    return op.operand >= program.strtab.size()
               ? "message at " + std::to_string(op.operand) +
                     ", expected less than the " +
                     std::to_string(program.strtab.size()) + " bytes of .strtab"
               : Problem();
  case MicroFieldOperand::Operand:
  case MicroFieldOperand::Table:
    break;
  }
  std::string name = "operand " + std::to_string(op.operand);
  if (op.operand >= summary.operands.size()) {
    return name + ", expected less than " +
           std::to_string(summary.operands.size());
  }
  OperandUse &use = summary.operands[op.operand];
  bool isTable = info.operand == MicroFieldOperand::Table;
  (isTable ? use.isTable : use.isDomain) = true;
  if (use.isTable && use.isDomain) { // micro_c13
    return name + " is used both as a table and by index, expected one";
  }
  if (use.type && *use.type != op.type) { // micro_c13
    return name + " has been used as " + std::string(nameOf(*use.type)) +
           " before, expected the same";
  }
  use.type = op.type;
  use.isInRows |= inRows && !isTable;
  use.isWritten |=
      op.opcode == MicroOpcode::Store || op.opcode == MicroOpcode::Scatter;
  return {};
}

// micro_c7
Problem MicroVerifier::verifyImmediate(const MicroOp &op,
                                       const MicroOpInfo &info) const {
  if (!info.hasImmediate) {
    return op.imm ? "the immediate is not zero" : Problem();
  }
  bool fits = false;
  switch (op.type) {
  case MicroType::F32:
    fits = op.imm <= UINT32_MAX;
    break;
  case MicroType::I1:
    fits = op.imm <= 1;
    break;
  case MicroType::I64:
    fits = true;
    break;
  case MicroType::I32:
  case MicroType::I16:
  case MicroType::I8: {
    unsigned shift = 64 - bitWidth(op.type);
    auto value = static_cast<int64_t>(op.imm);
    fits = static_cast<int64_t>(op.imm << shift) >> shift == value;
    break;
  }
  }
  return fits ? Problem()
              : "the immediate " + std::to_string(op.imm) +
                    " is no value of type " + std::string(nameOf(op.type));
}

Problem MicroVerifier::assign(const MicroOp &op, const MicroOpInfo &info) {
  if (info.result == MicroResult::None) {
    return op.dst ? "field dst is not zero" : Problem();
  }
  if (op.dst >= registers.size()) {
    return "dst is register " + std::to_string(op.dst) +
           ", expected less than " + std::to_string(registers.size());
  }
  Register &reg = registers[op.dst];
  if (reg.assignedBy) { // micro_c8
    return "register " + std::to_string(op.dst) +
           " is assigned a second time, expected once";
  }
  reg.assignedBy = &op;
  reg.type = info.result == MicroResult::I1 ? MicroType::I1 : op.type;
  reg.section = section;
  reg.inRows = inRows;
  return {};
}

Problem MicroVerifier::verifyOp(const MicroOp &op) {
  const MicroOpInfo *info = lookupMicroOp(op.opcode);
  if (!info) { // micro_c3
    return "no operation has this opcode";
  }
  if (op.reserved || op.reserved2) { // micro_c4
    return "a reserved field is not zero";
  }
  if (static_cast<unsigned>(op.type) >= numMicroTypes ||
      !allows(info->type, op.type)) { // micro_c3
    return "type " + std::to_string(static_cast<unsigned>(op.type)) +
           " is not one that the operation takes";
  }
  if (info->sections == MicroSections::Marker) {
    if (op.dst || op.a || op.b || op.c || op.operand || op.imm) {
      return "a field of a section marker is not zero";
    }
    return enterSection(op);
  }
  if (section == 0) { // micro_c2
    return "an operation before the first section, expected elements or rows";
  }
  if (info->sections == MicroSections::Elements && inRows) { // micro_c12
    return "stands in a rows section, expected an elements section";
  }
  struct {
    const char *field;
    MicroInput rule;
    uint16_t number;
    bool isOther; ///< The field is something else than a register.
  } inputs[] = {{"a", info->a, op.a, false},
                {"b", info->b, op.b, false},
                {"c", info->c, op.c, info->fieldC != MicroFieldC::Register}};
  if (Problem problem = verifyFieldC(op, *info); !problem.empty()) {
    return problem;
  }
  for (const auto &input : inputs) {
    if (input.rule == MicroInput::None) {
      if (input.number && !input.isOther) {
        return std::string("field ") + input.field + " is not zero";
      }
      continue;
    }
    Problem problem = verifyInput(op, input.field, input.rule, input.number);
    if (!problem.empty()) {
      return problem;
    }
  }
  if (Problem problem = verifyOperand(op, *info); !problem.empty()) {
    return problem;
  }
  if (Problem problem = verifyImmediate(op, *info); !problem.empty()) {
    return problem;
  }
  return assign(op, *info);
}

Problem MicroVerifier::run() {
  if (Problem problem = verifyHeader(); !problem.empty()) {
    return problem;
  }
  summary.operands.resize(micro.header.numOperands);
  for (size_t i = 0; i < micro.ops.size(); ++i) {
    const MicroOp &op = micro.ops[i];
    if (Problem problem = verifyOp(op); !problem.empty()) {
      std::string_view name = nameOf(op.opcode);
      return "operation " + std::to_string(i) + " (" +
             (name.empty()
                  ? "opcode " + std::to_string(static_cast<unsigned>(op.opcode))
                  : std::string(name)) +
             "): " + problem;
    }
  }
  return leaveSection();
}

Problem lpu::verifyMicroProgram(const Program &program,
                                const MicroProgram &micro,
                                MicroSummary &summary) {
  return MicroVerifier(program, micro, summary).run();
}

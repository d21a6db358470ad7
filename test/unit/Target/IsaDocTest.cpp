//===- IsaDocTest.cpp - Checks docs/ISA.md against the tables -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specification lists micro-operations, opcodes and machine parameters that
// also stand in code. This test makes the row that belongs into the page and
// looks for it; a failure prints the row to put there.
//
//===----------------------------------------------------------------------===//

#include "EveryInstruction.h"
#include "lpu/Target/MachineFile.h"
#include "lpu/Target/MicroOps.h"
#include "lpu/Target/Names.h"
#include "lpu/Target/Verifier.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace lpu;
using namespace lpu::test;

static const std::string &page() {
  static const std::string text = [] {
    std::ifstream file(LPU_DOCS_DIRECTORY "/ISA.md");
    std::stringstream contents;
    contents << file.rdbuf();
    return contents.str();
  }();
  return text;
}

static void expectLine(const std::string &line) {
  EXPECT_NE(page().find("\n" + line + "\n"), std::string::npos)
      << "docs/ISA.md lacks the line\n"
      << line;
}

static const char *text(MicroTypeRule rule) {
  switch (rule) {
  case MicroTypeRule::None:
    return "";
  case MicroTypeRule::Float:
    return "f32";
  case MicroTypeRule::Index:
    return "i64";
  case MicroTypeRule::I32:
    return "i32";
  case MicroTypeRule::Integer:
    return "i8..i64";
  case MicroTypeRule::IntegerOrI1:
    return "i1..i64";
  case MicroTypeRule::Any:
    return "any";
  }
  return "";
}

static const char *text(MicroInput input) {
  switch (input) {
  case MicroInput::None:
    return "";
  case MicroInput::Type:
    return "T";
  case MicroInput::I1:
    return "i1";
  case MicroInput::Index:
    return "i64";
  case MicroInput::Float:
    return "f32";
  case MicroInput::Word:
    return "i32";
  case MicroInput::Wider:
    return "wider";
  case MicroInput::Source:
    return "int";
  case MicroInput::Row:
    return "T of the row";
  case MicroInput::Carry:
    return "carry";
  }
  return "";
}

static std::string fieldC(const MicroOpInfo &info) {
  switch (info.fieldC) {
  case MicroFieldC::None:
    return "";
  case MicroFieldC::Register:
    return text(info.c);
  case MicroFieldC::Combine:
    return "combine";
  case MicroFieldC::CombineSet:
    return "combine, set";
  case MicroFieldC::PredicateF:
  case MicroFieldC::PredicateI:
    return "predicate";
  case MicroFieldC::SourceType:
    return "type of a";
  case MicroFieldC::FaultKind:
    return "fault kind";
  }
  return "";
}

static const char *text(MicroFieldOperand operand) {
  switch (operand) {
  case MicroFieldOperand::None:
    return "";
  case MicroFieldOperand::Operand:
    return "operand";
  case MicroFieldOperand::Table:
    return "table";
  case MicroFieldOperand::Dimension:
    return "dimension";
  case MicroFieldOperand::String:
    return "message";
  }
  return "";
}

static const char *text(MicroCost cost) {
  switch (cost) {
  case MicroCost::Free:
    return "0";
  case MicroCost::Port:
    return "port";
  case MicroCost::Simple:
    return "1";
  case MicroCost::Transcendental:
    return "t";
  }
  return "";
}

TEST(IsaDoc, MicroOps) {
  for (size_t i = 0; i < microOpCount(); ++i) {
    const MicroOpInfo &info = microOpTable()[i];
    char code[8];
    std::snprintf(code, sizeof(code), "0x%02x",
                  static_cast<unsigned>(info.opcode));
    const char *result = info.result == MicroResult::Type ? "T"
                         : info.result == MicroResult::I1 ? "i1"
                                                          : "";
    const char *sections = info.sections == MicroSections::Both ? "both"
                           : info.sections == MicroSections::Elements
                               ? "elements"
                               : "";
    std::string row = "| " + std::string(info.name) + " | " + code;
    for (const std::string &cell :
         {std::string(text(info.type)), std::string(text(info.a)),
          std::string(text(info.b)), fieldC(info),
          std::string(text(info.operand)), std::string(result),
          std::string(sections), std::string(text(info.cost))}) {
      row += " | " + cell;
    }
    expectLine(row + " |");
  }
}

/// Names in the first cells of the table of effects.
static std::set<std::string> describedMicroOps() {
  std::istringstream lines(
      page().substr(page().find("| name | dst, or the effect |")));
  std::set<std::string> names;
  std::string line;
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream cell(line.substr(1, line.find('|', 1) - 1));
    for (std::string name; cell >> name;) {
      names.insert(name.substr(0, name.find(',')));
    }
  }
  return names;
}

TEST(IsaDoc, EveryMicroOpIsDescribed) {
  std::set<std::string> names = describedMicroOps();
  for (size_t i = 0; i < microOpCount(); ++i) {
    std::string name(microOpTable()[i].name);
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

TEST(IsaDoc, MachineParameters) {
  std::vector<MachineModel> presets;
  std::string head = "| parameter | unit";
  for (const std::string &name : MachineModel::presetNames()) {
    presets.push_back(*MachineModel::get(name));
    head += " | " + name;
  }
  expectLine(head + " | |");
  for (const MachineParameter &parameter : MachineModel::parameters()) {
    std::string row = "| `" + std::string(parameter.name) + "` | " +
                      std::string(unitOf(parameter));
    for (const MachineModel &machine : presets) {
      char value[32];
      if (parameter.integer) {
        std::snprintf(value, sizeof(value), "%lld",
                      static_cast<long long>(machine.*parameter.integer));
      } else {
        std::snprintf(value, sizeof(value), "%.6g", machine.*parameter.real);
      }
      row += std::string(" | ") + value;
    }
    expectLine(row + " | " + std::string(parameter.description) + " |");
  }
}

/// The section of an opcode, from its heading to the next one of any level.
static std::string sectionOf(const std::string &name, const char *code) {
  std::string heading = "\n### " + name + " (" + code + ")\n";
  size_t begin = page().find(heading);
  if (begin == std::string::npos) {
    return "";
  }
  begin += heading.size();
  return page().substr(begin, page().find("\n##", begin) - begin);
}

// Each section has a summary, the word with the opcode in its box, pseudo-code,
// and for the units' own instructions the label of its formula.
TEST(IsaDoc, EveryOpcodeHasASection) {
  for (unsigned i = 0; i < 256; ++i) {
    std::string name(nameOf(static_cast<Opcode>(i)));
    if (name.empty()) {
      continue;
    }
    SCOPED_TRACE(name);
    char code[8];
    std::snprintf(code, sizeof(code), "0x%02x", i);
    std::string section = sectionOf(name, code);
    ASSERT_FALSE(section.empty());
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(section[0])));
    std::string box = "|  " + std::string(code) + "  |\n";
    EXPECT_NE(section.find(box), std::string::npos);
    EXPECT_NE(section.find("\n\n    "), std::string::npos) << "no pseudo-code";
    if (unitOf(static_cast<Opcode>(i)) != Unit::ICP) {
      EXPECT_NE(section.find("Timing: `cost_" + name + "`."),
                std::string::npos);
    }
  }
}

/// An instruction of an opcode in the program; one that has none there takes
/// the place of the `li`.
static Instruction &sampleOf(Opcode opcode, Program &program,
                             const EveryIndices &at) {
  for (Instruction &word : program.text) {
    if (word.opcode == opcode) {
      return word;
    }
  }
  Instruction &word = program.text[at.li];
  word = opcode == Opcode::Branch ? Instruction{opcode, 1, 1, at.li + 1, 0, 0}
                                  : Instruction{opcode, 1, 0, 0, 0, 0};
  return word;
}

/// The boxes of a word diagram, from c on the left to the opcode.
static std::vector<std::string> boxesOf(const std::string &section,
                                        const std::string &code) {
  size_t end = section.find("|  " + code + "  |\n");
  size_t begin = section.rfind('\n', end) + 1;
  std::istringstream line(section.substr(begin + 1, end - begin));
  std::vector<std::string> boxes;
  for (std::string box; std::getline(line, box, '|');) {
    boxes.push_back(box);
  }
  return boxes;
}

// What the diagrams leave empty must be zero, says the verifier too.
TEST(IsaDoc, EmptyFieldsAreRefused) { // word_c2
  static const char *const names[] = {"c", "b", "a", "aux", "flags"};
  for (unsigned i = 0; i < 256; ++i) {
    auto opcode = static_cast<Opcode>(i);
    std::string name(nameOf(opcode));
    if (name.empty()) {
      continue;
    }
    char code[8];
    std::snprintf(code, sizeof(code), "0x%02x", i);
    std::vector<std::string> boxes = boxesOf(sectionOf(name, code), code);
    ASSERT_EQ(boxes.size(), 5u) << name;
    for (unsigned field = 0; field < 5; ++field) {
      EveryIndices at;
      Program program = everyInstruction(&at);
      Instruction &word = sampleOf(opcode, program, at);
      if (boxes[field].find_first_not_of(' ') != std::string::npos) {
        continue;
      }
      switch (field) {
      case 0:
        word.c = 1;
        break;
      case 1:
        word.b = 1;
        break;
      case 2:
        word.a = 1;
        break;
      case 3:
        word.aux = 1;
        break;
      default:
        word.flags = 1;
        break;
      }
      std::optional<Error> error = verify(program);
      ASSERT_TRUE(error) << name << " " << names[field];
      EXPECT_NE(error->message.find("field " + std::string(names[field]) +
                                    " is 1, expected 0"),
                std::string::npos)
          << error->message;
    }
  }
}

//===- MicroOpsTest.cpp - Tests of the table of micro-operations ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table is complete and consistent with itself, and names are unique.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/MicroOps.h"
#include "lpu/Target/Names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace lpu;

TEST(MicroOps, RowsAreSortedAndNamesUnique) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < microOpCount(); ++i) {
    const MicroOpInfo &info = microOpTable()[i];
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(lookupMicroOp(info.opcode), &info);
    EXPECT_EQ(lookupMicroOp(info.name), &info);
    if (i) {
      EXPECT_LT(microOpTable()[i - 1].opcode, info.opcode) << info.name;
    }
  }
  EXPECT_EQ(lookupMicroOp(static_cast<MicroOpcode>(0)), nullptr);
  EXPECT_EQ(lookupMicroOp("nonsense"), nullptr);
}

// The last enumerator of each block of Encoding.h, so that none is forgotten.
TEST(MicroOps, BlocksAreComplete) {
  struct {
    MicroOpcode first, last;
  } blocks[] = {{MicroOpcode::Elements, MicroOpcode::Rows},
                {MicroOpcode::Const, MicroOpcode::Assert},
                {MicroOpcode::Reduce, MicroOpcode::Next},
                {MicroOpcode::AddF, MicroOpcode::CopySignF},
                {MicroOpcode::ExpF, MicroOpcode::CbrtF},
                {MicroOpcode::AddI, MicroOpcode::CeilDivSI},
                {MicroOpcode::CmpF, MicroOpcode::CmpI},
                {MicroOpcode::RoundBF16, MicroOpcode::BitcastIToF}};
  size_t count = 1; // Select stands alone.
  for (const auto &block : blocks) {
    for (unsigned op = unsigned(block.first); op <= unsigned(block.last);
         ++op) {
      EXPECT_NE(lookupMicroOp(static_cast<MicroOpcode>(op)), nullptr) << op;
      ++count;
    }
  }
  EXPECT_EQ(count, microOpCount());
}

// A register in c excludes another meaning of c.
TEST(MicroOps, FieldCHasOneMeaning) {
  for (size_t i = 0; i < microOpCount(); ++i) {
    const MicroOpInfo &info = microOpTable()[i];
    EXPECT_EQ(info.c != MicroInput::None, info.fieldC == MicroFieldC::Register)
        << info.name;
  }
}

TEST(MicroOps, I1HasNoSign) {
  EXPECT_FALSE(allows(MicroCombine::MaxSI, MicroType::I1));
  EXPECT_TRUE(allows(MicroCombine::OrI, MicroType::I1));
  EXPECT_FALSE(allows(MicroPredicateI::SLT, MicroType::I1));
  EXPECT_TRUE(allows(MicroPredicateI::NE, MicroType::I1));
  EXPECT_FALSE(allows(lookupMicroOp(MicroOpcode::DivSI)->type, MicroType::I1));
}

/// Every name reads back, and the first value past the end has none.
template <typename Enum>
static void expectNames(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    auto value = static_cast<Enum>(i);
    ASSERT_FALSE(nameOf(value).empty()) << i;
    EXPECT_EQ(parseName<Enum>(nameOf(value)), value);
  }
  EXPECT_TRUE(nameOf(static_cast<Enum>(count)).empty());
  EXPECT_EQ(parseName<Enum>(""), std::nullopt);
}

TEST(Names, RoundTrip) {
  expectNames<Unit>(numUnits);
  expectNames<DType>(numDTypes);
  expectNames<AluFunction>(numAluFunctions);
  expectNames<BranchCondition>(3);
  expectNames<FaultKind>(2);
  expectNames<Space>(4);
  expectNames<MicroType>(numMicroTypes);
  expectNames<MicroCombine>(numMicroCombines);
  expectNames<MicroPredicateF>(16);
  expectNames<MicroPredicateI>(10);
  unsigned opcodes = 0;
  for (unsigned i = 0; i < 256; ++i) {
    auto opcode = static_cast<Opcode>(i);
    if (!nameOf(opcode).empty()) {
      EXPECT_EQ(parseName<Opcode>(nameOf(opcode)), opcode);
      ++opcodes;
    }
  }
  EXPECT_EQ(opcodes, 16u);
  EXPECT_EQ(parseName<MicroOpcode>("round_bf16"), MicroOpcode::RoundBF16);
}

TEST(Names, UnitOfOpcode) {
  EXPECT_EQ(unitOf(Opcode::Ld), Unit::ICP);
  EXPECT_EQ(unitOf(Opcode::Stream), Unit::SMA);
  EXPECT_EQ(unitOf(Opcode::Mm), Unit::SXE);
  EXPECT_EQ(unitOf(Opcode::Vec), Unit::VXE);
}

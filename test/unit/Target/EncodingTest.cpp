//===- EncodingTest.cpp - Tests of the instruction encoding ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that a binary depends on.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Encoding.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace lpu;

TEST(Encoding, ElementWidths) {
  EXPECT_EQ(byteWidth(DType::F32), 4u);
  EXPECT_EQ(byteWidth(DType::BF16), 2u);
  EXPECT_EQ(byteWidth(DType::Bool), 1u);
  EXPECT_EQ(byteWidth(DType::I64), 8u);
}

// [7:0] opcode [15:8] flags [31:16] aux [63:32] a [95:64] b [127:96] c.
TEST(Encoding, InstructionWord) {
  Instruction word{Opcode::Mm, 0x12,       0x3456,
                   0x789abcde, 0x01020304, 0x05060708};
  const uint8_t expected[16] = {0x40, 0x12, 0x56, 0x34, 0xde, 0xbc, 0x9a, 0x78,
                                0x04, 0x03, 0x02, 0x01, 0x08, 0x07, 0x06, 0x05};
  EXPECT_EQ(std::memcmp(&word, expected, sizeof(expected)), 0);
}

// The offsets that docs/ISA.md states.
TEST(Encoding, ViewLayout) {
  EXPECT_EQ(offsetof(View, dynamicDim), 3u);
  EXPECT_EQ(offsetof(View, argument), 6u);
  EXPECT_EQ(offsetof(View, offset), 8u);
  EXPECT_EQ(offsetof(View, sizes), 24u);
  EXPECT_EQ(offsetof(View, strides), 56u);
  EXPECT_EQ(offsetof(View, loopIncrements), 120u);
}

TEST(Encoding, MicroOpLayout) {
  EXPECT_EQ(offsetof(MicroOp, dst), 2u);
  EXPECT_EQ(offsetof(MicroOp, operand), 12u);
  EXPECT_EQ(offsetof(MicroOp, imm), 24u);
}

TEST(Encoding, PackedFields) {
  EXPECT_EQ((AluFields{1, 2, 3, true}.pack()), 0x8c41);
  EXPECT_EQ((MmFields{1, 2, 3, 4}.pack()), 0x4321);
  for (unsigned aux = 0; aux < 0x10000; aux += 37) {
    EXPECT_EQ(AluFields::unpack(aux).pack(), aux);
    EXPECT_EQ(MmFields::unpack(aux).pack(), aux);
  }
}

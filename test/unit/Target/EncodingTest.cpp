//===- EncodingTest.cpp - Tests of the instruction encoding ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that a binary depends on.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Encoding.h"

#include <gtest/gtest.h>

TEST(Encoding, ElementWidths) {
  EXPECT_EQ(lpu::byteWidth(lpu::DType::F32), 4u);
  EXPECT_EQ(lpu::byteWidth(lpu::DType::BF16), 2u);
  EXPECT_EQ(lpu::byteWidth(lpu::DType::Bool), 1u);
  EXPECT_EQ(lpu::byteWidth(lpu::DType::I64), 8u);
}

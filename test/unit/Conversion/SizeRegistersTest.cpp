//===- SizeRegistersTest.cpp - Which register holds which size ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lpu/Conversion/LPUToLPUISA/SizeRegisters.h"

#include "gtest/gtest.h"

using namespace mlir::lpu;

namespace {

/// The part [first, first + 256) of the length at byte `offset` of the LMU.
SizeValue part(int64_t first, int64_t offset = 0) {
  StridedView source;
  source.space = lpu::Space::LMU;
  source.type = lpu::DType::I64;
  source.offset = offset;
  return {source, std::pair<int64_t, int64_t>(first, 256)};
}

TEST(RegisterFile, RemembersWhatItHolds) {
  RegisterFile file(4);
  EXPECT_FALSE(file.find(part(0)));
  unsigned first = file.assign(part(0)), second = file.assign(part(256));
  EXPECT_NE(first, second);
  EXPECT_EQ(file.find(part(0)), first);
  EXPECT_EQ(file.find(part(256)), second);
  EXPECT_FALSE(file.find(part(0, /*offset=*/64)));
  EXPECT_FALSE(file.find(SizeValue{part(0).source, std::nullopt}));
}

TEST(RegisterFile, TakesTheRegisterThatWasNotAskedForLongest) {
  RegisterFile file(2);
  unsigned first = file.assign(part(0)), second = file.assign(part(256));
  EXPECT_EQ(file.find(part(0)), first);
  EXPECT_EQ(file.assign(part(512)), second);
  EXPECT_FALSE(file.find(part(256)));
  EXPECT_EQ(file.find(part(0)), first);
}

TEST(RegisterFile, ForgetsWhatIsOverwritten) {
  RegisterFile file(4);
  file.assign(part(0, /*offset=*/0));
  unsigned other = file.assign(part(0, /*offset=*/64));
  StridedView written = part(0).source;
  written.type = lpu::DType::I8;
  written.offset = 4;
  written.sizes = {8};
  written.strides = {1};
  file.forget(written);
  EXPECT_FALSE(file.find(part(0)));
  EXPECT_EQ(file.find(part(0, /*offset=*/64)), other);
}

TEST(RegisterFile, ForgetsWhatAnInnerRegionAssigned) {
  RegisterFile file(2);
  unsigned outer = file.assign(part(0));
  file.enterRegion();
  EXPECT_EQ(file.find(part(0)), outer);
  file.assign(part(256));
  file.enterRegion();
  // Takes the register of the outer value, which then is lost outside as well.
  EXPECT_EQ(file.assign(part(512)), outer);
  file.leaveRegion();
  EXPECT_FALSE(file.find(part(512)));
  EXPECT_TRUE(file.find(part(256)));
  file.leaveRegion();
  EXPECT_FALSE(file.find(part(256)));
  EXPECT_FALSE(file.find(part(0)));
}

} // namespace

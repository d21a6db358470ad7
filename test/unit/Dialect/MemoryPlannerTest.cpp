//===- MemoryPlannerTest.cpp - Places buffers in one memory ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner on small problems whose plan is known, and on random ones, where
// the plan has to be valid.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/MemoryPlanner.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir::lpu;

static MemoryPlan planAndVerify(const MemoryProblem &problem) {
  MemoryPlan plan = planMemory(problem);
  EXPECT_EQ(verifyPlan(problem, plan), std::nullopt);
  return plan;
}

TEST(MemoryPlanner, NothingToPlace) {
  MemoryPlan plan = planAndVerify({{}, 1024, 64});
  EXPECT_EQ(plan.bytesUsed, 0);
  EXPECT_EQ(plan.bytesEvicted, 0);
}

TEST(MemoryPlanner, SharesBytesOfBuffersThatDoNotMeet) {
  // The third buffer lives after the first: it takes its place.
  MemoryPlan plan =
      planAndVerify({{{128, 0, 1}, {128, 1, 3}, {128, 2, 3}}, 1024, 64});
  EXPECT_EQ(plan.addresses[0], 0);
  EXPECT_EQ(plan.addresses[1], 128);
  EXPECT_EQ(plan.addresses[2], 0);
  EXPECT_EQ(plan.bytesUsed, 256);
}

TEST(MemoryPlanner, LastUseMeetsFirstUseOfTheSameMoment) {
  // An operation that reads one and writes the other needs both.
  MemoryPlan plan = planAndVerify({{{64, 0, 1}, {64, 1, 2}}, 1024, 64});
  EXPECT_EQ(plan.bytesUsed, 128);
}

TEST(MemoryPlanner, AlignsAddresses) {
  MemoryPlan plan = planAndVerify({{{100, 0, 1}, {10, 0, 1}}, 1024, 64});
  EXPECT_EQ(plan.addresses[0], 0);
  EXPECT_EQ(plan.addresses[1], 128);
  EXPECT_EQ(plan.bytesUsed, 138);
}

TEST(MemoryPlanner, EvictsWhatOccupiesMost) {
  // 256 bytes for 10 moments against 320 bytes for 2: the former leaves.
  MemoryPlan plan = planAndVerify({{{256, 0, 9}, {320, 4, 5}}, 512, 64});
  EXPECT_FALSE(plan.addresses[0]);
  EXPECT_EQ(plan.addresses[1], 0);
  EXPECT_EQ(plan.bytesEvicted, 256);
}

TEST(MemoryPlanner, EvictsWhatExceedsTheMemoryAlone) {
  MemoryPlan plan = planAndVerify({{{2048, 0, 1}, {64, 0, 1}}, 1024, 64});
  EXPECT_FALSE(plan.addresses[0]);
  EXPECT_EQ(plan.addresses[1], 0);
}

TEST(MemoryPlanner, EmptyBuffersTakeNoRoom) {
  MemoryPlan plan = planAndVerify({{{0, 0, 5}, {64, 0, 5}}, 64, 64});
  EXPECT_EQ(plan.addresses[1], 0);
  EXPECT_EQ(plan.bytesEvicted, 0);
}

TEST(MemoryPlanner, RestsBytesWhereThereIsRoom) {
  // One buffer a moment: with a rest of 2 every third place is taken again.
  MemoryProblem problem{{}, 1024, 64, /*rest=*/2};
  for (int64_t i = 0; i < 6; ++i) {
    problem.buffers.push_back({64, i, i});
  }
  MemoryPlan plan = planAndVerify(problem);
  std::vector<int64_t> expected = {0, 64, 128, 0, 64, 128};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(plan.addresses[i], expected[i]);
  }
  EXPECT_EQ(plan.rest, 2);
  EXPECT_EQ(plan.bytesLive, 64);
}

TEST(MemoryPlanner, RestsLessWhereThereIsLittleRoom) {
  // 192 bytes hold three buffers of 64: of the wanted 8 moments 2 remain.
  MemoryProblem problem{{}, 192, 64, /*rest=*/8};
  for (int64_t i = 0; i < 6; ++i) {
    problem.buffers.push_back({64, i, i});
  }
  MemoryPlan plan = planAndVerify(problem);
  EXPECT_EQ(plan.rest, 2);
  EXPECT_EQ(plan.bytesUsed, 192);
  EXPECT_EQ(plan.bytesEvicted, 0);
}

TEST(MemoryPlanner, FindsWhatIsWrongWithAPlan) {
  MemoryProblem problem{{{128, 0, 1}, {128, 1, 2}}, 256, 64};
  MemoryPlan plan;
  plan.addresses = {0, 64};
  plan.bytesUsed = 192;
  EXPECT_EQ(verifyPlan(problem, plan), "buffer 1 overlaps buffer 0");
  plan.addresses = {0, 130};
  plan.bytesUsed = 258;
  EXPECT_EQ(verifyPlan(problem, plan), "buffer 1 is not aligned");
  plan.addresses = {0, 192};
  plan.bytesUsed = 320;
  EXPECT_EQ(verifyPlan(problem, plan), "buffer 1 ends at 320, past the memory");
}

TEST(MemoryPlanner, SolvesRandomProblems) {
  std::mt19937 random(42);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    MemoryProblem problem{{}, draw(0, 16) * 256, 64, draw(0, 8)};
    for (int64_t i = draw(0, 40); i > 0; --i) {
      int64_t first = draw(0, 30);
      problem.buffers.push_back({draw(0, 1000), first, first + draw(0, 10)});
    }
    MemoryPlan plan = planAndVerify(problem);
    EXPECT_LE(plan.bytesLive, plan.bytesUsed);
    // Resting drives nothing out.
    problem.rest = 0;
    EXPECT_LE(plan.bytesEvicted, planMemory(problem).bytesEvicted);
  }
}

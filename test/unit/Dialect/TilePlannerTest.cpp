//===- TilePlannerTest.cpp - How large the tiles of a chain are -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner on small chains whose plan is known, and on random ones, where
// the plan has to keep its promises.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/TilePlanner.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir::lpu;

/// Two steps on 64 rows: a value that enters (16 bytes a row), one between the
/// steps (32 bytes a row) and one that leaves (16 bytes a row).
static ChainProblem twoSteps(int64_t capacity) {
  ChainProblem problem{};
  problem.values = {{1024, 0, 0, true, true, false, 1024, 0},
                    {2048, 0, 1, true, false, false, 2048, 0},
                    {1024, 1, 1, true, false, true, 0, 0}};
  problem.numSteps = 2;
  problem.extent = 64;
  problem.granularity = 4;
  problem.capacity = capacity;
  problem.rowsPerPass = 4;
  problem.maxTiles = 64;
  return problem;
}

TEST(TilePlanner, LeavesAloneWhatFits) {
  EXPECT_EQ(getWorkingSet(twoSteps(0), 64, 2), 3072);
  EXPECT_EQ(planChain(twoSteps(3072)), std::nullopt);
}

TEST(TilePlanner, TwoTilesAreInFlight) {
  // A row needs 48 bytes at either step, and the next tile as much beside it.
  EXPECT_EQ(getWorkingSet(twoSteps(0), 4, 1), 4 * (48 + 48));
  EXPECT_EQ(getWorkingSet(twoSteps(0), 4, 2), 4 * 48);
}

TEST(TilePlanner, TakesThreeQuartersOfTheMemory) {
  // 16 rows take 1536 bytes; 20 would take 1920.
  std::optional<ChainPlan> plan = planChain(twoSteps(2048));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->tileSize, 16);
  EXPECT_EQ(plan->numTiles, 4);
  EXPECT_EQ(plan->distance, 1);
  EXPECT_EQ(plan->bytesWhole, 3072);
  EXPECT_EQ(plan->bytesTiled, 1536);
  // The value between the steps need not go out and come back.
  EXPECT_EQ(plan->bytesSaved, 2 * 2048);
}

TEST(TilePlanner, TilesAreOfAboutTheSameSize) {
  // At most 12 rows: 6 tiles, of which 12 + 12 + 12 + 12 + 12 + 4 rows would be
  // uneven, but 4 rows are the unit.
  std::optional<ChainPlan> plan = planChain(twoSteps(1600));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->tileSize, 12);
  EXPECT_EQ(plan->numTiles, 6);
}

TEST(TilePlanner, OneTileAtATimeIfTwoFindNoRoom) {
  std::optional<ChainPlan> plan = planChain(twoSteps(256));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->tileSize, 4);
  EXPECT_EQ(plan->distance, 2);
  EXPECT_EQ(plan->bytesTiled, 192);
}

TEST(TilePlanner, NothingToDoIfTheSmallestTileDoesNotFit) {
  EXPECT_EQ(planChain(twoSteps(191)), std::nullopt);
}

TEST(TilePlanner, WhatStaysWholeTakesItsPlaceOnce) {
  ChainProblem problem = twoSteps(2048);
  problem.values.push_back({512, 0, 1, false, true, false, 512, 0});
  std::optional<ChainPlan> plan = planChain(problem);
  ASSERT_TRUE(plan);
  // 1536 - 512 bytes are left for rows of 96.
  EXPECT_EQ(plan->tileSize, 8);
  EXPECT_EQ(plan->bytesTiled, 8 * 96 + 512);
}

TEST(TilePlanner, BoundsTheNumberOfTiles) {
  ChainProblem problem = twoSteps(512);
  EXPECT_EQ(planChain(problem)->numTiles, 16);
  problem.maxTiles = 5;
  std::optional<ChainPlan> plan = planChain(problem);
  EXPECT_EQ(plan->numTiles, 4);
  EXPECT_EQ(plan->tileSize, 16);
  EXPECT_GT(plan->bytesTiled, 512);
}

TEST(TilePlanner, WeightsAreStreamedOnceAPass) {
  ChainProblem problem = twoSteps(1 << 20);
  problem.streams = {{1000, 64, /*rowsAreTiled=*/true, /*isTiled=*/false}};
  problem.values.clear();
  EXPECT_EQ(getTraffic(problem, 64), 16 * 1000);
  // Full passes cost nothing, others do.
  EXPECT_EQ(getTraffic(problem, 16), 16 * 1000);
  EXPECT_EQ(getTraffic(problem, 6), (10 * 2 + 1) * 1000);
}

TEST(TilePlanner, TilesOfColumnsStreamTheirPart) {
  ChainProblem problem = twoSteps(1 << 20);
  problem.streams = {{1024, 8, /*rowsAreTiled=*/false, /*isTiled=*/true, 32}};
  problem.values.clear();
  EXPECT_EQ(getTraffic(problem, 64), 2 * 1024);
  // Pieces that end within bursts waste some in every pass of every tile.
  EXPECT_EQ(getTraffic(problem, 16), 2 * (1024 + 4 * 32));
}

TEST(TilePlanner, WhatIsUsedOutsideMayStayOnChip) {
  ChainProblem problem = twoSteps(4096);
  problem.values[2].bytesReadOutside = 3 * 1024;
  // Whole, all of it is kept; a tile leaves room for it as well.
  EXPECT_EQ(getTraffic(problem, 64), 1024);
  EXPECT_EQ(getTraffic(problem, 16), 1024);
  // With less memory it goes out, and comes back three times.
  problem.capacity = 1024;
  EXPECT_EQ(getTraffic(problem, 4), 1024 + 4 * 1024);
}

TEST(TilePlanner, KeepsItsPromisesOnRandomChains) {
  std::mt19937 random(1);
  auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % bound);
  };
  int planned = 0;
  for (int i = 0; i < 500; ++i) {
    ChainProblem problem{};
    problem.numSteps = 1 + below(12);
    problem.extent = 2 + below(300);
    problem.granularity = 1 + below(16);
    problem.capacity = 4096;
    problem.rowsPerPass = 8;
    problem.maxTiles = 64;
    for (int64_t n = below(20); n >= 0; --n) {
      int64_t first = below(problem.numSteps);
      problem.values.push_back(
          {1 + below(4000), first, first + below(problem.numSteps - first),
           below(4) != 0, below(3) == 0, below(3) == 0, below(9999), below(2)});
    }
    std::optional<ChainPlan> plan = planChain(problem);
    if (!plan) {
      continue;
    }
    ++planned;
    EXPECT_GT(plan->bytesWhole, problem.capacity);
    EXPECT_EQ(plan->tileSize % problem.granularity, 0);
    EXPECT_LT(plan->tileSize, problem.extent);
    EXPECT_LT((plan->numTiles - 1) * plan->tileSize, problem.extent);
    EXPECT_GE(plan->numTiles * plan->tileSize, problem.extent);
    EXPECT_LE(plan->numTiles, problem.maxTiles);
    EXPECT_EQ(plan->bytesTiled,
              getWorkingSet(problem, plan->tileSize, plan->distance));
    if (plan->numTiles < problem.maxTiles / 2) {
      EXPECT_LE(plan->bytesTiled, problem.capacity);
    }
  }
  EXPECT_GT(planned, 100);
}

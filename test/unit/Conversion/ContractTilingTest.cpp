//===- ContractTilingTest.cpp - How contractions are cut ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lpu/Conversion/LPUToLPUISA/ContractTiling.h"

#include <gtest/gtest.h>

using namespace mlir::lpu;
using ::lpu::MachineModel;

// 4 trees of 8, 4 rows a pass; 64 bytes a cycle from the HBM and to the stream,
// 32 into the on-chip memory; 8 lanes; fill 20, issue 4, semaphores 8.
static MachineModel getTiny() { return *MachineModel::get("tiny"); }

/// f32 columns x depth, `rows` rows.
static ContractWork getWork(int64_t rows, int64_t columns, int64_t depth,
                            int64_t width = 4) {
  ContractWork work;
  work.units = work.columns = columns;
  work.rows = rows;
  work.depth = depth;
  work.streamedBytes = work.rawBytes = columns * depth * width;
  return work;
}

TEST(ContractTiling, AProductAloneIsOnePiece) {
  ContractWork work = getWork(1, 64, 64);
  ContractTiling tiling = chooseTiling(work, getTiny());
  EXPECT_EQ(tiling.numTiles(work), 1);
  EXPECT_FALSE(tiling.isStaged);
}

// The weight takes 64 * 64 * 4 / 64 = 256 cycles, the product 16 * 8 = 128, the
// epilogue 2560 / 8 = 320. A tile is issued in 8 * 4 = 32 cycles.
TEST(ContractTiling, AnEpilogueOverlapsWithTheNextTile) {
  ContractWork work = getWork(1, 64, 64);
  work.epilogueWork = 2560;
  // 32 + 256, then 20 + 10 + 8 until the sums are known, 320, and 10 + 10.
  EXPECT_EQ(estimate(work, {64}, getTiny()).cycles, 666);
  // 32 + 128 + 38 + 160 = 358 is later than 160 + 128 + 38; another 160 + 20.
  EXPECT_EQ(estimate(work, {32}, getTiny()).cycles, 538);
  EXPECT_GT(chooseTiling(work, getTiny()).numTiles(work), 2);
}

// Rows of sums in one another's way cost the latency of the product, 20 + 10,
// for every tile but the first: larger tiles are better then.
TEST(ContractTiling, SumsInEachOthersWayWantFewerTiles) {
  ContractWork work = getWork(4, 256, 64);
  work.epilogueWork = 4 * 256 * 8;
  int64_t apart = estimate(work, {32}, getTiny()).cycles;
  int64_t size = chooseTiling(work, getTiny()).unitsPerTile;
  work.interleavesSums = true;
  EXPECT_EQ(estimate(work, {32}, getTiny()).cycles, apart + 7 * 30);
  EXPECT_GE(chooseTiling(work, getTiny()).unitsPerTile, size);
}

// With a program as short as its own issue there is nothing to hide.
TEST(ContractTiling, AShortEpilogueIsNotCut) {
  ContractWork work = getWork(1, 8, 8);
  work.epilogueWork = 8;
  EXPECT_EQ(chooseTiling(work, getTiny()).numTiles(work), 1);
}

TEST(ContractTiling, TilesAreWholeGroupsOfTrees) {
  ContractWork work = getWork(1, 60, 64);
  work.epilogueWork = 6000;
  EXPECT_EQ(chooseTiling(work, getTiny()).unitsPerTile % 4, 0);
}

// Two passes over 4096 bytes at 8 bytes a cycle take 1024 cycles; copied once
// they take 512, and 128 to stream.
TEST(ContractTiling, ASlowMemoryIsReadOnce) {
  MachineModel machine = getTiny();
  machine.hbmGBps = 8;
  ContractWork work = getWork(8, 32, 32);
  work.canStage = true;
  ContractTiling tiling = chooseTiling(work, machine);
  EXPECT_TRUE(tiling.isStaged);
  EXPECT_GT(tiling.numTiles(work), 1);
  EXPECT_EQ(estimate(work, tiling, machine).hbmBytes, 4096);
  EXPECT_EQ(estimate(work, {32, false}, machine).hbmBytes, 2 * 4096);
}

// At 64 bytes a cycle the product, 8 * 4 * 8 = 256 cycles, hides both passes,
// while copy and stream take 128 + 128 of the memory unit, and a latency first.
TEST(ContractTiling, AFastMemoryIsReadAgain) {
  ContractWork work = getWork(8, 32, 32);
  work.canStage = true;
  EXPECT_FALSE(chooseTiling(work, getTiny()).isStaged);
}

// 64 rows of bf16 on the default machine: 128 * 64 * 64 = 524288 cycles hide
// 65536 of copies and 262144 of streams, so what is read once wins the tie.
TEST(ContractTiling, OfEquallyQuickTilingsTheOneThatReadsLessWins) {
  MachineModel machine;
  ContractWork work = getWork(64, 4096, 4096, /*width=*/2);
  work.canStage = true;
  ContractTiling tiling = chooseTiling(work, machine);
  EXPECT_TRUE(tiling.isStaged);
  EXPECT_EQ(estimate(work, tiling, machine).hbmBytes, 4096 * 4096 * 2);
  EXPECT_LE(getBuffers(work, tiling).total(), machine.lmuBytes / 4);
}

TEST(ContractTiling, APrologueIsMadeTileByTile) {
  ContractWork work = getWork(1, 64, 64);
  work.prologueWork = 64 * 64;
  ContractTiling tiling = chooseTiling(work, getTiny());
  EXPECT_GT(tiling.numTiles(work), 1);
  EXPECT_LE(getBuffers(work, tiling).total(), getTiny().lmuBytes / 4);
}

// Where no tiling fits, the smallest tiles go furthest.
TEST(ContractTiling, WithoutRoomTilesAreSmallest) {
  ContractWork work = getWork(1, 4, 4096);
  work.prologueWork = 4 * 4096;
  EXPECT_EQ(chooseTiling(work, getTiny()).unitsPerTile, 4);
}

TEST(ContractTiling, BatchesAreCutIfColumnsAreNot) {
  ContractWork work = getWork(1, 4, 64);
  work.cutsColumns = false;
  work.units = work.batch = 16;
  work.streamedBytes = work.rawBytes = 16 * 4 * 64 * 4;
  work.epilogueWork = 16 * 4 * 100;
  EXPECT_GT(chooseTiling(work, getTiny()).numTiles(work), 1);
}

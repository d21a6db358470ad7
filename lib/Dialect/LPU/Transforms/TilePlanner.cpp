//===- TilePlanner.cpp - How large the tiles of a chain are ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The working set grows with the tile, so that the largest tile is found by
// bisection. What would leave the chip is what the planner of memory evicts.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/TilePlanner.h"

#include "lpu/Dialect/LPU/Transforms/MemoryPlanner.h"

#include <algorithm>

using namespace mlir::lpu;

static int64_t ceilDiv(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

/// Bytes of `value` that a tile needs.
static int64_t getBytes(const ChainProblem &problem, const ChainValue &value,
                        int64_t tileSize) {
  return value.isTiled ? ceilDiv(value.bytes * tileSize, problem.extent)
                       : value.bytes;
}

int64_t mlir::lpu::getWorkingSet(const ChainProblem &problem, int64_t tileSize,
                                 int64_t distance) {
  // What one tile needs at each step, and what all of them share.
  std::vector<int64_t> tile(problem.numSteps, 0), shared(problem.numSteps, 0);
  for (const ChainValue &value : problem.values) {
    for (int64_t step = value.first; step <= value.last; ++step) {
      (value.isTiled ? tile : shared)[step] +=
          getBytes(problem, value, tileSize);
    }
  }
  int64_t largest = 0;
  for (int64_t step = 0; step < problem.numSteps; ++step) {
    int64_t next = step - distance;
    bool isAlone = tileSize >= problem.extent || next < 0;
    largest = std::max(largest,
                       tile[step] + shared[step] + (isAlone ? 0 : tile[next]));
  }
  return largest;
}

/// Bytes of weights with tiles of size `tileSize`.
static int64_t getStreamed(const ChainProblem &problem,
                           const ChainStream &stream, int64_t tileSize) {
  int64_t bytes = 0;
  for (int64_t start = 0; start < problem.extent; start += tileSize) {
    int64_t size = std::min(tileSize, problem.extent - start);
    int64_t rows = stream.rowsAreTiled
                       ? ceilDiv(stream.rows * size, problem.extent)
                       : stream.rows;
    int64_t part = stream.isTiled ? ceilDiv(stream.bytes * size, problem.extent)
                                  : stream.bytes;
    int64_t wasted = size < problem.extent ? stream.wastedBytes : 0;
    bytes += ceilDiv(rows, problem.rowsPerPass) * (part + wasted);
  }
  return bytes;
}

int64_t mlir::lpu::getTraffic(const ChainProblem &problem, int64_t tileSize) {
  int64_t bytes = 0;
  for (const ChainStream &stream : problem.streams) {
    bytes += getStreamed(problem, stream, tileSize);
  }
  // Each buffer that might lie on chip, with what it costs if it does, and what
  // if it does not.
  MemoryProblem memory{{}, problem.capacity, /*alignment=*/64};
  std::vector<std::pair<int64_t, int64_t>> costs;
  bool isWhole = tileSize >= problem.extent;
  int64_t numTiles = isWhole ? 0 : ceilDiv(problem.extent, tileSize);
  for (const ChainValue &value : problem.values) {
    int64_t evicted = value.bytesRead, kept = 0;
    if (!value.enters) {
      evicted += value.bytes;
    }
    if (value.enters || (value.leaves && value.bytesReadOutside == 0)) {
      kept = value.bytes + value.wastedBytes * numTiles;
    }
    if (isWhole) {
      evicted += value.bytesReadOutside;
    }
    memory.buffers.push_back(
        {getBytes(problem, value, tileSize), value.first, value.last});
    costs.emplace_back(kept, evicted);
    if (!isWhole && value.leaves && value.bytesReadOutside != 0) {
      // The whole that its tiles are put into.
      memory.buffers.push_back({value.bytes, 0, problem.numSteps - 1});
      costs.emplace_back(0, value.bytes + value.bytesReadOutside);
    }
  }
  MemoryPlan plan = planMemory(memory);
  for (size_t i = 0; i < costs.size(); ++i) {
    bytes += plan.addresses[i] ? costs[i].first : costs[i].second;
  }
  return bytes;
}

std::optional<ChainPlan> mlir::lpu::planChain(const ChainProblem &problem) {
  ChainPlan plan;
  plan.bytesWhole = getWorkingSet(problem, problem.extent, problem.numSteps);
  int64_t numUnits = ceilDiv(problem.extent, problem.granularity);
  if (plan.bytesWhole <= problem.capacity || numUnits < 2) {
    return std::nullopt;
  }
  plan.distance = std::max<int64_t>(1, ceilDiv(problem.numSteps, 2));
  auto fits = [&](int64_t units, int64_t bytes) {
    return getWorkingSet(problem, units * problem.granularity, plan.distance) <=
           bytes;
  };
  if (!fits(1, problem.capacity)) {
    plan.distance = problem.numSteps;
  }
  if (!fits(1, problem.capacity)) {
    return std::nullopt;
  }
  // A part of the memory if that is possible, else all of it.
  int64_t share = problem.capacity / 4 * 3;
  if (!fits(1, share)) {
    share = problem.capacity;
  }
  int64_t low = 1, high = numUnits;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    (fits(middle, share) ? low : high) = middle;
  }
  // As many tiles as that takes, all of about the same size.
  plan.numTiles =
      std::min(ceilDiv(numUnits, low), std::max<int64_t>(2, problem.maxTiles));
  plan.tileSize = ceilDiv(numUnits, plan.numTiles) * problem.granularity;
  plan.numTiles = ceilDiv(problem.extent, plan.tileSize);
  plan.bytesTiled = getWorkingSet(problem, plan.tileSize, plan.distance);
  plan.bytesSaved =
      getTraffic(problem, problem.extent) - getTraffic(problem, plan.tileSize);
  return plan;
}

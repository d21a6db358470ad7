//===- ContractTiling.cpp - How a contraction is cut ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The estimate runs the tiles through the three units in program order, as the
// timeline of the simulator would, but by whole tiles. A tile costs little more
// than the issue of its instructions: fill and drain are latency, which shows
// behind the last tile, or where a unit has to finish one tile before the next.
// So cutting pays where two units overlap.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ContractTiling.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace mlir::lpu;
using ::lpu::MachineModel;

/// Instructions of a tile, with those that order units, about.
static constexpr int64_t instructionsPerTile = 8;

/// Tiles of a contraction at most: programs stay short.
static constexpr int64_t maxTiles = 512;

static int64_t ceilDiv(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

/// The share of `whole` that `units` of all pieces have, rounded up.
static int64_t share(int64_t whole, int64_t units, int64_t of) {
  return ceilDiv(whole * units, of);
}

ContractBuffers mlir::lpu::getBuffers(const ContractWork &work,
                                      const ContractTiling &tiling) {
  // Buffers start at whole bursts.
  auto align = [](int64_t bytes) { return ceilDiv(bytes, 64) * 64; };
  ContractBuffers buffers;
  buffers.numSums = std::min(tiling.numTiles(work), ContractBuffers::maxSums);
  buffers.numStreamed =
      std::min(tiling.numTiles(work), ContractBuffers::maxStreamed);
  buffers.sumBytes =
      align(share(work.sumBytes, tiling.unitsPerTile, work.units));
  if (tiling.usesStaging(work)) {
    buffers.streamedBytes =
        align(share(work.streamedBytes, tiling.unitsPerTile, work.units));
  }
  return buffers;
}

namespace {

/// What one tile takes of each unit.
struct TileCost {
  int64_t bring = 0; ///< Of the memory unit, or of the vector unit.
  int64_t stream = 0, multiply = 0, finish = 0;
};

} // namespace

static TileCost getTileCost(const ContractWork &work, bool isStaged,
                            int64_t units, const MachineModel &machine) {
  auto over = [](int64_t bytes, double rate) {
    return static_cast<int64_t>(std::ceil(static_cast<double>(bytes) / rate));
  };
  double hbm = machine.hbmBytesPerCycle();
  auto read = static_cast<double>(machine.lmuReadPorts * machine.lmuPortBytes);
  auto write =
      static_cast<double>(machine.lmuWritePorts * machine.lmuPortBytes);
  int64_t passes = ceilDiv(work.rows, machine.rowsPerPass);
  int64_t streamed = share(work.streamedBytes, units, work.units);
  int64_t raw = share(work.rawBytes, units, work.units);
  TileCost cost;
  if (work.hasPrologue()) {
    int64_t lanes = share(work.prologueWork, units, work.units);
    cost.bring = std::max({ceilDiv(lanes, machine.vxeLanes), over(raw, hbm),
                           over(streamed, write)});
  } else if (isStaged) {
    cost.bring = std::max(over(raw, hbm), over(raw, write));
  }
  bool isOnChip = isStaged || work.hasPrologue() || work.rawBytes == 0;
  cost.stream = over(passes * streamed, isOnChip ? read : hbm);
  int64_t batch =
      work.cutsColumns ? work.batch : share(work.batch, units, work.units);
  int64_t columns =
      work.cutsColumns ? share(work.columns, units, work.units) : work.columns;
  cost.multiply = batch * ceilDiv(columns, machine.trees) *
                  ceilDiv(work.depth, machine.width) * work.rows;
  cost.finish =
      ceilDiv(share(work.epilogueWork, units, work.units), machine.vxeLanes);
  return cost;
}

ContractEstimate mlir::lpu::estimate(const ContractWork &work,
                                     const ContractTiling &tiling,
                                     const MachineModel &machine) {
  int64_t numTiles = tiling.numTiles(work);
  int64_t hbmLatency =
      static_cast<int64_t>(std::ceil(machine.hbmLatencyCycles()));
  int64_t issue = instructionsPerTile * machine.issueCycles;
  bool brings = tiling.usesStaging(work);
  auto getCost = [&](int64_t tile) {
    int64_t first = tile * tiling.unitsPerTile;
    return getTileCost(work, tiling.isStaged,
                       std::min(tiling.unitsPerTile, work.units - first),
                       machine);
  };

  int64_t passes = ceilDiv(work.rows, machine.rowsPerPass);
  int64_t matrixLatency = machine.sxeFillCycles + machine.lmuLatencyCycles;
  int64_t vectorLatency = machine.vxeLatencyCycles + machine.lmuLatencyCycles;

  // When each unit is free, when tiles are there and their buffers free.
  int64_t memory = 0, matrix = 0, vector = 0, issued = 0;
  constexpr int64_t numBuffers = ContractBuffers::maxStreamed;
  int64_t arrived[numBuffers] = {}, released[numBuffers] = {};
  auto bring = [&](int64_t tile) {
    int64_t &unit = work.hasPrologue() ? vector : memory;
    int64_t &arrival = arrived[tile % numBuffers];
    unit = std::max(unit, released[tile % numBuffers]) + getCost(tile).bring;
    arrival = unit + hbmLatency;
    if (work.hasPrologue()) {
      arrival += machine.vxeLatencyCycles + machine.semaphoreCycles;
    }
  };
  for (int64_t tile = 0; brings && tile < std::min<int64_t>(2, numTiles);
       ++tile) {
    bring(tile);
  }
  for (int64_t tile = 0; tile < numTiles; ++tile) {
    TileCost cost = getCost(tile);
    issued += issue;
    memory =
        std::max({memory, arrived[tile % numBuffers], issued}) + cost.stream;
    int64_t free = matrix + (tile && work.interleavesSums ? matrixLatency : 0);
    matrix =
        std::max(std::max(free, memory - cost.stream) + cost.multiply, memory);
    // The memory unit goes on when no more is left than the buffer holds.
    int64_t bytes =
        passes * share(work.streamedBytes, tiling.unitsPerTile, work.units);
    if (bytes > machine.streamBufferBytes) {
      auto left = static_cast<double>(machine.streamBufferBytes) /
                  static_cast<double>(bytes);
      memory = std::max(
          memory, matrix - static_cast<int64_t>(left * double(cost.multiply)));
    }
    if (brings && tile + 2 < numTiles) {
      bring(tile + 2);
    }
    int64_t known = matrix + matrixLatency + machine.semaphoreCycles;
    released[tile % numBuffers] = known;
    if (work.hasEpilogue()) {
      int64_t next =
          vector + (tile && work.interleavesResults ? vectorLatency : 0);
      vector = std::max(next, known) + cost.finish;
    }
  }
  ContractEstimate result;
  result.cycles = std::max({memory, matrix + matrixLatency,
                            work.hasEpilogue() ? vector + vectorLatency : 0});
  result.hbmBytes = (brings ? 1 : passes) * work.rawBytes;
  return result;
}

/// The tile sizes worth a look, from the whole down.
static std::vector<int64_t> getTileSizes(const ContractWork &work,
                                         const MachineModel &machine) {
  int64_t columns =
      work.cutsColumns ? std::max<int64_t>(1, work.columns / work.units) : 0;
  std::vector<int64_t> sizes;
  for (int64_t count = 1; count <= std::min(work.units, maxTiles);
       count += std::max<int64_t>(1, count / 4)) {
    int64_t size = ceilDiv(work.units, count);
    // Whole groups of trees, so that none computes for nothing.
    if (columns && machine.trees % columns == 0) {
      int64_t group = machine.trees / columns;
      size = std::min(work.units, ceilDiv(size, group) * group);
    }
    if (sizes.empty() || sizes.back() != size) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

ContractTiling mlir::lpu::chooseTiling(const ContractWork &work,
                                       const MachineModel &machine) {
  struct Candidate {
    ContractTiling tiling;
    ContractEstimate estimate;
  };
  std::vector<Candidate> candidates;
  ContractTiling smallest;
  bool mayStage = work.canStage && !work.hasPrologue() && work.rawBytes != 0;
  for (int64_t size : getTileSizes(work, machine)) {
    smallest.unitsPerTile = size;
    for (bool isStaged : {false, true}) {
      ContractTiling tiling{size, isStaged};
      if ((isStaged && !mayStage) ||
          getBuffers(work, tiling).total() > machine.lmuBytes / 4) {
        continue;
      }
      candidates.push_back({tiling, estimate(work, tiling, machine)});
    }
  }
  if (candidates.empty()) {
    return smallest;
  }
  auto getQuickest = [&] {
    return std::min_element(candidates.begin(), candidates.end(),
                            [](const Candidate &one, const Candidate &other) {
                              return one.estimate.cycles <
                                     other.estimate.cycles;
                            })
        ->estimate.cycles;
  };
  auto keepIf = [&](auto holds) {
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                    [&](const Candidate &candidate) {
                                      return !holds(candidate.estimate);
                                    }),
                     candidates.end());
  };
  // A thirtieth is what reading a weight once may cost.
  int64_t limit = getQuickest();
  limit += limit / 30;
  keepIf([&](const ContractEstimate &e) { return e.cycles <= limit; });
  int64_t least = candidates.front().estimate.hbmBytes;
  for (const Candidate &candidate : candidates) {
    least = std::min(least, candidate.estimate.hbmBytes);
  }
  keepIf([&](const ContractEstimate &e) { return e.hbmBytes == least; });
  // Half a hundredth is less than the estimate is wrong by.
  limit = getQuickest();
  limit += limit / 200;
  keepIf([&](const ContractEstimate &e) { return e.cycles <= limit; });
  return candidates.front().tiling;
}

//===- ContractTiling.h - How a contraction is cut --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Into how many tiles of columns a contraction is cut, and whether the streamed
// operand passes through the on-chip memory, decided on plain numbers: no IR.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_CONTRACTTILING_H
#define LPU_CONVERSION_LPUTOLPUISA_CONTRACTTILING_H

#include "lpu/Target/MachineModel.h"

#include <cstdint>

namespace mlir::lpu {

/// A contraction as the units see it. Sizes and cycles are of all of it.
struct ContractWork {
  /// How many pieces the dimension that may be cut has; 1 if none may.
  int64_t units = 1;
  /// Whether that dimension is one of columns, else it is one of batches.
  bool cutsColumns = true;
  int64_t batch = 1, rows = 1, columns = 1, depth = 1;

  /// Bytes of the operand as it is streamed.
  int64_t streamedBytes = 0;
  /// Bytes of it as it lies in HBM, 0 if it lies on chip.
  int64_t rawBytes = 0;
  /// Whether it may be copied on chip, tile by tile.
  bool canStage = false;

  /// Bytes of the sums, if they need room of their own.
  int64_t sumBytes = 0;
  /// Whether the sums, or the results of the epilogue, of one tile lie between
  /// those of another: the unit then finishes one before it begins the next.
  bool interleavesSums = false, interleavesResults = false;
  /// Lane-cycles of the vector unit before and behind the product; none: 0.
  int64_t prologueWork = 0, epilogueWork = 0;

  bool hasPrologue() const { return prologueWork != 0; }
  bool hasEpilogue() const { return epilogueWork != 0; }
};

/// A way to do it.
struct ContractTiling {
  /// Pieces of a tile; the last tile may have fewer.
  int64_t unitsPerTile = 1;
  /// Whether tiles of the streamed operand are brought on chip once and
  /// streamed from there for every pass.
  bool isStaged = false;

  int64_t numTiles(const ContractWork &work) const {
    return (work.units + unitsPerTile - 1) / unitsPerTile;
  }
  bool usesStaging(const ContractWork &work) const {
    return isStaged || work.hasPrologue();
  }
};

/// What is in flight at the same time: sums of two tiles, one that is computed
/// and one that is finished, and what is streamed for three, one that is
/// brought, one that has arrived and one that is multiplied.
struct ContractBuffers {
  static constexpr int64_t maxSums = 2, maxStreamed = 3;
  int64_t numSums = 1, numStreamed = 1;
  int64_t streamedBytes = 0, sumBytes = 0; ///< Of one tile.
  int64_t total() const {
    return numSums * sumBytes + numStreamed * streamedBytes;
  }
};
ContractBuffers getBuffers(const ContractWork &work,
                           const ContractTiling &tiling);

/// What a tiling takes, if nothing else runs.
struct ContractEstimate {
  int64_t cycles = 0;
  int64_t hbmBytes = 0; ///< Read for the streamed operand.
};
ContractEstimate estimate(const ContractWork &work,
                          const ContractTiling &tiling,
                          const ::lpu::MachineModel &machine);

/// Of the tilings whose buffers fit a quarter of the on-chip memory, and which
/// take at most a thirtieth longer than the quickest, those that read least of
/// the HBM; of them the quickest, or about as quick one of fewest tiles. If
/// none fits, the one of smallest tiles.
ContractTiling chooseTiling(const ContractWork &work,
                            const ::lpu::MachineModel &machine);

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_CONTRACTTILING_H

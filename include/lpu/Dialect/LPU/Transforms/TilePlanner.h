//===- TilePlanner.h - How large the tiles of a chain are -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision part of tiling, as plain data: sizes in, tile size out. It knows
// no IR, so that it is tested without any.
//
// A chain is a sequence of steps that are computed a tile at a time. A tile
// begins when the one before it is halfway, so that one unit works on either
// while another works on the other:
//
//   tile 0   | step 0 | step 1 | step 2 | step 3 |
//   tile 1                     | step 0 | step 1 | step 2 | step 3 |
//   tile 2                                       | step 0 | ...
//
// Tiles are as large as the on-chip memory allows. Whether tiling pays is told
// in bytes through HBM: whole, what does not fit goes out and comes back for
// each use; tiled, only what enters or leaves the chain does.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_TILEPLANNER_H
#define LPU_DIALECT_LPU_TRANSFORMS_TILEPLANNER_H

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::lpu {

/// A tensor that the units of a chain's steps work on, from step `first` to
/// step `last`, both included.
struct ChainValue {
  int64_t bytes;
  int64_t first;
  int64_t last;
  /// Shrinks with the tile; otherwise every tile needs all of it.
  bool isTiled;
  /// Comes from outside of the chain.
  bool enters;
  /// Is used outside, if only as a result of the program.
  bool leaves;
  /// Bytes of it that the chain's units read, and those outside.
  int64_t bytesRead;
  int64_t bytesReadOutside;
  /// Bytes that a tile moves in vain, for its pieces end within bursts.
  int64_t wastedBytes = 0;
};

/// A weight that is streamed past the rows of a step, once a pass.
struct ChainStream {
  int64_t bytes;
  int64_t rows;
  /// Whether the rows shrink with the tile, or the weight does (a tile of
  /// columns or of a batch).
  bool rowsAreTiled;
  bool isTiled;
  /// Bytes that a pass of a tile moves in vain.
  int64_t wastedBytes = 0;
};

struct ChainProblem {
  std::vector<ChainValue> values;
  std::vector<ChainStream> streams;
  int64_t numSteps;
  /// Size of the tiled dimension.
  int64_t extent;
  /// Tiles are multiples of it, except for the last one.
  int64_t granularity;
  /// Bytes on chip.
  int64_t capacity;
  int64_t rowsPerPass;
  /// Tiles at most: the program holds each of them.
  int64_t maxTiles;
};

struct ChainPlan {
  int64_t tileSize = 0;
  int64_t numTiles = 0;
  /// Steps from the start of a tile to that of the next.
  int64_t distance = 0;
  /// Bytes of the largest working set, whole and tiled.
  int64_t bytesWhole = 0;
  int64_t bytesTiled = 0;
  /// Bytes through HBM that tiling saves; negative if it costs some.
  int64_t bytesSaved = 0;
};

/// Bytes of the largest working set with tiles of size `tileSize`, of which one
/// begins `distance` steps after the other.
int64_t getWorkingSet(const ChainProblem &problem, int64_t tileSize,
                      int64_t distance);

/// Bytes through HBM with tiles of size `tileSize`.
int64_t getTraffic(const ChainProblem &problem, int64_t tileSize);

/// The largest tiles whose working set takes three quarters of the on-chip
/// memory: the rest is for what leaves the chain and is kept. If only one tile
/// finds room at a time, the next begins when it has ended. The number of tiles
/// is bounded, so that they may have to be larger. None if the chain fits as a
/// whole, or if even the smallest tile does not.
std::optional<ChainPlan> planChain(const ChainProblem &problem);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_TILEPLANNER_H

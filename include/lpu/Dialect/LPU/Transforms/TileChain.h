//===- TileChain.h - Operations that are tiled together ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain: operations of one block that can be computed a tile at a time, all
// of them for one tile before any of them for the next. Every value in it
// follows the tiled dimension by one of its own dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_TILECHAIN_H
#define LPU_DIALECT_LPU_TRANSFORMS_TILECHAIN_H

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/TilePlanner.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::lpu {

/// What of a tensor one unit of the chain's tiled dimension is:
/// `numerator / denominator` elements of dimension `dimension`, and all of the
/// others. The same describes a domain.
struct Slab {
  unsigned dimension = 0;
  int64_t numerator = 1;
  int64_t denominator = 1;

  /// The slab `times / by` as large, in another tensor's dimension.
  Slab scaled(unsigned newDimension, int64_t times = 1, int64_t by = 1) const;

  bool operator==(const Slab &other) const {
    return dimension == other.dimension && numerator == other.numerator &&
           denominator == other.denominator;
  }
};

/// An operation of a chain.
struct ChainMember {
  /// The slab of its domain; a view (a slice or a reshape) has none.
  std::optional<Slab> slab;
  int64_t step = 0;
};

struct TileChain {
  /// The operations in order of the block.
  llvm::MapVector<Operation *, ChainMember> members;
  int64_t numSteps = 0;
  /// The slab of each value that members use or produce and that is tiled.
  llvm::DenseMap<Value, Slab> slabs;
  /// Size of the tiled dimension.
  int64_t extent = 0;
  /// Tiles must be multiples of `granularity`; multiples of
  /// `preferredGranularity` fill the passes of the matrix unit.
  int64_t granularity = 1;
  int64_t preferredGranularity = 1;

  /// Whether a member produces `value`.
  bool produces(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && members.contains(op);
  }
};

/// Whether `op` is a slice or a reshape, which a chain can go through.
bool isTensorView(Operation *op);

using Slabs = SmallVector<std::pair<Value, Slab>>;

/// The slabs of all operands and results of the view `op` if `known`, one of
/// them, has `slab`.
std::optional<Slabs> relateView(Operation *op, Value known, Slab slab);

/// The chain around `seed` if dimension `dimension` of its domain is tiled:
/// takes in producers that nothing else needs before, and consumers. Operations
/// that touch less than `smallBytes` do not start or end it. Empty if `seed`
/// cannot be tiled so.
TileChain growChain(Operation *seed, unsigned dimension, int64_t smallBytes,
                    const ::lpu::MachineModel &machine);

/// The sizes by which the chain's tile is planned.
ChainProblem describeChain(const TileChain &chain,
                           const ::lpu::MachineModel &machine);

/// Replaces the chain by its tiles.
void emitTiles(const TileChain &chain, const ChainPlan &plan,
               const ::lpu::MachineModel &machine);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_TILECHAIN_H

//===- ContractPlan.h - Tiles and temporaries of a contraction --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be cut of a contraction, and where what is in flight between the
// units lies. The pass that decides on tiles, the one that allocates the
// temporary and the lowering that uses it all ask here.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_CONTRACTPLAN_H
#define LPU_CONVERSION_LPUTOLPUISA_CONTRACTPLAN_H

#include "lpu/Conversion/LPUToLPUISA/ContractTiling.h"
#include "lpu/Dialect/LPU/IR/LPU.h"

#include <algorithm>
#include <optional>

namespace mlir::lpu {

/// A dimension of columns or batches of the domain, and what it is elsewhere.
struct ContractCut {
  unsigned dim;
  unsigned sumPosition; ///< Dimension of the sums.
  /// Dimension of the streamed operand, unless that is walked by windows.
  std::optional<unsigned> streamedPosition;
  /// Dimensions of the programs of the regions, if there are regions.
  unsigned prologueDim = 0, epilogueDim = 0;
};

/// The cut at `dim`, if the regions of `op` can be computed in such pieces.
std::optional<ContractCut> getCut(ContractOp op, unsigned dim);

/// Whether the destination can hold the sums, since the epilogue puts each
/// result where its sum is and reads nothing else there.
bool mayUseDestination(ContractOp op);

/// The quickest way to cut `op`, which is on buffers; null if in one piece.
TilingAttr chooseTiling(ContractOp op, const ::lpu::MachineModel &machine);

/// The tiles that an operation asks for and the layout of its temporary:
///
///   | sums 0 | sums 1 | streamed 0 | streamed 1 | streamed 2 |
///
/// So one unit can work on a tile while others work on the next, see
/// ContractBuffers; few tiles need less. A part that is not needed is empty.
struct ContractPlan {
  std::optional<ContractCut> cut;
  int64_t extent = 1, tileSize = 1;
  bool isStaged = false;   ///< The streamed operand comes from the temporary.
  bool hasOwnSums = false; ///< Sums lie in the temporary.
  /// Shapes of what a tile of full size keeps.
  SmallVector<int64_t> sumShape, streamedShape;
  /// Byte offsets in the temporary, each a multiple of 64.
  SmallVector<int64_t, ContractBuffers::maxSums> sums;
  SmallVector<int64_t, ContractBuffers::maxStreamed> streamed;
  int64_t bytes = 0;

  explicit ContractPlan(ContractOp op);

  int64_t numTiles() const { return (extent + tileSize - 1) / tileSize; }
  int64_t firstOf(int64_t tile) const { return tile * tileSize; }
  int64_t sizeOf(int64_t tile) const {
    return std::min(tileSize, extent - firstOf(tile));
  }
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_CONTRACTPLAN_H

//===- TilingDomain.h - Along what an operation is tiled --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The iteration domain of an lpu operation as tiling sees it: which dimensions
// there are, and which dimension of which operand and result follows them.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_TILINGDOMAIN_H
#define LPU_DIALECT_LPU_TRANSFORMS_TILINGDOMAIN_H

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::lpu {

/// What a dimension of an operand is, besides a dimension of the domain.
enum : int {
  /// It stays whole, whichever part of the domain is computed.
  wholeDimension = -1,
  /// It depends on the domain in another way, as the window of a convolution.
  computedDimension = -2,
};

/// The domain of one operation.
struct TilingDomain {
  /// Size of each dimension.
  SmallVector<int64_t> extents;
  /// Whether a part of the dimension can be computed without the rest: it is
  /// parallel, and each result has it exactly once.
  SmallVector<bool> isTileable;
  /// Per operand and dimension of it: the dimension of the domain that it is,
  /// `wholeDimension` or `computedDimension`.
  SmallVector<SmallVector<int>> operands;
  /// The same for results.
  SmallVector<SmallVector<int>> results;
};

/// The domain of `op`, which is on tensors; empty (without dimensions) if the
/// operation cannot be tiled at all.
TilingDomain getTilingDomain(Operation *op);

/// Position of `dimension` among those of one operand or result, or none.
std::optional<unsigned> findDimension(ArrayRef<int> dimensions, int dimension);

/// The dimensions of the values in a region of linalg operations, sorted into
/// classes: two dimensions are in one class if some operation of the region
/// walks them together. A class can be tiled if all that walk it are parallel.
class RegionDimensions {
public:
  /// `destinations` are values that have the dimensions of those yielded.
  explicit RegionDimensions(Block &block, ValueRange destinations = {});

  /// Says that dimension `position` of `value` is `dimension` of the domain,
  /// and with it all of its class. False if the class is another one already,
  /// or cannot be tiled.
  bool assign(Value value, unsigned position, int dimension);
  /// The class of dimension `position` of `value`; none if it cannot be tiled.
  std::optional<unsigned> getClass(Value value, unsigned position) const;
  /// The dimension of the domain that dimension `position` of `value` is, or
  /// `wholeDimension`.
  int getDimension(Value value, unsigned position) const;
  SmallVector<int> getDimensions(Value value) const;
  /// The same for a loop of the linalg operation `op`.
  int getLoopDimension(Operation *op, unsigned loop) const;

private:
  unsigned getNode(const void *owner, unsigned position, bool isLoop);
  std::optional<unsigned> findClass(const void *owner, unsigned position,
                                    bool isLoop) const;

  llvm::DenseMap<std::pair<const void *, unsigned>, unsigned> nodes;
  SmallVector<unsigned> classes; ///< By node.
  SmallVector<bool> isWhole;     ///< By class.
  SmallVector<int> assigned;     ///< By class.
};

/// The dimensions of the regions of an operation, as they follow its domain.
RegionDimensions getVectorDimensions(VectorOp op);
RegionDimensions getPrologueDimensions(ContractOp op);
RegionDimensions getEpilogueDimensions(ContractOp op);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_TILINGDOMAIN_H

//===- AttentionPlan.h - Blocks and temporaries of attention ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How attention is cut into pieces and what it keeps on chip meanwhile. Both
// the pass that allocates the temporary and the lowering that uses it ask here.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_ATTENTIONPLAN_H
#define LPU_CONVERSION_LPUTOLPUISA_ATTENTIONPLAN_H

#include "lpu/Dialect/LPU/IR/LPU.h"

#include <algorithm>

namespace mlir::lpu {

/// Sizes, tiles and the layout of the temporary. A tile is `tileBatches` whole
/// batches, or `tileRows` query rows of all heads of one batch.
///
///   temporary:
///   | scores 0 | scores 1 | weights 0 | weights 1 | sums of values |
///   | maximum | sum of weights | correction |
///
/// Scores and weights of a block of keys are there twice, so that the matrix
/// unit can work on one block while the vector unit works on the other.
struct AttentionPlan {
  /// Keys a block: part of the definition of the result.
  static constexpr int64_t blockKeys = 256;

  int64_t batches, heads, groups, queries, keys, depth, valueDepth;
  bool isCausal;
  ::lpu::DType weightType; ///< Of the weights: the type of the values.

  int64_t tileBatches, tileRows;
  /// Byte offsets in the temporary, each a multiple of 64.
  int64_t scores[2], weights[2], accumulator, maximum, sum, correction;
  int64_t bytes;

  AttentionPlan(AttentionOp op, const ::lpu::MachineModel &machine);

  int64_t numBlocks() const { return (keys + blockKeys - 1) / blockKeys; }
  /// Elements from one row of scores or weights to the next.
  int64_t rowKeys() const { return std::min(blockKeys, keys); }
  int64_t blockSize(int64_t block) const {
    return std::min(blockKeys, keys - block * blockKeys);
  }
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_ATTENTIONPLAN_H

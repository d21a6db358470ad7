//===- AttentionPlan.cpp - Blocks and temporaries of attention ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile gets a quarter of the on-chip memory, since what comes before and
// after attention needs room as well. Rows of a tile are a multiple of what one
// pass over the keys serves, so that tiling reads no key more often than one
// tile would.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/AttentionPlan.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlir::lpu;

AttentionPlan::AttentionPlan(AttentionOp op,
                             const ::lpu::MachineModel &machine) {
  auto query = cast<ShapedType>(op.getQ().getType());
  auto key = cast<ShapedType>(op.getK().getType());
  auto value = cast<ShapedType>(op.getV().getType());
  batches = query.getDimSize(0);
  heads = key.getDimSize(1);
  groups = heads == 0 ? 0 : query.getDimSize(1) / heads;
  queries = query.getDimSize(2);
  depth = query.getDimSize(3);
  keys = key.getDimSize(2);
  valueDepth = value.getDimSize(3);
  isCausal = op.getCausal();
  weightType = *getDType(value.getElementType());

  int64_t block = rowKeys();
  int64_t weightBytes = ::lpu::byteWidth(weightType);
  // Scores and weights twice, the accumulator, and three numbers.
  int64_t rowBytes = 2 * block * (4 + weightBytes) + 4 * valueDepth + 12;
  int64_t budget = machine.lmuBytes / 4;
  int64_t fittingRows =
      std::max<int64_t>(1, budget / std::max<int64_t>(1, rowBytes));
  int64_t headRows = std::max<int64_t>(1, heads * groups);
  int64_t batchRows = headRows * std::max<int64_t>(1, queries);
  tileBatches = 1;
  tileRows = queries;
  if (batchRows <= fittingRows) {
    tileBatches = std::clamp<int64_t>(fittingRows / batchRows, 1,
                                      std::max<int64_t>(1, batches));
  } else {
    tileRows = std::max<int64_t>(1, fittingRows / headRows);
    // The rows of a pass are those of one key head.
    int64_t whole = machine.rowsPerPass /
                    std::gcd(machine.rowsPerPass, std::max<int64_t>(1, groups));
    if (tileRows > whole) {
      tileRows -= tileRows % whole;
    }
  }

  int64_t rows = tileBatches * headRows * tileRows;
  bytes = 0;
  auto take = [&](int64_t size) {
    int64_t at = bytes;
    bytes = llvm::alignTo(bytes + size, 64);
    return at;
  };
  scores[0] = take(rows * block * 4);
  scores[1] = take(rows * block * 4);
  weights[0] = take(rows * block * weightBytes);
  weights[1] = take(rows * block * weightBytes);
  accumulator = take(rows * valueDepth * 4);
  maximum = take(rows * 4);
  sum = take(rows * 4);
  correction = take(rows * 4);
}

//===- StridedBytes.h - The set of bytes of a view ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view as a set: order, broadcasts and the sign of strides are gone, and
// dimensions are sorted by stride. Two views of the same bytes have, as a rule,
// the same form.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_STRIDEDBYTES_H
#define LPU_LIB_SIMULATOR_STRIDEDBYTES_H

#include "lpu/Simulator/ResolvedView.h"

#include <tuple>
#include <vector>

namespace lpu {

/// Runs of `run` bytes that begin at `begin` plus multiples of the strides.
struct StridedBytes {
  struct Dimension {
    int64_t size;
    int64_t stride; ///< Bytes, positive.
    friend bool operator<(const Dimension &l, const Dimension &r) {
      return std::tie(l.stride, l.size) < std::tie(r.stride, r.size);
    }
  };

  int64_t begin = 0;
  int64_t run = 0;                   ///< Zero if there are no bytes.
  std::vector<Dimension> dimensions; ///< From the smallest stride on.

  /// Of a view. Dimensions that leave no gap, or one of less than `smallGap`
  /// bytes, melt into the run, which then holds the gaps too.
  StridedBytes(const ResolvedView &view, int64_t smallGap = 1);

  /// Bytes from the first to the last one of the inner `levels` dimensions.
  int64_t span(size_t levels) const;
  int64_t end() const { return begin + span(dimensions.size()); }
  /// How many runs the inner `levels` dimensions have; at most `limit` + 1.
  int64_t countRuns(size_t levels, int64_t limit) const;
  /// Where the runs of the inner `levels` dimensions begin, in ascending order,
  /// if the first one begins at `from`.
  std::vector<int64_t> runStarts(size_t levels, int64_t from) const;

  /// Whether two sets share a byte; with very many runs, whether they might.
  bool overlaps(const StridedBytes &other) const;

  friend bool operator<(const StridedBytes &l, const StridedBytes &r) {
    return std::tie(l.begin, l.run, l.dimensions) <
           std::tie(r.begin, r.run, r.dimensions);
  }
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_STRIDEDBYTES_H

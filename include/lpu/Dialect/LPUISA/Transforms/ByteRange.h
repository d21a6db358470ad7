//===- ByteRange.h - The bytes that a view can reach ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two views can touch a common byte. The answer is "no" only if that
// is certain whatever registers hold within their bounds. Two tests: the
// bounding intervals are apart; or, modulo some stride, what is left of both
// views are two intervals that are apart (columns of one matrix).
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_BYTERANGE_H
#define LPU_DIALECT_LPUISA_TRANSFORMS_BYTERANGE_H

#include "lpu/Target/Encoding.h"

#include <cstdint>
#include <vector>

namespace mlir::lpuisa {

/// The bytes of one view in the loops around it.
class ByteRange {
public:
  /// The bytes of `view`; `trips[l]` bounds the trips of the loop at level l.
  ByteRange(const ::lpu::View &view, const std::vector<uint64_t> &trips);
  ByteRange() = default;

  /// Number of the memory: a space, or an argument.
  uint32_t getMemory() const { return memory; }
  bool isEmpty() const { return empty; }
  /// Bounds of what is reached in all iterations, saturated.
  int64_t getLow() const { return low; }
  int64_t getHigh() const { return high; }

  /// Whether both can touch a common byte, when the loops at levels below
  /// `sharedLevels` are in the same iteration for both.
  bool mayOverlap(const ByteRange &other, unsigned sharedLevels) const;

  /// Whether `later` can touch a common byte in a later iteration of the loop
  /// at `level`. The loops around that one are in the same iteration for both.
  bool mayOverlapLater(const ByteRange &later, unsigned level) const;

  /// Whether this range is certain to include every byte that `other` can
  /// reach, under the same condition.
  bool covers(const ByteRange &other, unsigned sharedLevels) const;

private:
  /// A step of `stride` bytes, taken at most `count` times.
  struct Step {
    int64_t stride;
    uint64_t count;
    friend bool operator==(const Step &l, const Step &r) {
      return l.stride == r.stride && l.count == r.count;
    }
  };
  /// The steps that move the two ranges against each other: all dimensions,
  /// and loop levels that are not in step with those of `other`.
  std::vector<Step> stepsAgainst(const ByteRange &other,
                                 unsigned sharedLevels) const;

  uint32_t memory = 0;
  bool empty = true;
  int64_t offset = 0;
  int64_t width = 0;
  int64_t low = 0, high = 0;
  /// Dimensions; the bound of an offset register counts as steps of a byte.
  std::vector<Step> dims;
  std::vector<Step> loops;
  /// Every byte is touched in every run: no registers are involved.
  bool exact = false;
};

} // namespace mlir::lpuisa

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_BYTERANGE_H

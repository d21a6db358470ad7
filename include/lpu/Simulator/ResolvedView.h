//===- ResolvedView.h - A view with its registers applied -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a view of the program is once its instruction has been issued: the
// offset register, the size register and the loop iterations are folded into a
// fixed byte offset and fixed sizes. The executor, the cost functions and the
// timeline work on these alone.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_RESOLVEDVIEW_H
#define LPU_SIMULATOR_RESOLVEDVIEW_H

#include "lpu/Target/Encoding.h"
#include "lpu/Target/Result.h"

#include <cstdint>

namespace lpu {

/// What the ICP holds that views depend on.
struct ControlState {
  int64_t registers[numRegisters] = {};
  /// Registers that depend on what a run without values has not computed. They
  /// hold zero; sizes and trip counts in them count as their bound.
  bool isUnknown[numRegisters] = {};
  /// Iteration number of each enclosing hardware loop; zero outside.
  int64_t iterations[maxLoopDepth] = {};
};

/// The bytes [begin, end) of one memory.
struct ByteRange {
  Space space = Space::Arg;
  uint16_t argument = 0;
  int64_t begin = 0;
  int64_t end = 0;

  bool empty() const { return begin >= end; }
  bool overlaps(const ByteRange &other) const {
    return space == other.space && argument == other.argument &&
           begin < other.end && other.begin < end;
  }
};

/// A strided window at a fixed place: the element at `index` is at byte
/// `offset + byteWidth(type) * sum(index[d] * strides[d])` of its memory.
struct ResolvedView {
  Space space = Space::Arg;
  DType type = DType::F32;
  uint8_t rank = 0;
  uint16_t argument = 0; ///< Zero unless space is Arg.
  int64_t offset = 0;    ///< Bytes.
  int64_t sizes[maxRank] = {};
  int64_t strides[maxRank] = {}; ///< Elements, signed.

  /// Applies registers and iterations. An index fault if a register is outside
  /// the bounds that the view states.
  static Result<ResolvedView> resolve(const View &view,
                                      const ControlState &control);

  int64_t numElements() const {
    int64_t count = 1;
    for (unsigned d = 0; d < rank; ++d) {
      count *= sizes[d];
    }
    return count;
  }
  /// Whether surely no two elements share a byte: from the smallest stride on,
  /// each steps over what the ones before it reach.
  bool hasDistinctElements() const;

  /// The smallest range that holds every byte; empty if there is none.
  ByteRange bounds() const;

  bool isInHBM() const { return space != Space::LMU; }
};

/// Merges neighbouring dimensions that are one in every view, and drops those
/// of size 1. All views have the same sizes.
void collapseDimensions(ResolvedView *const *views, unsigned count);

} // namespace lpu

#endif // LPU_SIMULATOR_RESOLVEDVIEW_H

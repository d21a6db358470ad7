//===- MicroSteps.h - A micro-program ready to run ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the micro-interpreter hands to its inner loop: operations with the
// places of their registers worked out, and a frame that says where the lanes
// of the current chunk stand. Plain data, because the inner loop is compiled
// once for each instruction set (Kernels/Kernels.h).
//
// A register is an array with one value for each lane of a chunk, in its own
// width: float, int64_t, int32_t, int16_t, int8_t, or uint8_t for I1. Loops run
// over whole groups of `laneGroup` lanes; what is past the chunk's end holds
// anything and goes nowhere.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_MICROSTEPS_H
#define LPU_LIB_SIMULATOR_MICROSTEPS_H

#include "lpu/Target/Encoding.h"

#include <cstdint>

namespace lpu {

/// Registers hold a multiple of this many lanes.
constexpr unsigned laneGroup = 64;
/// A reduction's interleaved partial results.
constexpr unsigned numPartials = 64;

struct MicroStep {
  MicroOpcode opcode;
  MicroType type;
  MicroType source; ///< Type of input a where it differs from `type`.
  uint16_t c;       ///< Combine, predicate or fault kind.
  uint32_t dst, first, second, third; ///< Byte offsets in the register file.
  uint32_t operand;                   ///< Operand, dimension or message.
  uint32_t partials;                  ///< Reduce: byte offset in the partials.
};

/// An operand of the instruction as the lanes of a chunk see it.
struct MicroOperand {
  uint8_t *base;  ///< Load, Store: the element at lane index 0.
  uint8_t *table; ///< Gather, Scatter: the element with number 0.
  DType type;
  /// Whether Gather should report what it touches.
  bool isTracked;
  /// Elements from one index to the next along each lane dimension.
  int64_t laneStrides[maxRank];
  int64_t tableSize, tableStride;
};

struct MicroFrame {
  uint8_t *registers;
  uint8_t *partials;
  MicroOperand *operands;

  unsigned lanes; ///< Lanes in use.
  /// The lanes walk these dimensions in row-major order from `laneStart`.
  unsigned laneRank;
  int64_t laneSizes[maxRank];
  int64_t laneStart[maxRank];
  /// Iota: the index of a dimension is iotaBase[d], plus the index along lane
  /// dimension iotaLane[d] unless that is negative.
  int64_t iotaBase[maxRank];
  int8_t iotaLane[maxRank];

  /// Reduce: lanes are consecutive elements of one row (the first one's linear
  /// index is a multiple of numPartials), or one element of consecutive rows.
  bool lanesAreElements;
  uint64_t element;       ///< In the second case, the element's linear index.
  uint32_t partialStride; ///< Values between a row's partials; 1 in the first.
  uint32_t partialCount;  ///< The others stay the identity. A power of two.

  /// The first fault, by operation; null if there was none.
  const MicroStep *fault;
  int64_t faultValue;

  /// Called with the element numbers of a tracked table that were accessed.
  void (*touched)(void *context, uint32_t operand, const int64_t *elements,
                  unsigned count, bool write);
  void *touchedContext;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_MICROSTEPS_H

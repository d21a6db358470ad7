//===- Transcendentals.h - Functions as fixed f32 sequences ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function is a fixed sequence of f32 operations, each correctly rounded
// (+, -, *, /, fma, sqrt), and integer operations on the bits: the definition
// of the machine's function, whatever the host. There is no branch on a value,
// so a loop over one of them becomes vector code; the one exception is the
// argument reduction of sin, cos and tan beyond 65536, which callers choose.
//
// Method: reduce the argument to a small interval, evaluate a polynomial
// (fitted here to minimise the largest relative error, coefficients rounded to
// f32 one after the other), undo the reduction. Where one f32 is not enough for
// an intermediate result it is a sum of two, `high + low`. NumericsTest
// measures the errors against f64. docs/Transcendentals.md, a part of the
// specification, has the same sequences as text; test_transcendentals.py
// compares the two.
//
// All functions are static: see Numerics.h.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_KERNELS_TRANSCENDENTALS_H
#define LPU_LIB_SIMULATOR_KERNELS_TRANSCENDENTALS_H

#include "lpu/Simulator/Numerics.h"

/// Inlined whatever its length: a call in a loop keeps it from becoming vector
/// code.
#define LPU_SEQUENCE static inline __attribute__((always_inline))

namespace lpu::numerics::sequences {

/// c0 + c1 x + c2 x^2 + ..., by Horner's rule.
LPU_SEQUENCE float polynomial(float, float c) { return c; }
template <typename... Rest>
LPU_SEQUENCE float polynomial(float x, float c, Rest... rest) {
  return fma(x, polynomial(x, rest...), c);
}

/// Adding it rounds to an integer, which then stands in the low bits.
static constexpr float roundingShift = 0x1.8p23f;

/// The integer next to a value of less than 2^22, as a float and as an int.
struct Whole {
  float value;
  int32_t number;
};
LPU_SEQUENCE Whole nearestWhole(float shifted) {
  return {shifted - roundingShift,
          static_cast<int32_t>(bitsOf(shifted) - bitsOf(roundingShift))};
}

/// x * 2^n with one rounding, for |n| <= 250 and x near 1.
LPU_SEQUENCE float scaleByPower(float x, int32_t n) {
  int32_t half = n >> 1;
  float first = floatOf(static_cast<uint32_t>(half + 127) << 23);
  float second = floatOf(static_cast<uint32_t>(n - half + 127) << 23);
  return x * first * second;
}

LPU_SEQUENCE float clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x; // A NaN stays.
}

static constexpr float log2E = 0x1.715476p+0f;
static constexpr float piHalfHigh = 0x1.921fb6p+0f;
static constexpr float piHalfLow = -0x1.777a5cp-25f;

#include "Exponentials.inc"
#include "Trigonometry.inc"

} // namespace lpu::numerics::sequences

#undef LPU_SEQUENCE

#endif // LPU_LIB_SIMULATOR_KERNELS_TRANSCENDENTALS_H

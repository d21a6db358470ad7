//===- Numerics.h - Number formats and single operations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one number is and what one operation on it gives: conversions between
// formats, min/max, rounding, integer division, comparison. The micro-
// interpreter, the matrix kernels and the SMA all call these.
//
// Every function gives the same bits on every CPU: it uses only integer
// operations and correctly rounded +, -, *, /, fma and sqrt. Only the payload
// and sign of a NaN are not fixed. Every function is branch-free where that
// lets a compiler put a loop over it into vector registers, and `static`, so
// that code compiled for one instruction set is never linked in place of
// another's.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_NUMERICS_H
#define LPU_SIMULATOR_NUMERICS_H

#include <cstdint>
#include <type_traits>

namespace lpu::numerics {

static inline uint32_t bitsOf(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}

static inline float floatOf(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

static inline float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

static inline float infinity() { return floatOf(0x7f800000u); }
static inline float quietNaN() { return floatOf(0x7fc00000u); }
static inline bool isNaN(float x) { return x != x; }
static inline float abs(float x) { return floatOf(bitsOf(x) & 0x7fffffffu); }
static inline float copySign(float magnitude, float sign) {
  return floatOf((bitsOf(magnitude) & 0x7fffffffu) |
                 (bitsOf(sign) & 0x80000000u));
}

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

static inline float bf16ToF32(uint16_t bits) {
  return floatOf(static_cast<uint32_t>(bits) << 16);
}

/// To nearest, ties to even; a NaN becomes 0x7fc0.
static inline uint16_t f32ToBF16(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>(value != value ? 0x7fc0u : rounded);
}

/// The f32 of a half in the low bits of a word.
static inline float f16BitsToF32(uint32_t half) {
  uint32_t magnitude = (half & 0x7fffu) << 13;
  uint32_t sign = (half & 0x8000u) << 16;
  // Exact, and it normalises subnormal halves.
  uint32_t finite = bitsOf(floatOf(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000u;
  return floatOf(sign | ((half & 0x7c00u) == 0x7c00u ? special : finite));
}

/// To nearest, ties to even, in the low bits of a word; overflow gives
/// infinity, a NaN becomes 0x7e00.
static inline uint32_t f32ToF16Bits(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  float magnitude = abs(value);
  // A half below 2^-14 counts units of 2^-24, which is what an f32 in [0.5, 1)
  // counts, so that the addition rounds.
  uint32_t subnormal = bitsOf(magnitude + 0.5f) - 0x3f000000u;
  uint32_t word = bitsOf(magnitude);
  uint32_t normal = (word + 0xfffu + ((word >> 13) & 1u) - 0x38000000u) >> 13;
  uint32_t result = magnitude < 0x1p-14f ? subnormal : normal;
  result = magnitude >= 65520.0f ? 0x7c00u : result;
  result = value != value ? 0x7e00u : result;
  return sign | result;
}

static inline float f16ToF32(uint16_t half) { return f16BitsToF32(half); }
static inline uint16_t f32ToF16(float value) {
  return static_cast<uint16_t>(f32ToF16Bits(value));
}

static inline float roundToBF16(float value) {
  return bf16ToF32(f32ToBF16(value));
}
static inline float roundToF16(float value) {
  return f16BitsToF32(f32ToF16Bits(value));
}

//===----------------------------------------------------------------------===//
// Floats and integers
//===----------------------------------------------------------------------===//

/// Truncates; out of range gives the nearest end of the range, NaN gives 0.
template <typename Int>
static inline Int floatToInt(float value) {
  constexpr bool isSigned = std::is_signed_v<Int>;
  constexpr unsigned bits = 8 * sizeof(Int);
  // Powers of two, hence exact: the first value above the range and the lowest
  // in it.
  constexpr float above = isSigned ? 2.0f * (uint64_t(1) << (bits - 2))
                                   : 2.0f * (uint64_t(1) << (bits - 1));
  constexpr float lowest = isSigned ? -above : 0.0f;
  constexpr Int highest =
      isSigned ? static_cast<Int>((uint64_t(1) << (bits - 1)) - 1)
               : static_cast<Int>(~uint64_t(0));
  constexpr Int least =
      isSigned ? static_cast<Int>(uint64_t(1) << (bits - 1)) : Int(0);
  bool high = value >= above;
  bool low = value < lowest;
  bool nan = value != value;
  // The conversion itself must see a value in range.
  float safe = high || low || nan ? 0.0f : value;
  Int result;
  if constexpr (bits < 32) {
    result = static_cast<Int>(static_cast<int32_t>(safe));
  } else {
    result = static_cast<Int>(safe);
  }
  result = high ? highest : result;
  return low ? least : result;
}

/// To nearest, ties to even.
template <typename Int>
static inline float intToFloat(Int value) {
  return static_cast<float>(value);
}

//===----------------------------------------------------------------------===//
// Minimum, maximum, rounding
//===----------------------------------------------------------------------===//

/// IEEE 754-2019 maximum: a NaN wins, -0 is less than +0.
static inline float maximum(float a, float b) {
  float larger = a > b ? a : b;
  // Equal values differ at most in the sign of zero.
  larger = a == b ? floatOf(bitsOf(a) & bitsOf(b)) : larger;
  return a != a || b != b ? quietNaN() : larger;
}

static inline float minimum(float a, float b) {
  float smaller = a < b ? a : b;
  smaller = a == b ? floatOf(bitsOf(a) | bitsOf(b)) : smaller;
  return a != a || b != b ? quietNaN() : smaller;
}

/// IEEE 754-2019 maximumNumber: a number wins over a NaN.
static inline float maxNum(float a, float b) {
  float larger = a > b ? a : b;
  larger = a == b ? floatOf(bitsOf(a) & bitsOf(b)) : larger;
  larger = a != a ? b : larger;
  return b != b ? a : larger;
}

static inline float minNum(float a, float b) {
  float smaller = a < b ? a : b;
  smaller = a == b ? floatOf(bitsOf(a) | bitsOf(b)) : smaller;
  smaller = a != a ? b : smaller;
  return b != b ? a : smaller;
}

/// C fmod: exact, the sign of `a`.
static inline float remainder(float a, float b) {
  return __builtin_fmodf(a, b);
}

/// To nearest, ties to even.
static inline float roundEven(float x) {
  // Above 2^23 every f32 is an integer (or not finite).
  float magnitude = abs(x);
  float rounded = (magnitude + 0x1p23f) - 0x1p23f;
  return magnitude < 0x1p23f ? copySign(rounded, x) : x;
}

static inline float truncate(float x) {
  float magnitude = abs(x);
  float rounded = (magnitude + 0x1p23f) - 0x1p23f;
  rounded = rounded > magnitude ? rounded - 1.0f : rounded;
  return magnitude < 0x1p23f ? copySign(rounded, x) : x;
}

static inline float floor(float x) {
  float whole = truncate(x);
  return copySign(whole > x ? whole - 1.0f : whole, x);
}

static inline float ceil(float x) {
  float whole = truncate(x);
  return copySign(whole < x ? whole + 1.0f : whole, x);
}

/// To nearest, ties away from zero.
static inline float roundAway(float x) {
  float whole = truncate(x);
  float fraction =
      abs(x - whole); // Exact; NaN for infinities, which then stay.
  return copySign(fraction >= 0.5f ? abs(whole) + 1.0f : abs(whole), x);
}

//===----------------------------------------------------------------------===//
// Integer division: by zero gives 0, and so does the remainder; the lowest
// value divided by -1 wraps.
//===----------------------------------------------------------------------===//

template <typename Int>
static inline Int divideSigned(Int a, Int b) {
  using Unsigned = std::make_unsigned_t<Int>;
  if (b == 0) {
    return 0;
  }
  return b == -1 ? static_cast<Int>(Unsigned(0) - static_cast<Unsigned>(a))
                 : static_cast<Int>(a / b);
}

template <typename Int>
static inline Int remainderSigned(Int a, Int b) {
  return b == 0 || b == -1 ? Int(0) : static_cast<Int>(a % b);
}

template <typename Int>
static inline Int floorDivide(Int a, Int b) {
  Int quotient = divideSigned(a, b);
  Int rest = remainderSigned(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<Int>(quotient - 1)
                                            : quotient;
}

template <typename Int>
static inline Int ceilDivide(Int a, Int b) {
  Int quotient = divideSigned(a, b);
  Int rest = remainderSigned(a, b);
  return rest != 0 && (rest < 0) == (b < 0) ? static_cast<Int>(quotient + 1)
                                            : quotient;
}

//===----------------------------------------------------------------------===//
// Transcendentals, see Transcendentals.h
//===----------------------------------------------------------------------===//

float exp(float x);
float exp2(float x);
float expm1(float x);
float log(float x);
float log2(float x);
float log10(float x);
float log1p(float x);
float sin(float x);
float cos(float x);
float tan(float x);
float tanh(float x);
float erf(float x);
float erfc(float x);
float rsqrt(float x);
float pow(float x, float y);
float atan(float x);
float atan2(float y, float x);
float asin(float x);
float acos(float x);
float sinh(float x);
float cosh(float x);
float asinh(float x);
float acosh(float x);
float atanh(float x);
float cbrt(float x);

} // namespace lpu::numerics

#endif // LPU_SIMULATOR_NUMERICS_H

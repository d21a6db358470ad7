//===- Transcendentals.h - Functions as fixed f32 sequences ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function is a fixed sequence of f32 operations, each correctly rounded
// (+, -, *, /, fma, sqrt), and integer operations on the bits: the definition
// of the machine's function, whatever the host. There is no branch on a value,
// so a loop over one of them becomes vector code; the one exception is the
// argument reduction of sin, cos and tan beyond 65536, which callers choose.
//
// Method: reduce the argument to a small interval, evaluate a polynomial (fitted
// here to minimise the largest relative error, coefficients rounded to f32 one
// after the other), undo the reduction. Where one f32 is not enough for an
// intermediate result it is a sum of two, `high + low`. NumericsTest measures
// the errors against f64.
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

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// (e^r - 1 - r) / r^2 for |r| <= 0.35.
LPU_SEQUENCE float expTail(float r) {
  return polynomial(r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554ecp-5f, 0x1.110fdep-7f,
                    0x1.6d494ep-10f, 0x1.a296eep-13f);
}

/// e^x * 2^extra: e^x = 2^n e^r with r = x - n ln 2.
LPU_SEQUENCE float expScaled(float x, int32_t extra) {
  x = clamp(x, -110.0f, 95.0f);
  Whole n = nearestWhole(fma(x, log2E, roundingShift));
  float r = fma(n.value, -0x1.62e43p-1f, x);
  r = fma(n.value, 0x1.05c61p-29f, r);
  float p = 1.0f + fma(r * r, expTail(r), r);
  return scaleByPower(p, n.number + extra);
}

LPU_SEQUENCE float exp(float x) { return expScaled(x, 0); }

/// 2^(high + low) for |high| <= 200.
LPU_SEQUENCE float exp2Of(float high, float low) {
  Whole n = nearestWhole(high + roundingShift);
  float r = (high - n.value) + low;
  // (2^r - 1 - r ln 2) / r^2, and ln 2 in two parts.
  float tail = polynomial(r, 0x1.ebfbep-3f, 0x1.c6b08ep-5f, 0x1.3b2a54p-7f,
                          0x1.5d86eap-10f, 0x1.44175cp-13f, 0x1.012236p-16f);
  float rest = r * fma(r, tail, -0x1.05c61p-29f);
  float p = 1.0f + fma(r, 0x1.62e43p-1f, rest);
  return scaleByPower(p, n.number);
}

LPU_SEQUENCE float exp2(float x) {
  return exp2Of(clamp(x, -200.0f, 200.0f), 0.0f);
}

/// 2^n (1 + t) - 1, the sums of large parts being kept exact.
LPU_SEQUENCE float expm1(float x) {
  float limited = clamp(x, -20.0f, 89.0f);
  Whole n = nearestWhole(fma(limited, log2E, roundingShift));
  // The first product is exact; r and low together hold the reduced argument.
  float high = fma(n.value, -0x1.62e4p-1f, limited);
  float product = n.value * 0x1.7f7d1cp-20f;
  float r = high - product;
  float low = (high - r) - product;
  float rest = fma(r * r, expTail(r), low);
  // Half of the power, since 2^128 is not a number.
  float power = floatOf(static_cast<uint32_t>(n.number - 1 + 127) << 23);
  float whole = power - 0.5f;
  float wholeError = (power - whole) - 0.5f;
  float linear = power * r;
  float sum = whole + linear;
  float back = sum - whole;
  float sumError = (whole - (sum - back)) + (linear - back);
  float y = 2.0f * (sum + (sumError + fma(power, rest, wholeError)));
  y = x > 88.8f ? infinity() : y;
  return abs(x) < 0x1p-25f ? x : y;
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// x = 2^k (1 + f) with 1 + f in [sqrt 1/2, sqrt 2), for positive finite x.
struct Split {
  float k, f;
};
LPU_SEQUENCE Split split(float x) {
  bool isSubnormal = x < 0x1p-126f;
  uint32_t bits = bitsOf(isSubnormal ? x * 0x1p23f : x);
  int32_t k = static_cast<int32_t>(bits - 0x3f3504f3u) >> 23;
  float m = floatOf(bits - (static_cast<uint32_t>(k) << 23));
  return {static_cast<float>(isSubnormal ? k - 23 : k), m - 1.0f};
}

/// ln(1 + f) - f for f in [sqrt 1/2 - 1, sqrt 2 - 1).
LPU_SEQUENCE float logTail(float f) {
  float p = polynomial(f, 0x1.555546p-2f, -0x1.0000e4p-2f, 0x1.99a6d0p-3f,
                       -0x1.54ff26p-3f, 0x1.22be2ap-3f, -0x1.040b4ep-3f,
                       0x1.f9ccc8p-4f, -0x1.a025bap-4f, 0x1.40eca4p-5f);
  return f * f * fma(f, p, -0.5f);
}

/// What a logarithm gives outside the positive finite numbers.
LPU_SEQUENCE float logOrSpecial(float x, float logarithm) {
  float y = x == infinity() ? x : logarithm;
  y = x == 0.0f ? -infinity() : y;
  return x >= 0.0f ? y : quietNaN();
}

/// k ln 2 + f + rest. The high part of ln 2 is short, so that k times it is
/// exact.
LPU_SEQUENCE float logSum(float k, float f, float rest) {
  float high = k * 0x1.63p-1f;
  float sum = high + f;
  float error = (high - sum) + f;
  return sum + (error + fma(k, -0x1.bd0106p-13f, rest));
}

LPU_SEQUENCE float log(float x) {
  Split s = split(x);
  return logOrSpecial(x, logSum(s.k, s.f, logTail(s.f)));
}

LPU_SEQUENCE float log2(float x) {
  Split s = split(x);
  constexpr float high = log2E, low = 0x1.4ae0cp-26f;
  float product = s.f * high;
  float productError = fma(s.f, high, -product);
  float tail = fma(logTail(s.f), high, fma(s.f, low, productError));
  float sum = s.k + product;
  float error = (s.k - sum) + product;
  return logOrSpecial(x, sum + (error + tail));
}

LPU_SEQUENCE float log10(float x) {
  Split s = split(x);
  constexpr float high = 0x1.bcb7b2p-2f, low = -0x1.5b235ep-27f;
  float product = s.f * high;
  float productError = fma(s.f, high, -product);
  float tail = fma(logTail(s.f), high, fma(s.f, low, productError));
  // log10 2 in a short and a small part.
  float whole = s.k * 0x1.344p-2f;
  tail = fma(s.k, 0x1.3509f8p-18f, tail);
  float sum = whole + product;
  float error = (whole - sum) + product;
  return logOrSpecial(x, sum + (error + tail));
}

/// ln(1 + x + low): of the f32 next to 1 + x, corrected by what the addition
/// lost.
LPU_SEQUENCE float log1pOf(float x, float low) {
  float u = 1.0f + x;
  float back = u - 1.0f;
  float lost = (1.0f - (u - back)) + (x - back) + low;
  Split s = split(u);
  bool isNear = s.k == 0.0f;
  float f = isNear ? x : s.f;
  float correction = isNear ? low / u : lost / u;
  float y = logSum(s.k, f, logTail(f) + correction);
  y = x == infinity() ? x : y;
  y = x == -1.0f ? -infinity() : y;
  y = x == 0.0f ? x : y;
  return x >= -1.0f ? y : quietNaN();
}
LPU_SEQUENCE float log1p(float x) { return log1pOf(x, 0.0f); }

//===----------------------------------------------------------------------===//
// Sine, cosine, tangent
//===----------------------------------------------------------------------===//

/// From here on the reduction needs more bits of pi than three f32 have.
static constexpr float reductionLimit = 65536.0f;

/// x = quadrant * pi/2 + high + low with |high| <= pi/4.
struct Angle {
  float high, low;
  int32_t quadrant;
};

/// For |x| < reductionLimit (otherwise garbage): Cody and Waite's reduction. The
/// first difference is exact, the others are sums of two.
LPU_SEQUENCE Angle reduceSmall(float x) {
  x = abs(x) < reductionLimit ? x : 0.0f;
  Whole n = nearestWhole(fma(x, 0x1.45f306p-1f, roundingShift));
  float first = fma(n.value, -piHalfHigh, x);
  float product = n.value * piHalfLow;
  float productError = fma(n.value, piHalfLow, -product);
  float high = first - product;
  float back = high - first;
  float error = (first - (high - back)) - (product + back);
  float low = error - fma(n.value, -0x1.ee59dap-50f, productError);
  return {high, low, n.number};
}

/// For finite |x| >= 1: Payne and Hanek's reduction, in integers. The product
/// of the 24-bit significand and those 96 bits of 2/pi that matter is a fixed-
/// point number whose two leading bits are the quadrant.
LPU_SEQUENCE Angle reduceLarge(float x) {
  static constexpr uint32_t twoOverPi[] = {0x00000000, 0x28be60db, 0x9391054a,
                                           0x7f09d5f4, 0x7d4d3770, 0x36d8a566,
                                           0x4f10e410};
  uint32_t bits = bitsOf(x);
  uint32_t significand = (bits & 0x007fffffu) << 8 | 0x80000000u;
  uint32_t exponent = ((bits >> 23) & 0xffu) - 126u;
  const uint32_t *word = twoOverPi + (exponent >> 5);
  uint32_t shift = exponent & 31u;
  auto window = [&](unsigned i) {
    uint64_t both = static_cast<uint64_t>(word[i]) << 32 | word[i + 1];
    return static_cast<uint32_t>(both << shift >> 32);
  };
  uint64_t product = static_cast<uint64_t>(significand) * window(2);
  product = static_cast<uint64_t>(significand) * window(1) + (product >> 32);
  product += static_cast<uint64_t>(significand * window(0)) << 32;
  int32_t quadrant = static_cast<int32_t>(product >> 62);
  int64_t fraction = static_cast<int64_t>(product << 2) >> 2; // Below a half: +.
  quadrant += fraction < 0;
  // fraction * pi/2 / 2^62 in two floats.
  float high = static_cast<float>(fraction);
  float low = static_cast<float>(fraction - static_cast<int64_t>(high));
  float angle = high * piHalfHigh;
  float error = fma(high, piHalfHigh, -angle) +
                fma(high, piHalfLow, low * piHalfHigh);
  float sum = angle + error;
  error = ((angle - sum) + error) * 0x1p-62f;
  sum *= 0x1p-62f;
  bool isNegative = (bits >> 31) != 0;
  return {isNegative ? -sum : sum, isNegative ? -error : error,
          isNegative ? -quadrant : quadrant};
}

struct SinCos {
  float sine, cosine;
  float sineLow, cosineLow; ///< What their last additions lost.
};
/// Of an angle of at most pi/4.
LPU_SEQUENCE SinCos sinCosOf(float high, float low) {
  float z = high * high;
  float s = polynomial(z, -0x1.555556p-3f, 0x1.111176p-7f, -0x1.a05ba4p-13f,
                       0x1.7cccf2p-19f);
  float half = 0.5f * z;
  float sineRest = fma(z * high, s, fma(-half, low, low));
  float sine = high + sineRest;
  float c = polynomial(z, 0x1.555556p-5f, -0x1.6c1762p-10f, 0x1.a075d2p-16f,
                       -0x1.3719a2p-22f);
  float w = 1.0f - half;
  float cosineRest = ((1.0f - w) - half) + fma(z * z, c, -high * low);
  float cosine = w + cosineRest;
  return {sine, cosine, (high - sine) + sineRest, (w - cosine) + cosineRest};
}

/// sin of x given its reduced angle; `turn` 1 makes it a cosine.
LPU_SEQUENCE float sinOf(float x, Angle angle, int32_t turn) {
  SinCos both = sinCosOf(angle.high, angle.low);
  int32_t quadrant = angle.quadrant + turn;
  float y = (quadrant & 1) != 0 ? both.cosine : both.sine;
  y = (quadrant & 2) != 0 ? -y : y;
  return abs(x) < infinity() ? y : quietNaN();
}
LPU_SEQUENCE float tanOf(float x, Angle angle) {
  SinCos both = sinCosOf(angle.high, angle.low);
  bool isOdd = (angle.quadrant & 1) != 0;
  float n = isOdd ? -both.cosine : both.sine;
  float nLow = isOdd ? -both.cosineLow : both.sineLow;
  float d = isOdd ? both.sine : both.cosine;
  float dLow = isOdd ? both.sineLow : both.cosineLow;
  float y = n / d;
  y = y + (fma(-y, d, n) + fma(-y, dLow, nLow)) / d;
  y = x == 0.0f ? x : y;
  return abs(x) < infinity() ? y : quietNaN();
}

/// The functions for |x| < reductionLimit and infinities, and for the rest.
LPU_SEQUENCE float sinSmall(float x) {
  float y = sinOf(x, reduceSmall(x), 0);
  return x == 0.0f ? x : y;
}
LPU_SEQUENCE float cosSmall(float x) { return sinOf(x, reduceSmall(x), 1); }
LPU_SEQUENCE float tanSmall(float x) { return tanOf(x, reduceSmall(x)); }
LPU_SEQUENCE bool isLargeAngle(float x) {
  return abs(x) >= reductionLimit && abs(x) < infinity();
}
LPU_SEQUENCE float sinLarge(float x) { return sinOf(x, reduceLarge(x), 0); }
LPU_SEQUENCE float cosLarge(float x) { return sinOf(x, reduceLarge(x), 1); }
LPU_SEQUENCE float tanLarge(float x) { return tanOf(x, reduceLarge(x)); }

LPU_SEQUENCE float sin(float x) {
  return isLargeAngle(x) ? sinLarge(x) : sinSmall(x);
}
LPU_SEQUENCE float cos(float x) {
  return isLargeAngle(x) ? cosLarge(x) : cosSmall(x);
}
LPU_SEQUENCE float tan(float x) {
  return isLargeAngle(x) ? tanLarge(x) : tanSmall(x);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

LPU_SEQUENCE float tanh(float x) {
  float a = abs(x);
  float z = x * x;
  float p = polynomial(z, -0x1.555554p-2f, 0x1.111084p-3f, -0x1.b9f4b6p-5f,
                       0x1.63d1b2p-6f, -0x1.0d6024p-7f, 0x1.1e4d42p-9f);
  float small = fma(z * x, p, x);
  float large = 1.0f - 2.0f / (exp(2.0f * clamp(a, 0.0f, 20.0f)) + 1.0f);
  return copySign(a < 0.6f ? small : large, x);
}

LPU_SEQUENCE float sinh(float x) {
  float a = abs(x);
  float z = x * x;
  float p = polynomial(z, 0x1.555556p-3f, 0x1.1110e2p-7f, 0x1.a02156p-13f,
                       0x1.75a6f6p-19f);
  float small = fma(z * x, p, x);
  float half = expScaled(a, -1); // e^x / 2, which can be finite when e^x is not.
  float large = half - 0.25f / half;
  return a < 1.0f ? small : copySign(large, x);
}

LPU_SEQUENCE float cosh(float x) {
  float half = expScaled(abs(x), -1);
  return half + 0.25f / half;
}

LPU_SEQUENCE float asinh(float x) {
  float a = abs(x);
  float z = x * x;
  float p = polynomial(z, -0x1.555554p-3f, 0x1.333278p-4f, -0x1.6d93eap-5f,
                       0x1.eea562p-6f, -0x1.5adba2p-6f, 0x1.a99b5ep-7f,
                       -0x1.346ebcp-8f);
  float small = fma(z * x, p, x);
  // ln(a + sqrt(a^2 + 1)); without the squares when they do not matter.
  float root = __builtin_sqrtf(fma(a, a, 1.0f));
  float medium = log1p(a + a * a / (1.0f + root));
  float large = log(a) + 0x1.62e43p-1f;
  float y = a < 0x1p14f ? medium : large;
  return copySign(a < 0.6f ? small : y, x);
}

LPU_SEQUENCE float acosh(float x) {
  // ln(1 + t + sqrt(2t + t^2)), the root and the sum being kept in two parts.
  float t = x - 1.0f;
  float twice = 2.0f * t;
  float square = fma(t, t, twice);
  float squareLow = fma(t, t, twice - square);
  float root = __builtin_sqrtf(square);
  float rootLow = (fma(-root, root, square) + squareLow) / (2.0f * root);
  float sum = t + root;
  float back = sum - t;
  float low = (t - (sum - back)) + (root - back) + rootLow;
  float medium = log1pOf(sum, t > 0.0f ? low : 0.0f);
  float large = log(x) + 0x1.62e43p-1f;
  float y = x < 0x1p14f ? medium : large;
  return x >= 1.0f ? y : quietNaN();
}

LPU_SEQUENCE float atanh(float x) {
  float a = abs(x);
  float z = x * x;
  float p = polynomial(z, 0x1.555558p-2f, 0x1.9997ap-3f, 0x1.24d148p-3f,
                       0x1.bfbb24p-4f, 0x1.ae969ap-4f, 0x1.1cf70cp-6f,
                       0x1.79f9e8p-3f);
  float small = fma(z * x, p, x);
  float large = 0.5f * log1p(2.0f * a / (1.0f - a));
  float y = a < 0.5f ? small : copySign(large, x);
  return a <= 1.0f ? y : quietNaN();
}

//===----------------------------------------------------------------------===//
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

/// Of 0 <= a <= 1.
LPU_SEQUENCE float atanOf(float a) {
  float z = a * a;
  float p = polynomial(z, -0x1.55554p-2f, 0x1.999266p-3f, -0x1.24262ap-3f,
                       0x1.c0c956p-4f, -0x1.58c084p-4f, 0x1.dcad8ep-5f,
                       -0x1.014e3cp-5f, 0x1.69bf5p-7f, -0x1.dd8ce2p-10f);
  return fma(z * a, p, a);
}

LPU_SEQUENCE float atan(float x) {
  float a = abs(x);
  float inner = atanOf(a > 1.0f ? 1.0f / a : a);
  float outer = piHalfHigh - (inner - piHalfLow);
  return copySign(a > 1.0f ? outer : inner, x);
}

LPU_SEQUENCE float atan2(float y, float x) {
  float ax = abs(x), ay = abs(y);
  float smaller = ax < ay ? ax : ay, larger = ax < ay ? ay : ax;
  float ratio = smaller / larger;
  ratio = larger == 0.0f ? 0.0f : ratio;
  ratio = smaller == infinity() ? 1.0f : ratio;
  float angle = atanOf(ratio);
  float steep = piHalfHigh - (angle - piHalfLow);
  angle = ay > ax ? steep : angle;
  float left = 2.0f * piHalfHigh - (angle - 2.0f * piHalfLow);
  angle = (bitsOf(x) >> 31) != 0 ? left : angle;
  return x != x || y != y ? quietNaN() : copySign(angle, y);
}

/// (asin a - a) / a^3 as a function of z = a^2 <= 1/4.
LPU_SEQUENCE float asinTail(float z) {
  return polynomial(z, 0x1.55554cp-3f, 0x1.3338aap-4f, 0x1.6ca7dcp-5f,
                    0x1.04cd0cp-5f, 0x1.d589f4p-7f, 0x1.349e46p-5f);
}

/// asin sqrt z, for 0 <= z <= 1/4, in two parts.
struct HalfAngle {
  float high, low;
};
LPU_SEQUENCE HalfAngle asinOfRoot(float z) {
  float root = __builtin_sqrtf(z);
  float rootError = fma(-root, root, z) / (2.0f * root);
  rootError = z > 0.0f ? rootError : 0.0f;
  return {root, fma(root * z, asinTail(z), rootError)};
}

LPU_SEQUENCE float asin(float x) {
  float a = abs(x);
  float z = x * x;
  float small = fma(z * x, asinTail(z), x);
  HalfAngle half = asinOfRoot(0.5f - 0.5f * a);
  float large = piHalfHigh - (2.0f * half.high - (piHalfLow - 2.0f * half.low));
  float y = a <= 0.5f ? small : copySign(large, x);
  return a <= 1.0f ? y : quietNaN();
}

LPU_SEQUENCE float acos(float x) {
  float a = abs(x);
  float z = x * x;
  float small = piHalfHigh - (x - (piHalfLow - z * x * asinTail(z)));
  HalfAngle half = asinOfRoot(0.5f - 0.5f * a);
  float positive = 2.0f * (half.high + half.low);
  float negative = 2.0f * (piHalfHigh - (half.high - (piHalfLow - half.low)));
  float y = x < 0.0f ? negative : positive;
  y = a <= 0.5f ? small : y;
  return a <= 1.0f ? y : quietNaN();
}

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

/// erf x / x - 1 as a function of z = x^2, for |x| <= 0.93.
LPU_SEQUENCE float erfTail(float z) {
  return polynomial(z, 0x1.06eba8p-3f, -0x1.812742p-2f, 0x1.ce2deep-4f,
                    -0x1.b80d1ap-6f, 0x1.54be04p-8f, -0x1.a9fdb8p-11f,
                    0x1.5c2d7cp-14f);
}

LPU_SEQUENCE float erf(float x) {
  float a = abs(x);
  float small = fma(x, erfTail(x * x), x);
  // -ln(1 - erf a); from 4 on the result is 1.
  float t = clamp(a, 0.0f, 4.0f);
  float r = polynomial(t, -0x1.717ad2p-13f, 0x1.21286p+0f, 0x1.44440ap-1f,
                       0x1.bb95f4p-4f, -0x1.9bbe12p-6f, 0x1.11a426p-8f,
                       -0x1.c885fcp-12f, 0x1.633f9ep-16f);
  float large = 1.0f - exp(-r);
  return a < 0.925f ? small : copySign(large, x);
}

/// e^(-a^2) / (1 + 2a) * (1 + p(q)), q = (a - 4) / (a + 4), for a >= 0.45.
LPU_SEQUENCE float erfc(float x) {
  float a = clamp(abs(x), 0.0f, 10.1f);
  float middle = 1.0f - fma(x, erfTail(x * x), x);
  float sum = a + 4.0f;
  float q = (a - 4.0f) / sum;
  q = fma(fma(-q, sum, a - 4.0f), 1.0f / sum, q);
  float p = polynomial(q, 0x1.dd2c8cp-3f, -0x1.1df1a8p-3f, 0x1.f7f346p-7f,
                       0x1.16ea46p-4f, -0x1.9dd606p-4f, 0x1.801d5ap-4f,
                       -0x1.0fb57cp-4f, 0x1.2e0894p-5f, -0x1.0d66c4p-6f,
                       0x1.72e2f2p-8f, 0x1.b8a142p-13f);
  // (1 + p) / (1 + 2a) with the error of the quotient.
  float divisor = fma(2.0f, a, 1.0f);
  float quotient = (1.0f + p) / divisor;
  float numeratorError = (1.0f - (1.0f + p)) + p;
  float quotientError =
      (fma(-quotient, divisor, 1.0f + p) + numeratorError) / divisor;
  float square = a * a;
  float squareError = fma(a, a, -square);
  // e^(-square) = 2^n (power + powerLow), as in expScaled but in two parts.
  Whole n = nearestWhole(fma(-square, log2E, roundingShift));
  float reduced = fma(n.value, -0x1.62e4p-1f, -square); // Exact.
  float product = n.value * 0x1.7f7d1cp-20f;
  float r = reduced - product;
  float rLow = (reduced - r) - product - squareError;
  float s = fma(r * r, expTail(r), r);
  float sLow = (r - s) + r * r * expTail(r);
  float power = 1.0f + s;
  float powerLow = ((1.0f - power) + s) + fma(rLow, power, sLow);
  // The quotient is scaled up, so that only the last product can be subnormal.
  float tail = fma(quotient, power,
                   fma(quotient, powerLow, power * quotientError));
  tail = scaleByPower(tail, n.number);
  float y = x < 0.0f ? 2.0f - tail : tail;
  y = abs(x) < 0.475f ? middle : y;
  y = x > 10.09f ? 0.0f : y;
  y = x < -10.09f ? 2.0f : y;
  return x != x ? x : y;
}

//===----------------------------------------------------------------------===//
// Roots and powers
//===----------------------------------------------------------------------===//

LPU_SEQUENCE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }

LPU_SEQUENCE float cbrt(float x) {
  float a = abs(x);
  // Cubes of what is computed with must be normal numbers.
  bool isTiny = a < 0x1p-100f, isHuge = a > 0x1p100f;
  float scale = isTiny ? 0x1p48f : (isHuge ? 0x1p-48f : 1.0f);
  float unscale = isTiny ? 0x1p-16f : (isHuge ? 0x1p16f : 1.0f);
  float scaled = a * scale;
  // A third of the exponent is a first guess; Halley's step triples its digits.
  float y = floatOf(bitsOf(scaled) / 3u + 709958130u);
  for (int i = 0; i < 2; ++i) {
    float cube = y * y * y;
    y = y * ((cube + 2.0f * scaled) / (2.0f * cube + scaled));
  }
  // Newton's step with the residual in two parts.
  float square = y * y;
  float squareError = fma(y, y, -square);
  float cube = square * y;
  float cubeError = fma(square, y, -cube) + squareError * y;
  y = y - ((cube - scaled) + cubeError) / (3.0f * square);
  y = y * unscale;
  y = a == 0.0f || !(a < infinity()) ? a : y;
  return x != x ? x : copySign(y, x);
}

/// log2 of a positive finite number as a sum of two: 2 atanh(s) / ln 2 with
/// s = (m - 1) / (m + 1).
struct Sum {
  float high, low;
};
LPU_SEQUENCE Sum log2InTwo(float x) {
  Split parts = split(x);
  float f = parts.f, d = 2.0f + f;
  float dLow = f - (d - 2.0f);
  float s = f / d;
  float sLow = (fma(-s, d, f) - s * dLow) / d;
  float u = s * s;
  float uLow = fma(s, s, -u) + 2.0f * s * sLow;
  float q = polynomial(u, 0x1.2776c4p-1f, 0x1.a61948p-2f, 0x1.47b3f4p-2f,
                       0x1.203dd2p-2f);
  constexpr float c1 = 0x1.ec709ep-1f, c1Low = -0x1.e2fe02p-28f;
  float v = fma(u, q, c1Low);
  float a = c1 + v;
  float aLow = (c1 - a) + v;
  float t = u * a;
  float tLow = fma(u, a, -t) + fma(u, aLow, uLow * a);
  constexpr float c0 = 0x1.715476p+1f, c0Low = 0x1.4ae0cp-25f;
  float b = c0 + t;
  float bLow = ((c0 - b) + t) + (tLow + c0Low);
  float l = s * b;
  float lLow = fma(s, b, -l) + fma(s, bLow, sLow * b);
  float sum = parts.k + l;
  float rest = ((parts.k - sum) + l) + lLow;
  float high = sum + rest;
  return {high, (sum - high) + rest};
}

LPU_SEQUENCE float pow(float x, float y) {
  float a = abs(x);
  float ordinary = a > 0.0f ? a : 1.0f;
  ordinary = a < infinity() ? ordinary : 1.0f;
  Sum logarithm = log2InTwo(ordinary);
  // An exponent beyond 2^60 overflows or vanishes whatever the base.
  float exponent = clamp(y, -0x1p60f, 0x1p60f);
  float high = logarithm.high * exponent;
  float low = fma(logarithm.high, exponent, -high) + logarithm.low * exponent;
  low = abs(high) > 200.0f ? 0.0f : low;
  float magnitude = exp2Of(clamp(high, -200.0f, 200.0f), low);
  // 0 and infinity, as a base or as an exponent.
  float atZero = y > 0.0f ? 0.0f : infinity();
  float atInfinity = y > 0.0f ? infinity() : 0.0f;
  magnitude = a == 0.0f ? atZero : magnitude;
  magnitude = a == infinity() ? atInfinity : magnitude;
  float endless = a > 1.0f ? atInfinity : atZero;
  endless = a == 1.0f ? 1.0f : endless;
  magnitude = abs(y) == infinity() ? endless : magnitude;
  // A negative base wants an integer exponent, an odd one keeps its sign: half
  // of it is no integer.
  float half = 0.5f * y;
  float whole = truncate(y);
  uint32_t oddSign = truncate(half) == half ? 0u : 0x80000000u;
  oddSign = whole == y ? oddSign : 0u;
  float result = floatOf(bitsOf(magnitude) | (bitsOf(x) & oddSign));
  float negative = whole == y ? result : quietNaN();
  negative = a < infinity() ? negative : result;
  result = x < 0.0f ? negative : result;
  result = x != x ? quietNaN() : result;
  result = y != y ? quietNaN() : result;
  result = x == 1.0f ? 1.0f : result;
  return y == 0.0f ? 1.0f : result;
}

} // namespace lpu::numerics::sequences

#undef LPU_SEQUENCE

#endif // LPU_LIB_SIMULATOR_KERNELS_TRANSCENDENTALS_H

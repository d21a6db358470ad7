//===- NumericsTest.cpp - Accuracy and special values ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures every transcendental against f64 over all magnitudes, subnormals
// included, and checks that the kernels compute exactly the same as the
// functions on single numbers. Conversions are checked over all halves.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Kernels/Kernels.h"
#include "ProgramBuilder.h"

#include "lpu/Simulator/Numerics.h"

#include <cmath>
#include <random>

using namespace lpu;
using namespace lpu::test;

namespace {

/// The distance of `got` from the exact value in units of the last place.
double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) == std::isnan(got) ? 0 : INFINITY;
  }
  if (std::isinf(exact)) {
    return got == exact ? 0 : INFINITY;
  }
  int exponent;
  std::frexp(exact, &exponent);
  double unit = std::ldexp(1.0, std::max(std::min(exponent, 128) - 24, -149));
  // An infinity stands for the first number that does not exist.
  double value = std::isinf(got) ? std::copysign(0x1p128, got) : double(got);
  double reference = std::min(std::max(exact, -0x1p128), 0x1p128);
  return std::abs(value - reference) / unit;
}

struct Function {
  const char *name;
  MicroOpcode opcode;
  float (*function)(float);
  double (*exact)(double);
  double bound; ///< Ulps.
};

#define FUNCTION(name, opcode, bound)                                          \
  {#name, MicroOpcode::opcode, numerics::name,                                 \
   [](double x) { return std::name(x); }, bound}

const Function functions[] = {
    FUNCTION(exp, ExpF, 1),
    FUNCTION(exp2, Exp2F, 1),
    FUNCTION(expm1, Expm1F, 1),
    FUNCTION(log, LogF, 1),
    FUNCTION(log2, Log2F, 1),
    FUNCTION(log10, Log10F, 1),
    FUNCTION(log1p, Log1pF, 1),
    FUNCTION(sin, SinF, 1),
    FUNCTION(cos, CosF, 1),
    FUNCTION(tan, TanF, 1),
    FUNCTION(tanh, TanhF, 1.5),
    FUNCTION(erf, ErfF, 1.25),
    FUNCTION(erfc, ErfcF, 2),
    {"rsqrt", MicroOpcode::RsqrtF, numerics::rsqrt,
     [](double x) { return 1 / std::sqrt(x); }, 1.5},
    FUNCTION(atan, AtanF, 1.5),
    FUNCTION(asin, AsinF, 1.25),
    FUNCTION(acos, AcosF, 1),
    FUNCTION(sinh, SinhF, 2),
    FUNCTION(cosh, CoshF, 1.5),
    FUNCTION(asinh, AsinhF, 1.5),
    FUNCTION(acosh, AcoshF, 1.25),
    FUNCTION(atanh, AtanhF, 1),
    FUNCTION(cbrt, CbrtF, 0.75),
};

#undef FUNCTION

/// Bit patterns over the whole range, and more of them around 1.
std::vector<float> samples() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 20011) {
    values.push_back(numerics::floatOf(uint32_t(bits)));
  }
  for (uint32_t bits = 0x3e000000u; bits < 0x41800000u; bits += 997) {
    values.push_back(numerics::floatOf(bits));
    values.push_back(numerics::floatOf(bits | 0x80000000u));
  }
  return values;
}

TEST(Numerics, FunctionsAreWithinTheirBounds) { // num_transcendental
  std::vector<float> values = samples();
  for (const Function &f : functions) {
    double worst = 0;
    float at = 0;
    for (float x : values) {
      double error = ulps(f.function(x), f.exact(x));
      if (error > worst) {
        worst = error;
        at = x;
      }
    }
    EXPECT_LE(worst, f.bound) << f.name << " at " << std::hexfloat << at;
    RecordProperty(f.name, std::to_string(worst));
  }
}

TEST(Numerics, FunctionsOfTwo) {
  std::mt19937 generator(1);
  double worstPow = 0, worstAtan2 = 0;
  for (int i = 0; i < 300000; ++i) {
    auto between = [&](int low, int high) {
      float x = std::ldexp(1.0f + float(generator() & 0x7fffff) * 0x1p-23f,
                           low + int(generator() % unsigned(high - low)));
      return (generator() & 1) != 0 ? -x : x;
    };
    float x = std::abs(between(-20, 20)), y = between(-8, 7);
    worstPow = std::max(
        worstPow, ulps(numerics::pow(x, y), std::pow(double(x), double(y))));
    // Close to 1 with a large exponent.
    x = 1.0f + between(-20, -10);
    y = between(4, 14);
    worstPow = std::max(
        worstPow, ulps(numerics::pow(x, y), std::pow(double(x), double(y))));
    x = numerics::floatOf(generator());
    y = numerics::floatOf(generator());
    worstPow = std::max(
        worstPow, ulps(numerics::pow(x, y), std::pow(double(x), double(y))));
    worstAtan2 = std::max(worstAtan2, ulps(numerics::atan2(y, x),
                                           std::atan2(double(y), double(x))));
    x = between(-4, 4);
    y = between(-4, 4);
    worstAtan2 = std::max(worstAtan2, ulps(numerics::atan2(y, x),
                                           std::atan2(double(y), double(x))));
  }
  EXPECT_LE(worstPow, 1);
  EXPECT_LE(worstAtan2, 1.5);
}

TEST(Numerics, SpecialValuesOfPowAndAtan2) {
  const float values[] = {0.0f,     -0.0f,     1.0f,  -1.0f,     0.5f,
                          -0.5f,    2.0f,      -2.0f, 3.0f,      -3.0f,
                          INFINITY, -INFINITY, NAN,   0x1p-149f, -0x1p-149f,
                          1e30f,    -1e30f,    2.5f};
  for (float x : values) {
    for (float y : values) {
      EXPECT_LE(ulps(numerics::pow(x, y), std::pow(double(x), double(y))), 1)
          << x << " ^ " << y;
      float angle = numerics::atan2(x, y);
      EXPECT_LE(ulps(angle, std::atan2(double(x), double(y))), 1.5)
          << "atan2 " << x << ", " << y;
      if (!std::isnan(angle)) {
        EXPECT_EQ(std::signbit(angle), std::signbit(x));
      }
    }
  }
}

TEST(Numerics, SignedZerosStay) {
  for (const Function &f : functions) {
    double exact = f.exact(-0.0);
    if (exact == 0) {
      EXPECT_EQ(std::signbit(f.function(-0.0f)), std::signbit(exact)) << f.name;
    }
  }
}

TEST(Numerics, KernelsComputeTheSame) {
  std::vector<float> values = samples();
  int64_t n = static_cast<int64_t>(values.size());
  std::vector<float> out(n);
  for (const Function &f : functions) {
    ProgramBuilder builder;
    builder.input(DType::F32, {n});
    builder.output(DType::F32, {n});
    MicroBuilder micro(1, 1);
    micro.elements();
    micro.store(1, micro.f(f.opcode, micro.load(0)));
    builder.vec(micro, {arg(0, DType::F32, {n}), arg(1, DType::F32, {n})});
    for (const KernelSet *const *set = availableKernels(); *set; ++set) {
      SCOPED_TRACE((*set)->name);
      selectKernels(*set);
      Result<Report> report =
          runProgram(builder, {values.data(), out.data()}, {});
      ASSERT_TRUE(bool(report)) << report.message();
      for (int64_t i = 0; i < n; ++i) {
        float wanted = f.function(values[i]);
        ASSERT_TRUE(numerics::bitsOf(out[i]) == numerics::bitsOf(wanted) ||
                    (std::isnan(out[i]) && std::isnan(wanted)))
            << f.name << " of " << std::hexfloat << values[i] << ": " << out[i]
            << " and " << wanted;
      }
    }
  }
  selectKernels(nullptr);
}

/// The value of a half by its definition.
double halfValue(uint16_t bits, int exponentBits) {
  int fractionBits = 15 - exponentBits;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits >> fractionBits) & ((1 << exponentBits) - 1);
  int fraction = bits & ((1 << fractionBits) - 1);
  double value;
  if (exponent == (1 << exponentBits) - 1) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - bias - fractionBits);
  } else {
    value = std::ldexp(fraction + (1 << fractionBits),
                       exponent - bias - fractionBits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

/// Every half converts exactly, and what lies between two of them goes to the
/// nearer one, or to the even one from the middle.
void checkHalves(int exponentBits, float (*widen)(uint16_t),
                 uint16_t (*narrow)(float)) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half = static_cast<uint16_t>(bits);
    double value = halfValue(half, exponentBits);
    float wide = widen(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(wide));
      EXPECT_TRUE(std::isnan(widen(narrow(wide))));
      continue;
    }
    ASSERT_EQ(double(wide), value);
    ASSERT_EQ(narrow(wide), half);
    double after = halfValue(static_cast<uint16_t>(half + 1), exponentBits);
    if (std::isinf(value) || std::isnan(after)) {
      continue;
    }
    // Beyond the largest number the next step would have been a power of two.
    if (std::isinf(after)) {
      double before = halfValue(static_cast<uint16_t>(half - 1), exponentBits);
      after = value + (value - before);
    }
    float middle = static_cast<float>((value + after) / 2);
    uint16_t even = (half & 1) == 0 ? half : static_cast<uint16_t>(half + 1);
    EXPECT_EQ(narrow(middle), even);
    EXPECT_EQ(narrow(std::nextafter(middle, float(value))), half);
    EXPECT_EQ(narrow(std::nextafter(middle, float(after))), half + 1);
  }
}

TEST(Numerics, HalvesRoundToNearestEven) { // num_round
  checkHalves(5, numerics::f16ToF32, numerics::f32ToF16);
  checkHalves(8, numerics::bf16ToF32, numerics::f32ToBF16);
}

} // namespace

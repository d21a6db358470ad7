//===- NumericsTest.cpp - Accuracy and special values ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures every transcendental against f64, in f32 over all magnitudes,
// subnormals included, and in bf16 and f16 over all numbers; the bounds are
// those of docs/Transcendentals.md. Checks that the kernels compute exactly the
// same as the functions on single numbers. Conversions are checked over all
// halves.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Kernels/Kernels.h"
#include "ProgramBuilder.h"

#include "lpu/Simulator/Numerics.h"

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

using namespace lpu;
using namespace lpu::test;

namespace {

/// A float format: how many digits it has and the exponents that it reaches.
struct Format {
  int digits, lowestUnit, overflow;
  /// The nearest number of the format.
  float (*round)(float);
};
const Format f32 = {24, -149, 128, [](float x) { return x; }};
const Format bf16 = {8, -133, 128, numerics::roundToBF16};
const Format f16 = {11, -24, 16, numerics::roundToF16};

/// The distance of `got` from the exact value in units of the last place.
double ulps(float got, double exact, const Format &format = f32) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) == std::isnan(got) ? 0 : INFINITY;
  }
  if (std::isinf(exact)) {
    return got == exact ? 0 : INFINITY;
  }
  int exponent;
  std::frexp(exact, &exponent);
  double unit = std::ldexp(
      1.0, std::max(std::min(exponent, format.overflow) - format.digits,
                    format.lowestUnit));
  // An infinity stands for the first number that does not exist.
  double limit = std::ldexp(1.0, format.overflow);
  double value = std::isinf(got) ? std::copysign(limit, got) : double(got);
  double reference = std::min(std::max(exact, -limit), limit);
  return std::abs(value - reference) / unit;
}

struct Function {
  const char *name;
  MicroOpcode opcode;
  float (*function)(float);
  double (*exact)(double);
};

#define FUNCTION(name, opcode)                                                 \
  {#name, MicroOpcode::opcode, numerics::name,                                 \
   [](double x) { return std::name(x); }}

const Function functions[] = {
    FUNCTION(exp, ExpF),
    FUNCTION(exp2, Exp2F),
    FUNCTION(expm1, Expm1F),
    FUNCTION(log, LogF),
    FUNCTION(log2, Log2F),
    FUNCTION(log10, Log10F),
    FUNCTION(log1p, Log1pF),
    FUNCTION(sin, SinF),
    FUNCTION(cos, CosF),
    FUNCTION(tan, TanF),
    FUNCTION(tanh, TanhF),
    FUNCTION(erf, ErfF),
    FUNCTION(erfc, ErfcF),
    {"rsqrt", MicroOpcode::RsqrtF, numerics::rsqrt,
     [](double x) { return 1 / std::sqrt(x); }},
    FUNCTION(atan, AtanF),
    FUNCTION(asin, AsinF),
    FUNCTION(acos, AcosF),
    FUNCTION(sinh, SinhF),
    FUNCTION(cosh, CoshF),
    FUNCTION(asinh, AsinhF),
    FUNCTION(acosh, AcoshF),
    FUNCTION(atanh, AtanhF),
    FUNCTION(cbrt, CbrtF),
};

#undef FUNCTION

/// The errors that the specification states for a function.
struct Bounds {
  double f32 = 0, bf16 = 0, f16 = 0;
};
Bounds boundsOf(const std::string &name) {
  std::ifstream page(LPU_DOCS_DIRECTORY "/Transcendentals.md");
  std::string start = "| " + name + " | ", line;
  Bounds bounds;
  while (std::getline(page, line)) {
    if (line.compare(0, start.size(), start) == 0) {
      char bar;
      std::istringstream(line.substr(start.size())) >> bounds.f32 >> bar >>
          bounds.bf16 >> bar >> bounds.f16;
      return bounds;
    }
  }
  ADD_FAILURE() << "docs/Transcendentals.md has no row for " << name;
  return bounds;
}

/// The largest error and where it is.
class Worst {
public:
  void add(double error, double x) {
    if (error > worst) {
      worst = error;
      at = x;
    }
  }
  void expectWithin(double bound, const std::string &what) const {
    EXPECT_LE(worst, bound) << what << " at " << std::hexfloat << at;
    testing::Test::RecordProperty(what, std::to_string(worst));
  }

private:
  double worst = 0, at = 0;
};

/// Measures a function, rounded to a narrow type, over all numbers of it.
template <typename Call, typename Exact>
void expectNarrow(const std::string &name, const Bounds &bounds, Call call,
                  Exact exact) {
  for (bool isBF16 : {true, false}) {
    const Format &format = isBF16 ? bf16 : f16;
    Worst worst;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      uint16_t half = static_cast<uint16_t>(bits);
      float x = isBF16 ? numerics::bf16ToF32(half) : numerics::f16ToF32(half);
      worst.add(ulps(format.round(call(x)), exact(double(x)), format), x);
    }
    worst.expectWithin(isBF16 ? bounds.bf16 : bounds.f16,
                       name + (isBF16 ? " in bf16" : " in f16"));
  }
}

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
    Worst worst;
    for (float x : values) {
      worst.add(ulps(f.function(x), f.exact(x)), x);
    }
    worst.expectWithin(boundsOf(f.name).f32, f.name);
  }
}

// All 65,536 numbers of both types.
TEST(Numerics, NarrowResultsAreWithinTheirBounds) { // num_transcendental
  for (const Function &f : functions) {
    expectNarrow(f.name, boundsOf(f.name), f.function, f.exact);
  }
  for (float y : {0.5f, 2.0f, -1.5f, 3.0f, 0.1f, 10.0f}) {
    expectNarrow(
        "pow", boundsOf("pow"), [=](float x) { return numerics::pow(x, y); },
        [=](double x) { return std::pow(x, double(y)); });
    expectNarrow(
        "pow", boundsOf("pow"), [=](float x) { return numerics::pow(y, x); },
        [=](double x) { return std::pow(double(y), x); });
    expectNarrow(
        "atan2", boundsOf("atan2"),
        [=](float x) { return numerics::atan2(x, y); },
        [=](double x) { return std::atan2(x, double(y)); });
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
  EXPECT_LE(worstPow, boundsOf("pow").f32);
  EXPECT_LE(worstAtan2, boundsOf("atan2").f32);
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

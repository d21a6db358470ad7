//===- MicroOpTest.cpp - One test a micro-operation -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each operation on a handful of numbers with the results written out, through
// a whole program; on every kernel set that this CPU has.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Kernels/Kernels.h"
#include "ProgramBuilder.h"

#include <cmath>
#include <limits>
#include <set>

using namespace lpu;
using namespace lpu::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr DType memory = DType::F32;
  static constexpr MicroType type = MicroType::F32;
};
template <>
struct TypeOf<int64_t> {
  static constexpr DType memory = DType::I64;
  static constexpr MicroType type = MicroType::I64;
};
template <>
struct TypeOf<int32_t> {
  static constexpr DType memory = DType::I32;
  static constexpr MicroType type = MicroType::I32;
};
template <>
struct TypeOf<int16_t> {
  static constexpr DType memory = DType::I16;
  static constexpr MicroType type = MicroType::I16;
};
template <>
struct TypeOf<int8_t> {
  static constexpr DType memory = DType::I8;
  static constexpr MicroType type = MicroType::I8;
};
/// A truth value.
struct Bit {
  uint8_t value;
  Bit(int value = 0) : value(static_cast<uint8_t>(value)) {}
  bool operator==(const Bit &other) const { return value == other.value; }
};
template <>
struct TypeOf<Bit> {
  static constexpr DType memory = DType::Bool;
  static constexpr MicroType type = MicroType::I1;
};

/// Operations that some test here has run.
std::set<MicroOpcode> covered;

void expectSame(float got, float wanted, size_t i) {
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(got)) << "element " << i << " is " << got;
    return;
  }
  EXPECT_EQ(immediate(got), immediate(wanted))
      << "element " << i << " is " << got << ", expected " << wanted;
}
template <typename T>
void expectSame(T got, T wanted, size_t i) {
  EXPECT_TRUE(got == wanted)
      << "element " << i << " is " << +got << ", expected " << +wanted;
}
void expectSame(Bit got, Bit wanted, size_t i) {
  EXPECT_TRUE(got == wanted) << "element " << i << " is " << int(got.value);
}

/// Applies one operation to up to three vectors and compares with `wanted`.
template <typename To, typename A, typename B = A, typename C = A>
void check(MicroOpcode opcode, MicroType type, const std::vector<A> &a,
           const std::vector<To> &wanted, const std::vector<B> &b = {},
           const std::vector<C> &c = {}, uint16_t fieldC = 0) {
  covered.insert(opcode);
  const MicroOpInfo *info = lookupMicroOp(opcode);
  SCOPED_TRACE(info->name);
  int64_t n = static_cast<int64_t>(a.size());
  ProgramBuilder builder;
  std::vector<To> got(n);
  std::vector<void *> arguments = {const_cast<A *>(a.data())};
  builder.input(TypeOf<A>::memory, {n});
  if (!b.empty()) {
    builder.input(TypeOf<B>::memory, {n});
    arguments.push_back(const_cast<B *>(b.data()));
  }
  if (!c.empty()) {
    builder.input(TypeOf<C>::memory, {n});
    arguments.push_back(const_cast<C *>(c.data()));
  }
  builder.output(TypeOf<To>::memory, {n});
  arguments.push_back(got.data());

  MicroBuilder micro(1, 1);
  std::vector<View> views = {arg(0, TypeOf<A>::memory, {n})};
  micro.elements();
  uint16_t first = micro.load(0, TypeOf<A>::type), second = 0, third = fieldC;
  if (!b.empty()) {
    views.push_back(arg(1, TypeOf<B>::memory, {n}));
    second = micro.load(1, TypeOf<B>::type);
  }
  if (!c.empty()) {
    views.push_back(arg(2, TypeOf<C>::memory, {n}));
    third = micro.load(2, TypeOf<C>::type);
  }
  uint16_t result = micro.op(opcode, type, first, second, third);
  unsigned out = static_cast<unsigned>(views.size());
  views.push_back(arg(out, TypeOf<To>::memory, {n}));
  micro.store(out, result, TypeOf<To>::type);
  builder.vec(micro, views);
  for (const KernelSet *const *set = availableKernels(); *set; ++set) {
    SCOPED_TRACE((*set)->name);
    selectKernels(*set);
    Result<Report> report = runProgram(builder, arguments, {});
    ASSERT_TRUE(bool(report)) << report.message();
    for (int64_t i = 0; i < n; ++i) {
      expectSame(got[i], wanted[i], i);
    }
  }
  selectKernels(nullptr);
}

using V = std::vector<float>;
using Bits = std::vector<Bit>;

void checkF(MicroOpcode opcode, const V &a, const V &wanted, const V &b = {},
            const V &c = {}) {
  check<float, float>(opcode, MicroType::F32, a, wanted, b, c);
}
template <typename T>
void checkI(MicroOpcode opcode, const std::vector<T> &a,
            const std::vector<T> &b, const std::vector<T> &wanted) {
  check<T, T>(opcode, TypeOf<T>::type, a, wanted, b);
}

TEST(MicroOp, FloatArithmetic) { // num_vec, num_nan
  checkF(MicroOpcode::AddF, {1, 1e8f, inf, -0.0f}, {3, 1e8f, nan, -0.0f},
         {2, 1, -inf, -0.0f});
  checkF(MicroOpcode::SubF, {1, 0.0f, inf}, {-1, 0.0f, nan}, {2, 0.0f, inf});
  checkF(MicroOpcode::MulF, {3, -0.0f, inf, 1e-30f}, {12, -0.0f, nan, 1e-40f},
         {4, 5, 0, 1e-10f});
  checkF(MicroOpcode::DivF, {1, 1, -1, 0}, {1.0f / 3, inf, -inf, nan},
         {3, 0, 0, 0});
  // One rounding: (1 + 2^-23)^2 - 1 is not a rounded product minus one.
  checkF(MicroOpcode::FmaF, {1 + 0x1p-23f, 2}, {0x1p-22f + 0x1p-46f, 7},
         {1 + 0x1p-23f, 3}, {-1, 1});
  checkF(MicroOpcode::NegF, {1, -0.0f, -inf}, {-1, 0.0f, inf});
  checkF(MicroOpcode::AbsF, {-1, -0.0f, -inf, nan}, {1, 0.0f, inf, nan});
  checkF(MicroOpcode::SqrtF, {4, 2, -0.0f, -1, inf},
         {2, 1.41421354f, -0.0f, nan, inf});
  checkF(MicroOpcode::CopySignF, {1, -2, inf}, {-1, 2, -inf}, {-0.0f, 3, -1});
}

TEST(MicroOp, FloatMinimumAndMaximum) {
  V a = {1, nan, 1, -0.0f, 0.0f, -inf}, b = {2, 1, nan, 0.0f, -0.0f, nan};
  checkF(MicroOpcode::MaximumF, a, {2, nan, nan, 0.0f, 0.0f, nan}, b);
  checkF(MicroOpcode::MinimumF, a, {1, nan, nan, -0.0f, -0.0f, nan}, b);
  checkF(MicroOpcode::MaxNumF, a, {2, 1, 1, 0.0f, 0.0f, -inf}, b);
  checkF(MicroOpcode::MinNumF, a, {1, 1, 1, -0.0f, -0.0f, -inf}, b);
}

TEST(MicroOp, FloatRounding) {
  V x = {1.5f, 2.5f, -1.5f, -0.3f, 0.49999997f, 8388609.0f, -inf, nan, 1e10f};
  checkF(MicroOpcode::FloorF, x,
         {1, 2, -2, -1, 0, 8388609.0f, -inf, nan, 1e10f});
  checkF(MicroOpcode::CeilF, x,
         {2, 3, -1, -0.0f, 1, 8388609.0f, -inf, nan, 1e10f});
  checkF(MicroOpcode::TruncF, x,
         {1, 2, -1, -0.0f, 0, 8388609.0f, -inf, nan, 1e10f});
  checkF(MicroOpcode::RoundF, x,
         {2, 3, -2, -0.0f, 0, 8388609.0f, -inf, nan, 1e10f});
  checkF(MicroOpcode::RoundEvenF, x,
         {2, 2, -2, -0.0f, 0, 8388609.0f, -inf, nan, 1e10f});
  checkF(MicroOpcode::RemF, {5, -5, 5.5f, 1e10f, 1, inf},
         {2, -2, 1.5f, std::fmod(1e10f, 3.0f), nan, nan}, {3, 3, -2, 3, 0, 1});
  checkF(MicroOpcode::RemF, {-6, -0.0f, 1, -1}, {-0.0f, -0.0f, 1, -1},
         {3, 5, inf, -inf});
}

TEST(MicroOp, IntegersWrapInTheirWidth) {
  checkI<int8_t>(MicroOpcode::AddI, {127, -128, 5}, {1, -1, 6},
                 {-128, 127, 11});
  checkI<int16_t>(MicroOpcode::AddI, {32767}, {1}, {-32768});
  checkI<int32_t>(MicroOpcode::AddI, {2147483647}, {1}, {-2147483647 - 1});
  checkI<int64_t>(MicroOpcode::AddI, {INT64_MAX}, {1}, {INT64_MIN});
  checkI<int8_t>(MicroOpcode::SubI, {-128, 0}, {1, -128}, {127, -128});
  checkI<int16_t>(MicroOpcode::MulI, {300, -1}, {300, -32768}, {24464, -32768});
  checkI<int64_t>(MicroOpcode::MulI, {INT64_MAX}, {2}, {-2});
  checkI<Bit>(MicroOpcode::AddI, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 0});
  checkI<Bit>(MicroOpcode::SubI, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 0});
  checkI<Bit>(MicroOpcode::MulI, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 0, 0, 1});
}

TEST(MicroOp, IntegerDivision) {
  std::vector<int32_t> a = {7, -7, 7, -7, 5, INT32_MIN};
  std::vector<int32_t> b = {2, 2, -2, -2, 0, -1};
  checkI<int32_t>(MicroOpcode::DivSI, a, b, {3, -3, -3, 3, 0, INT32_MIN});
  checkI<int32_t>(MicroOpcode::RemSI, a, b, {1, -1, 1, -1, 0, 0});
  checkI<int32_t>(MicroOpcode::FloorDivSI, a, b, {3, -4, -4, 3, 0, INT32_MIN});
  checkI<int32_t>(MicroOpcode::CeilDivSI, a, b, {4, -3, -3, 4, 0, INT32_MIN});
  checkI<int8_t>(MicroOpcode::DivUI, {-1, 100, 1}, {2, 7, 0}, {127, 14, 0});
  checkI<int8_t>(MicroOpcode::RemUI, {-1, 100, 1}, {2, 7, 0}, {1, 2, 0});
  checkI<int64_t>(MicroOpcode::DivSI, {INT64_MIN, 9}, {-1, -4},
                  {INT64_MIN, -2});
}

TEST(MicroOp, IntegerBits) {
  checkI<int8_t>(MicroOpcode::AndI, {12, -1}, {10, 7}, {8, 7});
  checkI<int8_t>(MicroOpcode::OrI, {12, -1}, {10, 7}, {14, -1});
  checkI<int8_t>(MicroOpcode::XorI, {12, -1}, {10, 7}, {6, -8});
  checkI<Bit>(MicroOpcode::XorI, {0, 1, 1}, {1, 1, 0}, {1, 0, 1});
  checkI<int8_t>(MicroOpcode::ShlI, {1, 64, 3, 1}, {7, 1, 8, -1},
                 {-128, -128, 0, 0});
  checkI<int8_t>(MicroOpcode::ShrSI, {-128, -1, 64}, {7, 100, 3}, {-1, -1, 8});
  checkI<int8_t>(MicroOpcode::ShrUI, {-128, -1, 64}, {7, 100, 3}, {1, 0, 8});
  checkI<int64_t>(MicroOpcode::ShrUI, {-1}, {63}, {1});
  checkI<int32_t>(MicroOpcode::ShlI, {1, 1}, {31, 32}, {INT32_MIN, 0});
}

TEST(MicroOp, IntegerMinimumAndMaximum) {
  checkI<int16_t>(MicroOpcode::MinSI, {-1, 3}, {1, 2}, {-1, 2});
  checkI<int16_t>(MicroOpcode::MaxSI, {-1, 3}, {1, 2}, {1, 3});
  checkI<int16_t>(MicroOpcode::MinUI, {-1, 3}, {1, 2}, {1, 2});
  checkI<int16_t>(MicroOpcode::MaxUI, {-1, 3}, {1, 2}, {-1, 3});
  checkI<Bit>(MicroOpcode::MaxUI, {0, 0, 1}, {0, 1, 1}, {0, 1, 1});
}

TEST(MicroOp, CompareFloats) {
  V a = {1, 2, 1, nan, -0.0f}, b = {2, 1, 1, 1, 0.0f};
  // Less, greater, equal, unordered, equal zeros.
  const Bits wanted[16] = {
      {0, 0, 0, 0, 0}, {0, 0, 1, 0, 1}, {0, 1, 0, 0, 0}, {0, 1, 1, 0, 1},
      {1, 0, 0, 0, 0}, {1, 0, 1, 0, 1}, {1, 1, 0, 0, 0}, {1, 1, 1, 0, 1},
      {0, 0, 1, 1, 1}, {0, 1, 0, 1, 0}, {0, 1, 1, 1, 1}, {1, 0, 0, 1, 0},
      {1, 0, 1, 1, 1}, {1, 1, 0, 1, 0}, {0, 0, 0, 1, 0}, {1, 1, 1, 1, 1}};
  for (uint16_t predicate = 0; predicate < 16; ++predicate) {
    SCOPED_TRACE(predicate);
    check<Bit, float>(MicroOpcode::CmpF, MicroType::F32, a, wanted[predicate],
                      b, {}, predicate);
  }
}

TEST(MicroOp, CompareIntegers) {
  std::vector<int8_t> a = {1, -1, 5}, b = {2, 1, 5};
  const Bits wanted[10] = {{0, 0, 1}, {1, 1, 0}, {1, 1, 0}, {1, 1, 1},
                           {0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1},
                           {0, 1, 0}, {0, 1, 1}};
  for (uint16_t predicate = 0; predicate < 10; ++predicate) {
    SCOPED_TRACE(predicate);
    check<Bit, int8_t>(MicroOpcode::CmpI, MicroType::I8, a, wanted[predicate],
                       b, {}, predicate);
  }
}

TEST(MicroOp, Select) {
  check<float, Bit, float, float>(MicroOpcode::Select, MicroType::F32,
                                  Bits{1, 0}, V{1, 4}, V{1, 2}, V{3, 4});
  using I = std::vector<int64_t>;
  check<int64_t, Bit, int64_t, int64_t>(MicroOpcode::Select, MicroType::I64,
                                        Bits{1, 0}, I{1, 4}, I{1, 2}, I{3, 4});
}

TEST(MicroOp, RoundToNarrowFloats) {
  checkF(MicroOpcode::RoundBF16,
         {1, 1.00390625f, 1.01171875f, 3.4e38f, 1e-40f, inf, nan, -0.0f},
         {1, 1, 1.015625f, inf, 0x1p-133f, inf, nan, -0.0f});
  checkF(MicroOpcode::RoundF16,
         {1, 1.00048828125f, 1.00146484375f, 65519, 65520, 0x1p-24f, 0x1p-25f,
          0x1.8p-25f, -0x1p-14f, inf, nan},
         {1, 1, 1.001953125f, 65504, inf, 0x1p-24f, 0, 0x1p-24f, -0x1p-14f, inf,
          nan});
}

TEST(MicroOp, IntegerToFloat) {
  auto source = [](MicroType type) { return static_cast<uint16_t>(type); };
  check<float, int64_t>(
      MicroOpcode::SIToF, MicroType::F32, {-3, (1 << 24) + 1, INT64_MIN},
      V{-3, 16777216, -0x1p63f}, {}, {}, source(MicroType::I64));
  check<float, int8_t>(MicroOpcode::UIToF, MicroType::F32, {-1, 5}, V{255, 5},
                       {}, {}, source(MicroType::I8));
  check<float, int64_t>(MicroOpcode::UIToF, MicroType::F32, {-1}, V{0x1p64f},
                        {}, {}, source(MicroType::I64));
  check<float, Bit>(MicroOpcode::SIToF, MicroType::F32, {1, 0}, V{-1, 0}, {},
                    {}, source(MicroType::I1));
  check<float, Bit>(MicroOpcode::UIToF, MicroType::F32, {1, 0}, V{1, 0}, {}, {},
                    source(MicroType::I1));
}

TEST(MicroOp, FloatToInteger) {
  V x = {1.9f, -1.9f, 300, -300, nan, inf, -inf};
  check<int8_t, float>(MicroOpcode::FToSI, MicroType::I8, x,
                       std::vector<int8_t>{1, -1, 127, -128, 0, 127, -128});
  check<int8_t, float>(MicroOpcode::FToUI, MicroType::I8, x,
                       std::vector<int8_t>{1, 0, -1, 0, 0, -1, 0});
  check<int64_t, float>(
      MicroOpcode::FToSI, MicroType::I64, {0x1p63f, -0x1p63f, 1e10f, nan},
      std::vector<int64_t>{INT64_MAX, INT64_MIN, 10000000000, 0});
  check<int64_t, float>(MicroOpcode::FToUI, MicroType::I64, {0x1p63f, 0x1p64f},
                        std::vector<int64_t>{INT64_MIN, -1});
  check<int32_t, float>(MicroOpcode::FToSI, MicroType::I32,
                        {2147483648.0f, -2147483648.0f, 2147483520.0f},
                        std::vector<int32_t>{INT32_MAX, INT32_MIN, 2147483520});
  check<Bit, float>(MicroOpcode::FToUI, MicroType::I1, {0.5f, 1, 7, -1, nan},
                    Bits{0, 1, 1, 0, 0});
}

TEST(MicroOp, IntegerWidths) {
  auto source = [](MicroType type) { return static_cast<uint16_t>(type); };
  check<int64_t, int8_t>(MicroOpcode::ExtS, MicroType::I64, {-1, 5},
                         std::vector<int64_t>{-1, 5}, {}, {},
                         source(MicroType::I8));
  check<int64_t, int8_t>(MicroOpcode::ExtU, MicroType::I64, {-1, 5},
                         std::vector<int64_t>{255, 5}, {}, {},
                         source(MicroType::I8));
  check<int32_t, Bit>(MicroOpcode::ExtS, MicroType::I32, {1, 0},
                      std::vector<int32_t>{-1, 0}, {}, {},
                      source(MicroType::I1));
  check<int8_t, Bit>(MicroOpcode::ExtU, MicroType::I8, {1, 0},
                     std::vector<int8_t>{1, 0}, {}, {}, source(MicroType::I1));
  check<int8_t, int32_t>(MicroOpcode::TruncI, MicroType::I8, {257, -129, 128},
                         std::vector<int8_t>{1, 127, -128});
  check<Bit, int64_t>(MicroOpcode::TruncI, MicroType::I1, {2, 3}, Bits{0, 1});
  check<int32_t, float>(MicroOpcode::BitcastFToI, MicroType::I32, {1, -0.0f},
                        std::vector<int32_t>{0x3f800000, INT32_MIN});
  check<float, int32_t>(MicroOpcode::BitcastIToF, MicroType::F32, {0x40490fdb},
                        V{3.14159274f});
}

TEST(MicroOp, Transcendentals) {
  // Values that have one right answer; NumericsTest measures accuracy.
  checkF(MicroOpcode::ExpF, {0, -inf, inf, 200, -200, nan},
         {1, 0, inf, inf, 0, nan});
  checkF(MicroOpcode::Exp2F, {0, 3, -149, 128, -inf},
         {1, 8, 0x1p-149f, inf, 0});
  checkF(MicroOpcode::Expm1F, {0, -0.0f, -inf, inf}, {0, -0.0f, -1, inf});
  checkF(MicroOpcode::LogF, {1, 0, -1, inf, nan}, {0, -inf, nan, inf, nan});
  checkF(MicroOpcode::Log2F, {8, 0, 0x1p-149f, inf}, {3, -inf, -149, inf});
  checkF(MicroOpcode::Log10F, {1, 1000, 0, -1}, {0, 3, -inf, nan});
  checkF(MicroOpcode::Log1pF, {0, -0.0f, -1, -2, inf},
         {0, -0.0f, -inf, nan, inf});
  checkF(MicroOpcode::SinF, {0, -0.0f, inf, nan}, {0, -0.0f, nan, nan});
  checkF(MicroOpcode::CosF, {0, -0.0f, inf}, {1, 1, nan});
  checkF(MicroOpcode::TanF, {0, -0.0f, -inf}, {0, -0.0f, nan});
  checkF(MicroOpcode::TanhF, {0, -0.0f, inf, -inf, 20}, {0, -0.0f, 1, -1, 1});
  checkF(MicroOpcode::ErfF, {0, -0.0f, inf, -inf}, {0, -0.0f, 1, -1});
  checkF(MicroOpcode::ErfcF, {0, inf, -inf, nan}, {1, 0, 2, nan});
  checkF(MicroOpcode::RsqrtF, {4, 0, -0.0f, inf, -1},
         {0.5f, inf, -inf, 0, nan});
  checkF(MicroOpcode::PowF, {2, -2, -2, 0, nan, 1, -1, 2, 0, -0.0f},
         {1024, -8, nan, inf, 1, 1, 1, 0, 1, -inf},
         {10, 3, 0.5f, -1, 0, nan, inf, -inf, 0, -3});
  checkF(MicroOpcode::AtanF, {0, -0.0f, inf}, {0, -0.0f, 1.57079637f});
  checkF(MicroOpcode::Atan2F, {0, 0, -0.0f, 1},
         {0, 3.14159274f, -3.14159274f, 1.57079637f}, {1, -1, -1, 0});
  checkF(MicroOpcode::AsinF, {0, 1, -1, 2},
         {0, 1.57079637f, -1.57079637f, nan});
  checkF(MicroOpcode::AcosF, {1, 0, -1, -2},
         {0, 1.57079637f, 3.14159274f, nan});
  checkF(MicroOpcode::SinhF, {0, -0.0f, inf, -inf}, {0, -0.0f, inf, -inf});
  checkF(MicroOpcode::CoshF, {0, inf, -inf}, {1, inf, inf});
  checkF(MicroOpcode::AsinhF, {0, -0.0f, inf}, {0, -0.0f, inf});
  checkF(MicroOpcode::AcoshF, {1, 0.5f, inf}, {0, nan, inf});
  checkF(MicroOpcode::AtanhF, {0, -0.0f, 1, -1, 2}, {0, -0.0f, inf, -inf, nan});
  checkF(MicroOpcode::CbrtF, {0, -0.0f, 8, -27, inf}, {0, -0.0f, 2, -3, inf});
}

TEST(MicroOp, EveryOperationOnValuesIsCovered) {
  for (size_t i = 0; i < microOpCount(); ++i) {
    const MicroOpInfo &info = microOpTable()[i];
    if (info.opcode >= MicroOpcode::AddF) {
      EXPECT_TRUE(covered.count(info.opcode)) << info.name;
    }
  }
}

} // namespace

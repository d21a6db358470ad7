//===- UnitOrderTest.cpp - Tests of the orders of units -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the names of choices mean, that a seed always draws the same orders, and
// that random orders show a missing wait which others miss.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/UnitOrder.h"
#include "ProgramBuilder.h"

#include <set>

using namespace lpu;
using namespace lpu::test;

TEST(RunOptions, Parse) {
  Result<Dma> early = Dma::parse("early");
  Result<Dma> late = Dma::parse("late");
  Result<Dma> random = Dma::parse("random:18446744073709551615");
  ASSERT_TRUE(early && late && random);
  EXPECT_EQ(early->kind, Dma::Early);
  EXPECT_EQ(late->kind, Dma::Late);
  EXPECT_EQ(random->kind, Dma::Random);
  EXPECT_EQ(random->seed, ~uint64_t(0));
  Result<Interleave> fixed = Interleave::parse("fixed");
  Result<Interleave> mixed = Interleave::parse("random:7");
  ASSERT_TRUE(fixed && mixed);
  EXPECT_EQ(fixed->kind, Interleave::Fixed);
  EXPECT_EQ(mixed->kind, Interleave::Random);
  EXPECT_EQ(mixed->seed, 7u);
  for (const char *text : {"", "now", "random", "random:", "random:-1",
                           "random:1x", "random:18446744073709551616"}) {
    EXPECT_FALSE(bool(Dma::parse(text))) << text;
    EXPECT_FALSE(bool(Interleave::parse(text))) << text;
  }
  ASSERT_TRUE(bool(parseChecks("standard")));
  EXPECT_EQ(*parseChecks("standard"), Checks::Standard);
  EXPECT_FALSE(bool(parseChecks("races")));
}

TEST(UnitOrder, FixedKeepsOneOrder) {
  UnitOrder fixed(Interleave::Fixed);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(fixed.next(),
              (UnitOrder::Order{Unit::ICP, Unit::SMA, Unit::SXE, Unit::VXE}));
  }
}

static std::vector<UnitOrder::Order> draw(uint64_t seed, size_t count) {
  UnitOrder order(Interleave(Interleave::Random, seed));
  std::vector<UnitOrder::Order> result;
  for (size_t i = 0; i < count; ++i) {
    result.push_back(order.next());
  }
  return result;
}

TEST(UnitOrder, ASeedAlwaysDrawsTheSame) {
  EXPECT_EQ(draw(7, 1000), draw(7, 1000));
  EXPECT_NE(draw(7, 1000), draw(8, 1000));
}

// A failure is told by its seed, so that of another host must draw the same.
TEST(UnitOrder, SeedsMeanTheSameOnEveryHost) {
  std::string first;
  for (const UnitOrder::Order &order : draw(5, 24)) {
    first += std::to_string(unsigned(order[0]));
  }
  EXPECT_EQ(first, "222222223000000033333332");
}

TEST(UnitOrder, EverySeedDrawsAllOrders) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<UnitOrder::Order> orders = draw(seed, 40000);
    EXPECT_EQ(std::set(orders.begin(), orders.end()).size(), 24u) << seed;
  }
}

TEST(UnitOrder, SomeSeedsChangeOftenAndSomeRarely) {
  size_t least = ~size_t(0), most = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<UnitOrder::Order> orders = draw(seed, 10000);
    size_t changes = 0;
    for (size_t i = 1; i < orders.size(); ++i) {
      changes += orders[i] != orders[i - 1];
    }
    least = std::min(least, changes);
    most = std::max(most, changes);
  }
  EXPECT_LT(least, 200u);
  EXPECT_GT(most, 5000u);
}

namespace {
constexpr int64_t n = 8;

/// y = x + x w. The VXE adds x, which it waits for, and the product, which it
/// waits for only if asked to. The stream is first in the SMA's queue: with a
/// fixed order the SXE has what it needs before the VXE has, and so goes first.
struct Residual {
  explicit Residual(bool waits) : x(n, 1.0f), w(n * n, 1.0f), y(n) {
    unsigned in = builder.input(DType::F32, {n});
    unsigned weight = builder.input(DType::F32, {n, n});
    unsigned out = builder.output(DType::F32, {n});
    View added = lmu(0, DType::F32, {n}), product = lmu(256, DType::F32, {n});
    builder.matmul(arg(in, DType::F32, {1, n}), arg(weight, DType::F32, {n, n}),
                   lmu(256, DType::F32, {1, n}), {0, 1, 1, 1});
    builder.copy(added, arg(in, DType::F32, {n}));
    builder.order(Unit::SMA, Unit::VXE, 0);
    if (waits) {
      builder.order(Unit::SXE, Unit::VXE, 1);
    }
    MicroBuilder micro(1, 1);
    micro.elements();
    micro.store(2, micro.f(MicroOpcode::AddF, micro.load(0), micro.load(1)));
    builder.vec(micro, {added, product, arg(out, DType::F32, {n})});
  }

  bool isCorrect(Dma dma, Interleave interleave) {
    RunOptions options;
    options.dma = dma;
    options.interleave = interleave;
    Result<Report> report =
        runProgram(builder, {x.data(), w.data(), y.data()}, options);
    EXPECT_TRUE(bool(report)) << report.message();
    return y == std::vector<float>(n, float(n + 1));
  }

  ProgramBuilder builder;
  std::vector<float> x, w, y;
};
} // namespace

TEST(UnitOrder, SomeSeedShowsAMissingWaitThatDmaMisses) {
  Residual racy(false);
  EXPECT_TRUE(racy.isCorrect(Dma::Early, Interleave::Fixed));
  EXPECT_TRUE(racy.isCorrect(Dma::Late, Interleave::Fixed));
  unsigned shown = 0;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    shown += !racy.isCorrect(Dma::Early, Interleave(Interleave::Random, seed));
  }
  EXPECT_GT(shown, 2u);
  EXPECT_LT(shown, 16u);
}

TEST(UnitOrder, NoSeedBreaksAProgramThatWaits) {
  Residual ordered(true);
  for (uint64_t seed = 0; seed < 64; ++seed) {
    for (Dma dma : {Dma(Dma::Early), Dma(Dma::Late), Dma(Dma::Random, seed)}) {
      EXPECT_TRUE(ordered.isCorrect(dma, Interleave(Interleave::Random, seed)))
          << seed;
    }
  }
}

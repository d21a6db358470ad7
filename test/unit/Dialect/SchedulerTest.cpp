//===- SchedulerTest.cpp - In which order instructions stand --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs whose best order is known, the one that must not deadlock, and
// random ones, whose order has to keep what was asked for.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/Transforms/Scheduler.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace mlir::lpuisa;
using ::lpu::Unit;
using Kind = ScheduleNode::Kind;

namespace {

/// A machine with round numbers: 10 bytes a cycle, 100 cycles of latency, and a
/// stream buffer of 1600 bytes in chunks of 100.
ScheduleProblem emptyProblem() {
  ScheduleProblem problem;
  problem.machine = {
      /*hbmBytesPerCycle=*/10, /*lmuBytesPerCycle=*/10,
      /*hbmLatency=*/100,      /*streamBufferBytes=*/1600,
      /*chunkBytes=*/100,      /*issueCycles=*/1,
      /*semaphoreCycles=*/8};
  return problem;
}

struct Builder {
  ScheduleProblem problem = emptyProblem();

  unsigned add(Unit unit, int64_t cycles, int64_t latency,
               std::vector<unsigned> after) {
    ScheduleNode node;
    node.unit = unit;
    node.cycles = cycles;
    node.latency = latency;
    node.after = std::move(after);
    problem.nodes.push_back(node);
    return static_cast<unsigned>(problem.nodes.size()) - 1;
  }
  unsigned load(int64_t bytes, std::vector<unsigned> after = {}) {
    unsigned number = add(Unit::SMA, 1, 100, std::move(after));
    problem.nodes[number].hbmBytes = bytes;
    return number;
  }
  unsigned stream(int64_t bytes, std::vector<unsigned> after = {}) {
    unsigned number = load(bytes, std::move(after));
    problem.nodes[number].kind = Kind::Stream;
    problem.nodes[number].streamBytes = bytes;
    return number;
  }
  unsigned mm(int64_t cycles, std::vector<unsigned> after = {}) {
    unsigned number = add(Unit::SXE, cycles, 20, std::move(after));
    problem.nodes[number].kind = Kind::Mm;
    return number;
  }
  unsigned vec(int64_t cycles, std::vector<unsigned> after = {}) {
    return add(Unit::VXE, cycles, 20, std::move(after));
  }
};

size_t placeOf(const Schedule &schedule, unsigned node) {
  return std::find(schedule.order.begin(), schedule.order.end(), node) -
         schedule.order.begin();
}

/// Every node once, each after what it needs, streams and products in one
/// order.
void checkOrder(const ScheduleProblem &problem, const Schedule &schedule) {
  std::vector<unsigned> sorted = schedule.order;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), problem.nodes.size());
  for (unsigned i = 0; i < sorted.size(); ++i) {
    ASSERT_EQ(sorted[i], i);
  }
  std::vector<unsigned> streams, products;
  for (unsigned i = 0; i < problem.nodes.size(); ++i) {
    const ScheduleNode &node = problem.nodes[i];
    for (const std::vector<unsigned> *list : {&node.after, &node.behind}) {
      for (unsigned before : *list) {
        EXPECT_LT(placeOf(schedule, before), placeOf(schedule, i));
      }
    }
    if (node.kind == Kind::Stream) {
      streams.push_back(i);
    } else if (node.kind == Kind::Mm) {
      products.push_back(i);
    }
  }
  auto byPlace = [&](unsigned a, unsigned b) {
    return placeOf(schedule, a) < placeOf(schedule, b);
  };
  std::vector<unsigned> streamsAsGiven = streams, productsAsGiven = products;
  std::sort(streams.begin(), streams.end(), byPlace);
  std::sort(products.begin(), products.end(), byPlace);
  for (size_t k = 0; k < streams.size(); ++k) {
    size_t number =
        std::find(streamsAsGiven.begin(), streamsAsGiven.end(), streams[k]) -
        streamsAsGiven.begin();
    EXPECT_EQ(productsAsGiven[number], products[k]);
    EXPECT_LT(placeOf(schedule, streams[k]), placeOf(schedule, products[k]));
  }
}

Schedule planAndCheck(const ScheduleProblem &problem) {
  Schedule schedule = planSchedule(problem);
  checkOrder(problem, schedule);
  return schedule;
}

} // namespace

TEST(Scheduler, NothingToOrder) {
  EXPECT_TRUE(planAndCheck(emptyProblem()).order.empty());
}

TEST(Scheduler, LoadsBeforeTheStreamThatHoldsThemUp) {
  // The last vec needs the product and what another makes of a load, which
  // stands behind the stream of the product.
  Builder b;
  unsigned x = b.load(100);
  unsigned w = b.stream(3000);
  unsigned y = b.mm(50, {x});
  unsigned bias = b.load(100);
  unsigned z = b.vec(200, {bias});
  b.vec(10, {y, z});
  Schedule schedule = planAndCheck(b.problem);
  EXPECT_LT(placeOf(schedule, bias), placeOf(schedule, w));
  EXPECT_LT(schedule.cycles, schedule.givenCycles);
}

TEST(Scheduler, StreamsRunAheadOfAStoreThatWaits) {
  // The store of the first result stands before the second stream, which it
  // does not concern.
  Builder b;
  b.stream(1000);
  unsigned y = b.mm(100);
  unsigned z = b.vec(100, {y});
  unsigned store = b.add(Unit::SMA, 1, 40, {z});
  unsigned second = b.stream(1000);
  b.mm(100);
  Schedule schedule = planAndCheck(b.problem);
  EXPECT_LT(placeOf(schedule, second), placeOf(schedule, store));
  EXPECT_LT(schedule.cycles, schedule.givenCycles);
}

TEST(Scheduler, NoStreamBeforeWhatMakesItRoom) {
  // The second product needs a store and a load of what the first one made.
  // Streams of 1500 bytes each: the third finds no room before the second
  // product starts, so it must not stand before that load, early as it is.
  Builder b;
  b.stream(1500);
  unsigned y = b.mm(50);
  unsigned slow = b.vec(5000, {y});
  unsigned home = b.add(Unit::SMA, 1, 40, {slow});
  unsigned again = b.load(100, {home});
  b.stream(1500);
  unsigned second = b.mm(50, {again});
  unsigned third = b.stream(1500);
  b.mm(50, {second});
  Schedule schedule = planAndCheck(b.problem);
  EXPECT_LT(placeOf(schedule, again), placeOf(schedule, third));
}

TEST(Scheduler, TheProductThatIsNeededForLongestGoesFirst) {
  // q, k and v of one operand. What becomes of k and v is stored and streamed
  // again before the score and the output, so they go first.
  Builder b;
  unsigned x = b.vec(10);
  unsigned wq = b.stream(1200);
  unsigned q = b.mm(20, {x});
  unsigned wk = b.stream(400);
  unsigned k = b.mm(10, {x});
  unsigned storeK = b.add(Unit::SMA, 1, 40, {k});
  unsigned cacheK = b.stream(200, {storeK});
  unsigned score = b.mm(10, {q});
  unsigned wo = b.stream(1200);
  b.mm(20, {score});
  Schedule schedule = planAndCheck(b.problem);
  EXPECT_LT(placeOf(schedule, wk), placeOf(schedule, wq));
  EXPECT_LT(placeOf(schedule, k), placeOf(schedule, q));
  EXPECT_LT(placeOf(schedule, cacheK), placeOf(schedule, wo));
  EXPECT_LT(schedule.cycles, schedule.givenCycles);
}

TEST(Scheduler, RegistersAreSetBehindTheirReaders) {
  Builder b;
  unsigned set = b.add(Unit::ICP, 1, 0, {});
  unsigned reader = b.load(5000, {set});
  unsigned other = b.add(Unit::ICP, 1, 0, {set});
  b.problem.nodes[other].behind = {reader};
  b.load(100, {other});
  planAndCheck(b.problem);
}

TEST(Scheduler, KeepsAnOrderThatIsGoodAlready) {
  Builder b;
  unsigned x = b.load(100);
  unsigned y = b.vec(10, {x});
  b.add(Unit::SMA, 1, 40, {y});
  Schedule schedule = planAndCheck(b.problem);
  EXPECT_EQ(schedule.order, (std::vector<unsigned>{0, 1, 2}));
}

TEST(Scheduler, KeepsWhatItDoesNotUnderstand) {
  // A stream whose product is not in this piece.
  Builder b;
  b.stream(1000);
  b.load(100);
  Schedule schedule = planSchedule(b.problem);
  EXPECT_EQ(schedule.order, (std::vector<unsigned>{0, 1}));
}

TEST(Scheduler, SolvesRandomProblems) {
  std::mt19937 random(7);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    Builder b;
    b.problem.window = static_cast<unsigned>(draw(1, 40));
    auto earlier = [&](int64_t atMost) {
      std::vector<unsigned> nodes;
      auto count = static_cast<int64_t>(b.problem.nodes.size());
      for (int64_t i = draw(0, count ? atMost : 0); i > 0; --i) {
        nodes.push_back(static_cast<unsigned>(
            draw(std::max<int64_t>(0, count - 12), count - 1)));
      }
      return nodes;
    };
    for (int64_t i = draw(0, 60); i > 0; --i) {
      switch (draw(0, 4)) {
      case 0:
        b.load(draw(0, 300), earlier(2));
        break;
      case 1:
        b.vec(draw(1, 300), earlier(3));
        break;
      case 2:
        b.add(Unit::ICP, 1, draw(0, 1) * 100, earlier(1));
        break;
      default: {
        // What a product needs stands before its stream, so that the order as
        // given comes to its end.
        std::vector<unsigned> needs = earlier(2);
        b.stream(draw(0, 4000), earlier(1));
        b.mm(draw(1, 200), needs);
      }
      }
    }
    Schedule schedule = planAndCheck(b.problem);
    EXPECT_LE(schedule.cycles, schedule.givenCycles);
  }
}

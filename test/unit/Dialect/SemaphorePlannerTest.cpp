//===- SemaphorePlannerTest.cpp - Plans hold in every order ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small cases with their plan, and random programs: a plan is carried out in
// random orders that the queues and semaphores allow, and no instruction may
// start before everything that it conflicts with is complete.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/Transforms/SemaphorePlanner.h"

#include "gtest/gtest.h"

#include <deque>
#include <map>
#include <random>

using namespace mlir::lpuisa;
using ::lpu::Unit;
using Kind = HazardItem::Kind;

namespace {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Bytes [begin, begin + size) of LMU, moved by `increments` in the loops.
::lpu::View bytes(int64_t begin, uint32_t size,
                  std::vector<int64_t> increments = {}) {
  ::lpu::View view{};
  view.space = ::lpu::Space::LMU;
  view.type = ::lpu::DType::I8;
  view.rank = 1;
  view.dynamicDim = view.offsetRegister = view.sizeRegister = ::lpu::noneField;
  view.offset = begin;
  view.sizes[0] = size;
  view.strides[0] = 1;
  std::copy(increments.begin(), increments.end(), view.loopIncrements);
  return view;
}

/// An access, with its view for the checker.
struct Touch {
  ::lpu::View view;
  bool isWrite;
  bool isStreamed = false;
};

/// Builds items, and remembers the views behind them.
class Builder {
public:
  unsigned add(Kind kind, Unit unit, std::vector<Touch> touches = {}) {
    HazardItem item;
    item.kind = kind;
    item.unit = unit;
    item.id = nextId++;
    for (const Touch &touch : touches) {
      item.accesses.push_back(
          {ByteRange(touch.view, trips), touch.isWrite, touch.isStreamed});
    }
    touchesOf[item.id] = std::move(touches);
    stack.back().push_back(std::move(item));
    return nextId - 1;
  }
  unsigned write(Unit unit, ::lpu::View view) {
    return add(Kind::Instruction, unit, {{view, true}});
  }
  unsigned read(Unit unit, ::lpu::View view) {
    return add(Kind::Instruction, unit, {{view, false}});
  }
  void beginLoop(uint64_t count) {
    trips.push_back(count);
    stack.emplace_back();
  }
  unsigned endLoop() {
    HazardItem item;
    item.kind = Kind::Loop;
    item.id = nextId++;
    item.trips = trips.back();
    item.body = std::move(stack.back());
    trips.pop_back();
    stack.pop_back();
    stack.back().push_back(std::move(item));
    return nextId - 1;
  }

  std::vector<std::vector<HazardItem>> stack{1};
  std::vector<uint64_t> trips;
  std::map<unsigned, std::vector<Touch>> touchesOf;
  unsigned nextId = 0;
};

SemaphorePlan plan(const Builder &builder) {
  SemaphoreProblem problem;
  std::optional<SemaphorePlan> plan =
      planSemaphores(builder.stack.front(), problem);
  EXPECT_TRUE(plan.has_value()) << problem.message;
  return plan ? *plan : SemaphorePlan();
}

//===----------------------------------------------------------------------===//
// Carrying out a plan
//===----------------------------------------------------------------------===//

/// An entry of a queue: an instruction, or a post or wait.
struct Entry {
  enum { Run, Post, Wait } what;
  unsigned semaphore = 0;
  std::vector<Touch> touches; ///< With the iterations applied.
  bool isStream = false, isMm = false;
  unsigned order = 0; ///< Of issue.
};

/// Expands a program with its plan to the list that the ICP issues.
class Expander {
public:
  Expander(const Builder &builder, const SemaphorePlan &plan,
           std::mt19937 &random)
      : builder(builder), random(random) {
    for (const PlannedSemaphore &planned : plan.semaphores) {
      places[{planned.place, planned.id}].push_back(planned);
    }
  }

  std::vector<std::pair<Unit, Entry>> issued;

  /// Returns false if the program halted.
  bool expand(const std::vector<HazardItem> &block) {
    for (size_t i = 0; i < block.size(); ++i) {
      const HazardItem &item = block[i];
      emit(PlannedSemaphore::Place::Before, item.id);
      switch (item.kind) {
      case Kind::Instruction:
      case Kind::Stream:
      case Kind::Mm:
        run(item);
        break;
      case Kind::Loop: {
        // The bound is not always reached.
        uint64_t count = random() % (item.trips + 1);
        for (uint64_t k = 0; k < count; ++k) {
          iterations.push_back(static_cast<int64_t>(k));
          bool goesOn = expand(item.body);
          emit(PlannedSemaphore::Place::EndOfBody, item.id);
          iterations.pop_back();
          if (!goesOn) {
            return false;
          }
        }
        break;
      }
      case Kind::Branch: {
        // Taken at random, to the next label.
        bool isTaken = random() % 2;
        while (isTaken && block[i].kind != Kind::Label) {
          ++i;
        }
        break;
      }
      case Kind::Label:
      case Kind::Fault:
        break;
      case Kind::Halt:
        return false;
      }
      emit(PlannedSemaphore::Place::After, block[i].id);
    }
    return true;
  }

private:
  void emit(PlannedSemaphore::Place place, unsigned id) {
    for (const PlannedSemaphore &planned : places[{place, id}]) {
      Entry entry{planned.isPost ? Entry::Post : Entry::Wait};
      entry.semaphore = planned.semaphore;
      push(planned.unit, entry);
    }
  }
  void run(const HazardItem &item) {
    Entry entry{Entry::Run};
    entry.touches = builder.touchesOf.at(item.id);
    entry.isStream = item.kind == Kind::Stream;
    entry.isMm = item.kind == Kind::Mm;
    for (Touch &touch : entry.touches) {
      for (size_t level = 0; level < iterations.size(); ++level) {
        touch.view.offset +=
            iterations[level] * touch.view.loopIncrements[level];
      }
    }
    push(item.unit, entry);
  }
  void push(Unit unit, Entry entry) {
    entry.order = static_cast<unsigned>(issued.size());
    issued.emplace_back(unit, std::move(entry));
  }

  const Builder &builder;
  std::mt19937 &random;
  std::vector<int64_t> iterations;
  std::map<std::pair<PlannedSemaphore::Place, unsigned>,
           std::vector<PlannedSemaphore>>
      places;
};

bool conflict(const Entry &left, const Entry &right) {
  for (const Touch &l : left.touches) {
    for (const Touch &r : right.touches) {
      if (!l.isWrite && !r.isWrite) {
        continue;
      }
      int64_t lEnd = l.view.offset + l.view.sizes[0];
      int64_t rEnd = r.view.offset + r.view.sizes[0];
      if (l.view.offset < rEnd && r.view.offset < lEnd) {
        return true;
      }
    }
  }
  return false;
}

/// Carries out the list in one random order. Returns what went wrong.
std::string carryOut(const std::vector<std::pair<Unit, Entry>> &issued,
                     std::mt19937 &random) {
  std::deque<const Entry *> queues[::lpu::numUnits];
  unsigned counts[::lpu::numSemaphores] = {};
  unsigned streams = 0;
  std::vector<bool> isComplete(issued.size());
  size_t next = 0;
  // A unit that is favoured for a while makes orders that differ much.
  unsigned favourite = random() % 5;

  auto start = [&](const Entry &entry) -> std::string {
    for (unsigned before = 0; before < entry.order; ++before) {
      if (!isComplete[before] && conflict(issued[before].second, entry)) {
        return "instruction " + std::to_string(entry.order) +
               " starts before " + std::to_string(before) + " is complete";
      }
    }
    return {};
  };
  while (true) {
    std::vector<unsigned> ready; // Units; 0 is the ICP, which issues.
    if (next < issued.size()) {
      const auto &[unit, entry] = issued[next];
      bool isBlocked = unit == Unit::ICP && entry.what == Entry::Wait &&
                       counts[entry.semaphore] == 0;
      if (!isBlocked) {
        ready.push_back(0);
      }
    }
    for (unsigned unit = 1; unit < ::lpu::numUnits; ++unit) {
      if (queues[unit].empty()) {
        continue;
      }
      const Entry &entry = *queues[unit].front();
      bool isBlocked =
          (entry.what == Entry::Wait && counts[entry.semaphore] == 0) ||
          (entry.isMm && streams == 0);
      if (!isBlocked) {
        ready.push_back(unit);
      }
    }
    if (ready.empty()) {
      break;
    }
    if (random() % 16 == 0) {
      favourite = random() % 5;
    }
    bool isFavouriteReady =
        std::find(ready.begin(), ready.end(), favourite) != ready.end();
    unsigned unit =
        isFavouriteReady ? favourite : ready[random() % ready.size()];
    const Entry *entry;
    if (unit == 0) {
      entry = &issued[next].second;
      Unit target = issued[next].first;
      ++next;
      if (target != Unit::ICP) {
        queues[static_cast<unsigned>(target)].push_back(entry);
        continue;
      }
    } else {
      entry = queues[unit].front();
      queues[unit].pop_front();
    }
    switch (entry->what) {
    case Entry::Post:
      ++counts[entry->semaphore];
      break;
    case Entry::Wait:
      --counts[entry->semaphore];
      break;
    case Entry::Run:
      if (std::string error = start(*entry); !error.empty()) {
        return error;
      }
      streams += entry->isStream;
      streams -= entry->isMm;
      break;
    }
    isComplete[entry->order] = true;
  }
  for (bool complete : isComplete) {
    if (!complete) {
      return "deadlock";
    }
  }
  for (unsigned count : counts) {
    if (count != 0) {
      return "a semaphore is not drained";
    }
  }
  return {};
}

/// Carries out a plan in many orders.
void check(const Builder &builder, const SemaphorePlan &plan, unsigned seed,
           unsigned rounds) {
  std::mt19937 random(seed);
  for (unsigned round = 0; round < rounds; ++round) {
    Expander expander(builder, plan, random);
    expander.expand(builder.stack.front());
    std::string error = carryOut(expander.issued, random);
    ASSERT_EQ(error, "") << "seed " << seed << ", round " << round;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Small cases
//===----------------------------------------------------------------------===//

TEST(SemaphorePlanner, ReadAfterWriteNeedsOneEdge) {
  Builder builder;
  builder.write(Unit::SMA, bytes(0, 16));
  builder.read(Unit::VXE, bytes(8, 4));
  SemaphorePlan result = plan(builder);
  EXPECT_EQ(result.numWaits(), 1u);
  ASSERT_EQ(result.semaphores.size(), 2u);
  EXPECT_TRUE(result.semaphores[0].isPost);
  EXPECT_EQ(result.semaphores[0].unit, Unit::SMA);
  EXPECT_EQ(result.semaphores[1].unit, Unit::VXE);
  EXPECT_EQ(result.semaphores[0].semaphore, result.semaphores[1].semaphore);
}

TEST(SemaphorePlanner, ReadersDoNotWaitForReaders) {
  Builder builder;
  builder.read(Unit::SMA, bytes(0, 16));
  builder.read(Unit::VXE, bytes(0, 16));
  EXPECT_EQ(plan(builder).numWaits(), 0u);
}

TEST(SemaphorePlanner, OneQueueIsInOrder) {
  Builder builder;
  builder.write(Unit::VXE, bytes(0, 16));
  builder.read(Unit::VXE, bytes(0, 16));
  EXPECT_EQ(plan(builder).numWaits(), 0u);
}

TEST(SemaphorePlanner, ImpliedEdgeIsElided) {
  // SMA -> VXE -> SXE: that SXE also reads SMA's bytes needs nothing more.
  Builder builder;
  builder.write(Unit::SMA, bytes(0, 16));
  builder.add(Kind::Instruction, Unit::VXE,
              {{bytes(0, 16), false}, {bytes(16, 16), true}});
  builder.add(Kind::Instruction, Unit::SXE,
              {{bytes(0, 16), false}, {bytes(16, 16), false}});
  SemaphorePlan result = plan(builder);
  EXPECT_EQ(result.edgesNeeded, 3u);
  EXPECT_EQ(result.edgesElided, 1u);
  EXPECT_EQ(result.numWaits(), 2u);
}

TEST(SemaphorePlanner, WhatTheControlUnitWaitedForIsKnownToAll) {
  Builder builder;
  builder.write(Unit::VXE, bytes(0, 8));
  builder.read(Unit::ICP, bytes(0, 8));
  builder.write(Unit::SMA, bytes(0, 8));
  SemaphorePlan result = plan(builder);
  EXPECT_EQ(result.numWaits(), 1u);
  EXPECT_EQ(result.edgesElided, 1u);
}

TEST(SemaphorePlanner, WriterOfStreamedSourceWaitsForMm) {
  Builder builder;
  builder.write(Unit::VXE, bytes(0, 16));
  builder.add(Kind::Stream, Unit::SMA, {{bytes(0, 16), false}});
  builder.add(Kind::Mm, Unit::SXE, {{bytes(0, 16), false, true}});
  builder.write(Unit::SMA, bytes(0, 16));
  // VXE -> stream, and mm -> copy although the copy follows the stream.
  EXPECT_EQ(plan(builder).numWaits(), 2u);
}

TEST(SemaphorePlanner, RefusesWriteBetweenStreamAndMm) {
  Builder builder;
  builder.add(Kind::Stream, Unit::SMA, {{bytes(0, 16), false}});
  unsigned writer = builder.write(Unit::VXE, bytes(8, 16));
  builder.add(Kind::Mm, Unit::SXE, {{bytes(0, 16), false, true}});
  SemaphoreProblem problem;
  EXPECT_FALSE(planSemaphores(builder.stack.front(), problem).has_value());
  EXPECT_EQ(problem.id, writer);
}

TEST(SemaphorePlanner, LoopCarriesItsHazards) {
  // Each iteration loads, then computes: the next load must wait.
  Builder builder;
  builder.beginLoop(4);
  builder.write(Unit::SMA, bytes(0, 16));
  builder.read(Unit::VXE, bytes(0, 16));
  builder.endLoop();
  SemaphorePlan result = plan(builder);
  // One wait inside; one at the top of the body and one after the loop.
  EXPECT_EQ(result.numWaits(), 3u);
  check(builder, result, 1, 200);
}

TEST(SemaphorePlanner, IterationsApartNeedNoCarry) {
  // Each iteration has bytes of its own.
  Builder builder;
  builder.beginLoop(4);
  builder.write(Unit::SMA, bytes(0, 16, {16}));
  builder.read(Unit::VXE, bytes(0, 16, {16}));
  builder.endLoop();
  SemaphorePlan result = plan(builder);
  EXPECT_EQ(result.numWaits(), 1u);
  check(builder, result, 2, 200);
}

TEST(SemaphorePlanner, IterationsThatMeetAreCarried) {
  // Each iteration reads the last byte of the one before.
  Builder builder;
  builder.beginLoop(4);
  builder.write(Unit::SMA, bytes(16, 16, {16}));
  builder.read(Unit::VXE, bytes(15, 16, {16}));
  builder.endLoop();
  SemaphorePlan result = plan(builder);
  EXPECT_EQ(result.edgesNeeded, 2u);
  check(builder, result, 6, 200);
}

TEST(SemaphorePlanner, LaterIterationsByDistance) {
  auto range = [](int64_t begin, int64_t step) {
    return ByteRange(bytes(begin, 16, {step}), {4});
  };
  // The later one comes back to these bytes after 1, 3 or 4 iterations.
  EXPECT_TRUE(range(16, 16).mayOverlapLater(range(0, 16), 0));
  EXPECT_TRUE(range(48, 16).mayOverlapLater(range(0, 16), 0));
  EXPECT_FALSE(range(64, 16).mayOverlapLater(range(0, 16), 0));
  // It never does if it moves away, or jumps over them.
  EXPECT_FALSE(range(0, 16).mayOverlapLater(range(16, 16), 0));
  EXPECT_FALSE(range(0, 16).mayOverlapLater(range(0, 16), 0));
  EXPECT_FALSE(range(32, 64).mayOverlapLater(range(0, 64), 0));
  EXPECT_TRUE(range(0, -16).mayOverlapLater(range(16, -16), 0));
  EXPECT_FALSE(range(16, -16).mayOverlapLater(range(0, -16), 0));
  // Without a common step nothing is known but the bounds.
  EXPECT_TRUE(range(0, 16).mayOverlapLater(range(16, 32), 0));
}

TEST(SemaphorePlanner, EdgeAcrossLoopDoesNotMixWithThoseInside) {
  // The edge SMA -> VXE spans a loop that uses the same pair.
  Builder builder;
  builder.write(Unit::SMA, bytes(0, 16));
  builder.beginLoop(3);
  builder.write(Unit::SMA, bytes(32, 16));
  builder.read(Unit::VXE, bytes(32, 16));
  builder.endLoop();
  builder.read(Unit::VXE, bytes(0, 16));
  check(builder, plan(builder), 3, 500);
}

TEST(SemaphorePlanner, BranchesAreDrained) {
  Builder builder;
  builder.write(Unit::SMA, bytes(0, 16));
  builder.add(Kind::Branch, Unit::ICP);
  builder.read(Unit::VXE, bytes(0, 16));
  builder.add(Kind::Label, Unit::ICP);
  builder.write(Unit::SXE, bytes(0, 16));
  SemaphorePlan result = plan(builder);
  EXPECT_EQ(result.drains, 2u);
  check(builder, result, 4, 200);
}

TEST(SemaphorePlanner, HaltInLoopLeavesNothingBehind) {
  Builder builder;
  builder.write(Unit::SMA, bytes(0, 16));
  builder.beginLoop(3);
  builder.write(Unit::SMA, bytes(32, 16));
  builder.read(Unit::VXE, bytes(32, 16));
  builder.add(Kind::Branch, Unit::ICP);
  builder.add(Kind::Halt, Unit::ICP);
  builder.add(Kind::Label, Unit::ICP);
  builder.write(Unit::SXE, bytes(32, 16));
  builder.endLoop();
  builder.read(Unit::VXE, bytes(0, 16));
  check(builder, plan(builder), 5, 500);
}

TEST(SemaphorePlanner, ColumnsOfAMatrixAreApart) {
  // Columns [0, 4) and [4, 8) of a matrix with rows of 8 bytes.
  auto columns = [](int64_t begin) {
    ::lpu::View view = bytes(begin, 4);
    view.rank = 2;
    view.sizes[0] = 3;
    view.strides[0] = 8;
    view.sizes[1] = 4;
    view.strides[1] = 1;
    return view;
  };
  EXPECT_FALSE(
      ByteRange(columns(0), {}).mayOverlap(ByteRange(columns(4), {}), 0));
  EXPECT_TRUE(
      ByteRange(columns(0), {}).mayOverlap(ByteRange(columns(3), {}), 0));
  // A row touches all columns.
  EXPECT_TRUE(
      ByteRange(columns(0), {}).mayOverlap(ByteRange(bytes(8, 8), {}), 0));
  // With a run-time offset nothing is known of the column.
  ::lpu::View moved = columns(4);
  moved.offsetRegister = 0;
  moved.offsetBound = 4;
  EXPECT_TRUE(ByteRange(columns(0), {}).mayOverlap(ByteRange(moved, {}), 0));
}

TEST(SemaphorePlanner, CoversOnlyWhatIsCertain) {
  ByteRange whole(bytes(0, 16), {});
  EXPECT_TRUE(whole.covers(ByteRange(bytes(4, 8), {}), 0));
  EXPECT_FALSE(whole.covers(ByteRange(bytes(12, 8), {}), 0));
  ::lpu::View sparse = bytes(0, 8);
  sparse.strides[0] = 2;
  EXPECT_FALSE(ByteRange(sparse, {}).covers(ByteRange(bytes(4, 4), {}), 0));
  EXPECT_TRUE(ByteRange(sparse, {}).covers(ByteRange(sparse, {}), 0));
  ::lpu::View dynamic = bytes(0, 16);
  dynamic.dynamicDim = 0;
  dynamic.sizeRegister = 1;
  EXPECT_FALSE(ByteRange(dynamic, {}).covers(ByteRange(bytes(0, 4), {}), 0));
}

//===----------------------------------------------------------------------===//
// Random programs
//===----------------------------------------------------------------------===//

namespace {
/// Writes random programs over few bytes, so that most accesses conflict.
class Generator {
public:
  Generator(unsigned seed) : random(seed) {}
  Builder builder;

  void block(unsigned depth, unsigned length) {
    bool isOpen = false; // A branch whose label has not come.
    for (unsigned i = 0; i < length; ++i) {
      unsigned choice = random() % 20;
      if (choice < 2 && depth < 3) {
        builder.beginLoop(random() % 4);
        block(depth + 1, 1 + random() % 5);
        builder.endLoop();
      } else if (choice == 2 && !isOpen && random() % 2) {
        builder.add(Kind::Branch, Unit::ICP);
        isOpen = true;
      } else if (choice == 3 && isOpen) {
        if (random() % 4 == 0) {
          builder.add(Kind::Halt, Unit::ICP);
        }
        builder.add(Kind::Label, Unit::ICP);
        isOpen = false;
      } else if (choice < 7) {
        ::lpu::View source = view(depth);
        builder.add(Kind::Stream, Unit::SMA, {{source, false}});
        ::lpu::View output = view(depth);
        builder.add(
            Kind::Mm, Unit::SXE,
            {{view(depth), false}, {source, false, true}, {output, true}});
      } else if (choice == 7) {
        builder.read(Unit::ICP, view(depth));
      } else {
        Unit unit = static_cast<Unit>(1 + random() % 3);
        std::vector<Touch> touches;
        for (unsigned n = 1 + random() % 2; n > 0; --n) {
          touches.push_back({view(depth), random() % 2 == 0});
        }
        builder.add(Kind::Instruction, unit, touches);
      }
    }
    if (isOpen) {
      builder.add(Kind::Label, Unit::ICP);
    }
  }

private:
  ::lpu::View view(unsigned depth) {
    std::vector<int64_t> increments;
    for (unsigned level = 0; level < depth; ++level) {
      increments.push_back(random() % 3 == 0 ? 0 : 8 * (random() % 3));
    }
    return bytes(8 * (random() % 6), 4 + random() % 12, increments);
  }
  std::mt19937 random;
};
} // namespace

TEST(SemaphorePlanner, RandomProgramsHoldInRandomOrders) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Generator generator(seed);
    generator.block(0, 12);
    SemaphorePlan result = plan(generator.builder);
    for (const PlannedSemaphore &planned : result.semaphores) {
      ASSERT_LT(planned.semaphore, ::lpu::numSemaphores);
    }
    check(generator.builder, result, seed, 20);
    if (HasFatalFailure()) {
      return;
    }
  }
}

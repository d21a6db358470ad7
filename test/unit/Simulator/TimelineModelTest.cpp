//===- TimelineModelTest.cpp - The timeline against one that ticks --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second implementation of docs/ISA.md, "Timing", written as one would build
// it: every cycle the HBM moves its bytes and every unit looks whether it can
// go on. It is slow, and since it never looks ahead, the order of events cannot
// be wrong in it. Random programs must take the same time in both, instruction
// by instruction. What one instruction costs by itself is not its subject (it
// asks Cost.h, which CostTest.cpp tests). The HBM moves one burst a cycle, so
// that no fractions arise.
//
//===----------------------------------------------------------------------===//

#include "TimelineRecorder.h"

#include <deque>
#include <random>

using namespace lpu;
using namespace lpu::test;

namespace {

/// An instruction with everything that the model wants to know of it.
struct Item {
  Instruction word{};
  std::vector<View> views;
  Unit unit = Unit::ICP;
  Cost cost;
  std::vector<std::pair<ByteRange, bool>> accesses; ///< Written?
  int64_t available = 0, start = -1, end = -1;
};

class Ticks {
public:
  Ticks(const MachineModel &machine, std::vector<Item> &items)
      : machine(machine), items(items) {
    EXPECT_EQ(machine.hbmBytesPerCycle(), machine.hbmBurstBytes);
  }

  /// Cycles of the run; every item gets its start and end.
  int64_t run() {
    while (!isDone()) {
      hbmFinish();
      while (tokensArrive() || unitsAct()) {
      }
      hbmMove();
      ++now;
      EXPECT_LT(now, 1 << 20) << "does not end";
      if (now >= 1 << 20) {
        return -1;
      }
    }
    int64_t total = icpFree;
    for (const State &state : states) {
      total = std::max({total, state.free, state.lastEnd});
    }
    return total;
  }

private:
  struct State {
    std::deque<Item *> queue;
    int64_t free = 0, lastEnd = 0;
    std::vector<Item *> complete; ///< All that are done, for overlaps.
    bool isRunning = false;
    bool isWaitingForHBM = false;
    int64_t moved = 0, step = 0, computed = 0, served = 0;
    int phase = 0;
  };
  struct Request {
    unsigned unit;
    int64_t bursts;
  };
  struct Chunk {
    int64_t arrival, bytes;
    bool isLast;
  };
  struct Token {
    int64_t time;
    int semaphore; ///< -1: buffer space.
    int64_t amount;
  };

  bool isDone() const {
    bool isIdle =
        next == items.size() && requests.empty() && now >= icpFree && !icpLoads;
    for (const State &state : states) {
      isIdle &= state.queue.empty();
    }
    return isIdle;
  }

  //===--- HBM ---===//
  void hbmFinish() {
    if (!requests.empty() && requests.front().bursts == 0) {
      unsigned unit = requests.front().unit;
      requests.pop_front();
      states[unit].isWaitingForHBM = false;
      states[unit].served = now;
    }
  }
  void hbmMove() {
    if (!requests.empty()) {
      --requests.front().bursts;
    }
  }
  void request(unsigned unit, int64_t bytes) {
    states[unit].isWaitingForHBM = true;
    states[unit].moved += bytes;
    requests.push_back({unit, bytes / machine.hbmBurstBytes});
  }

  //===--- Semaphores and buffer ---===//
  bool tokensArrive() {
    bool any = false;
    for (size_t i = 0; i < tokens.size();) {
      if (tokens[i].time > now) {
        ++i;
        continue;
      }
      (tokens[i].semaphore < 0 ? room : counts[tokens[i].semaphore]) +=
          tokens[i].amount;
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i));
      any = true;
    }
    return any;
  }

  //===--- Units ---===//
  bool unitsAct() {
    if (icpActs()) {
      return true;
    }
    for (unsigned unit = 1; unit < numUnits; ++unit) {
      if (unitActs(unit, states[unit])) {
        return true;
      }
    }
    return false;
  }

  bool icpActs() {
    State &state = states[0];
    if (now < icpFree || state.isWaitingForHBM) {
      return false;
    }
    if (icpLoads) { // The request, then the wait for it.
      Item &item = items[next - 1];
      if (item.cost.hbmRead && state.moved == 0) {
        request(0, item.cost.hbmRead);
        return true;
      }
      state.moved = 0;
      icpLoads = false;
      icpFree = item.end = now + item.cost.latency;
      return true;
    }
    if (next == items.size()) {
      return false;
    }
    Item &item = items[next];
    if (item.unit != Unit::ICP) {
      icpFree = item.available = now + machine.issueCycles;
      states[static_cast<unsigned>(item.unit)].queue.push_back(&item);
      ++next;
      return true;
    }
    item.start = item.start < 0 ? now : item.start;
    if (item.word.opcode == Opcode::Wait) {
      if (counts[item.word.aux] < item.word.a) {
        return false;
      }
      counts[item.word.aux] -= item.word.a;
    } else if (item.word.opcode == Opcode::Post) {
      tokens.push_back(
          {now + machine.semaphoreCycles, item.word.aux, item.word.a});
    }
    icpFree = item.end = now + 1;
    icpLoads = item.word.opcode == Opcode::Ld;
    ++next;
    return true;
  }

  bool overlaps(const State &state, const Item &item) const {
    for (const Item *other : state.complete) {
      if (other->end <= now) {
        continue;
      }
      for (const auto &[mine, isWritten] : item.accesses) {
        for (const auto &[theirs, wasWritten] : other->accesses) {
          if ((isWritten || wasWritten) && mine.overlaps(theirs)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  void retire(State &state, int64_t occupied, int64_t end, bool isSync) {
    Item *item = state.queue.front();
    item->end = end;
    state.free = occupied;
    if (!isSync) {
      state.lastEnd = std::max(state.lastEnd, end);
      state.complete.push_back(item);
    }
    state.queue.pop_front();
    state.isRunning = false;
  }

  int64_t nextChunk(int64_t moved, int64_t total) const {
    return std::min(streamChunkBytes(machine), total - moved);
  }

  bool unitActs(unsigned unit, State &state) {
    if (state.queue.empty() || state.isWaitingForHBM) {
      return false;
    }
    Item &item = *state.queue.front();
    if (!state.isRunning) {
      if (now < state.free || now < item.available) {
        return false;
      }
      if (item.word.opcode == Opcode::Wait) {
        item.start = std::max(state.free, item.available);
        if (counts[item.word.aux] < item.word.a) {
          return false;
        }
        counts[item.word.aux] -= item.word.a;
        retire(state, now + 1, now + 1, true);
        return true;
      }
      if (item.word.opcode == Opcode::Post) {
        tokens.push_back(
            {std::max(now, state.lastEnd) + machine.semaphoreCycles,
             item.word.aux, item.word.a});
        item.start = now;
        retire(state, now + 1, now + 1, true);
        return true;
      }
      if (overlaps(state, item)) {
        return false;
      }
    }
    switch (item.word.opcode) {
    case Opcode::Stream:
      return streamActs(unit, state, item);
    case Opcode::Mm:
      return mmActs(unit, state, item);
    default:
      return transferActs(unit, state, item);
    }
  }

  void begin(State &state, Item &item) {
    if (!state.isRunning) {
      state.isRunning = true;
      state.moved = state.computed = 0;
      state.phase = 0;
      state.served = state.step = item.start = now;
    }
  }

  bool transferActs(unsigned unit, State &state, Item &item) {
    begin(state, item);
    int64_t total = item.cost.hbmRead + item.cost.hbmWritten;
    if (state.moved < total) {
      request(unit, nextChunk(state.moved, total));
      return true;
    }
    int64_t occupied = std::max(item.start + item.cost.cycles, state.served);
    retire(state, occupied, occupied + item.cost.latency, false);
    return true;
  }

  /// phase 1: a chunk is being served.
  bool streamActs(unsigned unit, State &state, Item &item) {
    int64_t total = item.cost.hbmRead;
    if (state.isRunning && state.phase == 1) {
      state.phase = 0;
      bool isLast = state.moved == total;
      buffer.push_back({now + item.cost.latency, lastBytes, isLast});
      if (isLast) {
        retire(state, std::max(now, item.start + 1), now + item.cost.latency,
               false);
      }
      return true;
    }
    int64_t bytes = nextChunk(state.isRunning ? state.moved : 0, total);
    if (bytes > room) {
      return false;
    }
    begin(state, item);
    if (total == 0) {
      buffer.push_back({now, 0, true});
      retire(state, now + 1, now + 1, false);
      return true;
    }
    room -= bytes;
    lastBytes = bytes;
    state.phase = 1;
    request(unit, bytes);
    return true;
  }

  /// phase 0: operands; 1: chunks; 2: results. `step` is when it can go on.
  bool mmActs(unsigned unit, State &state, Item &item) {
    if (!state.isRunning && item.cost.hbmRead == 0 &&
        (buffer.empty() || buffer.front().arrival > now)) {
      return false;
    }
    begin(state, item);
    if (now < state.step) {
      return false;
    }
    if (state.phase == 0) {
      if (state.moved < item.cost.hbmRead) {
        request(unit, nextChunk(state.moved, item.cost.hbmRead));
      } else {
        state.phase = 1;
        state.moved = 0;
      }
      return true;
    }
    if (state.phase == 1) {
      if (buffer.empty() || buffer.front().arrival > now) {
        return false;
      }
      Chunk chunk = buffer.front();
      buffer.pop_front();
      state.moved += chunk.bytes;
      int64_t entry = entryBytes[consumed];
      int64_t target = chunk.isLast ? item.cost.cycles
                                    : item.cost.cycles * state.moved / entry;
      state.step = now + target - state.computed;
      state.computed = target;
      tokens.push_back({state.step, -1, chunk.bytes});
      if (chunk.isLast) {
        ++consumed;
        state.phase = 2;
        state.moved = 0;
      }
      return true;
    }
    if (state.moved < item.cost.hbmWritten) {
      request(unit, nextChunk(state.moved, item.cost.hbmWritten));
      return true;
    }
    retire(state, now, now + item.cost.latency, false);
    return true;
  }

public:
  std::vector<int64_t> entryBytes; ///< Of the streams, in order.

private:
  MachineModel machine;
  std::vector<Item> &items;
  int64_t now = 0, icpFree = 0;
  bool icpLoads = false;
  size_t next = 0;
  std::array<State, numUnits> states;
  std::deque<Request> requests;
  std::deque<Chunk> buffer;
  std::vector<Token> tokens;
  std::array<int64_t, numSemaphores> counts{};
  int64_t room = machine.streamBufferBytes;
  int64_t lastBytes = 0;
  size_t consumed = 0;
};

/// A random program: copies, products, vector instructions, loads, posts and
/// waits, in the LMU and in HBM, near enough to overlap now and then.
class RandomProgram {
public:
  RandomProgram(unsigned seed, const MachineModel &machine)
      : machine(machine), random(seed) {
    micro.elements();
    uint16_t one = micro.constant(MicroType::F32, 1.0f);
    micro.store(1, micro.f(MicroOpcode::AddF, micro.load(0), one));
    unsigned semaphore = 0;
    for (int64_t i = upTo(30); i > 0; --i) {
      switch (random() % 6) {
      case 0:
      case 1: {
        int64_t n = upTo(600);
        add({Opcode::Copy, 0, 0, 0, 0, 0}, {place(n), place(n)}, {true, false});
        break;
      }
      case 2:
      case 3: {
        int64_t rows = upTo(3), cols = upTo(60), depth = upTo(60);
        add({Opcode::Stream, 0, 0, 0, 1, 0},
            {arg(9, DType::F32, {cols, depth})}, {false});
        add({Opcode::Mm, static_cast<uint8_t>(random() % 2),
             MmFields{0, 1, 1, 1}.pack(), 0, 0, 0},
            {place(rows, depth), place(rows, cols)}, {false, true});
        break;
      }
      case 4: {
        int64_t n = upTo(500);
        add({Opcode::Vec, 0, 1 | 1 << 8, 0, 0, 2}, {place(n), place(n)},
            {false, true});
        break;
      }
      default:
        if (random() % 4 == 0) {
          add({Opcode::Ld, 0, 1, 0, 0, 0},
              {random() % 2 ? arg(0, DType::I64, {1})
                            : lmu(0, DType::I64, {1})},
              {false});
        } else {
          // Posts stand before their waits, so nothing waits for ever.
          auto count = static_cast<uint32_t>(upTo(2));
          add({Opcode::Post, anyUnit(), static_cast<uint16_t>(semaphore), count,
               0, 0},
              {}, {});
          add({Opcode::Wait, anyUnit(), static_cast<uint16_t>(semaphore), count,
               0, 0},
              {}, {});
          ++semaphore;
        }
      }
    }
  }

  MachineModel machine;
  MicroBuilder micro{1, 1};
  std::vector<Item> items;
  std::vector<int64_t> entryBytes;

private:
  int64_t upTo(int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most)) + 1;
  }
  uint8_t anyUnit() { return static_cast<uint8_t>(random() % numUnits); }
  View place(int64_t rows, int64_t cols = 0) {
    Shape sizes = cols ? Shape{rows, cols} : Shape{rows};
    int64_t offset = 256 * (upTo(16) - 1);
    return random() % 3 ? lmu(offset, DType::F32, sizes)
                        : arg(static_cast<unsigned>(upTo(4)), DType::F32, sizes,
                              rowMajor(sizes), offset);
  }
  void add(Instruction word, const std::vector<View> &views,
           const std::vector<bool> &isWritten) {
    Item item;
    item.word = word;
    item.views = views;
    std::vector<ResolvedView> resolved;
    for (size_t i = 0; i < views.size(); ++i) {
      resolved.push_back(*ResolvedView::resolve(views[i], ControlState()));
      item.accesses.push_back({resolved.back().bounds(), isWritten[i]});
    }
    IssuedInstruction issued{0, word, resolved.data(),
                             static_cast<unsigned>(resolved.size()),
                             &micro.program};
    item.unit = issued.unit();
    item.cost = cost(issued, machine);
    if (word.opcode == Opcode::Stream) {
      entryBytes.push_back(item.cost.hbmRead);
    }
    items.push_back(item);
  }

  std::mt19937 random;
};

void compare(unsigned seed, const MachineModel &machine) {
  RandomProgram program(seed, machine);
  Recorder run(machine);
  for (const Item &item : program.items) {
    run.issue(item.word, item.views,
              item.word.opcode == Opcode::Vec ? &program.micro.program
                                              : nullptr);
  }
  Report report = run.finish();
  Ticks ticks(machine, program.items);
  ticks.entryBytes = program.entryBytes;
  ASSERT_EQ(ticks.run(), report.cycles) << "seed " << seed;
  for (uint32_t i = 0; i < program.items.size(); ++i) {
    EXPECT_EQ(program.items[i].start, run.start(i))
        << "seed " << seed << ", start of instruction " << i;
    EXPECT_EQ(program.items[i].end, run.end(i))
        << "seed " << seed << ", end of instruction " << i;
  }
}

} // namespace

TEST(TimelineModel, RandomPrograms) {
  for (unsigned seed = 0; seed < 1000 && !testing::Test::HasFailure(); ++seed) {
    compare(seed, *MachineModel::get("tiny"));
  }
}

// A buffer of four chunks, so that every stream waits for room.
TEST(TimelineModel, SmallBuffer) {
  MachineModel machine = *MachineModel::get("tiny");
  machine.streamBufferBytes = 256;
  for (unsigned seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    compare(seed, machine);
  }
}

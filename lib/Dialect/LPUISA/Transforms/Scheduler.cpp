//===- Scheduler.cpp - In which order instructions stand ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Scheduler.h. OrderProducts.cpp has the first step, this file the second.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/Transforms/Scheduler.h"

#include "OrderProducts.h"
#include "ScheduleClock.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

using namespace mlir::lpuisa;

using ::lpu::numUnits;
using ::lpu::Unit;
using Kind = ScheduleNode::Kind;

/// Pairs streams with products; none if an mm precedes its stream or one is
/// missing.
static std::optional<std::vector<Product>>
pairProducts(const ScheduleProblem &problem) {
  std::vector<Product> products;
  size_t taken = 0;
  for (unsigned i = 0; i < problem.nodes.size(); ++i) {
    if (problem.nodes[i].kind == Kind::Stream) {
      products.push_back({i, none});
    } else if (problem.nodes[i].kind == Kind::Mm) {
      if (taken == products.size()) {
        return std::nullopt;
      }
      products[taken++].mm = i;
    }
  }
  if (taken != products.size()) {
    return std::nullopt;
  }
  return products;
}

//===----------------------------------------------------------------------===//
// List scheduling
//===----------------------------------------------------------------------===//

namespace {

class ListScheduler {
public:
  ListScheduler(const ScheduleProblem &problem,
                const std::vector<Product> &products)
      : problem(problem), products(products), costs(problem), clock(problem) {
    bytesBefore.push_back(0);
    numberOf.assign(problem.nodes.size(), none);
    for (unsigned k = 0; k < products.size(); ++k) {
      numberOf[products[k].stream] = numberOf[products[k].mm] = k;
      bytesBefore.push_back(bytesBefore.back() +
                            node(products[k].stream).streamBytes);
    }
  }

  /// The schedule, or none if it gets stuck.
  std::optional<Schedule> run();
  /// The order that was given.
  std::optional<Schedule> runAsGiven();

private:
  const ScheduleNode &node(unsigned i) const { return problem.nodes[i]; }

  bool computeTails();
  unsigned productThatMakesRoom(int64_t bytes) const;
  void estimate();
  bool isAvailable(unsigned i) const;
  bool canPush(unsigned number) const;
  bool waitsForTransfer(unsigned mm, unsigned number) const;
  int64_t estimatedEnd(unsigned i) const;
  int64_t urgency(unsigned i) const;
  int64_t delay(unsigned sooner, unsigned later) const;
  bool goesBefore(unsigned i, bool canStart, unsigned other,
                  bool canOtherStart) const;
  /// The next node of `unit`; none if it has none or should wait.
  unsigned pick(Unit unit, unsigned &fallback) const;
  void add(unsigned i);

  const ScheduleProblem &problem;
  const std::vector<Product> &products;
  Costs costs;
  ScheduleClock clock;
  std::vector<unsigned> order;
  /// The product that a stream or an mm belongs to.
  std::vector<unsigned> numberOf;
  /// Bytes of the streams before each product.
  std::vector<int64_t> bytesBefore;
  /// The longest path from the start of each node to the end.
  std::vector<int64_t> tails;
  /// Whether anything comes after a node.
  std::vector<bool> isNeeded;
  /// When nodes of the window are likely to start and to be complete.
  std::vector<int64_t> starts, ends;
  unsigned nextStream = 0, nextMm = 0;
  /// The window: from the first node that is left.
  unsigned first = 0, windowEnd = 0;
};

} // namespace

/// The product that has to start so that `bytes` bytes of all streams are out
/// of the buffer.
unsigned ListScheduler::productThatMakesRoom(int64_t bytes) const {
  if (bytes <= 0) {
    return none;
  }
  auto after = std::lower_bound(bytesBefore.begin(), bytesBefore.end(), bytes);
  return static_cast<unsigned>(after - bytesBefore.begin()) - 1;
}

/// False if what waits for what goes round in a circle.
bool ListScheduler::computeTails() {
  struct Edge {
    unsigned to;
    int64_t length;
  };
  size_t count = problem.nodes.size();
  std::vector<std::vector<Edge>> edges(count);
  std::vector<unsigned> incoming(count, 0);
  auto addEdge = [&](unsigned from, unsigned to, int64_t length) {
    edges[from].push_back({to, length});
    ++incoming[to];
  };
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned before : node(i).after) {
      addEdge(before, i,
              costs.duration(before) +
                  clock.crossing(node(before).unit, node(i).unit));
    }
  }
  for (unsigned k = 0; k < products.size(); ++k) {
    auto [stream, mm] = products[k];
    // The product starts with the first bytes and ends after the last ones.
    int64_t rest = costs.hbmCycles(stream) - node(mm).cycles;
    addEdge(stream, mm, node(stream).latency + std::max<int64_t>(0, rest));
    if (k > 0) {
      addEdge(products[k - 1].stream, stream,
              costs.occupancy(products[k - 1].stream));
      addEdge(products[k - 1].mm, mm, costs.occupancy(products[k - 1].mm));
    }
    int64_t chunk =
        std::min(node(stream).streamBytes, problem.machine.chunkBytes);
    int64_t taken = bytesBefore[k] + chunk - problem.machine.streamBufferBytes;
    unsigned room = productThatMakesRoom(taken);
    if (room != none && room < k) {
      int64_t entry = bytesBefore[room + 1] - bytesBefore[room];
      double share = static_cast<double>(taken - bytesBefore[room]) /
                     static_cast<double>(std::max<int64_t>(1, entry));
      addEdge(products[room].mm, stream,
              static_cast<int64_t>(
                  share * static_cast<double>(node(products[room].mm).cycles)));
    }
  }
  std::vector<unsigned> sorted;
  for (unsigned i = 0; i < count; ++i) {
    if (incoming[i] == 0) {
      sorted.push_back(i);
    }
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (const Edge &edge : edges[sorted[i]]) {
      if (--incoming[edge.to] == 0) {
        sorted.push_back(edge.to);
      }
    }
  }
  if (sorted.size() != count) {
    return false;
  }
  tails.resize(count);
  isNeeded.resize(count);
  for (size_t i = count; i-- > 0;) {
    unsigned from = sorted[i];
    int64_t tail = costs.duration(from);
    for (const Edge &edge : edges[from]) {
      tail = std::max(tail, edge.length + tails[edge.to]);
    }
    tails[from] = tail;
    isNeeded[from] = !edges[from].empty();
  }
  return true;
}

/// One pass over the window, each node from those before it.
void ListScheduler::estimate() {
  for (unsigned i = first; i < windowEnd; ++i) {
    if (clock.has(i)) {
      continue;
    }
    const ScheduleNode &what = node(i);
    int64_t start = clock.freeAt(what.unit);
    if (what.unit != Unit::ICP) {
      start = std::max(start,
                       clock.freeAt(Unit::ICP) + problem.machine.issueCycles);
    }
    for (unsigned before : what.after) {
      start =
          std::max(start, clock.has(before)
                              ? clock.readyAfter(before, what.unit)
                              : ends[before] + clock.crossing(node(before).unit,
                                                              what.unit));
    }
    int64_t duration = costs.duration(i);
    unsigned number = numberOf[i];
    if (what.kind == Kind::Mm) {
      unsigned stream = products[number].stream;
      if (!clock.has(stream)) {
        start = std::max(start, starts[stream] + node(stream).latency);
        duration = std::max(duration, costs.hbmCycles(stream) + what.latency);
      } else if (number == nextMm) {
        start = std::max(start, clock.firstArrival());
      }
    }
    if (what.kind != Kind::Other && number > 0) {
      const Product &previous = products[number - 1];
      unsigned before = what.kind == Kind::Mm ? previous.mm : previous.stream;
      if (before < i && !clock.has(before)) {
        start = std::max(start, starts[before] + costs.occupancy(before));
      }
    }
    starts[i] = start;
    // Who waits for it on another unit waits for all before it in its queue.
    ends[i] = std::max(start + duration, clock.allDone(what.unit));
  }
}

/// When `i` frees its unit if it is the next one there.
int64_t ListScheduler::estimatedEnd(unsigned i) const {
  int64_t end = starts[i] + costs.occupancy(i);
  if (node(i).kind == Kind::Stream) {
    unsigned room = productThatMakesRoom(bytesBefore[numberOf[i] + 1] -
                                         problem.machine.streamBufferBytes);
    if (room != none && room >= nextMm && products[room].mm < windowEnd) {
      end = std::max(end, starts[products[room].mm]);
    }
  }
  return end;
}

/// The longest path from the start of `i`, with a margin for loads from the
/// HBM: one that comes too early costs its few cycles all the same; one that
/// comes too late costs the latency of the HBM.
int64_t ListScheduler::urgency(unsigned i) const {
  bool isLoad = node(i).unit == Unit::SMA && node(i).kind == Kind::Other &&
                node(i).latency >= problem.machine.hbmLatency;
  return tails[i] + (isLoad && isNeeded[i] ? problem.machine.hbmLatency : 0);
}

/// Whether `mm` needs a transfer of the SMA that was not added yet, other than
/// the streams up to product `number`.
bool ListScheduler::waitsForTransfer(unsigned mm, unsigned number) const {
  std::vector<unsigned> open = {mm};
  std::vector<bool> isSeen(mm + 1 - first, false);
  while (!open.empty()) {
    unsigned i = open.back();
    open.pop_back();
    bool isTransfer = node(i).unit == Unit::SMA;
    if (isTransfer && (node(i).kind == Kind::Other || numberOf[i] > number)) {
      return true;
    }
    for (unsigned before : node(i).after) {
      if (!clock.has(before) && !isSeen[before - first]) {
        isSeen[before - first] = true;
        open.push_back(before);
      }
    }
  }
  return false;
}

/// Whether the products that make room for a stream can start without any
/// transfer that would stand behind it.
bool ListScheduler::canPush(unsigned number) const {
  unsigned room = productThatMakesRoom(bytesBefore[number + 1] +
                                       problem.machine.chunkBytes -
                                       problem.machine.streamBufferBytes);
  if (room == none) {
    return true;
  }
  for (unsigned k = nextMm; k <= std::min(room, number); ++k) {
    if (waitsForTransfer(products[k].mm, number)) {
      return false;
    }
  }
  return true;
}

bool ListScheduler::isAvailable(unsigned i) const {
  auto isAdded = [&](unsigned before) { return clock.has(before); };
  const ScheduleNode &what = node(i);
  if (!std::all_of(what.after.begin(), what.after.end(), isAdded) ||
      !std::all_of(what.behind.begin(), what.behind.end(), isAdded)) {
    return false;
  }
  if (what.kind == Kind::Mm) {
    return numberOf[i] == nextMm && clock.has(products[nextMm].stream);
  }
  if (what.unit == Unit::SMA && clock.isBlocked()) {
    return false;
  }
  return what.kind != Kind::Stream ||
         (numberOf[i] == nextStream && canPush(nextStream));
}

/// By how much `later` is delayed if `sooner` goes first on their unit: it
/// starts when that one leaves the unit, and no post behind that one takes
/// effect before it is complete.
int64_t ListScheduler::delay(unsigned sooner, unsigned later) const {
  int64_t byUnit = estimatedEnd(sooner) - starts[later];
  int64_t byPost = 0;
  if (node(later).kind == Kind::Other) {
    byPost = starts[sooner] + costs.duration(sooner) - starts[later] -
             costs.duration(later);
  }
  return std::max({int64_t(0), byUnit, byPost});
}

/// Whether `i` should rather go first than `other`: if the longer of the paths
/// through both is shorter then. If it is all the same, one that can start
/// does, and the earlier one.
bool ListScheduler::goesBefore(unsigned i, bool canStart, unsigned other,
                               bool canOtherStart) const {
  int64_t path = starts[i] + urgency(i);
  int64_t otherPath = starts[other] + urgency(other);
  int64_t first = std::max(path, otherPath + delay(i, other));
  int64_t second = std::max(otherPath, path + delay(other, i));
  if (first != second) {
    return first < second;
  }
  if (canStart != canOtherStart) {
    return canStart;
  }
  return starts[i] < starts[other] ||
         (starts[i] == starts[other] && urgency(i) > urgency(other));
}

unsigned ListScheduler::pick(Unit unit, unsigned &fallback) const {
  unsigned best = none;
  bool isBestAvailable = false;
  for (unsigned i = first; i < windowEnd; ++i) {
    if (clock.has(i) || node(i).unit != unit) {
      continue;
    }
    // Streams and products keep their order, so only the next one counts.
    if ((node(i).kind == Kind::Stream && numberOf[i] != nextStream) ||
        (node(i).kind == Kind::Mm && numberOf[i] != nextMm)) {
      continue;
    }
    bool canStart = isAvailable(i);
    if (best == none || goesBefore(i, canStart, best, isBestAvailable)) {
      best = i;
      isBestAvailable = canStart;
    }
    if (canStart && (fallback == none || starts[i] < starts[fallback])) {
      fallback = i;
    }
  }
  return isBestAvailable ? best : none;
}

void ListScheduler::add(unsigned i) {
  clock.add(i);
  order.push_back(i);
  nextStream += node(i).kind == Kind::Stream;
  nextMm += node(i).kind == Kind::Mm;
}

std::optional<Schedule> ListScheduler::run() {
  if (!computeTails()) {
    return std::nullopt;
  }
  auto count = static_cast<unsigned>(problem.nodes.size());
  starts.assign(count, 0);
  ends.assign(count, 0);
  while (order.size() < count) {
    while (clock.has(first)) {
      ++first;
    }
    // The window reaches to the products whose turn it is.
    windowEnd = std::min(count, first + problem.window);
    for (unsigned k : {nextStream, nextMm}) {
      if (k < products.size()) {
        windowEnd = std::max(windowEnd, products[k].mm + 1);
      }
    }
    estimate();
    unsigned next = none, fallback = none;
    int64_t nextTime = 0;
    for (unsigned u = 0; u < numUnits; ++u) {
      unsigned candidate = pick(static_cast<Unit>(u), fallback);
      if (candidate == none) {
        continue;
      }
      // What is issued after an instruction of the ICP starts after its end.
      int64_t time = node(candidate).unit == Unit::ICP ? ends[candidate]
                                                       : starts[candidate];
      if (next == none || time < nextTime) {
        next = candidate;
        nextTime = time;
      }
    }
    next = next == none ? fallback : next;
    if (next == none) {
      return std::nullopt;
    }
    add(next);
  }
  return Schedule{order, clock.end(), 0};
}

std::optional<Schedule> ListScheduler::runAsGiven() {
  auto count = static_cast<unsigned>(problem.nodes.size());
  windowEnd = count;
  std::array<std::vector<unsigned>, numUnits> queues;
  std::array<size_t, numUnits> heads{};
  for (unsigned i = 0; i < count; ++i) {
    queues[static_cast<unsigned>(node(i).unit)].push_back(i);
  }
  auto headOf = [&](unsigned u) {
    return heads[u] < queues[u].size() ? queues[u][heads[u]] : none;
  };
  while (order.size() < count) {
    unsigned next = none, nextUnit = 0;
    int64_t nextStart = 0;
    for (unsigned u = 0; u < numUnits; ++u) {
      unsigned head = headOf(u);
      auto isAdded = [&](unsigned before) { return clock.has(before); };
      // The ICP issues in order, and runs its own instructions in between.
      if (head == none || head > headOf(static_cast<unsigned>(Unit::ICP)) ||
          !std::all_of(node(head).after.begin(), node(head).after.end(),
                       isAdded) ||
          (node(head).unit == Unit::SMA && clock.isBlocked()) ||
          (node(head).kind == Kind::Mm &&
           !clock.has(products[numberOf[head]].stream))) {
        continue;
      }
      int64_t start = clock.startOf(head);
      if (next == none || start < nextStart) {
        next = head;
        nextUnit = u;
        nextStart = start;
      }
    }
    if (next == none) {
      return std::nullopt;
    }
    add(next);
    ++heads[nextUnit];
  }
  return Schedule{order, clock.end(), 0};
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

Schedule mlir::lpuisa::planSchedule(const ScheduleProblem &problem) {
  Schedule given;
  for (unsigned i = 0; i < problem.nodes.size(); ++i) {
    given.order.push_back(i);
  }
  std::optional<std::vector<Product>> products = pairProducts(problem);
  if (!products) {
    return given;
  }
  std::optional<Schedule> asGiven =
      ListScheduler(problem, *products).runAsGiven();
  orderProducts(problem, *products);
  std::optional<Schedule> planned = ListScheduler(problem, *products).run();
  if (asGiven) {
    given.cycles = given.givenCycles = asGiven->cycles;
  }
  // An order that blocks for ever is not for this pass to keep or to mend.
  if (!planned || (asGiven && planned->cycles >= asGiven->cycles)) {
    return given;
  }
  planned->givenCycles = given.givenCycles;
  return *planned;
}

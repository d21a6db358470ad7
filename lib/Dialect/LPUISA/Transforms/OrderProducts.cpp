//===- OrderProducts.cpp - Which of independent products goes first -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OrderProducts.h. Bubble sort with a relation that is no order: whether
// the longer of the two paths through neighbours gets shorter when they change
// places. Paths are longest paths in the acyclic graph of data.
//
//===----------------------------------------------------------------------===//

#include "OrderProducts.h"

#include "ScheduleClock.h"

#include <algorithm>

using namespace mlir::lpuisa;

namespace {

class ProductOrder {
public:
  ProductOrder(const ScheduleProblem &problem, std::vector<Product> &products)
      : problem(problem), clock(problem), costs(problem), products(products) {}

  void run() {
    measure();
    // Each round moves a product by a place at least; three that share their
    // operand, as those of attention do, take two.
    constexpr unsigned maxRounds = 8;
    bool hasChanged = true;
    for (unsigned round = 0; round < maxRounds && hasChanged; ++round) {
      hasChanged = false;
      for (size_t i = 0; i + 1 < products.size(); ++i) {
        if (isBetterTurned(products[i], products[i + 1])) {
          std::swap(products[i], products[i + 1]);
          hasChanged = true;
        }
      }
    }
  }

private:
  /// A product takes the SXE or the HBM, whichever is slower.
  int64_t occupancy(const Product &product) const {
    return std::max(costs.occupancy(product.mm),
                    costs.occupancy(product.stream));
  }

  /// The longest paths to the start of each node, and from there to the end,
  /// over data alone.
  void measure() {
    size_t count = problem.nodes.size();
    std::vector<int64_t> durations(count);
    for (unsigned i = 0; i < count; ++i) {
      durations[i] = costs.duration(i);
    }
    std::vector<unsigned> streamOf(count, none);
    for (const Product &product : products) {
      durations[product.mm] =
          occupancy(product) + problem.nodes[product.mm].latency;
      streamOf[product.mm] = product.stream;
    }
    heads.assign(count, 0);
    tails = durations;
    auto forEachEdge = [&](unsigned i, auto visit) {
      for (unsigned before : problem.nodes[i].after) {
        visit(before,
              durations[before] + clock.crossing(problem.nodes[before].unit,
                                                 problem.nodes[i].unit));
      }
      // A stream that waits for nobody runs ahead.
      unsigned stream = streamOf[i];
      if (stream != none && !problem.nodes[stream].after.empty()) {
        visit(stream, problem.nodes[stream].latency);
      }
    };
    for (unsigned i = 0; i < count; ++i) {
      forEachEdge(i, [&](unsigned before, int64_t length) {
        heads[i] = std::max(heads[i], heads[before] + length);
      });
    }
    for (unsigned i = static_cast<unsigned>(count); i-- > 0;) {
      forEachEdge(i, [&](unsigned before, int64_t length) {
        tails[before] = std::max(tails[before], length + tails[i]);
      });
    }
  }

  bool isBetterTurned(const Product &first, const Product &second) const {
    int64_t firstHead = heads[first.mm], secondHead = heads[second.mm];
    int64_t firstEnd = firstHead + occupancy(first);
    if (secondHead >= firstEnd || dependsOn(second, first)) {
      return false;
    }
    auto longest = [&](const Product &a, int64_t startA, const Product &b,
                       int64_t startB) {
      return std::max(startA + tails[a.mm], startB + tails[b.mm]);
    };
    int64_t asIs = longest(first, firstHead, second, firstEnd);
    int64_t secondEnd = secondHead + occupancy(second);
    int64_t turned =
        longest(second, secondHead, first, std::max(firstHead, secondEnd));
    return turned < asIs;
  }

  /// Whether `later` needs `earlier`, over whatever nodes.
  bool dependsOn(const Product &later, const Product &earlier) const {
    std::vector<unsigned> open = {later.mm, later.stream};
    std::vector<bool> isSeen(problem.nodes.size(), false);
    while (!open.empty()) {
      unsigned i = open.back();
      open.pop_back();
      if (i == earlier.mm || i == earlier.stream) {
        return true;
      }
      for (unsigned before : problem.nodes[i].after) {
        if (before >= earlier.stream && !isSeen[before]) {
          isSeen[before] = true;
          open.push_back(before);
        }
      }
    }
    return false;
  }

  const ScheduleProblem &problem;
  ScheduleClock clock;
  Costs costs;
  std::vector<Product> &products;
  std::vector<int64_t> heads, tails;
};

} // namespace

void mlir::lpuisa::orderProducts(const ScheduleProblem &problem,
                                 std::vector<Product> &products) {
  ProductOrder(problem, products).run();
}

//===- OrderProducts.h - Which product goes first ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first step of the scheduler: the order of matrix products, which their
// streams share.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_DIALECT_LPUISA_TRANSFORMS_ORDERPRODUCTS_H
#define LPU_LIB_DIALECT_LPUISA_TRANSFORMS_ORDERPRODUCTS_H

#include "lpu/Dialect/LPUISA/Transforms/Scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mlir::lpuisa {

/// The number of no node.
constexpr unsigned none = std::numeric_limits<unsigned>::max();

/// A stream and the product that takes its entry.
struct Product {
  unsigned stream;
  unsigned mm;
};

/// What nodes take by themselves, and what they take place in.
class Costs {
public:
  explicit Costs(const ScheduleProblem &problem) : problem(problem) {}

  const ScheduleNode &node(unsigned i) const { return problem.nodes[i]; }
  /// Cycles for which the HBM serves a node.
  int64_t hbmCycles(unsigned i) const {
    return static_cast<int64_t>(
        std::ceil(static_cast<double>(node(i).hbmBytes) /
                  problem.machine.hbmBytesPerCycle));
  }
  /// Cycles for which a node keeps its unit busy.
  int64_t occupancy(unsigned i) const {
    return std::max(node(i).cycles, hbmCycles(i));
  }
  /// Cycles from start to completion.
  int64_t duration(unsigned i) const { return occupancy(i) + node(i).latency; }

private:
  const ScheduleProblem &problem;
};

/// Brings `products` into an order in which paths through neighbours are short.
/// A product stays behind those that it needs.
void orderProducts(const ScheduleProblem &problem,
                   std::vector<Product> &products);

} // namespace mlir::lpuisa

#endif // LPU_LIB_DIALECT_LPUISA_TRANSFORMS_ORDERPRODUCTS_H

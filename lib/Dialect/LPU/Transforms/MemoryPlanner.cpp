//===- MemoryPlanner.cpp - Places buffers in one memory -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eviction and greedy placement, see the header. Quadratic in the number of
// buffers, which is some thousands at most.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/MemoryPlanner.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace mlir::lpu;

static int64_t alignTo(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Whether two buffers live at the same time, or less than `rest` moments
/// apart.
static bool meet(const BufferRequest &a, const BufferRequest &b,
                 int64_t rest = 0) {
  return a.first <= b.last + rest && b.first <= a.last + rest;
}

/// Buffers in the order in which they claim memory: by size, then by first use,
/// then as given.
static std::vector<size_t>
orderBySize(const std::vector<BufferRequest> &buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (buffers[a].bytes != buffers[b].bytes) {
      return buffers[a].bytes > buffers[b].bytes;
    }
    return buffers[a].first < buffers[b].first;
  });
  return order;
}

/// Marks the buffers that leave, until at no moment the living ones exceed the
/// memory. It is fullest at the start of some buffer, so those moments suffice.
static std::vector<bool> evict(const MemoryProblem &problem) {
  const std::vector<BufferRequest> &buffers = problem.buffers;
  std::vector<bool> evicted(buffers.size(), false);
  std::vector<int64_t> moments;
  for (const BufferRequest &buffer : buffers) {
    moments.push_back(buffer.first);
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  auto occupies = [&](const BufferRequest &buffer) {
    return static_cast<double>(buffer.bytes) *
           static_cast<double>(buffer.last - buffer.first + 1);
  };
  for (int64_t moment : moments) {
    std::vector<size_t> living;
    int64_t total = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (!evicted[i] && buffers[i].first <= moment &&
          moment <= buffers[i].last) {
        living.push_back(i);
        total += alignTo(buffers[i].bytes, problem.alignment);
      }
    }
    std::stable_sort(living.begin(), living.end(), [&](size_t a, size_t b) {
      return occupies(buffers[a]) > occupies(buffers[b]);
    });
    for (size_t i = 0; i < living.size() && total > problem.capacity; ++i) {
      evicted[living[i]] = true;
      total -= alignTo(buffers[living[i]].bytes, problem.alignment);
    }
  }
  return evicted;
}

/// The most bytes that live at one moment, of the buffers with an address.
static int64_t peakOf(const MemoryProblem &problem, const MemoryPlan &plan) {
  // What changes at a moment: births before deaths would count both, so a
  // buffer dies a moment after its last one.
  std::map<int64_t, int64_t> changes;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (plan.addresses[i]) {
      const BufferRequest &buffer = problem.buffers[i];
      changes[buffer.first] += buffer.bytes;
      changes[buffer.last + 1] -= buffer.bytes;
    }
  }
  int64_t live = 0, peak = 0;
  for (auto [moment, bytes] : changes) {
    live += bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

/// The lowest address at which `buffer` fits beside those of `neighbours`,
/// which are in the order of their addresses.
static int64_t findGap(const MemoryProblem &problem, const MemoryPlan &plan,
                       size_t buffer, const std::vector<size_t> &neighbours) {
  int64_t bytes = problem.buffers[buffer].bytes, address = 0;
  for (size_t other : neighbours) {
    if (address + bytes <= *plan.addresses[other]) {
      break;
    }
    int64_t end = *plan.addresses[other] + problem.buffers[other].bytes;
    address = std::max(address, alignTo(end, problem.alignment));
  }
  return address;
}

/// Places what is not evicted, with `rest` moments between two owners.
static MemoryPlan place(const MemoryProblem &problem,
                        const std::vector<bool> &evicted, int64_t rest) {
  const std::vector<BufferRequest> &buffers = problem.buffers;
  MemoryPlan plan;
  plan.addresses.resize(buffers.size());
  plan.rest = rest;
  std::vector<size_t> placed;
  for (size_t i : orderBySize(buffers)) {
    if (evicted[i]) {
      plan.bytesEvicted += buffers[i].bytes;
      continue;
    }
    std::vector<size_t> neighbours;
    for (size_t other : placed) {
      if (meet(buffers[i], buffers[other], rest)) {
        neighbours.push_back(other);
      }
    }
    std::sort(neighbours.begin(), neighbours.end(), [&](size_t a, size_t b) {
      return *plan.addresses[a] < *plan.addresses[b];
    });
    int64_t address = findGap(problem, plan, i, neighbours);
    if (address + buffers[i].bytes > problem.capacity) {
      plan.bytesEvicted += buffers[i].bytes;
      continue;
    }
    plan.addresses[i] = address;
    plan.bytesUsed = std::max(plan.bytesUsed, address + buffers[i].bytes);
    placed.push_back(i);
  }
  return plan;
}

MemoryPlan mlir::lpu::planMemory(const MemoryProblem &problem) {
  std::vector<bool> evicted = evict(problem);
  MemoryPlan plan = place(problem, evicted, /*rest=*/0);
  for (int64_t rest = problem.rest; rest > 0; rest /= 2) {
    MemoryPlan rested = place(problem, evicted, rest);
    if (rested.bytesEvicted <= plan.bytesEvicted) {
      plan = std::move(rested);
      break;
    }
  }
  plan.bytesLive = peakOf(problem, plan);
  return plan;
}

std::optional<std::string> mlir::lpu::verifyPlan(const MemoryProblem &problem,
                                                 const MemoryPlan &plan) {
  const std::vector<BufferRequest> &buffers = problem.buffers;
  if (plan.addresses.size() != buffers.size()) {
    return "the plan is for another number of buffers";
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!plan.addresses[i]) {
      continue;
    }
    int64_t start = *plan.addresses[i], end = start + buffers[i].bytes;
    std::string name = "buffer " + std::to_string(i);
    if (start % problem.alignment != 0) {
      return name + " is not aligned";
    }
    if (start < 0 || end > problem.capacity || end > plan.bytesUsed) {
      return name + " ends at " + std::to_string(end) + ", past the memory";
    }
    for (size_t j = 0; j < i; ++j) {
      if (plan.addresses[j] && meet(buffers[i], buffers[j]) &&
          start < *plan.addresses[j] + buffers[j].bytes &&
          *plan.addresses[j] < end) {
        return name + " overlaps buffer " + std::to_string(j);
      }
    }
  }
  return std::nullopt;
}

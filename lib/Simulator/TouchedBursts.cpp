//===- TouchedBursts.cpp - How many bursts of the HBM a view touches ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact counting without walking elements. Inner dimensions that leave no gap
// as large as a burst melt into one solid run, since every burst between two
// pieces is then touched by one of them. What is left is a nest of runs with
// large strides, whose counts depend only on the address modulo the burst, so
// each level needs at most one period. Windows that overlap in other ways are
// walked run by run.
//
//===----------------------------------------------------------------------===//

#include "StridedBytes.h"
#include "lpu/Simulator/Cost.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace lpu;

namespace {
class BurstCounter {
public:
  BurstCounter(const StridedBytes &bytes, int64_t burst)
      : bytes(bytes), burst(burst) {}

  /// Bursts that the inner `levels` dimensions touch from `address` on.
  int64_t count(size_t levels, int64_t address);

private:
  int64_t countRun(int64_t address, int64_t size) const;
  int64_t walk(size_t levels, int64_t address) const;

  const StridedBytes &bytes;
  int64_t burst;
  std::map<std::pair<size_t, int64_t>, int64_t> known;
};
} // namespace

int64_t BurstCounter::countRun(int64_t address, int64_t size) const {
  int64_t first = address / burst, last = (address + size - 1) / burst;
  return last - first + 1;
}

int64_t BurstCounter::count(size_t levels, int64_t address) {
  if (levels == 0) {
    return countRun(address, bytes.run);
  }
  // Only the residue matters, and an address below zero cannot come up.
  address %= burst;
  auto [entry, isNew] = known.try_emplace({levels, address}, 0);
  if (!isNew) {
    return entry->second;
  }
  const StridedBytes::Dimension &outer = bytes.dimensions[levels - 1];
  int64_t total = 0;
  if (outer.stride - bytes.span(levels - 1) >= burst - 1) {
    // No two iterations share a burst. Residues repeat with this period.
    int64_t period = burst / std::gcd(outer.stride, burst);
    for (int64_t i = 0; i < std::min(period, outer.size); ++i) {
      int64_t times = (outer.size - i + period - 1) / period;
      total += times * count(levels - 1, address + i * outer.stride);
    }
  } else {
    total = walk(levels, address);
  }
  known[{levels, address}] = total;
  return total;
}

/// Lists all runs and merges them. Beyond a million runs the count is bounded
/// from above instead.
int64_t BurstCounter::walk(size_t levels, int64_t address) const {
  constexpr int64_t maxRuns = 1 << 20;
  if (bytes.countRuns(levels, maxRuns) > maxRuns) {
    return countRun(address, bytes.span(levels));
  }
  int64_t total = 0, next = 0; // `next`: first burst not yet counted.
  for (int64_t start : bytes.runStarts(levels, address)) {
    int64_t first = std::max(next, start / burst);
    int64_t last = (start + bytes.run - 1) / burst;
    if (last >= first) {
      total += last - first + 1;
      next = last + 1;
    }
  }
  return total;
}

int64_t lpu::countTouchedBursts(const ResolvedView &view, int64_t burstBytes) {
  StridedBytes bytes(view, burstBytes);
  if (!bytes.run) {
    return 0;
  }
  return BurstCounter(bytes, burstBytes)
      .count(bytes.dimensions.size(), bytes.begin);
}

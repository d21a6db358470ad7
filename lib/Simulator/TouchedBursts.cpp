//===- TouchedBursts.cpp - How many bursts of the HBM a view touches ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact counting without walking elements. Dimensions are sorted by stride; the
// inner ones that leave no gap as large as a burst melt into one solid run,
// since every burst between two pieces is then touched by one of them. What is
// left is a nest of runs with large strides, whose counts depend only on the
// address modulo the burst, so each level needs at most one period. Windows
// that overlap in other ways are walked run by run.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Cost.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

using namespace lpu;

namespace {
struct Dimension {
  int64_t size;
  int64_t stride; ///< Bytes, positive.
};

class BurstCounter {
public:
  BurstCounter(std::vector<Dimension> dimensions, int64_t run, int64_t burst)
      : dimensions(std::move(dimensions)), run(run), burst(burst) {}

  /// Bursts that the inner `levels` dimensions touch from `address` on.
  int64_t count(size_t levels, int64_t address);

private:
  int64_t span(size_t levels) const;
  int64_t countRun(int64_t address, int64_t bytes) const;
  int64_t walk(size_t levels, int64_t address) const;

  std::vector<Dimension> dimensions;
  int64_t run;
  int64_t burst;
  std::map<std::pair<size_t, int64_t>, int64_t> known;
};
} // namespace

/// Bytes from the first to the last one of the inner `levels` dimensions.
int64_t BurstCounter::span(size_t levels) const {
  int64_t bytes = run;
  for (size_t i = 0; i < levels; ++i) {
    bytes += (dimensions[i].size - 1) * dimensions[i].stride;
  }
  return bytes;
}

int64_t BurstCounter::countRun(int64_t address, int64_t bytes) const {
  int64_t first = address / burst, last = (address + bytes - 1) / burst;
  return last - first + 1;
}

int64_t BurstCounter::count(size_t levels, int64_t address) {
  if (levels == 0) {
    return countRun(address, run);
  }
  // Only the residue matters, and an address below zero cannot come up.
  address %= burst;
  auto [entry, isNew] = known.try_emplace({levels, address}, 0);
  if (!isNew) {
    return entry->second;
  }
  const Dimension &outer = dimensions[levels - 1];
  int64_t total = 0;
  if (outer.stride - span(levels - 1) >= burst - 1) {
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
  int64_t runs = 1;
  for (size_t i = 0; i < levels; ++i) {
    runs = std::min(maxRuns + 1, runs) * dimensions[i].size;
  }
  int64_t bound = countRun(address, span(levels));
  if (runs > maxRuns) {
    return std::min(bound, runs * (run / burst + 2));
  }
  std::vector<int64_t> starts = {address};
  for (size_t i = 0; i < levels; ++i) {
    size_t count = starts.size();
    for (int64_t n = 1; n < dimensions[i].size; ++n) {
      for (size_t k = 0; k < count; ++k) {
        starts.push_back(starts[k] + n * dimensions[i].stride);
      }
    }
  }
  std::sort(starts.begin(), starts.end());
  int64_t total = 0, next = 0; // `next`: first burst not yet counted.
  for (int64_t start : starts) {
    int64_t first = std::max(next, start / burst);
    int64_t last = (start + run - 1) / burst;
    if (last >= first) {
      total += last - first + 1;
      next = last + 1;
    }
  }
  return total;
}

int64_t lpu::countTouchedBursts(const ResolvedView &view, int64_t burstBytes) {
  int64_t width = byteWidth(view.type);
  int64_t address = view.offset;
  std::vector<Dimension> dimensions;
  for (unsigned d = 0; d < view.rank; ++d) {
    if (view.sizes[d] == 0) {
      return 0;
    }
    if (view.sizes[d] == 1 || view.strides[d] == 0) {
      continue;
    }
    int64_t stride = view.strides[d] * width;
    if (stride < 0) {
      address += (view.sizes[d] - 1) * stride;
      stride = -stride;
    }
    dimensions.push_back({view.sizes[d], stride});
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension &l, const Dimension &r) {
              return l.stride < r.stride;
            });
  int64_t run = width;
  size_t solid = 0;
  while (solid < dimensions.size() &&
         dimensions[solid].stride - run < burstBytes) {
    run += (dimensions[solid].size - 1) * dimensions[solid].stride;
    ++solid;
  }
  dimensions.erase(dimensions.begin(), dimensions.begin() + solid);
  size_t levels = dimensions.size();
  return BurstCounter(std::move(dimensions), run, burstBytes)
      .count(levels, address);
}

//===- StridedBytes.cpp - The set of bytes of a view ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation, and the comparison of two sets run by run.
//
//===----------------------------------------------------------------------===//

#include "StridedBytes.h"

#include <algorithm>
#include <numeric>

using namespace lpu;

StridedBytes::StridedBytes(const ResolvedView &view, int64_t smallGap) {
  int64_t width = byteWidth(view.type);
  begin = view.offset;
  for (unsigned d = 0; d < view.rank; ++d) {
    if (view.sizes[d] == 0) {
      dimensions.clear();
      return;
    }
    if (view.sizes[d] == 1 || view.strides[d] == 0) {
      continue;
    }
    int64_t stride = view.strides[d] * width;
    if (stride < 0) {
      begin += (view.sizes[d] - 1) * stride;
      stride = -stride;
    }
    dimensions.push_back({view.sizes[d], stride});
  }
  std::sort(dimensions.begin(), dimensions.end());
  run = width;
  size_t solid = 0;
  while (solid < dimensions.size() &&
         dimensions[solid].stride - run < smallGap) {
    run += (dimensions[solid].size - 1) * dimensions[solid].stride;
    ++solid;
  }
  dimensions.erase(dimensions.begin(), dimensions.begin() + solid);
}

int64_t StridedBytes::span(size_t levels) const {
  int64_t bytes = run;
  for (size_t i = 0; i < levels; ++i) {
    bytes += (dimensions[i].size - 1) * dimensions[i].stride;
  }
  return bytes;
}

int64_t StridedBytes::countRuns(size_t levels, int64_t limit) const {
  int64_t runs = 1;
  for (size_t i = 0; i < levels; ++i) {
    // Both factors fit into 32 bits.
    runs = std::min(limit + 1, runs * dimensions[i].size);
  }
  return runs;
}

std::vector<int64_t> StridedBytes::runStarts(size_t levels,
                                             int64_t from) const {
  std::vector<int64_t> starts = {from};
  for (size_t i = 0; i < levels; ++i) {
    size_t count = starts.size();
    for (int64_t n = 1; n < dimensions[i].size; ++n) {
      for (size_t k = 0; k < count; ++k) {
        starts.push_back(starts[k] + n * dimensions[i].stride);
      }
    }
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

/// All runs of both sets begin at multiples of one step from the first of their
/// set: if the first ones leave each other room within a step, so do all. This
/// tells apart columns of one matrix, however many rows it has.
static bool areInterleaved(const StridedBytes &l, const StridedBytes &r) {
  int64_t step = 0;
  for (const StridedBytes *set : {&l, &r}) {
    for (const StridedBytes::Dimension &dimension : set->dimensions) {
      step = std::gcd(step, dimension.stride);
    }
  }
  if (step == 0) {
    return false;
  }
  int64_t distance = ((r.begin - l.begin) % step + step) % step;
  return l.run <= distance && r.run <= step - distance;
}

bool StridedBytes::overlaps(const StridedBytes &other) const {
  if (!run || !other.run || begin >= other.end() || other.begin >= end()) {
    return false;
  }
  if (areInterleaved(*this, other)) {
    return false;
  }
  constexpr int64_t maxRuns = 1 << 16;
  size_t levels = dimensions.size(), otherLevels = other.dimensions.size();
  bool isSolid = levels == 0 && otherLevels == 0;
  if (isSolid || countRuns(levels, maxRuns) > maxRuns ||
      other.countRuns(otherLevels, maxRuns) > maxRuns) {
    return true;
  }
  // Both lists in step: whichever run ends first cannot meet a later one.
  std::vector<int64_t> mine = runStarts(levels, begin);
  std::vector<int64_t> theirs = other.runStarts(otherLevels, other.begin);
  for (size_t i = 0, k = 0; i < mine.size() && k < theirs.size();) {
    if (mine[i] + run <= theirs[k]) {
      ++i;
    } else if (theirs[k] + other.run <= mine[i]) {
      ++k;
    } else {
      return true;
    }
  }
  return false;
}

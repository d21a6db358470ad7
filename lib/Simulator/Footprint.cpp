//===- Footprint.cpp - Which bytes of the arguments a run touches ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view is cut into contiguous runs: its dimensions are sorted by stride, and
// those that leave no gap join the run; the others are walked.
//
//===----------------------------------------------------------------------===//

#include "Footprint.h"

#include <algorithm>

using namespace lpu;

void IntervalSet::insert(int64_t begin, int64_t end) {
  if (begin >= end) {
    return;
  }
  // The first range that ends at or after `begin` is the first to merge.
  auto it = ranges.upper_bound(begin);
  if (it != ranges.begin()) {
    auto previous = std::prev(it);
    if (previous->second >= end) {
      return;
    }
    if (previous->second >= begin) {
      it = previous;
    }
  }
  while (it != ranges.end() && it->first <= end) {
    begin = std::min(begin, it->first);
    end = std::max(end, it->second);
    covered -= it->second - it->first;
    it = ranges.erase(it);
  }
  ranges.emplace_hint(it, begin, end);
  covered += end - begin;
}

void Footprint::add(const ResolvedView &view, bool write) {
  if (view.space != Space::Arg || view.bounds().empty()) {
    return;
  }
  struct Step {
    int64_t stride, size;
  };
  int64_t width = byteWidth(view.type);
  int64_t start = view.offset;
  Step steps[maxRank];
  unsigned rank = 0;
  for (unsigned d = 0; d < view.rank; ++d) {
    int64_t stride = view.strides[d] * width;
    if (stride == 0 || view.sizes[d] == 1) {
      continue;
    }
    if (stride < 0) {
      stride = -stride;
      start -= stride * (view.sizes[d] - 1);
    }
    unsigned at = rank++;
    for (; at > 0 && steps[at - 1].stride > stride; --at) {
      steps[at] = steps[at - 1];
    }
    steps[at] = {stride, view.sizes[d]};
  }
  int64_t run = width;
  unsigned inner = 0;
  while (inner < rank && steps[inner].stride <= run) {
    run += steps[inner].stride * (steps[inner].size - 1);
    ++inner;
  }
  IntervalSet &set = (write ? written : read)[view.argument];
  // Beyond a million runs the footprint is bounded from above instead.
  constexpr int64_t maxRuns = 1 << 20;
  int64_t runs = 1, whole = run;
  for (unsigned d = inner; d < rank; ++d) {
    runs = std::min(maxRuns + 1, runs * steps[d].size);
    whole += steps[d].stride * (steps[d].size - 1);
  }
  if (runs > maxRuns) {
    set.insert(start, start + whole);
    return;
  }
  int64_t index[maxRank] = {};
  int64_t at = start;
  while (true) {
    set.insert(at, at + run);
    unsigned d = inner;
    for (; d < rank; ++d) {
      at += steps[d].stride;
      if (++index[d] < steps[d].size) {
        break;
      }
      at -= index[d] * steps[d].stride;
      index[d] = 0;
    }
    if (d == rank) {
      return;
    }
  }
}

void Footprint::addElements(const ResolvedView &table, int64_t first,
                            int64_t last, bool write) {
  ResolvedView part = table;
  int64_t stride = table.rank > 0 ? table.strides[0] : 0;
  part.offset += first * stride * byteWidth(table.type);
  part.sizes[0] = last - first + 1;
  add(part, write);
}

int64_t Footprint::total(const std::vector<IntervalSet> &sets) {
  int64_t bytes = 0;
  for (const IntervalSet &set : sets) {
    bytes += set.size();
  }
  return bytes;
}

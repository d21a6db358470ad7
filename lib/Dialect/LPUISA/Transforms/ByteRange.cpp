//===- ByteRange.cpp - The bytes that a view can reach --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ByteRange.h. Sums are taken in 128 bits, where no field can overflow.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/Transforms/ByteRange.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace mlir::lpuisa;

using Wide = __int128;

namespace {
/// Bytes [low, high).
struct Interval {
  Wide low, high;
};
} // namespace

template <typename Steps>
static Interval boundSteps(int64_t offset, int64_t width, const Steps &steps) {
  Interval interval{offset, Wide(offset) + width};
  for (const auto &step : steps) {
    Wide reach = Wide(step.stride) * step.count;
    (reach < 0 ? interval.low : interval.high) += reach;
  }
  return interval;
}

ByteRange::ByteRange(const ::lpu::View &view,
                     const std::vector<uint64_t> &trips) {
  // Spaces are numbered below the arguments.
  memory = view.space == ::lpu::Space::Arg ? 4u + view.argument
                                           : static_cast<uint32_t>(view.space);
  offset = view.offset;
  width = ::lpu::byteWidth(view.type);
  empty = false;
  exact = view.dynamicDim == ::lpu::noneField &&
          view.offsetRegister == ::lpu::noneField;
  for (unsigned d = 0; d < view.rank; ++d) {
    empty |= view.sizes[d] == 0;
    if (view.sizes[d] > 1 && view.strides[d] != 0) {
      dims.push_back({view.strides[d] * width, view.sizes[d] - 1});
    }
  }
  if (view.offsetBound > 0) {
    dims.push_back({1, static_cast<uint64_t>(view.offsetBound)});
  }
  for (unsigned level = 0; level < trips.size(); ++level) {
    empty |= trips[level] == 0;
    loops.push_back(
        {view.loopIncrements[level], trips[level] == 0 ? 0 : trips[level] - 1});
  }
  std::vector<Step> steps = dims;
  steps.insert(steps.end(), loops.begin(), loops.end());
  Interval bounds = boundSteps(offset, width, steps);
  auto saturate = [](Wide value) {
    constexpr Wide limit = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::clamp(value, -limit, limit));
  };
  low = saturate(bounds.low);
  high = saturate(bounds.high);
}

std::vector<ByteRange::Step>
ByteRange::stepsAgainst(const ByteRange &other, unsigned sharedLevels) const {
  std::vector<Step> steps = dims;
  for (unsigned level = 0; level < loops.size(); ++level) {
    bool isInStep = level < sharedLevels && level < other.loops.size() &&
                    loops[level].stride == other.loops[level].stride;
    if (!isInStep && loops[level].stride != 0 && loops[level].count != 0) {
      steps.push_back(loops[level]);
    }
  }
  return steps;
}

/// Whether the intervals are apart on a circle of `modulus` bytes.
static bool areApart(Interval left, Interval right, Wide modulus) {
  Wide leftLength = left.high - left.low, rightLength = right.high - right.low;
  Wide distance = (right.low - left.low) % modulus;
  if (distance < 0) {
    distance += modulus;
  }
  return distance >= leftLength && distance + rightLength <= modulus;
}

bool ByteRange::mayOverlap(const ByteRange &other,
                           unsigned sharedLevels) const {
  if (memory != other.memory || empty || other.empty || low >= other.high ||
      other.low >= high) {
    return false;
  }
  std::vector<Step> left = stepsAgainst(other, sharedLevels);
  std::vector<Step> right = other.stepsAgainst(*this, sharedLevels);
  Interval a = boundSteps(offset, width, left);
  Interval b = boundSteps(other.offset, other.width, right);
  if (a.high <= b.low || b.high <= a.low) {
    return false;
  }
  // Steps by multiples of the modulus stay at the same place of its circle.
  auto residue = [](const std::vector<Step> &steps, Wide modulus) {
    std::vector<Step> rest;
    for (const Step &step : steps) {
      if (step.stride % modulus != 0) {
        rest.push_back(step);
      }
    }
    return rest;
  };
  for (const std::vector<Step> *steps : {&left, &right}) {
    for (const Step &step : *steps) {
      Wide modulus = step.stride < 0 ? -Wide(step.stride) : Wide(step.stride);
      if (areApart(
              boundSteps(offset, width, residue(left, modulus)),
              boundSteps(other.offset, other.width, residue(right, modulus)),
              modulus)) {
        return false;
      }
    }
  }
  return true;
}

bool ByteRange::mayOverlapLater(const ByteRange &later, unsigned level) const {
  if (!mayOverlap(later, level)) {
    return false;
  }
  if (level >= loops.size() || level >= later.loops.size() ||
      loops[level].stride != later.loops[level].stride ||
      loops[level].stride == 0) {
    return true;
  }
  // Both move by the same step, so it is the number of iterations between them,
  // 1 to `count`, that counts: it moves `later` by as many steps.
  auto boundOf = [&](const ByteRange &range, const ByteRange &other) {
    return boundSteps(range.offset, range.width,
                      range.stepsAgainst(other, level + 1));
  };
  Interval mine = boundOf(*this, later), theirs = boundOf(later, *this);
  Wide step = loops[level].stride;
  Wide count = std::min(loops[level].count, later.loops[level].count);
  if (step < 0) { // Turn the addresses around.
    mine = {-mine.high, -mine.low};
    theirs = {-theirs.high, -theirs.low};
    step = -step;
  }
  // The first distance at which `later` is not below this range.
  Wide gap = mine.low - theirs.high;
  Wide distance = gap < 0 ? 1 : gap / step + 1;
  return distance <= count && theirs.low + distance * step < mine.high;
}

bool ByteRange::covers(const ByteRange &other, unsigned sharedLevels) const {
  if (memory != other.memory || empty || !exact || low > other.low ||
      high < other.high) {
    return false;
  }
  // A loop may run fewer times than its bound, so only what is in step counts.
  std::vector<Step> steps = stepsAgainst(other, sharedLevels);
  if (steps.size() != dims.size()) {
    return false;
  }
  std::vector<Step> otherSteps = other.stepsAgainst(*this, sharedLevels);
  if (offset == other.offset && width == other.width && steps == otherSteps) {
    return true;
  }
  // Else this range has to be dense: each step, by size, is at most as long as
  // what the smaller ones fill.
  std::sort(steps.begin(), steps.end(), [](const Step &l, const Step &r) {
    return std::abs(l.stride) < std::abs(r.stride);
  });
  Wide filled = width;
  for (const Step &step : steps) {
    Wide stride = step.stride < 0 ? -Wide(step.stride) : Wide(step.stride);
    if (stride > filled) {
      return false;
    }
    filled += stride * step.count;
  }
  Interval mine = boundSteps(offset, width, steps);
  Interval theirs = boundSteps(other.offset, other.width, otherSteps);
  return mine.low <= theirs.low && theirs.high <= mine.high;
}

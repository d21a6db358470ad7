//===- ResolvedView.cpp - A view with its registers applied ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place where registers and loop iterations enter an address, and
// where the run-time parts of a view are checked.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/ResolvedView.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace lpu;

ByteRange ResolvedView::bounds() const {
  ByteRange range{space, argument, offset, offset};
  int64_t low = 0, high = 0;
  for (unsigned d = 0; d < rank; ++d) {
    if (strides[d] == 0) {
      continue;
    }
    if (sizes[d] == 0) {
      return range;
    }
    int64_t reach = (sizes[d] - 1) * strides[d];
    (reach < 0 ? low : high) += reach;
  }
  int64_t width = byteWidth(type);
  range.begin += low * width;
  range.end += high * width + width;
  return range;
}

bool ResolvedView::hasDistinctElements() const {
  std::pair<int64_t, int64_t> steps[maxRank]; // Stride, reach.
  unsigned count = 0;
  for (unsigned d = 0; d < rank; ++d) {
    if (sizes[d] > 1) {
      int64_t stride = std::abs(strides[d]);
      steps[count++] = {stride, stride * (sizes[d] - 1)};
    }
  }
  std::sort(steps, steps + count);
  int64_t reach = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (steps[i].first <= reach) {
      return false;
    }
    reach += steps[i].second;
  }
  return true;
}

Result<ResolvedView> ResolvedView::resolve(const View &view,
                                           const ControlState &control) {
  ResolvedView result;
  result.space = view.space;
  result.type = view.type;
  result.argument = view.argument;
  result.rank = view.rank;
  result.offset = view.offset;
  for (unsigned d = 0; d < view.rank; ++d) {
    result.sizes[d] = view.sizes[d];
    result.strides[d] = view.strides[d];
  }
  if (view.offsetRegister != noneField &&
      !control.isUnknown[view.offsetRegister]) {
    int64_t value = control.registers[view.offsetRegister]; // view_f1
    if (value < 0 || value > view.offsetBound) {
      return Error{"offset register r" + std::to_string(view.offsetRegister) +
                       " holds " + std::to_string(value) +
                       " bytes, expected a value in [0, " +
                       std::to_string(view.offsetBound) + "]",
                   ErrorKind::Index};
    }
    if (value % byteWidth(view.type) != 0) {
      return Error{"offset register r" + std::to_string(view.offsetRegister) +
                       " holds " + std::to_string(value) +
                       " bytes, expected a multiple of the " +
                       std::to_string(byteWidth(view.type)) +
                       " bytes of an element",
                   ErrorKind::Index};
    }
    result.offset += value;
  }
  if (view.sizeRegister != noneField && !control.isUnknown[view.sizeRegister]) {
    int64_t value = control.registers[view.sizeRegister];
    if (value < 0 ||
        value > static_cast<int64_t>(view.sizes[view.dynamicDim])) {
      return Error{"size register r" + std::to_string(view.sizeRegister) +
                       " holds " + std::to_string(value) +
                       ", expected a value in [0, " +
                       std::to_string(view.sizes[view.dynamicDim]) + "]",
                   ErrorKind::Index};
    }
    result.sizes[view.dynamicDim] = value;
  }
  for (unsigned level = 0; level < maxLoopDepth; ++level) {
    result.offset += control.iterations[level] * view.loopIncrements[level];
  }
  return result;
}

void lpu::collapseDimensions(ResolvedView *const *views, unsigned count) {
  ResolvedView &first = *views[0];
  unsigned kept = 0;
  for (unsigned d = 0; d < first.rank; ++d) {
    if (first.sizes[d] == 1) {
      continue;
    }
    bool merges = kept > 0 &&
                  std::all_of(views, views + count, [&](const ResolvedView *v) {
                    return v->strides[kept - 1] == v->strides[d] * v->sizes[d];
                  });
    for (unsigned i = 0; i < count; ++i) {
      ResolvedView &view = *views[i];
      if (merges) {
        view.sizes[kept - 1] *= view.sizes[d];
        view.strides[kept - 1] = view.strides[d];
      } else {
        view.sizes[kept] = view.sizes[d];
        view.strides[kept] = view.strides[d];
      }
    }
    kept += !merges;
  }
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned d = kept; d < views[i]->rank; ++d) {
      views[i]->sizes[d] = 0;
      views[i]->strides[d] = 0;
    }
    views[i]->rank = static_cast<uint8_t>(kept);
  }
}

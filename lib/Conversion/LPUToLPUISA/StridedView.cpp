//===- StridedView.cpp - Windows on memory of any rank --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on strided windows: composition with linear maps, slices, and the
// merging of dimensions that are walked as one.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/StridedView.h"

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>

using namespace mlir;
using namespace mlir::lpu;

int64_t StridedView::numElements() const {
  int64_t product = 1;
  for (int64_t size : sizes) {
    product *= size;
  }
  return product;
}

std::pair<int64_t, int64_t> StridedView::byteRange() const {
  if (isEmpty()) {
    return {offset, offset};
  }
  int64_t width = ::lpu::byteWidth(type);
  int64_t low = offset, high = offset + width;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    int64_t reach = (size - 1) * stride * width;
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

bool StridedView::mayOverlap(const StridedView &other) const {
  if (space != other.space || argument != other.argument) {
    return false;
  }
  auto [low, high] = byteRange();
  auto [otherLow, otherHigh] = other.byteRange();
  return low < otherHigh && otherLow < high;
}

std::optional<StridedView>
StridedView::through(AffineMap map, ArrayRef<int64_t> domainSizes) const {
  assert(map.getNumDims() == domainSizes.size() && map.getNumSymbols() == 0 &&
         map.getNumResults() == rank() && "the map must fit domain and view");
  StridedView result = *this;
  result.sizes.assign(domainSizes.begin(), domainSizes.end());
  result.strides.assign(domainSizes.size(), 0);
  int64_t elements = 0;
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    std::optional<LinearForm> form = getLinearForm(expr, map.getNumDims());
    if (!form) {
      return std::nullopt;
    }
    for (auto [sum, coefficient] :
         llvm::zip_equal(result.strides, form->coefficients)) {
      sum += coefficient * stride;
    }
    elements += form->constant * stride;
  }
  result.offset += elements * ::lpu::byteWidth(type);
  return result;
}

StridedView StridedView::permuted(ArrayRef<unsigned> order) const {
  StridedView result = *this;
  result.sizes.clear();
  result.strides.clear();
  for (unsigned dim : order) {
    result.sizes.push_back(sizes[dim]);
    result.strides.push_back(strides[dim]);
  }
  return result;
}

StridedView StridedView::slice(unsigned dim, int64_t start,
                               int64_t size) const {
  StridedView result = *this;
  result.offset += start * strides[dim] * ::lpu::byteWidth(type);
  result.sizes[dim] = size;
  return result;
}

StridedView StridedView::flat(int64_t &origin) const {
  auto [low, high] = byteRange();
  int64_t width = ::lpu::byteWidth(type);
  StridedView result = *this;
  result.offset = low;
  result.sizes = {(high - low) / width};
  result.strides = {1};
  origin = (offset - low) / width;
  return result;
}

::lpu::View StridedView::toView(std::optional<DynamicSize> dynamicSize) const {
  assert(rank() <= ::lpu::maxRank && "a view has at most eight dimensions");
  ::lpu::View view{};
  view.space = space;
  view.type = type;
  view.rank = static_cast<uint8_t>(rank());
  view.dynamicDim = ::lpu::noneField;
  view.offsetRegister = ::lpu::noneField;
  view.sizeRegister = ::lpu::noneField;
  view.argument = argument;
  view.offset = offset;
  for (unsigned dim = 0; dim < rank(); ++dim) {
    view.sizes[dim] = static_cast<uint32_t>(sizes[dim]);
    view.strides[dim] = strides[dim];
  }
  if (dynamicSize) {
    view.dynamicDim = static_cast<uint8_t>(dynamicSize->dim);
    view.sizeRegister = static_cast<uint8_t>(dynamicSize->sizeRegister);
  }
  return view;
}

SmallVector<int> mlir::lpu::coalesce(ArrayRef<StridedView *> views,
                                     MutableArrayRef<unsigned> segments,
                                     ArrayRef<bool> pinned) {
  unsigned rank = 0;
  for (unsigned length : segments) {
    rank += length;
  }
  SmallVector<int> newNumber(rank, -1);
  // Kept dimensions by their old numbers; a merged one has the number of its
  // innermost part, whose stride is that of the whole.
  struct Kept {
    unsigned inner;
    int64_t size;
    bool pinned;
  };
  SmallVector<Kept> kept;
  unsigned dim = 0;
  for (unsigned &length : segments) {
    unsigned end = dim + length;
    size_t segmentStart = kept.size();
    for (; dim < end; ++dim) {
      int64_t size = views.empty() ? 0 : views.front()->sizes[dim];
      bool pin = !pinned.empty() && pinned[dim];
      if (!views.empty() && size == 1 && !pin) {
        continue;
      }
      bool merges = !views.empty() && !pin && kept.size() > segmentStart &&
                    !kept.back().pinned &&
                    llvm::all_of(views, [&](StridedView *view) {
                      return view->strides[kept.back().inner] ==
                             view->strides[dim] * size;
                    });
      // Merged sizes stay within the 32 bits of a view's size field.
      if (merges && kept.back().size * size < (int64_t(1) << 31)) {
        newNumber[kept.back().inner] = -1;
        kept.back() = {dim, kept.back().size * size, false};
      } else {
        kept.push_back({dim, size, pin});
      }
      newNumber[dim] = static_cast<int>(kept.size()) - 1;
    }
    length = kept.size() - segmentStart;
  }
  for (StridedView *view : views) {
    SmallVector<int64_t> sizes, strides;
    for (const Kept &one : kept) {
      sizes.push_back(one.size);
      strides.push_back(view->strides[one.inner]);
    }
    view->sizes = std::move(sizes);
    view->strides = std::move(strides);
  }
  return newNumber;
}

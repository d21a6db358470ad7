//===- StridedView.h - Windows on memory of any rank ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of the machine has up to eight dimensions. While instructions are
// being selected, views have as many as the IR says: a StridedView is a view of
// any rank, and `coalesce` brings a set of views of one domain down to the
// rank that they need.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_STRIDEDVIEW_H
#define LPU_CONVERSION_LPUTOLPUISA_STRIDEDVIEW_H

#include "lpu/Target/Encoding.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::lpu {

/// A dimension of a domain whose size is in a register of the control unit when
/// the program runs; what a view says is its bound.
struct DynamicSize {
  unsigned dim;
  unsigned sizeRegister;
};

/// A strided window on one memory, of any rank.
struct StridedView {
  ::lpu::Space space = ::lpu::Space::Arg;
  ::lpu::DType type = ::lpu::DType::F32;
  uint16_t argument = 0;
  int64_t offset = 0; ///< Bytes.
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<int64_t> strides; ///< Elements.

  unsigned rank() const { return sizes.size(); }
  int64_t numElements() const;
  bool isEmpty() const { return numElements() == 0; }

  /// Bytes from the lowest to just behind the highest one touched.
  std::pair<int64_t, int64_t> byteRange() const;
  /// Whether the bounding ranges of both have a byte in common.
  bool mayOverlap(const StridedView &other) const;

  /// The view over a domain of `domainSizes` whose element at i is this view's
  /// at map(i); none unless the map is linear.
  std::optional<StridedView> through(AffineMap map,
                                     llvm::ArrayRef<int64_t> domainSizes) const;
  /// The view with dimensions in another order: result d is dimension
  /// `order[d]` of this.
  StridedView permuted(llvm::ArrayRef<unsigned> order) const;
  /// The window [offset, offset + size) of dimension `dim`.
  StridedView slice(unsigned dim, int64_t offset, int64_t size) const;
  /// The whole reach of the view as one dimension of stride 1, for operands
  /// that are addressed by element number; `origin` is the number of the
  /// element at index 0.
  StridedView flat(int64_t &origin) const;

  /// The machine's form; the rank must be at most ::lpu::maxRank.
  ::lpu::View toView(std::optional<DynamicSize> dynamicSize = {}) const;
};

/// Drops dimensions of size 1 and merges neighbours that every view walks as
/// one dimension. Dimensions merge only within a segment (`segments` gives the
/// number of dimensions of each, in order) and never if `pinned`. Updates the
/// views, the segments' lengths, and returns for each old dimension its new
/// number, or -1 if it is gone (its index is then 0, or was merged).
llvm::SmallVector<int> coalesce(llvm::ArrayRef<StridedView *> views,
                                llvm::MutableArrayRef<unsigned> segments,
                                llvm::ArrayRef<bool> pinned = {});

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_STRIDEDVIEW_H

//===- TileViews.cpp - Tiles through slices and reshapes ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a slab of one operand of a view is in the others. A view that cuts the
// tiled dimension itself, or reorders it, has no answer: the chain ends there.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/TileChain.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::lpu;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Slab Slab::scaled(unsigned newDimension, int64_t times, int64_t by) const {
  int64_t newNumerator = numerator * times;
  int64_t newDenominator = denominator * by;
  int64_t common = std::gcd(newNumerator, newDenominator);
  return {newDimension, newNumerator / common, newDenominator / common};
}

bool mlir::lpu::isTensorView(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::InsertSliceOp>(op);
}

/// A reshape between a tensor of few dimensions and one of many, whose groups
/// are the few: relates the slab of one to that of the other. In a group only
/// the outermost dimension that is not 1 can be cut.
static std::optional<Slabs> relateReshape(Value few, Value many,
                                          ArrayRef<ReassociationIndices> groups,
                                          Value known, Slab slab) {
  ArrayRef<int64_t> shape = getTensor(many).getShape();
  for (auto [index, group] : llvm::enumerate(groups)) {
    const int64_t *outer = llvm::find_if(
        group, [&](int64_t position) { return shape[position] != 1; });
    if (outer == group.end()) {
      continue;
    }
    int64_t inner = 1;
    for (int64_t position : llvm::make_range(outer + 1, group.end())) {
      inner *= shape[position];
    }
    if (known == few && slab.dimension == index) {
      return Slabs{{few, slab}, {many, slab.scaled(*outer, 1, inner)}};
    }
    if (known == many && slab.dimension == *outer) {
      return Slabs{{many, slab}, {few, slab.scaled(index, inner, 1)}};
    }
  }
  return std::nullopt;
}

/// Relates a whole and a slice of it: the tiled dimension has to be whole in
/// the slice.
template <typename SliceOp>
static std::optional<Slabs> relateSlice(SliceOp op, Value whole, Value part,
                                        Value known, Slab slab) {
  if (!op.getOffsets().empty() || !op.getSizes().empty() ||
      !op.getStrides().empty()) {
    return std::nullopt;
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  ArrayRef<int64_t> shape = getTensor(whole).getShape();
  unsigned inPart = 0;
  for (auto [position, size] : llvm::enumerate(shape)) {
    if (dropped.test(position)) {
      continue;
    }
    bool isKnown =
        known == whole ? slab.dimension == position : slab.dimension == inPart;
    if (isKnown && op.getStaticOffsets()[position] == 0 &&
        op.getStaticSizes()[position] == size &&
        op.getStaticStrides()[position] == 1) {
      return Slabs{{whole, slab.scaled(position)}, {part, slab.scaled(inPart)}};
    }
    ++inPart;
  }
  return std::nullopt;
}

std::optional<Slabs> mlir::lpu::relateView(Operation *op, Value known,
                                           Slab slab) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    return relateReshape(expand.getSrc(), expand.getResult(),
                         expand.getReassociationIndices(), known, slab);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    return relateReshape(collapse.getResult(), collapse.getSrc(),
                         collapse.getReassociationIndices(), known, slab);
  }
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    return relateSlice(extract, extract.getSource(), extract.getResult(), known,
                       slab);
  }
  auto insert = cast<tensor::InsertSliceOp>(op);
  if (known == insert.getDest()) {
    known = insert.getResult();
  }
  std::optional<Slabs> slabs =
      relateSlice(insert, insert.getResult(), insert.getSource(), known, slab);
  if (slabs) {
    slabs->emplace_back(insert.getDest(), slabs->front().second);
  }
  return slabs;
}

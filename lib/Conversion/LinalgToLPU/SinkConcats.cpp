//===- SinkConcats.cpp - Move concatenations behind elementwise users -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A concatenation that elementwise operations read need not exist: each user is
// split into one operation a part, which reads the part and slices of the other
// operands (views, which cost nothing), and the results are concatenated. That
// moves a concatenation down until something reads it that is not elementwise,
// or until slices take it apart again.
//
// It pays if the concatenation vanishes: all of its users have to be such that
// they can be split.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_SINKCONCATSPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Parts at most into which a user is split: each is a program of its own if
/// its neighbours cannot run in one with it.
static constexpr size_t maxParts = 4;

/// A stretch of one dimension.
struct Stretch {
  int64_t offset;
  int64_t size;
};

static SmallVector<Stretch> getParts(tensor::ConcatOp concat) {
  SmallVector<Stretch> parts;
  int64_t offset = 0;
  for (Value input : concat.getInputs()) {
    int64_t size =
        cast<RankedTensorType>(input.getType()).getDimSize(concat.getDim());
    parts.push_back({offset, size});
    offset += size;
  }
  return parts;
}

/// The part of `concat` that is `stretch`, or that it lies in; null if it is
/// none. `stretch` becomes relative to the part.
static Value findPart(tensor::ConcatOp concat, Stretch &stretch) {
  for (auto [part, input] : llvm::zip(getParts(concat), concat.getInputs())) {
    if (part.offset <= stretch.offset &&
        stretch.offset + stretch.size <= part.offset + part.size) {
      stretch.offset -= part.offset;
      return input;
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The stretch of `value` along `dim`, as directly as it can be said.
static Value sliceAlong(OpBuilder &b, Location loc, Value value, int64_t dim,
                        Stretch stretch) {
  auto type = cast<RankedTensorType>(value.getType());
  if (stretch.size == type.getDimSize(dim)) {
    return value;
  }
  if (auto concat = value.getDefiningOp<tensor::ConcatOp>();
      concat && static_cast<int64_t>(concat.getDim()) == dim) {
    if (Value part = findPart(concat, stretch)) {
      return sliceAlong(b, loc, part, dim, stretch);
    }
  }
  SmallVector<int64_t> sizes(type.getShape());
  sizes[dim] = stretch.size;
  if (value.getDefiningOp<tensor::EmptyOp>()) {
    return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  }
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    Value empty = sliceAlong(b, loc, fill.getOutputs()[0], dim, stretch);
    return linalg::FillOp::create(b, loc, fill.getInputs()[0], empty)
        .getResult(0);
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  int64_t offset = stretch.offset;
  // A slice of a slice is one slice, so that equal ones are seen to be equal.
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (slice && slice.getSourceType().getRank() == type.getRank() &&
      llvm::none_of(slice.getStaticOffsets(), ShapedType::isDynamic) &&
      llvm::none_of(slice.getStaticStrides(), ShapedType::isDynamic)) {
    offsets = slice.getMixedOffsets();
    strides = slice.getMixedStrides();
    offset =
        slice.getStaticOffsets()[dim] + offset * slice.getStaticStrides()[dim];
    value = slice.getSource();
  }
  offsets[dim] = b.getIndexAttr(offset);
  return tensor::ExtractSliceOp::create(
      b, loc, value, offsets, getAsIndexOpFoldResult(b.getContext(), sizes),
      strides);
}

//===----------------------------------------------------------------------===//
// What can be split
//===----------------------------------------------------------------------===//

/// The position of the one result of `map` that is loop `loop`, -1 if none
/// depends on it; nothing if the map uses the loop in another way.
static std::optional<int64_t> findLoop(AffineMap map, unsigned loop) {
  int64_t found = -1;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop)) {
      continue;
    }
    if (found >= 0 || !isa<AffineDimExpr>(expr)) {
      return std::nullopt;
    }
    found = position;
  }
  return found;
}

/// The loop of its user along which `operand`, a concatenation, can be split.
static std::optional<unsigned> getSplitLoop(OpOperand &operand,
                                            tensor::ConcatOp concat) {
  auto user = dyn_cast<linalg::GenericOp>(operand.getOwner());
  if (!user || !user.hasPureTensorSemantics() || user.hasDynamicShape() ||
      !user.isDpsInput(&operand) ||
      user.getNumLoops() != user.getNumParallelLoops()) {
    return std::nullopt;
  }
  auto loop = dyn_cast<AffineDimExpr>(
      user.getMatchingIndexingMap(&operand).getResult(concat.getDim()));
  if (!loop) {
    return std::nullopt;
  }
  unsigned position = loop.getPosition();
  for (OpOperand &other : user->getOpOperands()) {
    std::optional<int64_t> found =
        findLoop(user.getMatchingIndexingMap(&other), position);
    if (!found || (user.isDpsInit(&other) && *found < 0)) {
      return std::nullopt;
    }
  }
  return position;
}

static bool isWorthSinking(tensor::ConcatOp concat) {
  return concat.getResultType().hasStaticShape() &&
         concat.getInputs().size() <= maxParts &&
         llvm::all_of(concat->getUses(), [&](OpOperand &use) {
           return getSplitLoop(use, concat).has_value();
         });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Positions within a stretch are positions in the whole once its offset is
/// added.
static void shiftIndices(RewriterBase &b, linalg::GenericOp op, unsigned loop,
                         int64_t offset) {
  if (offset == 0) {
    return;
  }
  for (auto index :
       llvm::make_early_inc_range(op.getBody()->getOps<linalg::IndexOp>())) {
    if (index.getDim() != loop) {
      continue;
    }
    b.setInsertionPointAfter(index);
    Value start = arith::ConstantIndexOp::create(b, index.getLoc(), offset);
    Value shifted = arith::AddIOp::create(b, index.getLoc(), index, start);
    b.replaceAllUsesExcept(index, shifted, shifted.getDefiningOp());
  }
}

namespace {

/// Splits an elementwise operation that reads a concatenation.
struct SplitElementwise : OpRewritePattern<linalg::GenericOp> {
  SplitElementwise(MLIRContext *context, Pass::Statistic &numSunk)
      : OpRewritePattern(context), numSunk(numSunk) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto concat = input->get().getDefiningOp<tensor::ConcatOp>();
      if (concat && isWorthSinking(concat)) {
        split(op, *getSplitLoop(*input, concat), getParts(concat), rewriter);
        ++numSunk;
        return success();
      }
    }
    return rewriter.notifyMatchFailure(
        op, "reads no concatenation that would vanish");
  }

  static void split(linalg::GenericOp op, unsigned loop,
                    ArrayRef<Stretch> parts, PatternRewriter &rewriter) {
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (Stretch part : parts) {
      rewriter.setInsertionPoint(op);
      SmallVector<Value> operands;
      for (OpOperand &operand : op->getOpOperands()) {
        int64_t dim = *findLoop(op.getMatchingIndexingMap(&operand), loop);
        operands.push_back(dim < 0 ? operand.get()
                                   : sliceAlong(rewriter, op.getLoc(),
                                                operand.get(), dim, part));
      }
      SmallVector<Type> types;
      for (Value init : ArrayRef(operands).drop_front(op.getNumDpsInputs())) {
        types.push_back(init.getType());
      }
      auto one = cast<linalg::GenericOp>(clone(rewriter, op, types, operands));
      shiftIndices(rewriter, one, loop, part.offset);
      for (auto [list, result] : llvm::zip(results, one.getResults())) {
        list.push_back(result);
      }
    }
    rewriter.setInsertionPoint(op);
    SmallVector<Value> whole;
    for (auto [index, list] : llvm::enumerate(results)) {
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(index));
      whole.push_back(tensor::ConcatOp::create(rewriter, op.getLoc(),
                                               *findLoop(map, loop), list));
    }
    rewriter.replaceOp(op, whole);
  }

  Pass::Statistic &numSunk;
};

/// A slice within one part of a concatenation is a slice of the part.
struct FoldSliceOfConcat : OpRewritePattern<tensor::ExtractSliceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getSource().getDefiningOp<tensor::ConcatOp>();
    if (!concat || !concat.getResultType().hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "is no slice of a concatenation");
    }
    int64_t dim = concat.getDim();
    int64_t offset = op.getStaticOffsets()[dim];
    int64_t size = op.getStaticSizes()[dim];
    int64_t stride = op.getStaticStrides()[dim];
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
        ShapedType::isDynamic(stride) || size == 0) {
      return rewriter.notifyMatchFailure(op, "has a place known at run time");
    }
    Stretch stretch{offset, (size - 1) * stride + 1};
    Value part = findPart(concat, stretch);
    if (!part) {
      return rewriter.notifyMatchFailure(op, "spans several parts");
    }
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    offsets[dim] = rewriter.getIndexAttr(stretch.offset);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, op.getType(), part, offsets, op.getMixedSizes(),
        op.getMixedStrides());
    return success();
  }
};

/// A concatenation within one along the same dimension is more parts of it.
struct FlattenConcat : OpRewritePattern<tensor::ConcatOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<tensor::ConcatOp>();
      if (inner && inner.getDim() == op.getDim() && inner->hasOneUse()) {
        llvm::append_range(inputs, inner.getInputs());
      } else {
        inputs.push_back(input);
      }
    }
    if (inputs.size() == op.getInputs().size()) {
      return rewriter.notifyMatchFailure(op, "has no concatenation inside");
    }
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, op.getResultType(),
                                                  op.getDim(), inputs);
    return success();
  }
};

struct SinkConcatsPass : mlir::lpu::impl::SinkConcatsPassBase<SinkConcatsPass> {
  using SinkConcatsPassBase::SinkConcatsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitElementwise>(&getContext(), numSunk);
    patterns.add<FoldSliceOfConcat, FlattenConcat>(&getContext());
    // Equal slices are to be seen to be equal.
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    if (failed(applyPatternsGreedily(
            getOperation(), std::move(patterns),
            GreedyRewriteConfig().setUseTopDownTraversal()))) {
      signalPassFailure();
    }
  }
};

} // namespace

//===- FuseElementwise.cpp - Fuse data movement and elementwise ops -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's elementwise fusion and reshape propagation under our own rule of
// what pays, plus the fold of a transposition into its producer. Reshapes move
// by expansion only: expanding a strided view is free, collapsing one may copy.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/Contractions.h"
#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Operands of a fused operation at most: each is a view of the instruction.
static constexpr unsigned maxOperands = 24;

/// Whether the body of `op` reads at computed positions or may fault.
static bool hasBarrier(linalg::GenericOp op) {
  return op
      .walk([](Operation *inner) {
        return isa<tensor::ExtractOp, cf::AssertOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `op` yields its one input unchanged: a transposition, a broadcast or
/// a window, but no computation and no check.
static bool isDataMovement(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() || hasBarrier(op)) {
    return false;
  }
  auto yielded =
      dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
  return yielded && yielded.getOwner() == op.getBody() &&
         yielded.getArgNumber() == 0;
}

static int64_t getDomainSize(linalg::GenericOp op) {
  int64_t size = 1;
  for (int64_t range : op.getStaticLoopRanges()) {
    size *= range;
  }
  return size;
}

/// Whether `consumer` would become a contraction by taking in `producer`. The
/// matrix unit does not round products, but a sum of products that the program
/// wrote as two operations has them rounded.
static bool makesContraction(linalg::GenericOp producer,
                             linalg::GenericOp consumer, OpOperand *operand) {
  auto multiply = producer.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::MulFOp>();
  auto add = consumer.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  if (!multiply || !add || consumer.getNumReductionLoops() == 0 ||
      !llvm::is_contained(add->getOperands(),
                          consumer.getMatchingBlockArgument(operand))) {
    return false;
  }
  auto getFactor = [](Value value) {
    auto widen = value.getDefiningOp<arith::ExtFOp>();
    return dyn_cast<BlockArgument>(widen ? widen.getIn() : value);
  };
  BlockArgument left = getFactor(multiply.getLhs());
  BlockArgument right = getFactor(multiply.getRhs());
  return left && right && left != right;
}

/// Whether `consumer` would read an input of `producer` along a loop that is
/// shorter than the input: it may walk over a part of a window's positions, but
/// only a whole dimension can be walked by a loop alone.
static bool cutsWindow(linalg::GenericOp producer, linalg::GenericOp consumer,
                       OpOperand *operand) {
  AffineMap result =
      producer.getIndexingMapMatchingResult(cast<OpResult>(operand->get()));
  if (!result.isPermutation()) {
    return false;
  }
  AffineMap toProducer = inversePermutation(result).compose(
      consumer.getMatchingIndexingMap(operand));
  SmallVector<int64_t> loops = consumer.getStaticLoopRanges();
  return llvm::any_of(producer.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = producer.getMatchingIndexingMap(input).compose(toProducer);
    return llvm::any_of(
        llvm::zip_equal(map.getResults(), producer.getShape(input)),
        [&](auto pair) {
          auto [expr, size] = pair;
          auto dim = dyn_cast<AffineDimExpr>(expr);
          return dim && loops[dim.getPosition()] != size;
        });
  });
}

/// The rule of what pays, see the pass description.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer ||
      producer.getNumDpsInputs() + consumer->getNumOperands() > maxOperands ||
      cutsWindow(producer, consumer, operand)) {
    return false;
  }
  if (isDataMovement(producer)) {
    return true;
  }
  if (isContraction(consumer) || hasBarrier(producer) ||
      !operand->get().hasOneUse() ||
      makesContraction(producer, consumer, operand)) {
    return false;
  }
  // A producer that reads nothing is a constant or a position: always cheap.
  return producer.getNumDpsInputs() == 0 ||
         getDomainSize(consumer) <= getDomainSize(producer);
}

namespace {

/// Folds a transposition of the only result of a generic into its output map.
///
///   %r = generic (i, j, k) -> (i, j) ...      %r = generic (i, j, k) -> (j, i)
///   %t = generic transposes %r           =>
struct FoldTransposeIntoProducer : OpRewritePattern<linalg::GenericOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isDataMovement(op) || !op.getIndexingMapsArray()[0].isPermutation() ||
        !op.getIndexingMapsArray()[1].isIdentity()) {
      return rewriter.notifyMatchFailure(op, "is no transposition");
    }
    auto producer = op.getInputs()[0].getDefiningOp<linalg::GenericOp>();
    if (!producer || producer.getNumResults() != 1 || !producer->hasOneUse()) {
      return rewriter.notifyMatchFailure(op, "transposes a shared value");
    }
    OpOperand *init = producer.getDpsInitOperand(0);
    auto fill = init->get().getDefiningOp<linalg::FillOp>();
    if (producer.payloadUsesValueFromOperand(init) && !fill) {
      return rewriter.notifyMatchFailure(op, "the producer's init is a value");
    }
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    Value newInit = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                            type.getElementType());
    if (fill) {
      newInit =
          linalg::FillOp::create(rewriter, loc, fill.getInputs()[0], newInit)
              .getResult(0);
    }
    // The input map says which position of the source a result position reads.
    AffineMap sourceOfResult = op.getIndexingMapsArray()[0];
    SmallVector<AffineMap> maps = producer.getIndexingMapsArray();
    maps.back() = inversePermutation(sourceOfResult).compose(maps.back());
    auto transposed = linalg::GenericOp::create(
        rewriter, producer.getLoc(), type, producer.getInputs(), newInit, maps,
        producer.getIteratorTypesArray());
    rewriter.inlineRegionBefore(producer.getRegion(), transposed.getRegion(),
                                transposed.getRegion().begin());
    rewriter.replaceOp(op, transposed.getResults());
    rewriter.eraseOp(producer);
    return success();
  }
};

/// The position in `group` of the one dimension that is no unit (the first
/// dimension if all are), or none if several are not.
static std::optional<int64_t> getNonUnit(ArrayRef<int64_t> group,
                                         ArrayRef<int64_t> shape) {
  int64_t found = group.front();
  unsigned count = 0;
  for (int64_t dim : group) {
    if (shape[dim] != 1) {
      found = dim;
      ++count;
    }
  }
  return count <= 1 ? std::optional(found) : std::nullopt;
}

/// Folds a reshape that adds or drops dimensions of size 1 into the indexing
/// map of the generic that reads it.
///
///   %e = expand_shape %x : tensor<8xf32> into tensor<8x1xf32>
///   generic (i, j) -> (i, 0) reads %e    =>    generic (i, j) -> (i) reads %x
///
/// Folding a collapse puts constants into the map, which keep other reshapes
/// from moving through the generic: that is done last, and not to contractions.
struct FoldUnitReshape : OpRewritePattern<linalg::GenericOp> {
  FoldUnitReshape(MLIRContext *context, bool foldsCollapse)
      : OpRewritePattern(context, /*benefit=*/4), foldsCollapse(foldsCollapse) {
  }

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      std::optional<AffineMap> folded;
      Value source;
      if (auto expand = input->get().getDefiningOp<tensor::ExpandShapeOp>()) {
        source = expand.getSrc();
        folded = foldExpand(expand, map);
      } else if (auto collapse =
                     input->get().getDefiningOp<tensor::CollapseShapeOp>();
                 collapse && foldsCollapse && !isContraction(op)) {
        source = collapse.getSrc();
        folded = foldCollapse(collapse, map);
      }
      if (!folded) {
        continue;
      }
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[input->getOperandNumber()] = *folded;
      // Each loop still has to be the size of something.
      if (!inversePermutation(concatAffineMaps(maps, op.getContext()))) {
        continue;
      }
      rewriter.modifyOpInPlace(op, [&] {
        input->set(source);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op,
                                       "reads no reshape of unit dimensions");
  }

  static std::optional<AffineMap> foldExpand(tensor::ExpandShapeOp expand,
                                             AffineMap map) {
    SmallVector<AffineExpr> exprs;
    for (ReassociationIndices group : expand.getReassociationIndices()) {
      std::optional<int64_t> dim =
          getNonUnit(group, expand.getResultType().getShape());
      if (!dim) {
        return std::nullopt;
      }
      exprs.push_back(map.getResult(*dim));
    }
    return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
  }

  static std::optional<AffineMap> foldCollapse(tensor::CollapseShapeOp collapse,
                                               AffineMap map) {
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    SmallVector<AffineExpr> exprs(shape.size(),
                                  getAffineConstantExpr(0, map.getContext()));
    for (auto [position, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      std::optional<int64_t> dim = getNonUnit(group, shape);
      if (!dim) {
        return std::nullopt;
      }
      exprs[*dim] = map.getResult(position);
    }
    return AffineMap::get(map.getNumDims(), 0, exprs, map.getContext());
  }

  bool foldsCollapse;
};

/// Writes a generic that yields a constant as the fill that it is.
struct ConvertConstantToFill : OpRewritePattern<linalg::GenericOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumResults() != 1 || !op.hasPureTensorSemantics() ||
        op.getNumLoops() != op.getNumParallelLoops()) {
      return rewriter.notifyMatchFailure(op, "is no fill");
    }
    Operation *constant =
        op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
    if (!constant || !constant->hasTrait<OpTrait::ConstantLike>() ||
        hasBarrier(op)) {
      return rewriter.notifyMatchFailure(op, "yields no constant");
    }
    Value value = rewriter.clone(*constant)->getResult(0);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, value, op.getOutputs()[0]);
    return success();
  }
};

/// Makes an element that the body reads at a fixed position, or at that of its
/// loops, an input: an operand is a view, a computed position is not.
///
///   generic ins(%x) { %s = tensor.extract %t[] }   =>   generic ins(%x, %t)
struct ConvertExtractToInput : OpRewritePattern<linalg::GenericOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    tensor::ExtractOp found;
    AffineMap map;
    op.walk([&](tensor::ExtractOp extract) {
      map = getPosition(op, extract);
      found = map ? extract : found;
      return map ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found) {
      return rewriter.notifyMatchFailure(op, "reads no fixed position");
    }
    Value tensor = found.getTensor();
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getRank() != 0 && type.getNumElements() == 1) {
      tensor = tensor::CollapseShapeOp::create(
          rewriter, op.getLoc(), tensor, ArrayRef<ReassociationIndices>());
      map = AffineMap::get(op.getNumLoops(), 0, rewriter.getContext());
    }
    SmallVector<Value> inputs(op.getInputs());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.insert(maps.begin() + inputs.size(), map);
    inputs.push_back(tensor);
    auto wider = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
        maps, op.getIteratorTypesArray());
    Value element = op.getBody()->insertArgument(
        inputs.size() - 1, type.getElementType(), found.getLoc());
    rewriter.replaceOp(found, element);
    rewriter.inlineRegionBefore(op.getRegion(), wider.getRegion(),
                                wider.getRegion().begin());
    rewriter.replaceOp(op, wider.getResults());
    return success();
  }

  /// The map from the loops of `op` to the position that `extract` reads, or
  /// null if it is computed or may lie outside.
  static AffineMap getPosition(linalg::GenericOp op,
                               tensor::ExtractOp extract) {
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    if (op->isAncestor(extract.getTensor().getParentBlock()->getParentOp()) ||
        !type.hasStaticShape()) {
      return {};
    }
    SmallVector<int64_t> loops = op.getStaticLoopRanges();
    SmallVector<AffineExpr> exprs;
    for (auto [index, size] :
         llvm::zip_equal(extract.getIndices(), type.getShape())) {
      auto loop = index.getDefiningOp<linalg::IndexOp>();
      if (loop && loops[loop.getDim()] == size) {
        exprs.push_back(getAffineDimExpr(loop.getDim(), op.getContext()));
        continue;
      }
      std::optional<int64_t> constant = getConstantIntValue(index);
      if (!constant || *constant < 0 || *constant >= size) {
        return {};
      }
      exprs.push_back(getAffineConstantExpr(*constant, op.getContext()));
    }
    return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
  }
};

/// Writes a transposition or broadcast that only moves dimensions of size 1 as
/// the reshape that it is: what reads it may be no linalg operation.
struct ConvertUnitMovementToReshape : OpRewritePattern<linalg::GenericOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    AffineMap read = op.getIndexingMapsArray().front();
    if (!isDataMovement(op) || !op.hasPureTensorSemantics() ||
        !op.getIndexingMapsArray().back().isIdentity()) {
      return rewriter.notifyMatchFailure(op, "is no transposition");
    }
    Value source = op.getInputs()[0];
    auto from = cast<RankedTensorType>(source.getType());
    auto to = cast<RankedTensorType>(op.getResult(0).getType());
    SmallVector<int64_t> sizes;
    int64_t last = -1;
    for (auto [expr, size] :
         llvm::zip_equal(read.getResults(), from.getShape())) {
      if (size == 1) {
        continue;
      }
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || static_cast<int64_t>(dim.getPosition()) <= last) {
        return rewriter.notifyMatchFailure(op, "moves large dimensions");
      }
      last = dim.getPosition();
      sizes.push_back(size);
    }
    if (!from.hasStaticShape() || !to.hasStaticShape() ||
        from.getNumElements() != to.getNumElements()) {
      return rewriter.notifyMatchFailure(op, "repeats elements");
    }
    auto flat = from.clone(sizes);
    auto getGroups = [&](RankedTensorType type) {
      // To one element without dimensions all groups vanish.
      return sizes.empty()
                 ? SmallVector<ReassociationIndices>()
                 : *getReassociationIndicesForCollapse(type.getShape(), sizes);
    };
    if (flat != from) {
      source = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), flat,
                                               source, getGroups(from));
    }
    if (flat != to) {
      source = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), to, source,
                                             getGroups(to));
    }
    rewriter.replaceOp(op, source);
    return success();
  }
};

struct FuseElementwisePass
    : mlir::lpu::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    // Reshapes and transpositions first: a transposition that is folded into a
    // producer is folded once, in each of several users it is read askew.
    RewritePatternSet units(context);
    units.add<FoldUnitReshape>(context, /*foldsCollapse=*/false);
    units.add<ConvertExtractToInput>(context);
    RewritePatternSet layout(context);
    addLayoutPatterns(layout);
    layout.add<FoldUnitReshape>(context, /*foldsCollapse=*/false);
    RewritePatternSet fusion(context);
    addLayoutPatterns(fusion);
    fusion.add<FoldUnitReshape>(context, /*foldsCollapse=*/true);
    linalg::populateElementwiseOpsFusionPatterns(fusion, isWorthFusing);
    // What still only moves data has users that take no map.
    RewritePatternSet moves(context);
    moves.add<ConvertUnitMovementToReshape>(context);
    tensor::populateReassociativeReshapeFoldingPatterns(moves);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(moves, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(moves, context);
    int64_t numBefore = countGenerics();
    GreedyRewriteConfig config = GreedyRewriteConfig().setUseTopDownTraversal();
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(units), config)) ||
        failed(
            applyPatternsGreedily(getOperation(), std::move(layout), config)) ||
        failed(
            applyPatternsGreedily(getOperation(), std::move(fusion), config)) ||
        failed(
            applyPatternsGreedily(getOperation(), std::move(moves), config))) {
      return signalPassFailure();
    }
    numFused += std::max<int64_t>(numBefore - countGenerics(), 0);
  }

  int64_t countGenerics() {
    int64_t count = 0;
    getOperation()->walk([&](linalg::GenericOp) { ++count; });
    return count;
  }

  static void addLayoutPatterns(RewritePatternSet &patterns) {
    MLIRContext *context = patterns.getContext();
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [](OpOperand *operand) { return isWorthExpanding(operand); });
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    patterns.add<FoldTransposeIntoProducer, ConvertConstantToFill>(context);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  }

  /// Whether `operand` is a reshape, or is reshaped by its owner, by dimensions
  /// of size one alone.
  static bool isUnitReshape(OpOperand *operand) {
    auto addsUnits = [](auto reshape, RankedTensorType large) {
      return llvm::all_of(reshape.getReassociationIndices(),
                          [&](ArrayRef<int64_t> group) {
                            return getNonUnit(group, large.getShape());
                          });
    };
    if (auto collapse =
            operand->get().getDefiningOp<tensor::CollapseShapeOp>()) {
      return addsUnits(collapse, collapse.getSrcType());
    }
    auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner());
    return expand && addsUnits(expand, expand.getResultType());
  }

  static bool hasUnitLoop(linalg::GenericOp op) {
    return llvm::is_contained(op.getStaticLoopRanges(), 1);
  }

  /// Reshapes move out of the way of fusion, towards arguments and constants,
  /// but not into operations that read at computed positions. An operation that
  /// has a loop of one iteration takes no more of them in: two operands that
  /// each bring theirs would double them from layer to layer.
  static bool isWorthExpanding(OpOperand *operand) {
    auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    linalg::GenericOp expanded = consumer ? consumer : producer;
    return expanded && !hasBarrier(expanded) &&
           !(hasUnitLoop(expanded) && isUnitReshape(operand));
  }
};

} // namespace

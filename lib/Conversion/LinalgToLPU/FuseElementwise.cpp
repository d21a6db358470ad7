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
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Operands of a fused operation at most: each is a view of the instruction.
static constexpr unsigned maxOperands = 24;

/// Whether `op` yields its one input unchanged: a transposition, a broadcast or
/// a window, but no computation.
static bool isDataMovement(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops()) {
    return false;
  }
  auto yielded =
      dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
  return yielded && yielded.getOwner() == op.getBody() &&
         yielded.getArgNumber() == 0;
}

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

static int64_t getDomainSize(linalg::GenericOp op) {
  int64_t size = 1;
  for (int64_t range : op.getStaticLoopRanges()) {
    size *= range;
  }
  return size;
}

/// The rule of what pays, see the pass description.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer ||
      producer.getNumDpsInputs() + consumer->getNumOperands() > maxOperands) {
    return false;
  }
  if (isDataMovement(producer)) {
    return true;
  }
  if (isContraction(consumer) || hasBarrier(producer) ||
      !operand->get().hasOneUse()) {
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
    if (!producer || producer.getNumResults() != 1 ||
        !producer->hasOneUse()) {
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
      newInit = linalg::FillOp::create(rewriter, loc, fill.getInputs()[0],
                                       newInit)
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

struct FuseElementwisePass
    : mlir::lpu::impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    // Reshapes and transpositions first: a transposition that is folded into a
    // producer is folded once, in each of several users it is read askew.
    RewritePatternSet layout(context);
    addLayoutPatterns(layout);
    RewritePatternSet fusion(context);
    addLayoutPatterns(fusion);
    linalg::populateElementwiseOpsFusionPatterns(fusion, isWorthFusing);
    GreedyRewriteConfig config = GreedyRewriteConfig().setUseTopDownTraversal();
    if (failed(applyPatternsGreedily(getOperation(), std::move(layout),
                                     config)) ||
        failed(applyPatternsGreedily(getOperation(), std::move(fusion),
                                     config))) {
      signalPassFailure();
    }
  }

  static void addLayoutPatterns(RewritePatternSet &patterns) {
    MLIRContext *context = patterns.getContext();
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [](OpOperand *operand) { return isWorthExpanding(operand); });
    linalg::populateInlineConstantOperandsPatterns(patterns);
    tensor::populateReassociativeReshapeFoldingPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    patterns.add<FoldTransposeIntoProducer, ConvertConstantToFill>(context);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  }

  /// Reshapes move out of the way of fusion, towards arguments and constants,
  /// but not into operations that read at computed positions.
  static bool isWorthExpanding(OpOperand *operand) {
    auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    linalg::GenericOp expanded = consumer ? consumer : producer;
    return expanded && !hasBarrier(expanded);
  }
};

} // namespace

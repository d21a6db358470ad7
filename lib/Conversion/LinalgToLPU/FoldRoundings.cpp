//===- FoldRoundings.cpp - Round the results of contractions in place -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction of narrow floats is imported with sums in f32 and an operation
// behind it that rounds them. The matrix unit rounds its sums itself, once, to
// the type of its result: the two are one contraction with a narrow result.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/Contractions.h"
#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_FOLDROUNDINGSPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Whether `op` rounds its one input and does nothing else.
static bool isRounding(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops()) {
    return false;
  }
  auto round = op.getBody()
                   ->getTerminator()
                   ->getOperand(0)
                   .getDefiningOp<arith::TruncFOp>();
  return round && round.getIn() == op.getBody()->getArgument(0);
}

namespace {

struct FoldRounding : OpRewritePattern<linalg::GenericOp> {
  FoldRounding(MLIRContext *context, Pass::Statistic &numFolded)
      : OpRewritePattern(context), numFolded(numFolded) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isRounding(op)) {
      return rewriter.notifyMatchFailure(op, "is no rounding");
    }
    auto contraction = op.getInputs()[0].getDefiningOp<linalg::GenericOp>();
    if (!contraction || !contraction->hasOneUse() ||
        !isContraction(contraction)) {
      return rewriter.notifyMatchFailure(op, "rounds no contraction's result");
    }
    auto fill = contraction.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    if (!fill || !matchPattern(fill.getInputs()[0], m_PosZeroFloat())) {
      return rewriter.notifyMatchFailure(op, "the sums start from a value");
    }
    Location loc = contraction.getLoc();
    Type narrow = getElementTypeOrSelf(op.getResult(0));
    if (getElementTypeOrSelf(contraction.getInputs()[0]) != narrow) {
      return rewriter.notifyMatchFailure(op, "rounds to another type");
    }
    auto type = cast<RankedTensorType>(contraction.getResult(0).getType())
                    .clone(narrow);
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(narrow));
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, type.getShape(), narrow);
    Value init =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    auto rounded = linalg::GenericOp::create(
        rewriter, loc, type, contraction.getInputs(), init,
        contraction.getIndexingMapsArray(), contraction.getIteratorTypesArray(),
        [](OpBuilder &b, Location loc, ValueRange arguments) {
          Value product =
              arith::MulFOp::create(b, loc, arguments[0], arguments[1]);
          Value sum = arith::AddFOp::create(b, loc, arguments[2], product);
          linalg::YieldOp::create(b, loc, sum);
        });
    // Where the rounding also moved elements, it still does.
    auto moved = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), rounded.getResults(),
        op.getOutputs(), op.getIndexingMapsArray(), op.getIteratorTypesArray(),
        [](OpBuilder &b, Location loc, ValueRange arguments) {
          linalg::YieldOp::create(b, loc, arguments[0]);
        });
    rewriter.replaceOp(op, moved.getResults());
    rewriter.eraseOp(contraction);
    ++numFolded;
    return success();
  }

  Pass::Statistic &numFolded;
};

struct FoldRoundingsPass
    : mlir::lpu::impl::FoldRoundingsPassBase<FoldRoundingsPass> {
  using FoldRoundingsPassBase::FoldRoundingsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldRounding>(&getContext(), numFolded);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace

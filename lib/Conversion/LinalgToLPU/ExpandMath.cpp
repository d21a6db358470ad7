//===- ExpandMath.cpp - Expand functions without a micro-operation --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the math and arith operations that the vector unit does not have as
// ones that it has. Most expansions are upstream's.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/RewriteCounter.h"
#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;

namespace {

/// x^n by squaring, for a small constant n. Upstream's expansion takes only
/// exponents of 32 bits; PyTorch's are of 64.
struct ExpandConstantPower : OpRewritePattern<math::FPowIOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    APInt exponent;
    if (!type || !matchPattern(op.getRhs(), m_ConstantInt(&exponent)) ||
        exponent.abs().ugt(64)) {
      return rewriter.notifyMatchFailure(op, "has no small constant exponent");
    }
    Location loc = op.getLoc();
    Value one = arith::ConstantOp::create(rewriter, loc,
                                          rewriter.getFloatAttr(type, 1.0));
    uint64_t rest = exponent.abs().getZExtValue();
    Value power = op.getLhs(), result;
    for (; rest != 0; rest >>= 1) {
      if (rest & 1) {
        result = result ? arith::MulFOp::create(rewriter, loc, result, power)
                              .getResult()
                        : power;
      }
      if (rest > 1) {
        power = arith::MulFOp::create(rewriter, loc, power, power);
      }
    }
    result = result ? result : one;
    if (exponent.isNegative()) {
      result = arith::DivFOp::create(rewriter, loc, one, result);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// x^n for an n that is not constant: the power function of floats.
struct ExpandPower : OpRewritePattern<math::FPowIOp> {
  ExpandPower(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/0) {}

  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    Value exponent = arith::SIToFPOp::create(rewriter, op.getLoc(),
                                             op.getType(), op.getRhs());
    rewriter.replaceOpWithNewOp<math::PowFOp>(op, op.getLhs(), exponent);
    return success();
  }
};

/// |x| of an integer as max(x, -x).
struct ExpandAbsoluteInteger : OpRewritePattern<math::AbsIOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::AbsIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getZeroAttr(op.getType()));
    Value negative =
        arith::SubIOp::create(rewriter, loc, zero, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, op.getOperand(), negative);
    return success();
  }
};

/// Integer power with a constant exponent, by squaring.
struct ExpandIntegerPower : OpRewritePattern<math::IPowIOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    APInt exponent;
    if (!matchPattern(op.getRhs(), m_ConstantInt(&exponent)) ||
        exponent.isNegative()) {
      return rewriter.notifyMatchFailure(
          op, "has no constant exponent that is not negative");
    }
    Location loc = op.getLoc();
    Value power = op.getLhs();
    Value result = arith::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(op.getType(), 1));
    for (uint64_t rest = exponent.getZExtValue(); rest != 0; rest >>= 1) {
      if (rest & 1) {
        result = arith::MulIOp::create(rewriter, loc, result, power);
      }
      power = arith::MulIOp::create(rewriter, loc, power, power);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Classification of floats by comparison.
template <typename Op>
struct ExpandClass : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value operand = op.getOperand();
    if constexpr (std::is_same_v<Op, math::IsNaNOp>) {
      rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::UNO,
                                                 operand, operand);
    } else {
      auto type = cast<FloatType>(operand.getType());
      Value infinity = arith::ConstantOp::create(
          rewriter, loc,
          FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics())));
      Value absolute = math::AbsFOp::create(rewriter, loc, operand);
      rewriter.replaceOpWithNewOp<arith::CmpFOp>(
          op,
          std::is_same_v<Op, math::IsInfOp> ? arith::CmpFPredicate::OEQ
                                            : arith::CmpFPredicate::OLT,
          absolute, infinity);
    }
    return success();
  }
};

struct ExpandMathPass : mlir::lpu::impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandConstantPower, ExpandPower, ExpandAbsoluteInteger,
                 ExpandIntegerPower, ExpandClass<math::IsNaNOp>,
                 ExpandClass<math::IsInfOp>, ExpandClass<math::IsFiniteOp>>(
        &getContext());
    math::populateExpansionPatterns(patterns, {"clampf", "ctlz"});
    if (failed(mlir::lpu::applyAndCount(getOperation(), std::move(patterns),
                                        numExpanded))) {
      signalPassFailure();
    }
  }
};

} // namespace

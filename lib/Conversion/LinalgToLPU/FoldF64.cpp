//===- FoldF64.cpp - Rewrite f64 as f32 where that is exact ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes the f64 arithmetic that the import introduced around f32 values.
// Apart from integers on their way through f64, where the result is what
// PyTorch itself computes (one rounding to f32; a rounded quotient is an
// integer division), each pattern keeps every bit; the arguments:
//
// * For +, -, *, / and sqrt, rounding first to p bits and then to q bits equals
//   rounding to q bits if p >= 2q + 2 (Figueroa, 1995): 53 >= 2*24 + 2.
// * Rounding is monotonic and odd, so it commutes with minimum, maximum,
//   negation and absolute value.
// * Widening is strictly monotonic, so it drops out of comparisons; a constant
//   between two f32 neighbours compares like one of them.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_FOLDF64PASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;

namespace {

std::optional<APFloat> getConstant(Value value) {
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant))) {
    return std::nullopt;
  }
  return constant;
}

/// `constant` in the format of `type`; `exact` says whether that lost nothing.
APFloat convert(APFloat constant, FloatType type, APFloat::roundingMode mode,
                bool &exact) {
  bool losesInfo;
  constant.convert(type.getFloatSemantics(), mode, &losesInfo);
  exact = !losesInfo;
  return constant;
}

Value makeConstant(OpBuilder &b, Location loc, FloatType type,
                   const APFloat &value) {
  return arith::ConstantOp::create(b, loc, FloatAttr::get(type, value));
}

/// `value`, which is f64, as a value of `type` that widens to it exactly; null
/// if there is none.
Value narrowExactly(OpBuilder &b, Value value, FloatType type) {
  if (auto widen = value.getDefiningOp<arith::ExtFOp>()) {
    auto source = dyn_cast<FloatType>(widen.getIn().getType());
    if (source == type) {
      return widen.getIn();
    }
    if (source && type.isF32()) {
      return arith::ExtFOp::create(b, value.getLoc(), type, widen.getIn());
    }
    return {};
  }
  if (std::optional<APFloat> constant = getConstant(value)) {
    bool exact;
    APFloat narrow =
        convert(*constant, type, APFloat::rmNearestTiesToEven, exact);
    return exact ? makeConstant(b, value.getLoc(), type, narrow) : Value();
  }
  return {};
}

/// `value`, which is f64, rounded to `type`, if that needs no f64 arithmetic.
Value narrowRounded(OpBuilder &b, Value value, FloatType type) {
  if (Value narrow = narrowExactly(b, value, type)) {
    return narrow;
  }
  if (std::optional<APFloat> constant = getConstant(value)) {
    bool exact;
    return makeConstant(
        b, value.getLoc(), type,
        convert(*constant, type, APFloat::rmNearestTiesToEven, exact));
  }
  return {};
}

/// Narrows the operation whose f64 result is rounded.
struct NarrowRounded : OpRewritePattern<arith::TruncFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || !op.getIn().getType().isF64()) {
      return rewriter.notifyMatchFailure(op, "is no rounding of a scalar f64");
    }
    if (Value narrow = narrowRounded(rewriter, op.getIn(), type)) {
      rewriter.replaceOp(op, narrow);
      return success();
    }
    Operation *def = op.getIn().getDefiningOp();
    if (!def) {
      return rewriter.notifyMatchFailure(op, "rounds an argument");
    }
    if (auto convertOp = dyn_cast<arith::SIToFPOp>(def)) {
      rewriter.replaceOpWithNewOp<arith::SIToFPOp>(op, type, convertOp.getIn());
      return success();
    }
    if (auto convertOp = dyn_cast<arith::UIToFPOp>(def)) {
      rewriter.replaceOpWithNewOp<arith::UIToFPOp>(op, type, convertOp.getIn());
      return success();
    }
    bool roundsTwice = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                           arith::DivFOp, math::SqrtOp>(def);
    bool commutes =
        isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp, arith::NegFOp, math::AbsFOp, arith::SelectOp>(
            def);
    if (!roundsTwice && !commutes) {
      return rewriter.notifyMatchFailure(op, "rounds inexact f64 arithmetic");
    }
    SmallVector<Value> operands;
    for (Value operand : def->getOperands()) {
      if (operand.getType().isF64()) {
        // Below a commuting operation the rounding moves on to its operands.
        operand = roundsTwice ? narrowExactly(rewriter, operand, type)
                              : arith::TruncFOp::create(rewriter, op.getLoc(),
                                                        type, operand);
      }
      if (!operand) {
        return rewriter.notifyMatchFailure(op, "has an f64 operand");
      }
      operands.push_back(operand);
    }
    Operation *narrow =
        rewriter.create(def->getLoc(), def->getName().getIdentifier(), operands,
                        type, def->getAttrs());
    rewriter.replaceOp(op, narrow);
    return success();
  }
};

/// The comparison of a value of `type` with the neighbour of `constant` that is
/// equivalent to comparing with `constant`, which `type` cannot represent.
std::pair<arith::CmpFPredicate, APFloat>
compareWithNeighbour(arith::CmpFPredicate predicate, const APFloat &constant,
                     FloatType type) {
  using P = arith::CmpFPredicate;
  bool exact;
  APFloat below = convert(constant, type, APFloat::rmTowardNegative, exact);
  APFloat above = convert(constant, type, APFloat::rmTowardPositive, exact);
  switch (predicate) {
  case P::OGT:
  case P::OGE:
    return {P::OGE, above};
  case P::UGT:
  case P::UGE:
    return {P::UGE, above};
  case P::OLT:
  case P::OLE:
    return {P::OLE, below};
  case P::ULT:
  case P::ULE:
    return {P::ULE, below};
  case P::OEQ: // Never equal.
    return {P::AlwaysFalse, below};
  case P::UEQ: // Equal or NaN: NaN.
    return {P::UNO, below};
  case P::ONE: // Ordered and unequal: ordered.
    return {P::ORD, below};
  case P::UNE:
    return {P::AlwaysTrue, below};
  case P::ORD:
  case P::UNO:
  case P::AlwaysTrue:
  case P::AlwaysFalse:
    return {predicate, below};
  }
  llvm_unreachable("all predicates are covered");
}

struct NarrowCompare : OpRewritePattern<arith::CmpFOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLhs().getType().isF64()) {
      return rewriter.notifyMatchFailure(op, "does not compare f64");
    }
    FloatType type = rewriter.getF32Type();
    Value left = narrowExactly(rewriter, op.getLhs(), type);
    Value right = narrowExactly(rewriter, op.getRhs(), type);
    if (left && right) {
      rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, op.getPredicate(), left,
                                                 right);
      return success();
    }
    std::optional<APFloat> constant = getConstant(op.getRhs());
    if (!constant) {
      return rewriter.notifyMatchFailure(op, "compares with no constant");
    }
    if (left) {
      auto [predicate, neighbour] =
          compareWithNeighbour(op.getPredicate(), *constant, type);
      rewriter.replaceOpWithNewOp<arith::CmpFOp>(
          op, predicate, left,
          makeConstant(rewriter, op.getLoc(), type, neighbour));
      return success();
    }
    return compareInteger(op, *constant, rewriter);
  }

  /// Compares an integer with a constant as integers. Integers below 2^53 are
  /// exact in f64, and those beyond stay beyond it.
  static LogicalResult compareInteger(arith::CmpFOp op, const APFloat &constant,
                                      PatternRewriter &rewriter) {
    auto convertOp = op.getLhs().getDefiningOp<arith::SIToFPOp>();
    if (!convertOp || constant.isNaN() ||
        std::abs(constant.convertToDouble()) >= 9007199254740992.0) {
      return rewriter.notifyMatchFailure(op, "compares no integer with a "
                                             "constant below 2^53");
    }
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    double value = constant.convertToDouble();
    bool whole = value == std::floor(value);
    I predicate;
    double bound = value;
    switch (op.getPredicate()) {
    case F::OGT:
    case F::UGT:
      predicate = I::sgt;
      bound = std::floor(value);
      break;
    case F::OGE:
    case F::UGE:
      predicate = I::sge;
      bound = std::ceil(value);
      break;
    case F::OLT:
    case F::ULT:
      predicate = I::slt;
      bound = std::ceil(value);
      break;
    case F::OLE:
    case F::ULE:
      predicate = I::sle;
      bound = std::floor(value);
      break;
    case F::OEQ:
    case F::UEQ:
    case F::ONE:
    case F::UNE: {
      bool isEqual = op.getPredicate() == F::OEQ || op.getPredicate() == F::UEQ;
      if (!whole) {
        rewriter.replaceOpWithNewOp<arith::ConstantOp>(
            op, rewriter.getBoolAttr(!isEqual));
        return success();
      }
      predicate = isEqual ? I::eq : I::ne;
      break;
    }
    default:
      return rewriter.notifyMatchFailure(op, "does not order its operands");
    }
    auto integer = cast<IntegerType>(convertOp.getIn().getType());
    int64_t whole64 = static_cast<int64_t>(bound);
    if (!llvm::isIntN(integer.getWidth(), whole64) || integer.getWidth() == 1) {
      return rewriter.notifyMatchFailure(op, "compares out of range");
    }
    Value other = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getIntegerAttr(integer, whole64));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, convertOp.getIn(),
                                               other);
    return success();
  }
};

/// Drops the widening of a value that becomes an integer.
template <typename Op>
struct NarrowToInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isF64()) {
      return rewriter.notifyMatchFailure(op, "does not convert f64");
    }
    Value narrow = narrowExactly(rewriter, op.getIn(), rewriter.getF32Type());
    if (!narrow) {
      return rewriter.notifyMatchFailure(op, "converts inexact f64");
    }
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), narrow);
    return success();
  }
};

/// The quotient of integers, rounded down or towards zero in f64, is the
/// integer quotient as long as the integers are below 2^53, and what PyTorch
/// computes in any case.
struct NarrowIntegerQuotient : OpRewritePattern<arith::FPToSIOp> {
  NarrowIntegerQuotient(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::FPToSIOp op,
                                PatternRewriter &rewriter) const override {
    Operation *round = op.getIn().getDefiningOp();
    if (!round || !isa<math::FloorOp, math::TruncOp>(round)) {
      return rewriter.notifyMatchFailure(op, "rounds no quotient");
    }
    auto divide = round->getOperand(0).getDefiningOp<arith::DivFOp>();
    if (!divide || !divide.getType().isF64()) {
      return rewriter.notifyMatchFailure(op, "rounds no quotient in f64");
    }
    auto left = divide.getLhs().getDefiningOp<arith::SIToFPOp>();
    auto right = divide.getRhs().getDefiningOp<arith::SIToFPOp>();
    if (!left || !right || left.getIn().getType() != op.getType() ||
        right.getIn().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "divides no integers");
    }
    if (isa<math::FloorOp>(round)) {
      rewriter.replaceOpWithNewOp<arith::FloorDivSIOp>(op, left.getIn(),
                                                       right.getIn());
    } else {
      rewriter.replaceOpWithNewOp<arith::DivSIOp>(op, left.getIn(),
                                                  right.getIn());
    }
    return success();
  }
};

struct FoldF64Pass : mlir::lpu::impl::FoldF64PassBase<FoldF64Pass> {
  using FoldF64PassBase::FoldF64PassBase;

  void runOnOperation() override {
    auto isF64 = [](Operation *op) {
      auto hasF64 = [](Type type) { return type.isF64(); };
      return llvm::any_of(op->getOperandTypes(), hasF64) ||
             llvm::any_of(op->getResultTypes(), hasF64);
    };
    auto count = [&] {
      int64_t total = 0;
      getOperation()->walk([&](Operation *op) { total += isF64(op); });
      return total;
    };
    int64_t before = count();
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowRounded, NarrowCompare, NarrowIntegerQuotient,
                 NarrowToInteger<arith::FPToSIOp>,
                 NarrowToInteger<arith::FPToUIOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      return signalPassFailure();
    }
    numFolded += std::max<int64_t>(before - count(), 0);
  }
};

} // namespace

//===- DecomposeArgReductions.cpp - argmax as two plain reductions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction that carries an extreme value together with its position runs
// element after element. Two reductions, the value and then the first position
// that holds it, run on all lanes.
//
// A NaN is an extreme value as in PyTorch: it is its position that is found.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/RewriteCounter.h"
#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_DECOMPOSEARGREDUCTIONSPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;

namespace {

/// The parts of `(value, position) = (combine(in, value), in beats value ? here
/// : position)`.
struct ArgReduction {
  Operation *combine;  ///< Maximum or minimum of the input and the old value.
  Value here;          ///< Position of the element, computed in the body.
  unsigned valueIndex; ///< Number of the result that is the value.
};

std::optional<ArgReduction> matchArgReduction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 2 ||
      op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics()) {
    return std::nullopt;
  }
  Block *body = op.getBody();
  Value in = body->getArgument(0);
  for (unsigned valueIndex : {0u, 1u}) {
    Value oldValue = body->getArgument(1 + valueIndex);
    Value oldPosition = body->getArgument(2 - valueIndex);
    Operation *combine =
        body->getTerminator()->getOperand(valueIndex).getDefiningOp();
    auto select = body->getTerminator()
                      ->getOperand(1 - valueIndex)
                      .getDefiningOp<arith::SelectOp>();
    if (!combine || !select || select.getFalseValue() != oldPosition ||
        combine->getNumOperands() != 2 ||
        !llvm::is_contained(combine->getOperands(), in) ||
        !llvm::is_contained(combine->getOperands(), oldValue)) {
      continue;
    }
    Operation *compare = select.getCondition().getDefiningOp();
    if (!compare || compare->getNumOperands() != 2 ||
        compare->getOperand(0) != in || compare->getOperand(1) != oldValue) {
      continue;
    }
    bool beats = false;
    if (auto cmpf = dyn_cast<arith::CmpFOp>(compare)) {
      beats = (isa<arith::MaximumFOp>(combine) &&
               cmpf.getPredicate() == arith::CmpFPredicate::OGT) ||
              (isa<arith::MinimumFOp>(combine) &&
               cmpf.getPredicate() == arith::CmpFPredicate::OLT);
    } else if (auto cmpi = dyn_cast<arith::CmpIOp>(compare)) {
      beats = (isa<arith::MaxSIOp>(combine) &&
               cmpi.getPredicate() == arith::CmpIPredicate::sgt) ||
              (isa<arith::MinSIOp>(combine) &&
               cmpi.getPredicate() == arith::CmpIPredicate::slt);
    }
    auto cast = select.getTrueValue().getDefiningOp<arith::IndexCastOp>();
    if (beats && cast && cast.getIn().getDefiningOp<linalg::IndexOp>()) {
      return ArgReduction{combine, select.getTrueValue(), valueIndex};
    }
  }
  return std::nullopt;
}

/// Whether `init` is a fill with the least (greatest) value for a maximum
/// (minimum), so that every element at least equals it.
bool isNeutralInit(Value init, Operation *combine) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill) {
    return false;
  }
  bool isMax = isa<arith::MaximumFOp, arith::MaxSIOp>(combine);
  APFloat number(0.0);
  if (matchPattern(fill.getInputs()[0], m_ConstantFloat(&number))) {
    return number.isInfinity() && number.isNegative() == isMax;
  }
  APInt integer;
  return matchPattern(fill.getInputs()[0], m_ConstantInt(&integer)) &&
         (isMax ? integer.isMinSignedValue() : integer.isMaxSignedValue());
}

/// Whether `init` is a fill with zero.
bool isZeroInit(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_Zero());
}

struct DecomposeArgReduction : OpRewritePattern<linalg::GenericOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<ArgReduction> match = matchArgReduction(op);
    if (!match || op.getNumReductionLoops() != 1) {
      return rewriter.notifyMatchFailure(op, "is no argmax or argmin");
    }
    Value valueInit = op.getOutputs()[match->valueIndex];
    Value positionInit = op.getOutputs()[1 - match->valueIndex];
    if (!isNeutralInit(valueInit, match->combine) ||
        !isZeroInit(positionInit)) {
      return rewriter.notifyMatchFailure(op, "starts from a value of its own");
    }
    Location loc = op.getLoc();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap inMap = maps[0], valueMap = maps[1 + match->valueIndex],
              positionMap = maps[2 - match->valueIndex];
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();

    auto extreme = linalg::GenericOp::create(
        rewriter, loc, valueInit.getType(), op.getInputs(), valueInit,
        ArrayRef{inMap, valueMap}, iterators,
        [&](OpBuilder &b, Location loc, ValueRange arguments) {
          Operation *combine = b.clone(*match->combine);
          combine->setOperands({arguments[0], arguments[1]});
          linalg::YieldOp::create(b, loc, combine->getResult(0));
        });

    // The first position that holds the value; past the end if there is none.
    auto positionType = cast<RankedTensorType>(positionInit.getType());
    Type integer = positionType.getElementType();
    unsigned width = integer.getIntOrFloatBitWidth();
    Value none = arith::ConstantOp::create(
        rewriter, loc,
        rewriter.getIntegerAttr(integer, APInt::getSignedMaxValue(width)));
    Value empty = tensor::EmptyOp::create(rewriter, loc,
                                          positionType.getShape(), integer);
    Value start =
        linalg::FillOp::create(rewriter, loc, none, empty).getResult(0);
    auto position = linalg::GenericOp::create(
        rewriter, loc, positionType,
        ValueRange{op.getInputs()[0], extreme.getResult(0)}, start,
        ArrayRef{inMap, valueMap, positionMap}, iterators,
        [&](OpBuilder &b, Location loc, ValueRange arguments) {
          Value in = arguments[0], found = arguments[1];
          auto cast = match->here.getDefiningOp<arith::IndexCastOp>();
          Operation *index = b.clone(*cast.getIn().getDefiningOp());
          Value here =
              arith::IndexCastOp::create(b, loc, integer, index->getResult(0));
          Value holds;
          if (isa<FloatType>(in.getType())) {
            Value equal = arith::CmpFOp::create(
                b, loc, arith::CmpFPredicate::OEQ, in, found);
            Value isNaN = arith::CmpFOp::create(
                b, loc, arith::CmpFPredicate::UNO, in, in);
            holds = arith::OrIOp::create(b, loc, equal, isNaN);
          } else {
            holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, in,
                                          found);
          }
          Value candidate = arith::SelectOp::create(b, loc, holds, here, none);
          Value first = arith::MinSIOp::create(b, loc, candidate, arguments[2]);
          linalg::YieldOp::create(b, loc, first);
        });
    SmallVector<Value> results{extreme.getResult(0), position.getResult(0)};
    if (match->valueIndex == 1) {
      std::swap(results[0], results[1]);
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct DecomposeArgReductionsPass
    : mlir::lpu::impl::DecomposeArgReductionsPassBase<
          DecomposeArgReductionsPass> {
  using DecomposeArgReductionsPassBase::DecomposeArgReductionsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeArgReduction>(&getContext());
    if (failed(mlir::lpu::applyAndCount(getOperation(), std::move(patterns),
                                        numDecomposed))) {
      signalPassFailure();
    }
  }
};

} // namespace

//===- MaterializeLengths.cpp - How many keys a mask leaves ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives attention with a mask the number of keys up to the last one that the
// mask keeps for any row. The mask is an array of values here, whatever made
// it: the number is a reduction over it, once for all operations that share the
// mask. Whether it can be worth its program is weighed by the most that it
// could save, for how much the mask will hide is known when the program runs.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_MATERIALIZELENGTHSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Lane-cycles, about, of what a softmax does with a score, and of what the
/// reduction does with an element of the mask.
static constexpr int64_t scoreCycles = 12, maskCycles = 4;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether the mask of `op` says something about each key.
static bool hasKeysInMask(AttentionOp op) {
  if (!op.getMask() || !isa<RankedTensorType>(op.getMask().getType())) {
    return false;
  }
  ArrayRef<int64_t> shape = getTensor(op.getMask()).getShape();
  return !shape.empty() && shape.back() > 1 && !llvm::is_contained(shape, 0);
}

/// Whether the last key is kept by a constant mask, so that it hides no tail.
static bool keepsLastKey(Value mask) {
  DenseElementsAttr constant;
  if (!matchPattern(mask, m_Constant(&constant))) {
    return false;
  }
  int64_t keys = getTensor(mask).getShape().back();
  for (int64_t last = keys - 1, e = constant.getNumElements(); last < e;
       last += keys) {
    if (constant.getElementType().isInteger(1)
            ? constant.getValues<bool>()[last]
            : !(constant.getValues<APFloat>()[last].isInfinity() &&
                constant.getValues<APFloat>()[last].isNegative())) {
      return true;
    }
  }
  return false;
}

/// The most cycles that `op` can save: all of its keys but one.
static double getMostSaved(AttentionOp op, const ::lpu::MachineModel &machine) {
  RankedTensorType query = getTensor(op.getQ()), key = getTensor(op.getK()),
                   value = getTensor(op.getV());
  int64_t spared = key.getDimSize(2) - 1;
  double bytes = double(spared) * key.getDimSize(0) * key.getDimSize(1) *
                 (key.getDimSize(3) + value.getDimSize(3)) *
                 key.getElementTypeBitWidth() / 8;
  double scores = double(spared) * query.getDimSize(0) * query.getDimSize(1) *
                  query.getDimSize(2);
  return bytes / machine.hbmBytesPerCycle() +
         scores * scoreCycles / machine.vxeLanes;
}

/// Cycles until the length of `mask` is in a register.
static double getCost(Value mask, const ::lpu::MachineModel &machine) {
  return double(getTensor(mask).getNumElements()) * maskCycles /
             machine.vxeLanes +
         machine.vxeLatencyCycles + machine.lmuLatencyCycles +
         2 * machine.semaphoreCycles;
}

/// max(1, s + 1 over all elements of `mask` that keep their key s).
static Value createLength(OpBuilder &b, Value mask) {
  Location loc = mask.getLoc();
  RankedTensorType type = getTensor(mask);
  Value empty =
      tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), b.getI64Type());
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank),
                              AffineMap::get(rank, 0, b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  auto body = [&](OpBuilder &b, Location loc, ValueRange arguments) {
    Value keeps = arguments[0];
    if (auto element = dyn_cast<FloatType>(keeps.getType())) {
      Value nothing = arith::ConstantOp::create(
          b, loc,
          b.getFloatAttr(element, APFloat::getInf(element.getFloatSemantics(),
                                                  /*Negative=*/true)));
      keeps = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, keeps,
                                    nothing);
    }
    Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
    Value key = arith::IndexCastOp::create(
        b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, rank - 1));
    Value end = arith::AddIOp::create(b, loc, key, one);
    Value longest = arith::MaxSIOp::create(
        b, loc, arith::SelectOp::create(b, loc, keeps, end, one), arguments[1]);
    linalg::YieldOp::create(b, loc, longest);
  };
  auto vector = VectorOp::create(
      b, loc, mask, empty,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
        Value init =
            linalg::FillOp::create(b, loc, one, arguments[1]).getResult(0);
        auto reduction = linalg::GenericOp::create(
            b, loc, empty.getType(), arguments[0], init, maps, iterators, body);
        YieldOp::create(b, loc, reduction.getResults());
      });
  return vector->getResult(0);
}

namespace {

struct MaterializeLengthsPass
    : mlir::lpu::impl::MaterializeLengthsPassBase<MaterializeLengthsPass> {
  using MaterializeLengthsPassBase::MaterializeLengthsPassBase;

  void runOnOperation() override {
    llvm::MapVector<Value, SmallVector<AttentionOp>> users;
    getOperation().walk([&](AttentionOp op) {
      if (!op.getLength() && hasKeysInMask(op)) {
        users[op.getMask()].push_back(op);
      }
    });
    ::lpu::MachineModel machine = getMachine(getOperation());
    for (auto &[mask, ops] : users) {
      double saved = 0;
      for (AttentionOp op : ops) {
        saved += getMostSaved(op, machine);
      }
      if (saved <= getCost(mask, machine) || keepsLastKey(mask)) {
        continue;
      }
      OpBuilder b(&getContext());
      b.setInsertionPointAfterValue(mask);
      Value length = createLength(b, mask);
      for (AttentionOp op : ops) {
        op.getLengthMutable().assign(length);
      }
      ++numLengths;
      numBounded += ops.size();
    }
  }
};

} // namespace

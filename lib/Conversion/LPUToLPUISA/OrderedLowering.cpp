//===- OrderedLowering.cpp - Scans, scatters and sorts --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector programs whose body is one operation in which the order of elements
// matters.
//
// * A scan carries its accumulator along the row and stores it as it goes.
// * A scatter walks its updates in order and combines each into place.
// * A sort counts, for every element, those that stand before it, which is its
//   place, and scatters it there: n * n comparisons, no data-dependent control,
//   stable. NaN counts as the greatest number.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/Lowerings.h"
#include "lpu/Conversion/LPUToLPUISA/MicroDraft.h"
#include "lpu/Conversion/LPUToLPUISA/ScalarLowering.h"
#include "lpu/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::lpu;
using ::lpu::MicroCombine;
using ::lpu::MicroOpcode;
using ::lpu::MicroPredicateF;
using ::lpu::MicroPredicateI;
using ::lpu::MicroType;
using Register = MicroDraft::Register;

/// The operation that such a body is about.
static Operation *getOrderedOp(VectorOp op) {
  for (Operation &inner : op.getBody().front()) {
    if (isa<tm_tensor::ScanOp, tm_tensor::ScatterOp, tm_tensor::SortOp>(
            inner)) {
      return &inner;
    }
  }
  return nullptr;
}

bool mlir::lpu::isOrderedVector(VectorOp op) {
  return getOrderedOp(op) != nullptr;
}

/// The view of a tensor of the body that is an operand or a constant.
static FailureOr<StridedView> getView(Value tensor, VectorOp op,
                                      ViewBuilder &views) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (argument && argument.getOwner() == &op.getBody().front()) {
    return views.getView(op->getOperand(argument.getArgNumber()));
  }
  ElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements))) {
    return views.getConstant(tensor.getLoc(), elements);
  }
  return emitError(tensor.getLoc())
         << "is neither an operand of the vector program nor a constant";
}

/// The destination that gets `result`, or null if nobody does.
static Value getDestination(Value result, VectorOp op) {
  for (unsigned index = 0; index < op.getOuts().size(); ++index) {
    if (op.getYielded(index) == result) {
      return op.getOuts()[index];
    }
  }
  return Value();
}

/// The constant that fills `tensor`, if one does.
static TypedAttr getFill(Value tensor) {
  TypedAttr constant;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    if (matchPattern(fill.getInputs().front(), m_Constant(&constant))) {
      return constant;
    }
  }
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat))) {
    return cast<TypedAttr>(splat.getSplatValue<Attribute>());
  }
  return TypedAttr();
}

/// A view with its dimensions in `order`, and one more of `size` and stride 0
/// behind them if `size` is not negative.
static StridedView arrange(const StridedView &view, ArrayRef<unsigned> order,
                           int64_t size = -1) {
  StridedView result = view.permuted(order);
  if (size >= 0) {
    result.sizes.push_back(size);
    result.strides.push_back(0);
  }
  return result;
}

/// All dimensions of a tensor of this rank but `dim`.
static SmallVector<unsigned> allBut(unsigned rank, unsigned dim) {
  SmallVector<unsigned> result;
  for (unsigned other = 0; other < rank; ++other) {
    if (other != dim) {
      result.push_back(other);
    }
  }
  return result;
}

static LogicalResult lowerScan(tm_tensor::ScanOp scan, VectorOp op,
                               LoweringContext &context) {
  FailureOr<StridedView> input =
      getView(scan.getInputs().front(), op, context.views);
  Value outBuffer = getDestination(scan->getResult(0), op);
  Value lastBuffer = getDestination(scan->getResult(1), op);
  if (failed(input)) {
    return failure();
  }
  unsigned dim = scan.getDimension();
  SmallVector<unsigned> order = allBut(input->rank(), dim);
  order.push_back(dim);
  StridedView in = arrange(*input, order);
  int64_t length = in.sizes.back();
  SmallVector<unsigned> rowOrder =
      llvm::to_vector(llvm::seq<unsigned>(0, input->rank() - 1));

  MicroDraft draft(in.sizes, in.rank() - 1, op.getLoc());
  std::optional<Register> init;
  if (TypedAttr constant = getFill(scan.getOutputs()[1])) {
    init = lowerConstant(draft, constant);
  } else {
    FailureOr<StridedView> view =
        getView(scan.getOutputs()[1], op, context.views);
    if (failed(view)) {
      return failure();
    }
    init = draft.load(arrange(*view, rowOrder, length));
  }

  draft.setSection(1);
  Register running = draft.carry(*init);
  Register element = draft.load(in);
  FailureOr<SmallVector<Register>> combined =
      lowerBlock(draft, scan.getRegion().front(), {running, element});
  if (failed(combined)) {
    return failure();
  }
  Register next = combined->front();
  if (scan.getInclusive()) {
    // The first value is the first element; the accumulator does not take part.
    Register isFirst =
        draft.compareInteger(MicroPredicateI::EQ, draft.iota(in.rank() - 1),
                             draft.constantInteger(MicroType::I64, 0));
    next = draft.select(isFirst, element, next);
  }
  if (outBuffer) {
    FailureOr<StridedView> out = context.views.getView(outBuffer);
    if (failed(out)) {
      return failure();
    }
    draft.store(arrange(*out, order), scan.getInclusive() ? next : running);
  }
  draft.next(running, next);
  if (lastBuffer) {
    FailureOr<StridedView> last = context.views.getView(lastBuffer);
    if (failed(last)) {
      return failure();
    }
    draft.setSection(2);
    draft.store(arrange(*last, rowOrder, length), running);
  }
  return draft.finish(context.builder);
}

/// How the region of a scatter combines an update with the old value.
static std::optional<MicroCombine> getScatterCombine(Block &block) {
  Value yielded = block.getTerminator()->getOperand(0);
  if (yielded == block.getArgument(0)) {
    return MicroCombine::Set;
  }
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 ||
      !llvm::is_contained(combiner->getOperands(), block.getArgument(0)) ||
      !llvm::is_contained(combiner->getOperands(), block.getArgument(1))) {
    return std::nullopt;
  }
  return getCombine(combiner);
}

/// Gives the destination of a scatter the value that it starts from, unless it
/// has it already.
static LogicalResult initialize(Value init, const StridedView &out, VectorOp op,
                                Value buffer, LoweringContext &context) {
  auto argument = dyn_cast<BlockArgument>(init);
  if (argument && op->getOperand(argument.getArgNumber()) == buffer) {
    return success();
  }
  MicroDraft draft(out.sizes, out.rank(), op.getLoc());
  if (TypedAttr constant = getFill(init)) {
    draft.store(out, lowerConstant(draft, constant));
    return draft.finish(context.builder);
  }
  FailureOr<StridedView> source = getView(init, op, context.views);
  if (failed(source)) {
    return failure();
  }
  draft.store(out, draft.load(*source));
  return draft.finish(context.builder);
}

static LogicalResult lowerScatterElements(tm_tensor::ScatterOp scatter,
                                          VectorOp op,
                                          LoweringContext &context) {
  std::optional<MicroCombine> combine =
      getScatterCombine(scatter.getRegion().front());
  if (!combine) {
    return scatter.emitOpError("combines in a way that the machine has not; "
                               "expected the update itself, a sum, a product, "
                               "a minimum, a maximum or bitwise logic");
  }
  FailureOr<StridedView> updates =
      getView(scatter.getInputs()[0], op, context.views);
  FailureOr<StridedView> indices =
      getView(scatter.getInputs()[1], op, context.views);
  Value buffer = getDestination(scatter->getResult(0), op);
  if (failed(updates) || failed(indices) || !buffer) {
    return failure();
  }
  FailureOr<StridedView> out = context.views.getView(buffer);
  if (failed(out) || failed(initialize(scatter.getOutputs().front(), *out, op,
                                       buffer, context))) {
    return failure();
  }

  // One row of all updates, in order.
  MicroDraft draft(updates->sizes, /*parallel=*/0, op.getLoc());
  draft.setSection(1);
  int64_t origin = 0;
  StridedView table = out->flat(origin);
  // Dimensions of a slice are the last ones of the destination.
  unsigned rank = out->rank(), sliceRank = updates->rank() - 1;
  SmallVector<std::optional<Register>> position(rank);
  for (unsigned dim = 0; dim < sliceRank; ++dim) {
    position[rank - sliceRank + dim] = draft.iota(dim + 1);
  }
  for (auto [column, dim] : llvm::enumerate(scatter.getDimensionMap())) {
    StridedView view = *indices;
    view.offset += static_cast<int64_t>(column) * indices->strides[1] *
                   ::lpu::byteWidth(indices->type);
    view.sizes = updates->sizes;
    view.strides.assign(updates->rank(), 0);
    view.strides[0] = indices->strides[0];
    Register index = draft.load(view);
    if (index.type != MicroType::I64) {
      index = draft.convert(MicroOpcode::ExtS, MicroType::I64, index);
    }
    if (position[dim]) {
      index = draft.compute(MicroOpcode::AddI, MicroType::I64,
                            {index, *position[dim]});
    }
    draft.assertTrue(draft.compareInteger(MicroPredicateI::ULT, index,
                                          draft.constantInteger(
                                              MicroType::I64, out->sizes[dim])),
                     ::lpu::FaultKind::Index,
                     ("index is out of bounds for dimension " + Twine(dim) +
                      " with size " + Twine(out->sizes[dim]))
                         .str());
    position[dim] = index;
  }
  Register element = draft.constantInteger(MicroType::I64, origin);
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!position[dim]) {
      continue;
    }
    Register scaled = draft.compute(
        MicroOpcode::MulI, MicroType::I64,
        {*position[dim],
         draft.constantInteger(MicroType::I64, out->strides[dim])});
    element =
        draft.compute(MicroOpcode::AddI, MicroType::I64, {element, scaled});
  }
  draft.scatter(table, element, draft.load(*updates), *combine);
  return draft.finish(context.builder);
}

/// Whether the comparator's verdict on a NaN must be corrected: it compares
/// two floats and nothing else. Then, whether it sorts upwards.
static std::optional<bool> isAscendingFloatOrder(Block &block) {
  auto compare =
      block.getTerminator()->getOperand(0).getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getLhs() != block.getArgument(0) ||
      compare.getRhs() != block.getArgument(1)) {
    return std::nullopt;
  }
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::ULE:
  case arith::CmpFPredicate::ULT:
    return true;
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::UGE:
  case arith::CmpFPredicate::UGT:
    return false;
  default:
    return std::nullopt;
  }
}

static LogicalResult lowerSort(tm_tensor::SortOp sort, VectorOp op,
                               LoweringContext &context) {
  unsigned dim = sort.getDimension();
  Block &block = sort.getRegion().front();
  SmallVector<StridedView> keys;
  for (Value tensor : sort.getOutputs()) {
    auto argument = dyn_cast<BlockArgument>(tensor);
    if (argument && argument.getArgNumber() >= op.getInputs().size()) {
      return sort.emitOpError("sorts in place; expected its operands among the "
                              "inputs of the vector program");
    }
    FailureOr<StridedView> view = getView(tensor, op, context.views);
    if (failed(view)) {
      return failure();
    }
    keys.push_back(*view);
  }
  unsigned rank = keys.front().rank();
  int64_t length = keys.front().sizes[dim];
  SmallVector<unsigned> rows = allBut(rank, dim), order = rows;
  order.push_back(dim);

  // Rows are elements, and what is reduced over are all others of its line:
  // domain (rows.., this element, the other one).
  auto thisElement = [&](const StridedView &view) {
    return arrange(view, order, length);
  };
  auto otherElement = [&](const StridedView &view) {
    StridedView result = arrange(view, rows, length);
    result.sizes.push_back(length);
    result.strides.push_back(view.strides[dim]);
    return result;
  };
  StridedView shape = thisElement(keys.front());
  MicroDraft draft(shape.sizes, rank, op.getLoc());
  SmallVector<Register> own, otherFirst, ownFirst;
  for (const StridedView &key : keys) {
    draft.setSection(0);
    own.push_back(draft.load(thisElement(key)));
    draft.setSection(1);
    Register other = draft.load(otherElement(key));
    otherFirst.append({other, own.back()});
    ownFirst.append({own.back(), other});
  }
  std::optional<bool> ascends = isAscendingFloatOrder(block);
  auto isBefore = [&](ArrayRef<Register> pair) -> FailureOr<Register> {
    FailureOr<SmallVector<Register>> verdict = lowerBlock(draft, block, pair);
    if (failed(verdict) || !ascends) {
      return failed(verdict) ? FailureOr<Register>(failure())
                             : FailureOr<Register>(verdict->front());
    }
    Register greatest = *ascends ? pair[1] : pair[0];
    Register isNaN =
        draft.compareFloat(MicroPredicateF::UNO, greatest, greatest);
    return draft.compute(MicroOpcode::OrI, MicroType::I1,
                         {verdict->front(), isNaN});
  };
  FailureOr<Register> other = isBefore(otherFirst);
  FailureOr<Register> self = isBefore(ownFirst);
  if (failed(other) || failed(self)) {
    return failure();
  }
  // Equal elements keep their order, whether the comparator is strict or not.
  Register notSelf =
      draft.compute(MicroOpcode::XorI, MicroType::I1,
                    {*self, draft.constantInteger(MicroType::I1, 1)});
  Register either =
      draft.compute(MicroOpcode::OrI, MicroType::I1, {*other, notSelf});
  Register both =
      draft.compute(MicroOpcode::AndI, MicroType::I1, {*other, notSelf});
  Register isEarlier = draft.compareInteger(
      MicroPredicateI::SLT, draft.iota(rank), draft.iota(rank - 1));
  Register stands = draft.select(isEarlier, either, both);
  Register place =
      draft.reduce(draft.convert(MicroOpcode::ExtU, MicroType::I64, stands),
                   MicroCombine::AddI);

  draft.setSection(2);
  for (auto [key, value, result] :
       llvm::zip_equal(keys, own, sort->getResults())) {
    Value buffer = getDestination(result, op);
    if (!buffer) {
      continue;
    }
    FailureOr<StridedView> out = context.views.getView(buffer);
    if (failed(out)) {
      return failure();
    }
    int64_t origin = 0;
    StridedView table = out->flat(origin);
    Register element = draft.compute(
        MicroOpcode::MulI, MicroType::I64,
        {place, draft.constantInteger(MicroType::I64, out->strides[dim])});
    element =
        draft.compute(MicroOpcode::AddI, MicroType::I64,
                      {element, draft.constantInteger(MicroType::I64, origin)});
    for (auto [number, row] : llvm::enumerate(rows)) {
      Register scaled = draft.compute(
          MicroOpcode::MulI, MicroType::I64,
          {draft.iota(number),
           draft.constantInteger(MicroType::I64, out->strides[row])});
      element =
          draft.compute(MicroOpcode::AddI, MicroType::I64, {element, scaled});
    }
    draft.scatter(table, element, value, MicroCombine::Set);
  }
  return draft.finish(context.builder);
}

LogicalResult mlir::lpu::lowerOrderedVector(VectorOp op,
                                            LoweringContext &context) {
  Operation *inner = getOrderedOp(op);
  if (auto scan = dyn_cast<tm_tensor::ScanOp>(inner)) {
    return lowerScan(scan, op, context);
  }
  if (auto scatter = dyn_cast<tm_tensor::ScatterOp>(inner)) {
    return lowerScatterElements(scatter, op, context);
  }
  return lowerSort(cast<tm_tensor::SortOp>(inner), op, context);
}

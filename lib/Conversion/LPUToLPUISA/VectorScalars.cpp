//===- VectorScalars.cpp - Scalar code of vector programs -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of the body: operands of the linalg operations, their code, indices
// of loops, computed loads and assertions. Conditional code has no branches on
// the machine: both sides are computed and one is selected, and what could
// fault on the side not taken is guarded.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ScalarLowering.h"
#include "lpu/Conversion/LPUToLPUISA/VectorLowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::lpu;
using ::lpu::MicroOpcode;
using ::lpu::MicroPredicateI;
using ::lpu::MicroType;
using Register = MicroDraft::Register;

FailureOr<Register> VectorLowering::getScalar(Value value, MicroStage *stage) {
  unsigned section = draft->getSection();
  // What rows before this section have computed is visible as well.
  for (unsigned from = 0; from <= section; ++from) {
    if (from != section && from % 2 == 1) {
      continue;
    }
    if (auto found = known.find({value, from}); found != known.end()) {
      return found->second;
    }
  }
  FailureOr<Register> result = computeScalar(value, stage);
  if (succeeded(result)) {
    known[{value, section}] = *result;
  }
  return result;
}

FailureOr<Register> VectorLowering::computeScalar(Value value,
                                                  MicroStage *stage) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (!getMicroType(value.getType())) {
      return emitError(value.getLoc())
             << "a constant of type " << value.getType()
             << " is used, which no register of the vector unit holds";
    }
    return lowerConstant(*draft, constant);
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!stage || argument.getOwner() != stage->op.getBlock()) {
      return emitError(value.getLoc())
             << "a vector program computes with " << value.getType()
             << " as a whole; expected its elements";
    }
    OpOperand *operand = stage->op.getMatchingOpOperand(argument);
    return getElement(operand->get(), stage->op.getMatchingIndexingMap(operand),
                      stage);
  }
  Operation *producer = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(producer)) {
    return getLoopIndex(index.getDim(), *stage);
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(producer)) {
    return lowerExtract(extract, stage);
  }
  if (auto conditional = dyn_cast<scf::IfOp>(producer)) {
    return lowerIf(conditional, cast<OpResult>(value).getResultNumber(), stage);
  }
  SmallVector<Register> inputs;
  for (Value operand : producer->getOperands()) {
    FailureOr<Register> input = getScalar(operand, stage);
    if (failed(input)) {
      return failure();
    }
    inputs.push_back(*input);
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(producer)) {
    AffineMap map = apply.getAffineMap();
    AffineExpr expr = map.getResult(0);
    // Symbols stand behind the dimensions.
    SmallVector<AffineExpr> symbols;
    for (unsigned i = 0; i < map.getNumSymbols(); ++i) {
      symbols.push_back(
          getAffineDimExpr(map.getNumDims() + i, location.getContext()));
    }
    return lowerAffine(*draft, expr.replaceSymbols(symbols), inputs);
  }
  if (producer->getNumRegions() != 0) {
    return producer->emitOpError("has no micro-operation");
  }
  return lowerScalar(*draft, producer, inputs);
}

Register VectorLowering::getLoopIndex(unsigned loop, const MicroStage &stage) {
  int dim = stage.dims[loop];
  if (dim < 0) {
    return draft->constantInteger(MicroType::I64, 0);
  }
  Register index = draft->iota(static_cast<unsigned>(dim));
  if (!body.slice || body.slice->dim != static_cast<unsigned>(dim) ||
      body.slice->first == 0) {
    return index;
  }
  return draft->compute(
      MicroOpcode::AddI, MicroType::I64,
      {index, draft->constantInteger(MicroType::I64, body.slice->first)});
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

FailureOr<Register> VectorLowering::lowerIf(scf::IfOp conditional,
                                            unsigned result,
                                            MicroStage *stage) {
  FailureOr<Register> condition = getScalar(conditional.getCondition(), stage);
  FailureOr<Register> taken =
      getScalar(conditional.thenYield().getOperand(result), stage);
  FailureOr<Register> other =
      getScalar(conditional.elseYield().getOperand(result), stage);
  if (failed(condition) || failed(taken) || failed(other)) {
    return failure();
  }
  return draft->select(*condition, *taken, *other);
}

FailureOr<std::optional<Register>> VectorLowering::getGuard(Operation *inner,
                                                            MicroStage *stage) {
  std::optional<Register> guard;
  Operation *around = inner;
  while (auto conditional = dyn_cast<scf::IfOp>(around->getParentOp())) {
    FailureOr<Register> condition =
        getScalar(conditional.getCondition(), stage);
    if (failed(condition)) {
      return failure();
    }
    Register holds = *condition;
    if (around->getParentRegion() == &conditional.getElseRegion()) {
      holds = draft->compute(MicroOpcode::XorI, MicroType::I1,
                             {holds, draft->constantInteger(MicroType::I1, 1)});
    }
    guard = guard ? draft->compute(MicroOpcode::AndI, MicroType::I1,
                                   {*guard, holds})
                  : holds;
    around = conditional;
  }
  return guard;
}

LogicalResult VectorLowering::lowerAsserts(MicroStage &stage) {
  // Once is enough, however often the stage is computed.
  if (!asserted.insert(stage.op).second) {
    return success();
  }
  WalkResult result = stage.op.getBlock()->walk([&](cf::AssertOp check) {
    FailureOr<std::optional<Register>> guard = getGuard(check, &stage);
    FailureOr<Register> condition = getScalar(check.getArg(), &stage);
    if (failed(guard) || failed(condition)) {
      return WalkResult::interrupt();
    }
    Register holds = *condition;
    draft->setLocation(check.getLoc());
    if (*guard) {
      Register off =
          draft->compute(MicroOpcode::XorI, MicroType::I1,
                         {**guard, draft->constantInteger(MicroType::I1, 1)});
      holds = draft->compute(MicroOpcode::OrI, MicroType::I1, {off, holds});
    }
    draft->assertTrue(holds,
                      check.getMsg().starts_with("index")
                          ? ::lpu::FaultKind::Index
                          : ::lpu::FaultKind::Runtime,
                      check.getMsg());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Computed loads
//===----------------------------------------------------------------------===//

std::optional<AffineExpr>
VectorLowering::getAffineIndex(Value value, MicroStage *stage) const {
  MLIRContext *context = value.getContext();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    return getAffineConstantExpr(number.getSExtValue(), context);
  }
  Operation *producer = value.getDefiningOp();
  if (!producer) {
    return std::nullopt;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(producer)) {
    return stage->dims[index.getDim()] < 0
               ? getAffineConstantExpr(0, context)
               : getAffineDimExpr(index.getDim(), context);
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(producer)) {
    // Between index and i64 alone; others could wrap.
    bool isWide =
        cast.getIn().getType().isInteger(64) || cast.getType().isInteger(64);
    return isWide ? getAffineIndex(cast.getIn(), stage) : std::nullopt;
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(producer)) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> dims, symbols;
    for (auto [position, operand] : llvm::enumerate(apply.getOperands())) {
      std::optional<AffineExpr> expr = getAffineIndex(operand, stage);
      if (!expr) {
        return std::nullopt;
      }
      (position < map.getNumDims() ? dims : symbols).push_back(*expr);
    }
    return map.getResult(0).replaceDimsAndSymbols(dims, symbols);
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(producer) ||
      !(value.getType().isIndex() || value.getType().isInteger(64))) {
    return std::nullopt;
  }
  std::optional<AffineExpr> a = getAffineIndex(producer->getOperand(0), stage);
  std::optional<AffineExpr> b = getAffineIndex(producer->getOperand(1), stage);
  if (!a || !b) {
    return std::nullopt;
  }
  if (isa<arith::AddIOp>(producer)) {
    return *a + *b;
  }
  if (isa<arith::SubIOp>(producer)) {
    return *a - *b;
  }
  return *a * *b;
}

/// Least and greatest value of a linear form over loops of these sizes.
static std::pair<int64_t, int64_t> getRange(const LinearForm &form,
                                            ArrayRef<int64_t> sizes) {
  int64_t low = form.constant, high = form.constant;
  for (auto [coefficient, size] : llvm::zip_equal(form.coefficients, sizes)) {
    int64_t reach = coefficient * (size - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

/// Whether assertions in the code already keep `index` in [0, size).
static bool isAsserted(Value index, int64_t size) {
  SmallVector<Value> names{index};
  if (auto cast = index.getDefiningOp<arith::IndexCastOp>()) {
    names.push_back(cast.getIn());
  }
  for (Operation *user : names.back().getUsers()) {
    if (auto cast = dyn_cast<arith::IndexCastOp>(user)) {
      names.push_back(cast.getResult());
    }
  }
  bool hasLower = false, hasUpper = false;
  for (Value name : names) {
    for (Operation *user : name.getUsers()) {
      auto compare = dyn_cast<arith::CmpIOp>(user);
      APInt bound;
      if (!compare || compare.getLhs() != name ||
          !matchPattern(compare.getRhs(), m_ConstantInt(&bound)) ||
          llvm::none_of(compare->getUsers(), [&](Operation *check) {
            return isa<cf::AssertOp>(check) &&
                   check->getBlock() == compare->getBlock();
          })) {
        continue;
      }
      int64_t value = bound.getSExtValue();
      switch (compare.getPredicate()) {
      case arith::CmpIPredicate::slt:
        hasUpper |= value <= size;
        break;
      case arith::CmpIPredicate::sle:
        hasUpper |= value < size;
        break;
      case arith::CmpIPredicate::sge:
        hasLower |= value >= 0;
        break;
      case arith::CmpIPredicate::sgt:
        hasLower |= value >= -1;
        break;
      default:
        break;
      }
    }
  }
  return hasLower && hasUpper;
}

FailureOr<Register> VectorLowering::lowerExtract(tensor::ExtractOp extract,
                                                 MicroStage *stage) {
  FailureOr<StridedView> base = getTensorView(extract.getTensor());
  FailureOr<std::optional<Register>> guard = getGuard(extract, stage);
  if (failed(base) || failed(guard)) {
    return failure();
  }
  if (!getMicroType(extract.getType())) {
    return extract.emitOpError("reads elements of type ")
           << extract.getType()
           << ", which no register of the vector unit holds";
  }
  ArrayRef<int64_t> sizes =
      stage ? ArrayRef(stage->sizes) : ArrayRef<int64_t>();

  // Indices that are linear in the loops and stay in range are no computation.
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> isInRange;
  for (auto [index, size] :
       llvm::zip_equal(extract.getIndices(), base->sizes)) {
    std::optional<AffineExpr> expr = getAffineIndex(index, stage);
    std::optional<LinearForm> form =
        expr ? getLinearForm(*expr, sizes.size()) : std::nullopt;
    bool fits = false;
    if (form) {
      auto [low, high] = getRange(*form, sizes);
      fits = low >= 0 && high < size;
    }
    isInRange.push_back(fits);
    exprs.push_back(expr.value_or(AffineExpr()));
  }
  if (llvm::all_of(isInRange, [](bool fits) { return fits; })) {
    AffineMap map =
        AffineMap::get(sizes.size(), 0, exprs, extract.getContext());
    std::optional<StridedView> view = base->through(map, sizes);
    assert(view && "linear indices give a view");
    draft->setLocation(extract.getLoc());
    if (!stage) {
      llvm::ArrayRef<int64_t> domain = draft->getDomain();
      view->sizes.assign(domain.begin(), domain.end());
      view->strides.assign(domain.size(), 0);
      return load(*view);
    }
    return load(onDomain(*view, *stage));
  }

  int64_t origin = 0;
  StridedView table = base->flat(origin);
  std::optional<Register> element;
  for (auto [position, index] : llvm::enumerate(extract.getIndices())) {
    FailureOr<Register> value = getScalar(index, stage);
    if (failed(value)) {
      return failure();
    }
    draft->setLocation(extract.getLoc());
    int64_t size = base->sizes[position], stride = base->strides[position];
    Register number = *value;
    if (*guard) {
      // On the side not taken any index will do that is in range.
      number = draft->select(**guard, number,
                             draft->constantInteger(MicroType::I64, 0));
    }
    // The gather itself checks a table of one dimension.
    if (!isInRange[position] && base->rank() > 1 && !isAsserted(index, size)) {
      Register bound = draft->constantInteger(MicroType::I64, size);
      draft->assertTrue(
          draft->compareInteger(MicroPredicateI::ULT, number, bound),
          ::lpu::FaultKind::Index,
          ("index is out of bounds for dimension " + Twine(position) +
           " with size " + Twine(size))
              .str());
    }
    if (stride != 1) {
      number = draft->compute(
          MicroOpcode::MulI, MicroType::I64,
          {number, draft->constantInteger(MicroType::I64, stride)});
    }
    element = element ? draft->compute(MicroOpcode::AddI, MicroType::I64,
                                       {*element, number})
                      : number;
  }
  if (origin != 0) {
    element = draft->compute(
        MicroOpcode::AddI, MicroType::I64,
        {*element, draft->constantInteger(MicroType::I64, origin)});
  }
  return draft->gather(table, *element);
}

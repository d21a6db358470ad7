//===- LPUOps.cpp - Verifiers and effects of the lpu dialect --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations of the lpu dialect check and which memory they touch.
// Types of destinations and results are tied by the interface of
// destination-passing style; what is left to verify here is shapes.
//
//===----------------------------------------------------------------------===//

#include "DestinationOps.h"

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::lpu;

#define GET_OP_CLASSES
#include "lpu/Dialect/LPU/IR/LPUOps.cpp.inc"

//===----------------------------------------------------------------------===//
// What all operations share
//===----------------------------------------------------------------------===//

#define LPU_DESTINATION_EFFECTS(OP)                                            \
  void OP::getEffects(                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    addDestinationEffects(*this, effects);                                     \
  }
LPU_DESTINATION_EFFECTS(ContractOp)
LPU_DESTINATION_EFFECTS(VectorOp)
LPU_DESTINATION_EFFECTS(GatherOp)
LPU_DESTINATION_EFFECTS(ScatterOp)
LPU_DESTINATION_EFFECTS(CopyOp)
#undef LPU_DESTINATION_EFFECTS

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

std::optional<LinearForm> mlir::lpu::getLinearForm(AffineExpr expr,
                                                   unsigned numDims) {
  LinearForm form;
  form.coefficients.assign(numDims, 0);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant = constant.getValue();
    return form;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.coefficients[dim.getPosition()] = 1;
    return form;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) {
    return std::nullopt;
  }
  std::optional<LinearForm> left = getLinearForm(binary.getLHS(), numDims);
  std::optional<LinearForm> right = getLinearForm(binary.getRHS(), numDims);
  if (!left || !right) {
    return std::nullopt;
  }
  bool isSum = binary.getKind() == AffineExprKind::Add;
  if (!isSum && (binary.getKind() != AffineExprKind::Mul ||
                 !isa<AffineConstantExpr>(binary.getRHS()))) {
    return std::nullopt;
  }
  for (auto [sum, l, r] :
       llvm::zip(form.coefficients, left->coefficients, right->coefficients)) {
    sum = isSum ? l + r : l * right->constant;
  }
  form.constant = isSum ? left->constant + right->constant
                        : left->constant * right->constant;
  return form;
}

bool mlir::lpu::isLinear(AffineMap map) {
  return map.getNumSymbols() == 0 &&
         llvm::all_of(map.getResults(), [&](AffineExpr expr) {
           return getLinearForm(expr, map.getNumDims()).has_value();
         });
}

bool mlir::lpu::isProjection(AffineMap map) {
  llvm::SmallDenseSet<unsigned> seen;
  return map.getNumSymbols() == 0 &&
         llvm::all_of(map.getResults(), [&](AffineExpr expr) {
           if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
             return seen.insert(dim.getPosition()).second;
           }
           auto constant = dyn_cast<AffineConstantExpr>(expr);
           return constant && constant.getValue() == 0;
         });
}

bool mlir::lpu::isContractType(Type operand, Type result) {
  if (operand.isInteger(8)) {
    return result.isInteger(32);
  }
  if (!operand.isF32() && !operand.isF16() && !operand.isBF16()) {
    return false;
  }
  return result == operand || result.isF32();
}

std::optional<ContractDimensions> mlir::lpu::classifyContraction(
    ArrayRef<AffineMap> maps, ArrayRef<bool> isReduction, std::string &reason) {
  ContractDimensions dimensions;
  for (unsigned dim = 0, e = isReduction.size(); dim < e; ++dim) {
    bool inA = maps[0].isFunctionOfDim(dim);
    bool inB = maps[1].isFunctionOfDim(dim);
    bool inC = maps[2].isFunctionOfDim(dim);
    if (isReduction[dim] ? inC || !inA || !inB : !inC || (!inA && !inB)) {
      reason =
          ("dimension " + Twine(dim) +
           (isReduction[dim]
                ? " is reduced and must be in both operands, not in the result"
                : " is parallel and must be in the result and an operand"))
              .str();
      return std::nullopt;
    }
    SmallVector<unsigned> &list = isReduction[dim] ? dimensions.depth
                                  : !inB           ? dimensions.rows
                                  : !inA           ? dimensions.cols
                                                   : dimensions.batch;
    list.push_back(dim);
  }
  return dimensions;
}

static AffineMap getMap(ContractOp op, unsigned index) {
  return cast<AffineMapAttr>(op.getIndexingMaps()[index]).getValue();
}
AffineMap ContractOp::getMapA() { return getMap(*this, 0); }
AffineMap ContractOp::getMapB() { return getMap(*this, 1); }
AffineMap ContractOp::getMapC() { return getMap(*this, 2); }

static SmallVector<bool> getIsReduction(ContractOp op) {
  return llvm::map_to_vector(
      op.getIteratorTypes().getAsRange<StringAttr>(),
      [](StringAttr iterator) { return iterator.getValue() == "reduction"; });
}

ContractDimensions ContractOp::classify() {
  std::string reason;
  return *classifyContraction({getMapA(), getMapB(), getMapC()},
                              getIsReduction(*this), reason);
}

SmallVector<int64_t> ContractOp::getDomainSizes() {
  SmallVector<int64_t> sizes(getMapC().getNumDims(), -1);
  for (auto [map, operand] :
       llvm::zip(std::array{getMapA(), getMapB(), getMapC()},
                 std::array{getA(), getB(), getC()})) {
    ShapedType type = getShaped(operand);
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        sizes[dim.getPosition()] = type.getDimSize(position);
      }
    }
  }
  return sizes;
}

/// Checks that `expr`, which is linear, stays in [0, size) over a domain of
/// `sizes`.
static bool isInRange(AffineExpr expr, ArrayRef<int64_t> sizes, int64_t size) {
  LinearForm form = *getLinearForm(expr, sizes.size());
  int64_t low = form.constant, high = form.constant;
  for (auto [coefficient, extent] : llvm::zip(form.coefficients, sizes)) {
    (coefficient < 0 ? low : high) += coefficient * (extent - 1);
  }
  return low >= 0 && high < size;
}

LogicalResult ContractOp::verify() {
  if (failed(verifyStaticShapes(*this))) {
    return failure();
  }
  if (getIndexingMaps().size() != 3) {
    return emitOpError("has ") << getIndexingMaps().size()
                               << " indexing maps; expected 3 (a, b, c)";
  }
  for (StringAttr iterator : getIteratorTypes().getAsRange<StringAttr>()) {
    if (iterator.getValue() != "parallel" &&
        iterator.getValue() != "reduction") {
      return emitOpError("has iterator type ")
             << iterator << "; expected \"parallel\" or \"reduction\"";
    }
  }
  unsigned numDims = getIteratorTypes().size();
  std::array<AffineMap, 3> maps{getMapA(), getMapB(), getMapC()};
  std::array<Value, 3> operands{getA(), getB(), getC()};
  for (auto [map, operand, name] :
       llvm::zip(maps, operands, std::array{"a", "b", "c"})) {
    if (map.getNumDims() != numDims) {
      return emitOpError("map of ")
             << name << " has " << map.getNumDims()
             << " dimensions, but there are " << numDims << " iterators";
    }
    if (!mlir::lpu::isLinear(map)) {
      return emitOpError("map of ")
             << name << " is not linear: " << AffineMapAttr::get(map);
    }
    if (map.getNumResults() != getShaped(operand).getRank()) {
      return emitOpError("map of ") << name << " has " << map.getNumResults()
                                    << " results, but the operand has rank "
                                    << getShaped(operand).getRank();
    }
  }
  if (!isProjection(getMapC())) {
    return emitOpError("map of c is not a projection: ")
           << AffineMapAttr::get(getMapC());
  }
  std::string reason;
  if (!classifyContraction(maps, getIsReduction(*this), reason)) {
    return emitOpError() << reason;
  }
  Type elementA = getShaped(getA()).getElementType();
  Type elementB = getShaped(getB()).getElementType();
  Type elementC = getShaped(getC()).getElementType();
  if (elementA != elementB || !isContractType(elementA, elementC)) {
    return emitOpError("has element types ")
           << elementA << ", " << elementB << " and " << elementC
           << "; expected operands of one type f32, f16 or bf16 with a result "
              "of that type or f32, or i8 with i32";
  }
  SmallVector<int64_t> sizes = getDomainSizes();
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size < 0) {
      return emitOpError("dimension ")
             << dim << " stands alone in no map, so its size is unknown";
    }
  }
  if (llvm::is_contained(sizes, 0)) {
    return success();
  }
  for (auto [map, operand, name] :
       llvm::zip(maps, operands, std::array{"a", "b", "c"})) {
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      int64_t size = getShaped(operand).getDimSize(position);
      if (!isInRange(expr, sizes, size)) {
        return emitOpError("map of ") << name << " leaves dimension "
                                      << position << " of size " << size;
      }
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && sizes[dim.getPosition()] != size) {
        return emitOpError("dimension ")
               << dim.getPosition() << " has size " << sizes[dim.getPosition()]
               << " in one operand and " << size << " in " << name;
      }
    }
  }
  return success();
}

bool ContractOp::readsInit(unsigned) { return !getZeroInit(); }

//===----------------------------------------------------------------------===//
// GatherOp, ScatterOp, CopyOp
//===----------------------------------------------------------------------===//

/// Checks that `rows` is `whole` with the size of `index` at `axis`.
static LogicalResult verifyRows(Operation *op, ShapedType whole,
                                ShapedType index, ShapedType rows,
                                int64_t axis) {
  if (failed(verifyStaticShapes(op))) {
    return failure();
  }
  if (axis < 0 || axis >= whole.getRank()) {
    return op->emitOpError("has axis ")
           << axis << "; expected one below rank " << whole.getRank();
  }
  if (index.getRank() != 1 || !index.getElementType().isInteger() ||
      index.getElementType().isInteger(1)) {
    return op->emitOpError("has index of ")
           << index << "; expected a vector of integers";
  }
  SmallVector<int64_t> expected(whole.getShape());
  expected[axis] = index.getDimSize(0);
  if (rows.getShape() != ArrayRef(expected) ||
      rows.getElementType() != whole.getElementType()) {
    return op->emitOpError("has rows of ")
           << rows << "; expected shape " << expected << " of "
           << whole.getElementType();
  }
  return success();
}

LogicalResult GatherOp::verify() {
  return verifyRows(*this, getShaped(getSrc()), getShaped(getIndex()),
                    getShaped(getOuts()), getAxis());
}
bool GatherOp::readsInit(unsigned) { return false; }

LogicalResult ScatterOp::verify() {
  return verifyRows(*this, getShaped(getOuts()), getShaped(getIndex()),
                    getShaped(getSrc()), getAxis());
}
bool ScatterOp::readsInit(unsigned) {
  // What is not written stays, so the old value is part of the result.
  return true;
}

LogicalResult CopyOp::verify() {
  if (failed(verifyStaticShapes(*this))) {
    return failure();
  }
  ShapedType src = getShaped(getSrc()), out = getShaped(getOuts());
  if (src.getShape() != out.getShape() ||
      src.getElementType() != out.getElementType()) {
    return emitOpError("copies ") << src << " to " << out;
  }
  return success();
}
bool CopyOp::readsInit(unsigned) { return false; }

//===----------------------------------------------------------------------===//
// VectorOp
//===----------------------------------------------------------------------===//

void VectorOp::build(
    OpBuilder &builder, OperationState &state, ValueRange inputs,
    ValueRange outs,
    function_ref<void(OpBuilder &, Location, ValueRange)> bodyBuilder) {
  SmallVector<Type> results, arguments;
  for (Value out : outs) {
    if (isa<RankedTensorType>(out.getType())) {
      results.push_back(out.getType());
    }
  }
  for (ValueRange range : {inputs, outs}) {
    for (Value operand : range) {
      ShapedType type = getShaped(operand);
      arguments.push_back(
          RankedTensorType::get(type.getShape(), type.getElementType()));
    }
  }
  state.addOperands(inputs);
  state.addOperands(outs);
  state.addTypes(results);
  state.getOrAddProperties<Properties>().setOperandSegmentSizes(
      {static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outs.size())});
  Region *region = state.addRegion();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      region, {}, arguments,
      SmallVector<Location>(arguments.size(), state.location));
  bodyBuilder(builder, state.location, block->getArguments());
}

BlockArgument VectorOp::getInputArgument(unsigned index) {
  return getBody().getArgument(index);
}

BlockArgument VectorOp::getOutputArgument(unsigned index) {
  return getBody().getArgument(getInputs().size() + index);
}

Value VectorOp::getYielded(unsigned index) {
  return getBody().front().getTerminator()->getOperand(index);
}

bool VectorOp::isTable(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    return isa<tensor::ExtractOp>(user);
  });
}

bool VectorOp::readsInit(unsigned index) {
  return llvm::any_of(getOutputArgument(index).getUses(), [](OpOperand &use) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return !linalgOp || !linalgOp.isDpsInit(&use) ||
           linalgOp.payloadUsesValueFromOperand(&use);
  });
}

LogicalResult VectorOp::verify() {
  if (failed(verifyStaticShapes(*this))) {
    return failure();
  }
  if (getOuts().empty()) {
    return emitOpError("has no destination");
  }
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands()) {
    return emitOpError("has ")
           << getNumOperands() << " operands, but its region has "
           << block.getNumArguments() << " arguments";
  }
  for (auto [operand, argument] :
       llvm::zip(getOperands(), block.getArguments())) {
    ShapedType type = getShaped(operand);
    auto expected =
        RankedTensorType::get(type.getShape(), type.getElementType());
    if (argument.getType() != expected) {
      return emitOpError("region argument ")
             << argument.getArgNumber() << " is " << argument.getType()
             << "; expected " << expected;
    }
  }
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getNumOperands() != getOuts().size()) {
    return emitOpError("has ")
           << getOuts().size() << " destinations, but yields "
           << yield.getNumOperands() << " values";
  }
  for (unsigned i = 0, e = getOuts().size(); i < e; ++i) {
    if (getYielded(i).getType() != getOutputArgument(i).getType()) {
      return emitOpError("yields ")
             << getYielded(i).getType() << " for a destination of "
             << getOutputArgument(i).getType();
    }
  }
  return success();
}

ParseResult VectorOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, outs;
  SmallVector<Type> inputTypes, outTypes;
  auto parseList = [&](StringRef keyword, bool optional, auto &operands,
                       auto &types) -> ParseResult {
    if (optional && failed(parser.parseOptionalKeyword(keyword))) {
      return success();
    }
    if (!optional && parser.parseKeyword(keyword)) {
      return failure();
    }
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseOperandList(operands) ||
        parser.parseColonTypeList(types) || parser.parseRParen()) {
      return failure();
    }
    return parser.resolveOperands(operands, types, loc, result.operands);
  };
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parseList("ins", /*optional=*/true, inputs, inputTypes) ||
      parseList("outs", /*optional=*/false, outs, outTypes) ||
      parser.parseRegion(*result.addRegion()) ||
      parser.parseOptionalArrowTypeList(result.types)) {
    return failure();
  }
  result.getOrAddProperties<Properties>().setOperandSegmentSizes(
      {static_cast<int32_t>(inputs.size()), static_cast<int32_t>(outs.size())});
  return success();
}

void VectorOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  if (!getInputs().empty()) {
    printer << " ins(" << getInputs() << " : " << getInputs().getTypes() << ")";
  }
  printer << " outs(" << getOuts() << " : " << getOuts().getTypes() << ") ";
  printer.printRegion(getBody());
  printer.printOptionalArrowTypeList(getResultTypes());
}

namespace {

/// Merges inputs that are the same value, and drops those that the region does
/// not use: what remains is what the program loads.
struct SimplifyInputs : OpRewritePattern<VectorOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(VectorOp op,
                                PatternRewriter &rewriter) const override {
    llvm::BitVector erased(op->getNumOperands());
    for (unsigned i = 0, e = op.getInputs().size(); i < e; ++i) {
      BlockArgument argument = op.getInputArgument(i);
      for (unsigned j = 0; j < i && !argument.use_empty(); ++j) {
        if (op.getInputs()[j] == op.getInputs()[i] && !erased.test(j)) {
          rewriter.replaceAllUsesWith(argument, op.getInputArgument(j));
        }
      }
      if (argument.use_empty()) {
        erased.set(i);
      }
    }
    if (erased.none()) {
      return rewriter.notifyMatchFailure(op, "every input is used");
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.getBody().front().eraseArguments(erased);
      for (int i = erased.find_last(); i >= 0; i = erased.find_prev(i)) {
        op.getInputsMutable().erase(i);
      }
    });
    return success();
  }
};

} // namespace

void VectorOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<SimplifyInputs>(context);
}

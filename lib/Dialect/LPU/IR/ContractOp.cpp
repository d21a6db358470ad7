//===- ContractOp.cpp - lpu.contract and its maps -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a contraction is: linear maps, dimensions by kind, and the regions of
// the vector unit before and behind it.
//
//===----------------------------------------------------------------------===//

#include "DestinationOps.h"

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::lpu;

//===----------------------------------------------------------------------===//
// Maps
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

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

void ContractOp::build(OpBuilder &builder, OperationState &state,
                       TypeRange results, Value a, Value b, Value outs,
                       ArrayAttr maps, ArrayAttr iterators, bool zeroInit) {
  build(builder, state, results, a, b, /*prologue_inputs=*/ValueRange(),
        /*epilogue_inputs=*/ValueRange(), outs, /*temporary=*/Value(), maps,
        iterators, zeroInit, /*tiling=*/TilingAttr());
}

static AffineMap getMap(ContractOp op, unsigned index) {
  return cast<AffineMapAttr>(op.getIndexingMaps()[index]).getValue();
}
AffineMap ContractOp::getMapA() { return getMap(*this, 0); }
AffineMap ContractOp::getMapB() { return getMap(*this, 1); }
AffineMap ContractOp::getMapC() { return getMap(*this, 2); }

static RankedTensorType getYieldedType(Region &region) {
  return cast<RankedTensorType>(
      region.front().getTerminator()->getOperand(0).getType());
}

RankedTensorType ContractOp::getStreamedType() {
  return hasPrologue() ? getYieldedType(getPrologue()) : getTensorType(getB());
}

RankedTensorType ContractOp::getSumType() {
  return hasEpilogue()
             ? cast<RankedTensorType>(getEpilogue().getArgument(0).getType())
             : getTensorType(getOuts());
}

/// The tensors that the maps are over.
static std::array<RankedTensorType, 3> getMappedTypes(ContractOp op) {
  return {getTensorType(op.getA()), op.getStreamedType(), op.getSumType()};
}

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
  for (auto [map, type] : llvm::zip(std::array{getMapA(), getMapB(), getMapC()},
                                    getMappedTypes(*this))) {
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

/// Checks a region of `op` that gets one tensor and `inputs`, and yields one.
static LogicalResult checkRegion(ContractOp op, Region &region, StringRef name,
                                 ValueRange inputs) {
  if (region.empty()) {
    if (!inputs.empty()) {
      return op.emitOpError("has operands of its ")
             << name << ", but no region";
    }
    return success();
  }
  Block &block = region.front();
  if (block.getNumArguments() != 1 + inputs.size()) {
    return op.emitOpError("has ")
           << block.getNumArguments() << " arguments of its " << name << " for "
           << inputs.size() << " operands; expected one more";
  }
  for (auto [input, argument] :
       llvm::zip(inputs, block.getArguments().drop_front())) {
    if (failed(verifyRegionArgument(op, argument, input))) {
      return failure();
    }
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!yield || yield.getNumOperands() != 1 ||
      !isStatic(yield.getOperand(0).getType()) ||
      !isStatic(block.getArgument(0).getType())) {
    return op.emitOpError("expects its ")
           << name << " to be from one tensor of static shape to one";
  }
  return success();
}

static LogicalResult checkRegions(ContractOp op) {
  if (failed(checkRegion(op, op.getPrologue(), "prologue",
                         op.getPrologueInputs())) ||
      failed(checkRegion(op, op.getEpilogue(), "epilogue",
                         op.getEpilogueInputs()))) {
    return failure();
  }
  if (op.hasPrologue() &&
      failed(verifyRegionArgument(op, op.getPrologue().getArgument(0),
                                  op.getB()))) {
    return failure();
  }
  if (!op.hasEpilogue()) {
    return success();
  }
  RankedTensorType out = getTensorType(op.getOuts());
  Type yielded = getYieldedType(op.getEpilogue());
  if (yielded != out) {
    return op.emitOpError("has an epilogue that yields ")
           << yielded << " for a destination of " << out;
  }
  if (!op.getZeroInit() && op.getSumType() != out) {
    return op.emitOpError("sums up onto a destination of ")
           << out << ", but its epilogue gets sums of " << op.getSumType();
  }
  return success();
}

LogicalResult ContractOp::verify() {
  if (failed(verifyStaticShapes(*this)) || failed(checkRegions(*this))) {
    return failure();
  }
  if (getTemporary() && !isa<MemRefType>(getTemporary().getType())) {
    return emitOpError("has a temporary that is no memref");
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
  std::array<RankedTensorType, 3> types = getMappedTypes(*this);
  for (auto [map, type, name] :
       llvm::zip(maps, types, std::array{"a", "b", "c"})) {
    if (map.getNumDims() != numDims) {
      return emitOpError("map of ")
             << name << " has " << map.getNumDims()
             << " dimensions, but there are " << numDims << " iterators";
    }
    if (!mlir::lpu::isLinear(map)) {
      return emitOpError("map of ")
             << name << " is not linear: " << AffineMapAttr::get(map);
    }
    if (map.getNumResults() != type.getRank()) {
      return emitOpError("map of ")
             << name << " has " << map.getNumResults()
             << " results, but the operand has rank " << type.getRank();
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
  Type elementA = types[0].getElementType();
  Type elementB = types[1].getElementType();
  Type elementC = types[2].getElementType();
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
  if (TilingAttr tiling = getTilingAttr()) {
    ContractDimensions dims = classify();
    int64_t dim = tiling.getDim();
    if (!llvm::is_contained(dims.cols, dim) &&
        !llvm::is_contained(dims.batch, dim)) {
      return emitOpError("cuts dimension ")
             << dim << "; expected one of columns or batches";
    }
    if (tiling.getSize() < 1 || tiling.getSize() > sizes[dim]) {
      return emitOpError("has tiles of ")
             << tiling.getSize() << "; expected 1 to " << sizes[dim];
    }
  }
  if (llvm::is_contained(sizes, 0)) {
    return success();
  }
  for (auto [map, type, name] :
       llvm::zip(maps, types, std::array{"a", "b", "c"})) {
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      int64_t size = type.getDimSize(position);
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

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffectsWithTemporary(*this, effects);
}

bool ContractOp::readsInit(unsigned) { return !getZeroInit(); }

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// Drops the operands of the regions that they do not use, and gives equal ones
/// one place: what remains is what the vector unit loads.
struct SimplifyRegionInputs : OpRewritePattern<ContractOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    bool isChanged =
        simplify(op.getPrologue(), op.getPrologueInputsMutable(), rewriter, op);
    isChanged |=
        simplify(op.getEpilogue(), op.getEpilogueInputsMutable(), rewriter, op);
    return success(isChanged);
  }

  static bool simplify(Region &region, MutableOperandRange inputs,
                       PatternRewriter &rewriter, ContractOp op) {
    llvm::BitVector erased(1 + inputs.size());
    for (unsigned i = 0, e = inputs.size(); i < e; ++i) {
      BlockArgument argument = region.getArgument(1 + i);
      for (unsigned j = 0; j < i && !argument.use_empty(); ++j) {
        if (inputs[j].get() == inputs[i].get() && !erased.test(1 + j)) {
          rewriter.replaceAllUsesWith(argument, region.getArgument(1 + j));
        }
      }
      if (argument.use_empty()) {
        erased.set(1 + i);
      }
    }
    if (erased.none()) {
      return false;
    }
    rewriter.modifyOpInPlace(op, [&] {
      region.front().eraseArguments(erased);
      for (int i = erased.find_last(); i >= 0; i = erased.find_prev(i)) {
        inputs.erase(i - 1);
      }
    });
    return true;
  }
};

} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<SimplifyRegionInputs>(context);
}

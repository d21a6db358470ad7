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
LPU_DESTINATION_EFFECTS(VectorOp)
LPU_DESTINATION_EFFECTS(GatherOp)
LPU_DESTINATION_EFFECTS(ScatterOp)
LPU_DESTINATION_EFFECTS(CopyOp)
#undef LPU_DESTINATION_EFFECTS

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
      arguments.push_back(getTensorType(operand));
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
  if (getBody().empty()) {
    return true; // Nobody knows while the operation is built.
  }
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
    if (failed(verifyRegionArgument(*this, argument, operand))) {
      return failure();
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

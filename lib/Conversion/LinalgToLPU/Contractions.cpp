//===- Contractions.cpp - Recognises contractions in linalg ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the body `yield(acc + widen(a) * widen(b))` and checks maps and types
// against what the matrix unit does.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/Contractions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace mlir::lpu;

/// Skips one widening conversion: the matrix unit multiplies narrow operands
/// without loss.
static Value skipWidening(Value value) {
  Operation *def = value.getDefiningOp();
  return def && isa<arith::ExtFOp, arith::ExtSIOp>(def) ? def->getOperand(0)
                                                        : value;
}

/// Whether the body of `op` is that of a contraction.
static bool hasContractionBody(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics()) {
    return false;
  }
  Block *body = op.getBody();
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!add || !isa<arith::AddFOp, arith::AddIOp>(add)) {
    return false;
  }
  Value accumulator = body->getArgument(2);
  Value product = add->getOperand(0) == accumulator ? add->getOperand(1)
                                                    : add->getOperand(0);
  Operation *multiply = product.getDefiningOp();
  if ((add->getOperand(0) != accumulator &&
       add->getOperand(1) != accumulator) ||
      !multiply || !isa<arith::MulFOp, arith::MulIOp>(multiply)) {
    return false;
  }
  Value left = skipWidening(multiply->getOperand(0));
  Value right = skipWidening(multiply->getOperand(1));
  Value a = body->getArgument(0), b = body->getArgument(1);
  if (!(left == a && right == b) && !(left == b && right == a)) {
    return false;
  }
  if (a.getType() != b.getType() ||
      !isContractType(a.getType(), accumulator.getType())) {
    return false;
  }
  return true;
}

std::optional<Contraction> mlir::lpu::matchContraction(linalg::GenericOp op) {
  if (!hasContractionBody(op)) {
    return std::nullopt;
  }
  // A loop of one trip has index 0, whichever operands it stands in.
  MLIRContext *context = op.getContext();
  Contraction contraction;
  SmallVector<AffineExpr> replacements;
  for (auto [size, iterator] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (size == 1) {
      replacements.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    replacements.push_back(getAffineDimExpr(contraction.sizes.size(), context));
    contraction.sizes.push_back(size);
    contraction.isReduction.push_back(linalg::isReductionIterator(iterator));
  }
  for (AffineMap map : op.getIndexingMapsArray()) {
    contraction.maps.push_back(map.replaceDimsAndSymbols(
        replacements, {}, contraction.sizes.size(), 0));
  }
  if (!llvm::all_of(contraction.maps, isLinear) ||
      !isProjection(contraction.maps[2])) {
    return std::nullopt;
  }
  std::string reason;
  std::optional<ContractDimensions> dimensions =
      classifyContraction(contraction.maps, contraction.isReduction, reason);
  if (!dimensions || dimensions->depth.empty()) {
    return std::nullopt;
  }
  contraction.dimensions = *dimensions;
  return contraction;
}

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

bool mlir::lpu::isContraction(linalg::GenericOp op) {
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
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, [](AffineMap map) { return isLinear(map); }) ||
      !maps[2].isProjectedPermutation(/*allowZeroInResults=*/true)) {
    return false;
  }
  SmallVector<bool> isReduction =
      llvm::map_to_vector(op.getIteratorTypesArray(), linalg::isReductionIterator);
  std::string reason;
  return classifyContraction(maps, isReduction, reason).has_value();
}

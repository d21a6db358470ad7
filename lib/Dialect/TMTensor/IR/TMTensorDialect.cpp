//===- TMTensorDialect.cpp - The tm_tensor dialect ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the operations that torch-mlir emits beside linalg, and verifies
// the shapes that later passes rely on.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/TMTensor/IR/TMTensor.h"

using namespace mlir;
using namespace mlir::tm_tensor;

#include "lpu/Dialect/TMTensor/IR/TMTensorOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/TMTensor/IR/TMTensorOps.cpp.inc"

void TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lpu/Dialect/TMTensor/IR/TMTensorOps.cpp.inc"
      >();
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks the number of operands and that `dimension` is one of the first
/// input.
static LogicalResult verifyAlong(Operation *op, ValueRange operands,
                                 int64_t dimension) {
  if (operands.empty()) {
    return op->emitOpError("has no operand");
  }
  int64_t rank = getTensor(operands.front()).getRank();
  if (dimension < 0 || dimension >= rank) {
    return op->emitOpError("has dimension ")
           << dimension << "; expected one below rank " << rank;
  }
  return success();
}

LogicalResult ScanOp::verify() {
  if (getInputs().size() != 1 || getOutputs().size() != 2) {
    return emitOpError("expected one input, an output and an accumulator");
  }
  if (getInputs()[0].getType() != getOutputs()[0].getType()) {
    return emitOpError("has an output of another type than its input");
  }
  return verifyAlong(*this, getInputs(), getDimension());
}

LogicalResult ScatterOp::verify() {
  if (getInputs().size() != 2 || getOutputs().size() != 1) {
    return emitOpError("expected updates, indices and one output");
  }
  RankedTensorType updates = getTensor(getInputs()[0]);
  RankedTensorType indices = getTensor(getInputs()[1]);
  RankedTensorType original = getTensor(getOutputs()[0]);
  if (indices.getRank() != 2 ||
      indices.getDimSize(1) != static_cast<int64_t>(getDimensionMap().size())) {
    return emitOpError("has indices of ") << indices << "; expected [updates, "
                                          << getDimensionMap().size() << "]";
  }
  if (updates.getRank() < 1 || updates.getRank() - 1 > original.getRank()) {
    return emitOpError("has updates of ") << updates << " for " << original;
  }
  for (int64_t dimension : getDimensionMap()) {
    if (dimension < 0 || dimension >= original.getRank()) {
      return emitOpError("has dimension_map entry ")
             << dimension << "; expected one below rank " << original.getRank();
    }
  }
  return success();
}

LogicalResult SortOp::verify() {
  return verifyAlong(*this, getOutputs(), getDimension());
}

LogicalResult TopkOp::verify() {
  if (getOutputs().size() != 2) {
    return emitOpError("expected outputs for values and positions");
  }
  return verifyAlong(*this, getInputs(), getDimension());
}

LogicalResult AttentionOp::verify() {
  if (getInputs().size() < 3 || getInputs().size() > 4 ||
      getOutputs().size() != 1) {
    return emitOpError("expected q, k, v, an optional mask, and one output");
  }
  return success();
}

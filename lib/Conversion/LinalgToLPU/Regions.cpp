//===- Regions.cpp - From vector programs to regions ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region of a contraction has no destination among its arguments: what a
// program writes over becomes an empty tensor, which stands for registers.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::lpu;

bool mlir::lpu::isElementwise(VectorOp op) {
  if (op.getOuts().size() != 1 || op->getNumResults() != 1 || op.readsInit(0)) {
    return false;
  }
  for (Operation &inner : op.getBody().front()) {
    if (isa<tensor::EmptyOp, arith::ConstantOp, YieldOp>(inner)) {
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(inner);
    if (!linalgOp || linalgOp.getNumReductionLoops() != 0) {
      return false;
    }
    WalkResult result = inner.walk([](Operation *nested) {
      return isa<tensor::ExtractOp, cf::AssertOp>(nested)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return false;
    }
  }
  return true;
}

Value mlir::lpu::getStored(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (def->hasTrait<OpTrait::ConstantLike>()) {
      return value;
    }
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::CastOp>(def)) {
      return {};
    }
    value = def->getOperand(0);
  }
  return value;
}

void mlir::lpu::fillRegion(Region &region, VectorOp op, Value first) {
  OpBuilder b(op.getContext());
  Block *block = b.createBlock(&region);
  IRMapping mapping;
  auto addArgument = [&](BlockArgument from) {
    mapping.map(from, block->addArgument(from.getType(), from.getLoc()));
  };
  for (bool isFirst : {true, false}) {
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      if ((input == first) == isFirst) {
        addArgument(op.getInputArgument(index));
      }
    }
  }
  BlockArgument out = op.getOutputArgument(0);
  auto type = cast<RankedTensorType>(out.getType());
  mapping.map(out, tensor::EmptyOp::create(b, out.getLoc(), type.getShape(),
                                           type.getElementType())
                       .getResult());
  for (Operation &inner : op.getBody().front()) {
    b.clone(inner, mapping);
  }
}

//===- Buffers.cpp - Buffers and their views ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows views up to their buffer and down to their users. The functions of
// these stages are straight-line, so that a use list is all there is to know.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/Buffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::lpu;

Value mlir::lpu::getViewSource(Operation *op) {
  if (op &&
      isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
          memref::CastOp, memref::ReinterpretCastOp, memref::TransposeOp>(op)) {
    return op->getOperand(0);
  }
  return {};
}

Value mlir::lpu::getRoot(Value value) {
  while (Value source = getViewSource(value.getDefiningOp())) {
    value = source;
  }
  return value;
}

bool mlir::lpu::isWholeBuffer(Value value) {
  while (Value source = getViewSource(value.getDefiningOp())) {
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(
            value.getDefiningOp())) {
      return false;
    }
    value = source;
  }
  return cast<MemRefType>(value.getType()).getLayout().isIdentity();
}

void mlir::lpu::forEachAccess(Value root,
                              function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : root.getUses()) {
    Operation *user = use.getOwner();
    if (getViewSource(user) == root) {
      forEachAccess(user->getResult(0), visit);
    } else {
      visit(use);
    }
  }
}

bool mlir::lpu::isWrite(OpOperand &operand) {
  if (auto op = dyn_cast<DestinationStyleOpInterface>(operand.getOwner())) {
    if (op.isDpsInit(&operand)) {
      return true;
    }
  }
  auto isTemporary = [&](auto op) {
    return op.getTemporary() &&
           operand.getOperandNumber() ==
               op.getTemporaryMutable().begin()->getOperandNumber();
  };
  if (auto contract = dyn_cast<ContractOp>(operand.getOwner())) {
    return isTemporary(contract);
  }
  if (auto attention = dyn_cast<AttentionOp>(operand.getOwner())) {
    return isTemporary(attention);
  }
  return false;
}

void mlir::lpu::setSpace(Value root, Space space) {
  auto type = cast<MemRefType>(root.getType());
  root.setType(MemRefType::Builder(type).setMemorySpace(
      SpaceAttr::get(root.getContext(), space)));
  for (Operation *user : root.getUsers()) {
    if (getViewSource(user) == root) {
      setSpace(user->getResult(0), space);
    }
  }
}

Value mlir::lpu::allocate(OpBuilder &b, Location loc, MemRefType type,
                          Space space) {
  auto contiguous = MemRefType::get(type.getShape(), type.getElementType(),
                                    MemRefLayoutAttrInterface(),
                                    SpaceAttr::get(b.getContext(), space));
  return memref::AllocOp::create(b, loc, contiguous);
}

//===- DestinationOps.h - What operations of lpu share ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of verifiers and effects, private to the dialect's operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_DIALECT_LPU_IR_DESTINATIONOPS_H
#define LPU_LIB_DIALECT_LPU_IR_DESTINATIONOPS_H

#include "lpu/Dialect/LPU/IR/LPU.h"

namespace mlir::lpu {

/// The type of an operand: a tensor or a memref.
inline ShapedType getShaped(Value value) {
  return cast<ShapedType>(value.getType());
}

/// The type by which a region sees an operand.
inline RankedTensorType getTensorType(Value operand) {
  ShapedType type = getShaped(operand);
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// Reads of inputs and of destinations whose old value matters, writes of
/// destinations. Tensors are values: they have no effects.
template <typename Op>
static void addDestinationEffects(
    Op op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  auto destinationOp = cast<DestinationStyleOpInterface>(op.getOperation());
  for (OpOperand *input : destinationOp.getDpsInputOperands()) {
    if (isa<MemRefType>(input->get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), input, /*stage=*/0,
                           /*effectOnFullRegion=*/true,
                           SideEffects::DefaultResource::get());
    }
  }
  for (OpOperand &init : destinationOp.getDpsInitsMutable()) {
    if (!isa<MemRefType>(init.get().getType())) {
      continue;
    }
    unsigned index = init.getOperandNumber() -
                     destinationOp.getDpsInits().getBeginOperandIndex();
    if (op.readsInit(index)) {
      effects.emplace_back(MemoryEffects::Read::get(), &init, /*stage=*/0,
                           /*effectOnFullRegion=*/true,
                           SideEffects::DefaultResource::get());
    }
    effects.emplace_back(MemoryEffects::Write::get(), &init, /*stage=*/1,
                         /*effectOnFullRegion=*/true,
                         SideEffects::DefaultResource::get());
  }
}

/// The effects of an operation that may have room of its own.
template <typename Op>
static void addEffectsWithTemporary(
    Op op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  addDestinationEffects(op, effects);
  if (op.getTemporary()) {
    effects.emplace_back(MemoryEffects::Write::get(),
                         &*op.getTemporaryMutable().begin(), /*stage=*/0,
                         /*effectOnFullRegion=*/true,
                         SideEffects::DefaultResource::get());
  }
}

/// Checks that `argument` of a region of `op` is `operand` as a tensor.
inline LogicalResult verifyRegionArgument(Operation *op, BlockArgument argument,
                                          Value operand) {
  if (argument.getType() != getTensorType(operand)) {
    return op->emitOpError("region argument ")
           << argument.getArgNumber() << " is " << argument.getType()
           << "; expected " << getTensorType(operand);
  }
  return success();
}

/// Checks that every operand has a static shape.
inline LogicalResult verifyStaticShapes(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!getShaped(operand).hasStaticShape()) {
      return op->emitOpError("has an operand of type ")
             << operand.getType() << "; shapes are static";
    }
  }
  return success();
}

} // namespace mlir::lpu

#endif // LPU_LIB_DIALECT_LPU_IR_DESTINATIONOPS_H

//===- Lowerings.h - From operations of lpu to instructions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each operation of the lpu dialect on buffers. Each creates
// its instructions at the builder's place, or emits an error that says what the
// machine cannot do.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_LOWERINGS_H
#define LPU_CONVERSION_LPUTOLPUISA_LOWERINGS_H

#include "lpu/Conversion/LPUToLPUISA/SizeRegisters.h"
#include "lpu/Conversion/LPUToLPUISA/ViewBuilder.h"
#include "lpu/Dialect/LPU/IR/LPU.h"

namespace mlir::lpu {

/// What every lowering needs.
struct LoweringContext {
  OpBuilder &builder;
  ViewBuilder &views;
  const ::lpu::MachineModel &machine;
  SizeRegisters &sizes;
};

// Matrix unit.
LogicalResult lowerContract(ContractOp op, LoweringContext &context);
LogicalResult lowerAttention(AttentionOp op, LoweringContext &context);

// Vector unit.
LogicalResult lowerVector(VectorOp op, LoweringContext &context);
/// An `lpu.vector` whose body is one operation that is no linalg operation: a
/// scan, a sort or a scatter.
LogicalResult lowerOrderedVector(VectorOp op, LoweringContext &context);
bool isOrderedVector(VectorOp op);

// Memory unit.
LogicalResult lowerCopy(Location location, Value source, Value destination,
                        LoweringContext &context);
/// A copy between views of the same sizes; nothing if they are the same.
LogicalResult emitCopy(Location location, StridedView from, StridedView to,
                       OpBuilder &builder);
LogicalResult lowerGather(GatherOp op, LoweringContext &context);
LogicalResult lowerScatter(ScatterOp op, LoweringContext &context);

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_LOWERINGS_H

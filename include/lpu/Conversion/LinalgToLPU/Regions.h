//===- Regions.h - From vector programs to regions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes share that move an `lpu.vector` into an `lpu.contract`, and
// those that ask which tensors are weights.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LINALGTOLPU_REGIONS_H
#define LPU_CONVERSION_LINALGTOLPU_REGIONS_H

#include "lpu/Dialect/LPU/IR/LPU.h"

namespace mlir::lpu {

/// Whether `op` computes one tensor, each element from elements of its inputs,
/// without a reduction, a table or the old value of its destination.
bool isElementwise(VectorOp op);

/// The argument or constant that `value` is a view of, or null.
Value getStored(Value value);

/// Makes `region`, which is empty, do what `op` does: its first argument is the
/// input `first` of `op`, the others are the other inputs in order.
void fillRegion(Region &region, VectorOp op, Value first);

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LINALGTOLPU_REGIONS_H

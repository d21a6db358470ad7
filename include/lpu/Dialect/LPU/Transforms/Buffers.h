//===- Buffers.h - Buffers and their views ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes of the stages `buffer` and `alloc` ask about memrefs: which
// buffer a view is of, who writes it, and how a buffer changes its memory.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_BUFFERS_H
#define LPU_DIALECT_LPU_TRANSFORMS_BUFFERS_H

#include "lpu/Dialect/LPU/IR/LPU.h"

namespace mlir::lpu {

/// The memref that `op` makes a view of, or null if `op` is no view.
Value getViewSource(Operation *op);

/// The buffer that `value` is a view of: an argument, an allocation or a
/// global.
Value getRoot(Value value);

/// Whether `value` is all of its root, in the same order: reshapes at most.
bool isWholeBuffer(Value value);

/// Calls `visit` for each operation that uses `root` or a view of it, other
/// than the views themselves.
void forEachAccess(Value root, function_ref<void(OpOperand &)> visit);

/// Whether the operation that `operand` belongs to writes to it.
bool isWrite(OpOperand &operand);

/// Moves the buffer `root`, with all its views, to `space`.
void setSpace(Value root, Space space);

/// An allocation of `type`'s shape, contiguous, in `space`.
Value allocate(OpBuilder &b, Location loc, MemRefType type, Space space);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_BUFFERS_H

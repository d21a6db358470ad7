//===- Lifetimes.h - When buffers live --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocations of a function as a problem for the memory planner. A lifetime
// is an interval of positions in the function, which is straight-line code at
// this stage; only the operations that become instructions have one.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_LIFETIMES_H
#define LPU_DIALECT_LPU_TRANSFORMS_LIFETIMES_H

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/MemoryPlanner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {

/// The allocations in one space, and the problem of placing them: buffer i of
/// the problem is allocation i.
struct Lifetimes {
  SmallVector<memref::AllocOp> allocs;
  MemoryProblem problem;
};

/// What `function` allocates in `space`, a memory of `capacity` bytes.
Lifetimes collectLifetimes(func::FuncOp function, Space space,
                           int64_t capacity);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_LIFETIMES_H

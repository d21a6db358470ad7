//===- Pipelines.h - The road from linalg to machine code -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the named pipelines, one per stage of the road from linalg on
// tensors to scheduled machine instructions.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_PIPELINES_PIPELINES_H
#define LPU_PIPELINES_PIPELINES_H

namespace mlir::lpu {

/// Registers the named pipelines with the pass manager's textual syntax.
void registerPipelines();

} // namespace mlir::lpu

#endif // LPU_PIPELINES_PIPELINES_H

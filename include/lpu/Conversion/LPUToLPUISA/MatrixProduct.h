//===- MatrixProduct.h - Contractions as stream and mm ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One contraction of two strided operands as a `lpuisa.stream` with its
// `lpuisa.mm`, for whoever needs one.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_MATRIXPRODUCT_H
#define LPU_CONVERSION_LPUTOLPUISA_MATRIXPRODUCT_H

#include "lpu/Conversion/LPUToLPUISA/StridedView.h"
#include "lpu/Dialect/LPU/IR/LPU.h"

namespace mlir::lpu {

/// A contraction. All three views are over the same domain, with stride 0
/// along the dimensions that an operand has not.
struct MatrixProduct {
  StridedView a; ///< Resident.
  StridedView b; ///< Streamed.
  StridedView c; ///< Result.
  ContractDimensions dims;
  bool accumulates = false; ///< Starts from the old result, else from +0.
  /// A dimension of columns or depth with a size of the run.
  std::optional<DynamicSize> dynamicSize;

  /// Creates the two instructions, in hardware loops if the operands have more
  /// dimensions than a view. No elements: nothing; no depth: zeros, unless it
  /// accumulates. Emits an error if the machine cannot hold it.
  LogicalResult emit(OpBuilder &builder, Location location,
                     const ::lpu::MachineModel &machine) const;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_MATRIXPRODUCT_H

//===- ViewBuilder.h - From memrefs to views --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where a memref value lies: the buffer at the root of its chain of
// view-like operations gives the memory and the base, the operations (or its
// own static type) give offset and strides.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_VIEWBUILDER_H
#define LPU_CONVERSION_LPUTOLPUISA_VIEWBUILDER_H

#include "lpu/Conversion/LPUToLPUISA/ConstantPool.h"
#include "lpu/Conversion/LPUToLPUISA/StridedView.h"

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

namespace mlir::lpu {

/// Views of the memref values of one function with allocated buffers.
class ViewBuilder {
public:
  explicit ViewBuilder(ConstantPool &constants) : constants(constants) {}

  /// The view of a memref value. Emits an error on what defines the value if
  /// its place is not known before the run.
  FailureOr<StridedView> getView(Value memref);
  /// The constant's elements in the constant space.
  FailureOr<StridedView> getConstant(Location location, ElementsAttr elements);

private:
  FailureOr<StridedView> getRoot(Value memref);

  ConstantPool &constants;
  llvm::DenseMap<Value, StridedView> cache;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_VIEWBUILDER_H

//===- LPU.h - The lpu dialect ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the lpu dialect, its attributes and its operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_IR_LPU_H
#define LPU_DIALECT_LPU_IR_LPU_H

#include "lpu/Target/Encoding.h"
#include "lpu/Target/MachineModel.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace mlir::lpu {

/// The dimensions of a contraction's domain by what they are, each list
/// ascending.
struct ContractDimensions {
  SmallVector<unsigned> batch; ///< In a, b and c.
  SmallVector<unsigned> rows;  ///< In a and c.
  SmallVector<unsigned> cols;  ///< In b and c.
  SmallVector<unsigned> depth; ///< In a and b: what is summed over.
};

/// Sorts the dimensions of a contraction with these maps, or says in
/// `reason` why it is none.
std::optional<ContractDimensions>
classifyContraction(ArrayRef<AffineMap> maps, ArrayRef<bool> isReduction,
                    std::string &reason);

/// `constant + sum over dimensions d of coefficients[d] * d`.
struct LinearForm {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};

/// The linear form of `expr` over `numDims` dimensions, if it has one.
std::optional<LinearForm> getLinearForm(AffineExpr expr, unsigned numDims);

/// Whether every result of `map` has a linear form.
bool isLinear(AffineMap map);

/// Whether each result of `map` is 0 or a dimension, and no dimension stands
/// twice: every element is written by one point of the domain. Unlike
/// AffineMap::isProjectedPermutation it takes any number of zeros.
bool isProjection(AffineMap map);

/// Whether the matrix unit multiplies elements of type `operand` into `result`.
bool isContractType(Type operand, Type result);

/// The machine's type for elements of `type`, or none.
std::optional<::lpu::DType> getDType(Type type);

/// Bytes of the elements of `type` in memory; its shape is static.
int64_t getByteSize(ShapedType type);

} // namespace mlir::lpu

#include "lpu/Dialect/LPU/IR/LPUOpsDialect.h.inc"
#include "lpu/Dialect/LPU/IR/LPUOpsEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lpu/Dialect/LPU/IR/LPUOpsAttributes.h.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/LPU/IR/LPUOps.h.inc"

namespace mlir::lpu {

/// The space that a memref lies in, if it has been given one.
std::optional<Space> getSpace(Type type);

/// The machine that the module around `op` is compiled for: its attribute, or
/// the default machine.
::lpu::MachineModel getMachine(Operation *op);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_IR_LPU_H

//===- TMTensor.h - The tm_tensor dialect -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the tm_tensor dialect, its attributes and its operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_TMTENSOR_IR_TMTENSOR_H
#define LPU_DIALECT_TMTENSOR_IR_TMTENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lpu/Dialect/TMTensor/IR/TMTensorOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "lpu/Dialect/TMTensor/IR/TMTensorOps.h.inc"

#endif // LPU_DIALECT_TMTENSOR_IR_TMTENSOR_H

//===- DescribeProgram.h - From operations to hazard items ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the instructions of a program into the data that planners decide on.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_DIALECT_LPUISA_TRANSFORMS_DESCRIBEPROGRAM_H
#define LPU_LIB_DIALECT_LPUISA_TRANSFORMS_DESCRIBEPROGRAM_H

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Dialect/LPUISA/Transforms/HazardItems.h"

namespace mlir::lpuisa {

/// The items of a program, and the operations behind them by `id`.
struct ProgramDescription {
  std::vector<HazardItem> block;
  std::vector<Operation *> ops;
};

/// Describes `program`. An error if it has posts or waits already.
FailureOr<ProgramDescription> describeProgram(ProgramOp program);

} // namespace mlir::lpuisa

#endif // LPU_LIB_DIALECT_LPUISA_TRANSFORMS_DESCRIBEPROGRAM_H

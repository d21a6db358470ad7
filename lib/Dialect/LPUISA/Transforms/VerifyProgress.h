//===- VerifyProgress.h - Whether a program comes to its end ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of `lpuisa-verify`: finds deadlocks of straight-line programs.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_DIALECT_LPUISA_TRANSFORMS_VERIFYPROGRESS_H
#define LPU_LIB_DIALECT_LPUISA_TRANSFORMS_VERIFYPROGRESS_H

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Target/MachineModel.h"

namespace mlir::lpuisa {

/// Checks that semaphores and the stream buffer let every unit go on to the
/// end. `program` has no branches and no loops, and is valid otherwise.
LogicalResult verifyProgress(ProgramOp program,
                             const ::lpu::MachineModel &machine);

} // namespace mlir::lpuisa

#endif // LPU_LIB_DIALECT_LPUISA_TRANSFORMS_VERIFYPROGRESS_H

//===- VecCost.h - What a vector instruction costs ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a micro-program, and the helpers that all costs share.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_VECCOST_H
#define LPU_LIB_SIMULATOR_VECCOST_H

#include "lpu/Simulator/Cost.h"

namespace lpu {

/// cost_vec.
Cost costVec(const IssuedInstruction &instruction, const MachineModel &machine);

/// Cycles that the LMU's ports need for the bytes in `cost`.
int64_t lmuPortCycles(const Cost &cost, const MachineModel &machine);

/// Cycles from a read request to the first byte.
int64_t readLatency(const ResolvedView &view, const MachineModel &machine);

/// Adds that latency to a cost.
void addLatency(Cost &cost, const ResolvedView &view,
                const MachineModel &machine);

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_VECCOST_H

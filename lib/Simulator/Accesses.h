//===- Accesses.h - Which bytes an instruction touches --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction's operands as ranges and as sets of bytes, for interlocks
// within a queue and for races between queues.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_ACCESSES_H
#define LPU_LIB_SIMULATOR_ACCESSES_H

#include "StridedBytes.h"
#include "lpu/Simulator/Cost.h"

#include <vector>

namespace lpu {

struct Access {
  ByteRange range; ///< Bounds.
  StridedBytes bytes;
  bool isWrite;
};

/// What the instruction reads and writes in memory; empty views are left out.
std::vector<Access> accessesOf(const IssuedInstruction &instruction);

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_ACCESSES_H

//===- Cost.h - What one instruction costs --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure functions from an instruction with its resolved views to unit, cycles
// and bytes. They know nothing of other instructions: contention, buffers and
// order are the timeline's. docs/ISA.md states the same formulas under the
// labels given here.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_COST_H
#define LPU_SIMULATOR_COST_H

#include "lpu/Simulator/ResolvedView.h"
#include "lpu/Target/MachineModel.h"
#include "lpu/Target/Program.h"

#include <cstdint>

namespace lpu {

/// An instruction as the ICP puts it into a queue. `views`, in this order:
///   Ld: a    Copy: a, b    Gather, Scatter: a, b, c    Stream: a
///   Mm: a, b (the streamed operand is the Stream's)
///   Vec: the operand list    all others: none
struct IssuedInstruction {
  uint32_t index = 0; ///< In .text.
  Instruction word{};
  const ResolvedView *views = nullptr;
  unsigned numViews = 0;
  const MicroProgram *micro = nullptr; ///< Vec only.

  /// The queue it goes to: that of its opcode, or of its flags (Wait, Post).
  Unit unit() const;
};

/// The cost of one instruction by itself.
struct Cost {
  /// Cycles that the unit is occupied when data never lets it wait.
  int64_t cycles = 1;
  /// Cycles from the end of the occupation to completion: pipeline depth and
  /// the latency of the memories that are read.
  int64_t latency = 0;
  /// The part of `latency` that is the HBM's.
  int64_t hbmLatency = 0;
  /// HBM traffic in whole bursts.
  int64_t hbmRead = 0;
  int64_t hbmWritten = 0;
  /// LMU traffic in bytes.
  int64_t lmuRead = 0;
  int64_t lmuWritten = 0;
};

Cost cost(const IssuedInstruction &instruction, const MachineModel &machine);

/// The most that instruction `index` of a program can cost: sizes that
/// registers hold are at their bounds.
Cost costAtBounds(const Program &program, size_t index);

/// cost_chunk: what a transfer asks of the HBM at once, a sixteenth of the
/// stream buffer, small enough that units share the HBM, large enough that a
/// model of many gigabytes takes few events.
int64_t streamChunkBytes(const MachineModel &machine);

/// How many distinct aligned bursts of `burstBytes` the view touches.
int64_t countTouchedBursts(const ResolvedView &view, int64_t burstBytes);

} // namespace lpu

#endif // LPU_SIMULATOR_COST_H

//===- CriticalPath.h - What the time of a run was spent on ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cost_path: the chain of steps that determines the total time of a run. In a
// max-plus timeline every step starts when the last of its conditions holds;
// that one condition leads to the step before. Walked back from the last
// completion to the start of the run, the steps leave no gap and do not
// overlap, so their durations add up to the total exactly. Making any step off
// the path faster changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_CRITICALPATH_H
#define LPU_SIMULATOR_CRITICALPATH_H

#include "lpu/Target/Program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lpu {

/// What the time of a step is spent on.
enum class PathReason : uint8_t {
  Issue,       ///< The ICP puts an instruction into a queue.
  Control,     ///< The ICP runs an instruction of its own.
  Busy,        ///< A unit computes, or moves bytes through the LMU's ports.
  Bandwidth,   ///< The HBM serves a request.
  Latency,     ///< Data is on its way from the HBM.
  Pipeline,    ///< A unit drains: fill, depth, latency of the LMU.
  Semaphore,   ///< A post travels, or takes or passes its turn.
  BufferSpace, ///< As Latency, for a chunk that had to wait for room.
};
constexpr unsigned numPathReasons = 8;
std::string_view nameOf(PathReason reason);

/// The condition that held last, which made a step start when it did.
enum class PathLink : uint8_t {
  Begin,   ///< The start of the run.
  Same,    ///< The step before, of the same instruction.
  Unit,    ///< The unit was free.
  Issue,   ///< The instruction was issued.
  Overlap, ///< An instruction of the queue that touches the same bytes was
           ///< complete.
  Chunk,   ///< A part of a stream arrived.
  Post,    ///< A post took effect.
  Space,   ///< There was room in the stream buffer.
  Channel, ///< The HBM (or a port of the LMU) had served an earlier request.
};
constexpr unsigned numPathLinks = 9;
std::string_view nameOf(PathLink link);

struct PathStep {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t index = 0; ///< The instruction, in .text.
  Unit unit = Unit::ICP;
  PathReason reason = PathReason::Issue;
  PathLink link = PathLink::Begin;

  int64_t cycles() const { return end - start; }
};

/// All steps of one source location, opcode, unit and reason.
struct PathRow {
  Location location; ///< Empty fields if the program does not tell.
  Opcode opcode = Opcode::Halt;
  Unit unit = Unit::ICP;
  PathReason reason = PathReason::Issue;
  int64_t cycles = 0;
  int64_t steps = 0;
};

/// Rows of the path, those with most cycles first. Their cycles add up to the
/// end of the last step.
std::vector<PathRow> summarizePath(const std::vector<PathStep> &path,
                                   const Program &program);

} // namespace lpu

#endif // LPU_SIMULATOR_CRITICALPATH_H

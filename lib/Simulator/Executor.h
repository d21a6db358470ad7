//===- Executor.h - Runs one instruction on the memories ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instruction of SMA, SXE or VXE changes, without a clock and without
// order: the driver decides when.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_EXECUTOR_H
#define LPU_LIB_SIMULATOR_EXECUTOR_H

#include "Footprint.h"
#include "MicroInterpreter.h"
#include "Sma.h"
#include "ThreadPool.h"
#include "WrittenBytes.h"
#include "lpu/Simulator/Cost.h"
#include "lpu/Simulator/Memory.h"
#include "lpu/Target/Program.h"

#include <optional>
#include <vector>

namespace lpu {

/// An instruction in a unit's queue, with what was read when it was issued.
struct QueuedInstruction {
  uint32_t index = 0; ///< In .text.
  Instruction word{};
  std::vector<ResolvedView> views; ///< In the order of IssuedInstruction.

  /// For those who only look at it; valid as long as this is.
  IssuedInstruction issued(const Program &program) const;
};

class Executor {
public:
  /// `written` checks what is used, or is null.
  Executor(const Program &program, const std::vector<MicroPlan> &plans,
           Memory &memory, ThreadPool &pool, Footprint &footprint,
           WrittenBytes *written)
      : program(program), plans(plans), memory(memory), pool(pool),
        footprint(footprint), written(written) {}

  /// The message of an error does not name the instruction.
  std::optional<Error> execute(const QueuedInstruction &instruction);

  /// Host memory for stream entries that are kept while their source changes.
  void limitStagedBytes(uint64_t bytes) { streamQueue.limitCopies(bytes); }

  const StreamQueue &streams() const { return streamQueue; }

  IssuedInstruction issued(const QueuedInstruction &instruction) const {
    return instruction.issued(program);
  }

private:
  std::optional<Error> executeIndexed(const QueuedInstruction &instruction);
  std::optional<Error> executeMm(const QueuedInstruction &instruction);
  std::optional<Error> executeVec(const QueuedInstruction &instruction);
  /// Called for every view before it is written.
  std::optional<Error> willWrite(const ResolvedView &view) {
    return streamQueue.detach(view.bounds());
  }

  const Program &program;
  const std::vector<MicroPlan> &plans;
  Memory &memory;
  ThreadPool &pool;
  Footprint &footprint;
  WrittenBytes *written;
  StreamQueue streamQueue;
  std::vector<TouchedElements> touched;
};

/// Notes what an instruction touches if its indices are not known: as many
/// different rows or elements as it has indices.
void estimateFootprint(const QueuedInstruction &instruction,
                       const std::vector<MicroPlan> &plans,
                       Footprint &footprint);

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_EXECUTOR_H

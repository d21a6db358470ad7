//===- Timeline.h - When every instruction runs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time as max-plus algebra: an instruction starts at the maximum of when it was
// issued, when its unit is free, when its operands are there and when its
// semaphores allow, and ends so many cycles later. Nothing ticks.
//
// The driver feeds instructions in program order, as the ICP issues them. The
// queues are then advanced in the order of time (smallest start first, ties by
// unit), but never past the ICP's own time, because what the ICP issues later
// may still come in between. Large transfers are cut into chunks, so that two
// units share the bandwidth of the HBM instead of taking turns by instruction.
//
//   ICP --issue--> [SMA queue] --requests--> HBM --> stream buffer or memory
//              \-> [SXE queue] <--chunks, in order--/
//               \-> [VXE queue]
//
// docs/ISA.md, "Timing", states the rules; the tests work them out by hand.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_TIMELINE_H
#define LPU_SIMULATOR_TIMELINE_H

#include "lpu/Simulator/Cost.h"
#include "lpu/Simulator/Deadlock.h"
#include "lpu/Simulator/Listener.h"
#include "lpu/Simulator/Report.h"

#include <memory>
#include <optional>
#include <string_view>

namespace lpu {

class Timeline {
public:
  /// What a run may keep for its critical path: some 400 MB.
  static constexpr size_t maxPathSteps = size_t(1) << 24;

  /// `listener` may be null; it gets willIssue, didRetire and didMark. For
  /// criticalPath() up to `pathSteps` steps are kept.
  Timeline(const MachineModel &machine, Listener *listener = nullptr,
           size_t pathSteps = 0);
  ~Timeline();
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;

  /// The next instruction in program order, those of the ICP included. The
  /// views may go away afterwards; the micro-program too.
  void issue(const IssuedInstruction &instruction);
  /// Reports a trace mark at the ICP's time. Called for a Trace instruction
  /// after it was issued.
  void mark(std::string_view text);

  /// Runs all queues dry, or as far as they get.
  std::optional<Deadlock> finish();

  /// Writes cycles, units, HBM bytes and the stream buffer's peak into the
  /// report. After finish().
  void fill(Report &report) const;

  /// The steps that determine the total, in order of time: the first starts at
  /// 0, each where the one before it ends, the last ends with the run. After
  /// finish(). Empty if it was not asked for, or if the run had more steps than
  /// may be kept, of which fill() warns.
  std::vector<PathStep> criticalPath() const;

  /// The ICP's time.
  int64_t now() const;
  /// Instructions in queues, and chunks in the stream buffer.
  size_t queued() const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace lpu

#endif // LPU_SIMULATOR_TIMELINE_H

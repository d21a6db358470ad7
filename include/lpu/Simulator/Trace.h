//===- Trace.h - A run as a picture ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a run in the Chrome trace format, which Perfetto
// (https://ui.perfetto.dev) shows: one track a unit, one bar an instruction,
// named by the FX node that it comes from, and one track for the critical path.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_TRACE_H
#define LPU_SIMULATOR_TRACE_H

#include "lpu/Simulator/Listener.h"
#include "lpu/Target/Program.h"

#include <string>
#include <vector>

namespace lpu {

/// Records a run. The program must outlive the trace.
class Trace : public Listener {
public:
  explicit Trace(const Program &program) : program(program) {}

  void didRetire(const RetiredInstruction &instruction) override;
  void didFindPath(const std::vector<PathStep> &steps) override;
  void didMark(std::string_view text, int64_t cycle) override;

  size_t numEvents() const { return events.size() + marks.size(); }

  /// The whole trace. Times are in microseconds of the machine's clock; the
  /// pipelines of a unit overlap, so a bar that starts before the last one has
  /// ended goes to a second lane of the unit.
  std::string toJSON() const;

private:
  void writePath(class JSONWriter &json, double microsecondsPerCycle) const;

  struct Mark {
    std::string text;
    int64_t cycle;
  };

  const Program &program;
  std::vector<RetiredInstruction> events;
  std::vector<Mark> marks;
  std::vector<PathStep> path;
};

} // namespace lpu

#endif // LPU_SIMULATOR_TRACE_H

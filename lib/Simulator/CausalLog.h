//===- CausalLog.h - Why every moment of a run is when it is --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A moment is a time together with the step that ends then. The timeline
// computes with moments instead of times: `later` takes the maximum of two
// conditions and remembers which one held last, `CausalLog::add` is the time
// that a step takes. What is left is a tree of steps whose root is the start of
// the run.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_CAUSALLOG_H
#define LPU_LIB_SIMULATOR_CAUSALLOG_H

#include "lpu/Simulator/CriticalPath.h"

#include <cstdint>
#include <vector>

namespace lpu {

/// A time and why it is no earlier.
struct Moment {
  int64_t time = 0;
  uint32_t cause = 0; ///< A step of the log, from 1; 0 is the start of the run.
  PathLink link = PathLink::Begin; ///< The condition that it stands for.

  /// The same moment, seen as a condition of another step.
  Moment as(PathLink condition) const { return {time, cause, condition}; }
};

/// The condition that holds last; of two at one time, the first.
inline Moment later(Moment first, Moment second) {
  return second.time > first.time ? second : first;
}

class CausalLog {
public:
  /// Keeps up to `maxSteps` steps. Of a run with more, none.
  explicit CausalLog(size_t maxSteps) : maxSteps(maxSteps) {}

  /// The end of a step that lasts from `start` to `end`. One without duration
  /// leaves no trace.
  Moment add(Moment start, int64_t end, uint32_t index, Unit unit,
             PathReason reason);

  /// The steps that led to a moment, in order of time.
  std::vector<PathStep> walkBack(Moment last) const;

  /// Whether the run had too many steps to keep.
  bool isOverfull() const { return isFull && maxSteps != 0; }

private:
  struct Step {
    int64_t end;
    uint32_t previous; ///< As Moment::cause.
    uint32_t index;
    Unit unit;
    PathReason reason;
    PathLink link;
  };
  size_t maxSteps;
  bool isFull = maxSteps == 0;
  std::vector<Step> steps;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_CAUSALLOG_H

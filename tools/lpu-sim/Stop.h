//===- Stop.h - Where a run is to stand still -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of --stop-at and of `break` in step mode.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_STOP_H
#define LPU_TOOLS_LPU_SIM_STOP_H

#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <string>

namespace lpu {

class Stop {
public:
  /// Reads an instruction's number, `cycle:N`, the name of an FX node, or a
  /// Python `FILE:LINE`, in which folders may be left out. An error if the
  /// program has no such place.
  static Result<Stop> parse(const std::string &text, const Program &program,
                            bool isTimed);

  /// Whether to stop before instruction `index`, issued at `cycle`.
  bool matches(const Program &program, uint32_t index, int64_t cycle) const;

  /// A cycle passes once, an instruction may come again.
  bool isOnce() const { return kind == Kind::Cycle; }

private:
  enum class Kind { Instruction, Cycle, Location };

  std::string text;
  Kind kind = Kind::Instruction;
  int64_t number = 0;
};

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_STOP_H

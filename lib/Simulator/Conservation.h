//===- Conservation.h - Does the account of a run add up? -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands between a clock and its listener and keeps books of its own: every
// instruction that is issued completes exactly once, the HBM serves the bytes
// that instructions ask for, no unit and no memory is used for more time than
// passed. A failure is a fault of the simulator, not of the program.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_CONSERVATION_H
#define LPU_LIB_SIMULATOR_CONSERVATION_H

#include "lpu/Simulator/Cost.h"
#include "lpu/Simulator/Listener.h"
#include "lpu/Simulator/Report.h"
#include "lpu/Target/Program.h"

#include <array>
#include <optional>
#include <vector>

namespace lpu {

class Conservation : public Listener {
public:
  /// `next` hears everything that this hears, and may be null.
  Conservation(const Program &program, Listener *next)
      : program(program), next(next), open(program.text.size()) {}

  /// What an instruction asks for, when it is issued.
  void request(const IssuedInstruction &instruction);

  void willIssue(uint32_t index, Unit unit, int64_t cycle) override;
  void didRetire(const RetiredInstruction &instruction) override;
  void didMark(std::string_view text, int64_t cycle) override;

  /// An error if the report of the run does not add up.
  std::optional<Error> check(const Report &report) const;

private:
  struct Traffic {
    int64_t instructions = 0, read = 0, written = 0;
  };

  const Program &program;
  Listener *next;
  /// By instruction, how often it was issued and has not completed.
  std::vector<int64_t> open;
  std::array<Traffic, numUnits> requested{}, served{};
  int64_t lastEnd = 0;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_CONSERVATION_H

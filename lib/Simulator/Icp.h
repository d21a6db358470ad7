//===- Icp.h - What the control unit's instructions do --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk through .text: registers, branches and hardware loops.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_ICP_H
#define LPU_LIB_SIMULATOR_ICP_H

#include "lpu/Simulator/ResolvedView.h"

#include <optional>
#include <vector>

namespace lpu {

class Icp {
public:
  /// What views read when an instruction is issued.
  const ControlState &control() const { return state; }
  /// The next instruction, loops whose body has ended having been continued.
  uint32_t fetch();

  void loadImmediate(const Instruction &word);
  void loadElement(const Instruction &word, const uint8_t *data, DType type);
  /// A load of what has not been computed.
  void loadUnknown(const Instruction &word);
  void compute(const Instruction &word);
  void branch(const Instruction &word);
  /// Enters a loop, or goes past it if it has no trips. An index fault if the
  /// register holds more trips than the bound says, or a negative number.
  std::optional<Error> enterLoop(const Instruction &word);

private:
  struct ActiveLoop {
    unsigned level;
    uint32_t begin, end;
    int64_t trips;
  };

  ControlState state;
  uint32_t next = 0;
  std::vector<ActiveLoop> loops;
};

/// The value of an arithmetic function; wraps.
int64_t evaluate(AluFunction function, int64_t a, int64_t b);

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_ICP_H

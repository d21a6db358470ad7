//===- Watch.h - Who reads and writes some bytes --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the bytes before and after each instruction that may touch them.
// What an instruction may touch are its views, as for the race checker: a
// gather reads its whole table.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_WATCH_H
#define LPU_TOOLS_LPU_SIM_WATCH_H

#include "lpu/Simulator/Listener.h"
#include "lpu/Target/Program.h"

#include <string>
#include <vector>

namespace lpu {

class Watch {
public:
  explicit Watch(const ByteRange &range) : range(range) {}

  /// Before an instruction: what it is about to do, and what is there now.
  void willExecute(const IssuedInstruction &instruction,
                   const MachineState &state);
  /// After it: a line on what it did, or nothing.
  std::string didExecute(const IssuedInstruction &instruction,
                         const MachineState &state, const Program &program);

private:
  ByteRange range;
  bool isRead = false, isWritten = false;
  DType type = DType::U8; ///< Of the view that touches it.
  std::vector<uint8_t> before;
};

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_WATCH_H

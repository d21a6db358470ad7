//===- Prompt.h - Commands between instructions ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step mode: reads commands from standard input before an instruction takes
// effect. A script is a pipe; the end of the input quits.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_PROMPT_H
#define LPU_TOOLS_LPU_SIM_PROMPT_H

#include "Stop.h"
#include "Watch.h"
#include "lpu/Simulator/Listener.h"

#include <string>
#include <vector>

namespace lpu {

class Prompt {
public:
  /// `stepsLeft` instructions pass before the prompt opens.
  Prompt(const Program &program, bool isTimed, bool hasValues,
         int64_t stepsLeft)
      : program(program), isTimed(isTimed), hasValues(hasValues),
        stepsLeft(stepsLeft) {}

  /// Opens before the next instruction.
  void open() { stepsLeft = 0; }

  /// Called before each instruction. False to end the run.
  bool ask(const IssuedInstruction &instruction, const MachineState &state,
           int64_t cycle, std::vector<Stop> &stops,
           std::vector<Watch> &watches);

private:
  using Words = std::vector<std::string>;

  void print(const Words &words, const IssuedInstruction &instruction,
             const MachineState &state) const;
  void printInstruction(const IssuedInstruction &instruction) const;
  void printRegisters(const MachineState &state) const;
  void printView(const Words &words, const MachineState &state) const;
  void printMemory(const Words &words, const MachineState &state) const;
  void printSemaphores(const MachineState &state) const;
  void printQueues(const MachineState &state) const;

  const Program &program;
  bool isTimed, hasValues;
  int64_t stepsLeft;
};

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_PROMPT_H

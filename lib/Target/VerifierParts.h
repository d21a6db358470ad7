//===- VerifierParts.h - The parts of the program verifier ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifier.cpp checks the program and its control flow, VerifyInstruction.cpp
// the operands of each instruction, VerifyView.cpp views against memories and
// VerifyMicro.cpp micro-programs. Each part returns what is wrong, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_TARGET_VERIFIERPARTS_H
#define LPU_LIB_TARGET_VERIFIERPARTS_H

#include "lpu/Target/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace lpu {

/// What is wrong, without the place where it is; empty if nothing is.
using Problem = std::string;

/// "{2, 3, r4}": the sizes of a view as a message shows them.
std::string sizesText(const View &view);
/// "view 7".
std::string viewText(uint32_t number);

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Fields that mean something: enumerators, ranks, registers, reserved zeros.
Problem verifyViewFields(const Program &program, const View &view);

/// The upper bounds of the trip counts of the loops around an instruction.
struct LoopContext {
  unsigned depth = 0;
  uint32_t trips[maxLoopDepth] = {};
  uint32_t loops[maxLoopDepth] = {}; ///< Indices of the Loop instructions.
};

/// Every byte that the view can reach, for any register values within the
/// stated bounds and in any iteration, lies in its memory.
Problem verifyViewRange(const Program &program, const View &view,
                        const LoopContext &loops);

//===----------------------------------------------------------------------===//
// Micro-programs
//===----------------------------------------------------------------------===//

/// How a micro-program uses one operand of its instruction.
struct OperandUse {
  bool isTable = false;
  bool isDomain = false;
  bool isWritten = false;
  bool isInRows = false; ///< Loaded or stored by a Rows section.
  std::optional<MicroType> type;
};

/// What an instruction must know of its micro-program.
struct MicroSummary {
  std::vector<OperandUse> operands;
};

/// Checks one micro-program and summarises its operands.
Problem verifyMicroProgram(const Program &program, const MicroProgram &micro,
                           MicroSummary &summary);

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Checks the fields and operands of one instruction; control flow has been
/// checked before.
Problem verifyInstruction(const Program &program,
                          const std::vector<MicroSummary> &summaries,
                          const Instruction &word, const LoopContext &loops);

/// Targets, nesting and the end of the text. Fills the loop context of every
/// instruction.
std::optional<Error> verifyControlFlow(const Program &program,
                                       std::vector<LoopContext> &contexts);

/// Semaphores and streams, of a program whose instructions have been checked.
std::optional<Error> verifyBalance(const Program &program,
                                   const std::vector<LoopContext> &contexts);

/// "instruction 3 (mm): <problem>".
Error instructionError(const Program &program, size_t index,
                       const Problem &problem);

} // namespace lpu

#endif // LPU_LIB_TARGET_VERIFIERPARTS_H

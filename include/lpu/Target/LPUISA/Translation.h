//===- Translation.h - lpuisa to a machine program and back -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembler and the disassembler. The two undo each other: what is
// exported, imported and exported again gives the same bytes, with names and
// locations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_LPUISA_TRANSLATION_H
#define LPU_TARGET_LPUISA_TRANSLATION_H

#include "lpu/Target/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <vector>

namespace mlir::lpuisa {

class ProgramOp;

/// Encodes a program. What several instructions share (views, operand lists,
/// micro-programs, strings, locations) occurs once, in the order of first use,
/// so equal programs give equal results. Emits errors; does not check what
/// `::lpu::verify` checks.
FailureOr<::lpu::Program> exportProgram(ProgramOp program);

/// Decodes a program that `::lpu::verify` has accepted. A branch target becomes
/// the label `L<index>`; the machine becomes the module's `lpu.machine`.
OwningOpRef<ModuleOp> importProgram(const ::lpu::Program &program,
                                    MLIRContext *context);

/// Encodes and verifies the one program of a module, and writes its file.
FailureOr<std::vector<uint8_t>> translateToBinary(ModuleOp module);

/// Reads, verifies and decodes a file. Errors are emitted at `location`.
OwningOpRef<ModuleOp> translateFromBinary(ArrayRef<uint8_t> bytes,
                                          Location location);

} // namespace mlir::lpuisa

#endif // LPU_TARGET_LPUISA_TRANSLATION_H

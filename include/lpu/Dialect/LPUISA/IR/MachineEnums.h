//===- MachineEnums.h - The machine's enumerations as keywords --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of the dialect hold the enumerations of lpu/Target/Encoding.h
// as they are, and lpu/Target/Names.h spells them, so that an opcode and its
// name exist once. This header parses such a keyword.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_MACHINEENUMS_H
#define LPU_DIALECT_LPUISA_IR_MACHINEENUMS_H

#include "lpu/Target/Encoding.h"
#include "lpu/Target/Names.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <type_traits>

namespace mlir::lpuisa {

/// The keyword of `value`.
template <typename Enum>
StringRef stringifyMachineEnum(Enum value) {
  return ::lpu::nameOf(value);
}

/// Parses one keyword of an enumeration; the error lists what would be valid.
template <typename Enum>
FailureOr<Enum> parseMachineEnum(AsmParser &parser) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword)) {
    return failure();
  }
  if (std::optional<Enum> value = ::lpu::parseName<Enum>(keyword)) {
    return *value;
  }
  InFlightDiagnostic diagnostic = parser.emitError(location)
                                  << "found '" << keyword << "', expected ";
  // There are too many micro-operations to list.
  if (std::is_same_v<Enum, ::lpu::MicroOpcode>) {
    return diagnostic << "the name of a micro-operation";
  }
  diagnostic << "one of";
  for (unsigned number = 0; number < 256; ++number) {
    StringRef name = ::lpu::nameOf(static_cast<Enum>(number));
    if (!name.empty()) {
      diagnostic << (number == 0 ? " " : ", ") << name;
    }
  }
  return diagnostic;
}

} // namespace mlir::lpuisa

#endif // LPU_DIALECT_LPUISA_IR_MACHINEENUMS_H

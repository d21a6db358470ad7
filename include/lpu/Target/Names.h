//===- Names.h - Spellings of the machine's enumerations ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the enumerators of Encoding.h are written in the textual assembly, in
// messages, reports and traces: the snake_case of the C++ name, once.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_NAMES_H
#define LPU_TARGET_NAMES_H

#include "lpu/Target/Encoding.h"

#include <optional>
#include <string_view>

namespace lpu {

/// The spelling of an enumerator, or an empty string if the value is none.
std::string_view nameOf(Unit value);
std::string_view nameOf(DType value);
std::string_view nameOf(Opcode value);
std::string_view nameOf(AluFunction value);
std::string_view nameOf(BranchCondition value);
std::string_view nameOf(FaultKind value);
std::string_view nameOf(Space value);
std::string_view nameOf(MicroType value);
std::string_view nameOf(MicroOpcode value);
std::string_view nameOf(MicroCombine value);
std::string_view nameOf(MicroPredicateF value);
std::string_view nameOf(MicroPredicateI value);

/// The enumerator of a spelling. Defined for the types above.
template <typename Enum>
std::optional<Enum> parseName(std::string_view name);

/// The unit in whose queue an instruction of this opcode runs. Wait and Post
/// carry their unit in `flags`; for them, and for an illegal opcode, this is
/// ICP.
constexpr Unit unitOf(Opcode opcode) {
  switch (static_cast<uint8_t>(opcode) >> 5) {
  case 1:
    return Unit::SMA;
  case 2:
    return Unit::SXE;
  case 3:
    return Unit::VXE;
  default:
    return Unit::ICP;
  }
}

} // namespace lpu

#endif // LPU_TARGET_NAMES_H

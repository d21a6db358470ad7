//===- MicroOps.h - The table of micro-operations -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row a micro-operation: its name in the textual assembly, what its fields
// mean and what types they take, where it may stand and what it costs. The
// loader's verifier, the `lpuisa` dialect, the micro-interpreter, the timing
// model and docs/ISA.md all read this table.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_MICROOPS_H
#define LPU_TARGET_MICROOPS_H

#include "lpu/Target/Encoding.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace lpu {

/// What the field `type` may be. A type of I1 is one of values 0 and 1 without
/// a sign, so operations that read a sign do not take it.
enum class MicroTypeRule : uint8_t {
  None,        ///< No type: the field is zero.
  Float,       ///< F32.
  Index,       ///< I64.
  I32,         ///< I32.
  Integer,     ///< I64, I32, I16 or I8.
  IntegerOrI1, ///< Any but F32.
  Any,
};

/// What a register that an operation reads must hold.
enum class MicroInput : uint8_t {
  None,   ///< Not read: the field is zero (unless another rule uses it).
  Type,   ///< A value of the operation's `type`.
  I1,     ///< A truth value.
  Index,  ///< An I64.
  Float,  ///< An F32.
  Word,   ///< An I32.
  Wider,  ///< An integer (not I1) wider than `type`.
  Source, ///< An integer or I1 whose type field c states.
  Row,    ///< A value of `type` that is known for the whole row.
  Carry,  ///< The result of a Carry of the same section.
};

/// What an operation assigns to `dst`.
enum class MicroResult : uint8_t {
  None, ///< Nothing: dst is zero.
  Type, ///< A value of the operation's `type`.
  I1,   ///< A truth value.
};

/// What field `c` is.
enum class MicroFieldC : uint8_t {
  None,       ///< Zero.
  Register,   ///< The third register.
  Combine,    ///< MicroCombine, not Set.
  CombineSet, ///< MicroCombine, Set included.
  PredicateF,
  PredicateI,
  SourceType, ///< MicroType of input a.
  FaultKind,
};

/// What field `operand` is.
enum class MicroFieldOperand : uint8_t {
  None,    ///< Zero.
  Operand, ///< A number in the instruction's operand list, domain rank.
  Table,   ///< Likewise, a view of rank 1 addressed by element number.
  Dimension,
  String, ///< Offset in .strtab.
};

/// The sections in which an operation may stand.
enum class MicroSections : uint8_t { Marker, Elements, Both };

/// Cycles for one value in each lane.
enum class MicroCost : uint8_t {
  Free,           ///< Structure, or a constant that is wired into the lane.
  Port,           ///< Bound by the ports of the LMU, not by the lanes.
  Simple,         ///< One cycle.
  Transcendental, ///< MachineModel::vxeTranscendentalCycles.
};

/// One row of the table.
struct MicroOpInfo {
  MicroOpcode opcode;
  std::string_view name;
  MicroTypeRule type;
  MicroInput a, b, c;
  MicroResult result;
  MicroFieldC fieldC;
  MicroFieldOperand operand;
  bool hasImmediate;
  MicroSections sections;
  MicroCost cost;

  /// Register inputs: those among a, b and c, in this order.
  constexpr unsigned numInputs() const {
    return (a != MicroInput::None) + (b != MicroInput::None) +
           (c != MicroInput::None);
  }
};

/// All rows, in the order of their opcodes.
const MicroOpInfo *microOpTable();
size_t microOpCount();

/// The row of an opcode, or null if there is no such operation.
const MicroOpInfo *lookupMicroOp(MicroOpcode opcode);
/// The row of a name in the textual assembly, or null.
const MicroOpInfo *lookupMicroOp(std::string_view name);

/// Whether `type` obeys a rule.
bool allows(MicroTypeRule rule, MicroType type);
/// Whether values of `type` can be combined so. Signed minimum and maximum need
/// a sign, which I1 has not.
bool allows(MicroCombine combine, MicroType type);
/// Whether values of `type` can be compared so.
bool allows(MicroPredicateI predicate, MicroType type);

/// The micro-register type that holds an element of memory.
constexpr MicroType microTypeOf(DType type) {
  switch (type) {
  case DType::F32:
  case DType::BF16:
  case DType::F16:
    return MicroType::F32;
  case DType::I64:
    return MicroType::I64;
  case DType::I32:
    return MicroType::I32;
  case DType::I16:
    return MicroType::I16;
  case DType::I8:
  case DType::U8:
    return MicroType::I8;
  case DType::Bool:
    return MicroType::I1;
  }
  return MicroType::F32;
}

/// Bits of a micro-register's type.
constexpr unsigned bitWidth(MicroType type) {
  switch (type) {
  case MicroType::I64:
    return 64;
  case MicroType::F32:
  case MicroType::I32:
    return 32;
  case MicroType::I16:
    return 16;
  case MicroType::I8:
    return 8;
  case MicroType::I1:
    return 1;
  }
  return 0;
}

} // namespace lpu

#endif // LPU_TARGET_MICROOPS_H

//===- Names.cpp - Spellings of the machine's enumerations ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table an enumeration, read in both directions.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Names.h"
#include "lpu/Target/MicroOps.h"

using namespace lpu;

namespace {
template <typename Enum>
struct Spelling {
  Enum value;
  std::string_view name;
};
} // namespace

// clang-format off
static constexpr Spelling<Unit> units[] = {
  {Unit::ICP, "icp"}, {Unit::SMA, "sma"}, {Unit::SXE, "sxe"}, {Unit::VXE, "vxe"},
};
static constexpr Spelling<DType> dtypes[] = {
  {DType::F32, "f32"}, {DType::BF16, "bf16"}, {DType::F16, "f16"},
  {DType::I64, "i64"}, {DType::I32, "i32"}, {DType::I16, "i16"},
  {DType::I8, "i8"}, {DType::U8, "u8"}, {DType::Bool, "bool"},
};
static constexpr Spelling<Opcode> opcodes[] = {
  {Opcode::Halt, "halt"}, {Opcode::Li, "li"}, {Opcode::Ld, "ld"},
  {Opcode::Alu, "alu"}, {Opcode::Branch, "branch"}, {Opcode::Loop, "loop"},
  {Opcode::Wait, "wait"}, {Opcode::Post, "post"}, {Opcode::Trace, "trace"},
  {Opcode::Fault, "fault"}, {Opcode::Copy, "copy"}, {Opcode::Gather, "gather"},
  {Opcode::Scatter, "scatter"}, {Opcode::Stream, "stream"}, {Opcode::Mm, "mm"},
  {Opcode::Vec, "vec"},
};
static constexpr Spelling<AluFunction> aluFunctions[] = {
  {AluFunction::Add, "add"}, {AluFunction::Sub, "sub"}, {AluFunction::Mul, "mul"},
  {AluFunction::Min, "min"}, {AluFunction::Max, "max"},
  {AluFunction::CmpEq, "cmp_eq"}, {AluFunction::CmpLt, "cmp_lt"},
  {AluFunction::CmpLe, "cmp_le"},
};
static constexpr Spelling<BranchCondition> branchConditions[] = {
  {BranchCondition::Always, "always"}, {BranchCondition::Zero, "zero"},
  {BranchCondition::NotZero, "not_zero"},
};
static constexpr Spelling<FaultKind> faultKinds[] = {
  {FaultKind::Index, "index"}, {FaultKind::Runtime, "runtime"},
};
static constexpr Spelling<Space> spaces[] = {
  {Space::Arg, "arg"}, {Space::Scratch, "scratch"},
  {Space::Constant, "constant"}, {Space::LMU, "lmu"},
};
static constexpr Spelling<MicroType> microTypes[] = {
  {MicroType::F32, "f32"}, {MicroType::I64, "i64"}, {MicroType::I32, "i32"},
  {MicroType::I16, "i16"}, {MicroType::I8, "i8"}, {MicroType::I1, "i1"},
};
static constexpr Spelling<MicroCombine> combines[] = {
  {MicroCombine::Set, "set"}, {MicroCombine::AddF, "add_f"},
  {MicroCombine::MulF, "mul_f"}, {MicroCombine::MaximumF, "maximum_f"},
  {MicroCombine::MinimumF, "minimum_f"}, {MicroCombine::MaxNumF, "max_num_f"},
  {MicroCombine::MinNumF, "min_num_f"}, {MicroCombine::AddI, "add_i"},
  {MicroCombine::MulI, "mul_i"}, {MicroCombine::MaxSI, "max_si"},
  {MicroCombine::MinSI, "min_si"}, {MicroCombine::MaxUI, "max_ui"},
  {MicroCombine::MinUI, "min_ui"}, {MicroCombine::AndI, "and_i"},
  {MicroCombine::OrI, "or_i"}, {MicroCombine::XorI, "xor_i"},
};
static constexpr Spelling<MicroPredicateF> predicatesF[] = {
  {MicroPredicateF::False, "false"}, {MicroPredicateF::OEQ, "oeq"},
  {MicroPredicateF::OGT, "ogt"}, {MicroPredicateF::OGE, "oge"},
  {MicroPredicateF::OLT, "olt"}, {MicroPredicateF::OLE, "ole"},
  {MicroPredicateF::ONE, "one"}, {MicroPredicateF::ORD, "ord"},
  {MicroPredicateF::UEQ, "ueq"}, {MicroPredicateF::UGT, "ugt"},
  {MicroPredicateF::UGE, "uge"}, {MicroPredicateF::ULT, "ult"},
  {MicroPredicateF::ULE, "ule"}, {MicroPredicateF::UNE, "une"},
  {MicroPredicateF::UNO, "uno"}, {MicroPredicateF::True, "true"},
};
static constexpr Spelling<MicroPredicateI> predicatesI[] = {
  {MicroPredicateI::EQ, "eq"}, {MicroPredicateI::NE, "ne"},
  {MicroPredicateI::SLT, "slt"}, {MicroPredicateI::SLE, "sle"},
  {MicroPredicateI::SGT, "sgt"}, {MicroPredicateI::SGE, "sge"},
  {MicroPredicateI::ULT, "ult"}, {MicroPredicateI::ULE, "ule"},
  {MicroPredicateI::UGT, "ugt"}, {MicroPredicateI::UGE, "uge"},
};
// clang-format on

template <typename Enum, size_t N>
static std::string_view find(const Spelling<Enum> (&table)[N], Enum value) {
  for (const Spelling<Enum> &row : table) {
    if (row.value == value) {
      return row.name;
    }
  }
  return {};
}

template <typename Enum, size_t N>
static std::optional<Enum> find(const Spelling<Enum> (&table)[N],
                                std::string_view name) {
  for (const Spelling<Enum> &row : table) {
    if (row.name == name) {
      return row.value;
    }
  }
  return std::nullopt;
}

#define LPU_DEFINE_NAMES(Enum, table)                                          \
  std::string_view lpu::nameOf(Enum value) { return find(table, value); }      \
  template <>                                                                  \
  std::optional<Enum> lpu::parseName<Enum>(std::string_view name) {            \
    return find(table, name);                                                  \
  }

LPU_DEFINE_NAMES(Unit, units)
LPU_DEFINE_NAMES(DType, dtypes)
LPU_DEFINE_NAMES(Opcode, opcodes)
LPU_DEFINE_NAMES(AluFunction, aluFunctions)
LPU_DEFINE_NAMES(BranchCondition, branchConditions)
LPU_DEFINE_NAMES(FaultKind, faultKinds)
LPU_DEFINE_NAMES(Space, spaces)
LPU_DEFINE_NAMES(MicroType, microTypes)
LPU_DEFINE_NAMES(MicroCombine, combines)
LPU_DEFINE_NAMES(MicroPredicateF, predicatesF)
LPU_DEFINE_NAMES(MicroPredicateI, predicatesI)
#undef LPU_DEFINE_NAMES

std::string_view lpu::nameOf(MicroOpcode value) {
  const MicroOpInfo *info = lookupMicroOp(value);
  return info ? info->name : std::string_view();
}

template <>
std::optional<MicroOpcode> lpu::parseName<MicroOpcode>(std::string_view name) {
  const MicroOpInfo *info = lookupMicroOp(name);
  return info ? std::optional(info->opcode) : std::nullopt;
}

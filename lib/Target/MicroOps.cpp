//===- MicroOps.cpp - The table of micro-operations -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table itself. Families of operations with the same shape are written by
// small constexpr helpers, so that a row says only what is particular to it.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/MicroOps.h"

#include <array>

using namespace lpu;

using In = MicroInput;
using Out = MicroResult;
using Rule = MicroTypeRule;
using C = MicroFieldC;
using Op = MicroFieldOperand;
using Where = MicroSections;
using Cost = MicroCost;
using O = MicroOpcode;

/// An operation on up to three floats.
static constexpr MicroOpInfo onFloats(O opcode, std::string_view name,
                                      unsigned inputs, Cost cost) {
  return {opcode,
          name,
          Rule::Float,
          In::Type,
          inputs > 1 ? In::Type : In::None,
          inputs > 2 ? In::Type : In::None,
          Out::Type,
          inputs > 2 ? C::Register : C::None,
          Op::None,
          false,
          Where::Both,
          cost};
}

/// An operation on two integers.
static constexpr MicroOpInfo onIntegers(O opcode, std::string_view name,
                                        Rule rule, Cost cost = Cost::Simple) {
  return {opcode,    name,    rule,     In::Type, In::Type,    In::None,
          Out::Type, C::None, Op::None, false,    Where::Both, cost};
}

/// A conversion from register a.
static constexpr MicroOpInfo conversion(O opcode, std::string_view name,
                                        Rule rule, In input,
                                        C fieldC = C::None) {
  return {opcode,    name,   rule,     input, In::None,    In::None,
          Out::Type, fieldC, Op::None, false, Where::Both, Cost::Simple};
}

static constexpr Cost simple = Cost::Simple;
static constexpr Cost slow = Cost::Transcendental;

// clang-format off
static constexpr MicroOpInfo table[] = {
  // opcode, name, type, a, b, c, result, field c, operand, imm, sections, cost
  {O::Elements, "elements", Rule::None, In::None, In::None, In::None, Out::None, C::None, Op::None, false, Where::Marker, Cost::Free},
  {O::Rows, "rows", Rule::None, In::None, In::None, In::None, Out::None, C::None, Op::None, false, Where::Marker, Cost::Free},
  {O::Const, "const", Rule::Any, In::None, In::None, In::None, Out::Type, C::None, Op::None, true, Where::Both, Cost::Free},
  {O::Load, "load", Rule::Any, In::None, In::None, In::None, Out::Type, C::None, Op::Operand, false, Where::Both, Cost::Port},
  {O::Store, "store", Rule::Any, In::Type, In::None, In::None, Out::None, C::None, Op::Operand, false, Where::Both, Cost::Port},
  {O::Gather, "gather", Rule::Any, In::Index, In::None, In::None, Out::Type, C::None, Op::Table, false, Where::Both, simple},
  {O::Scatter, "scatter", Rule::Any, In::Index, In::Type, In::None, Out::None, C::CombineSet, Op::Table, false, Where::Both, simple},
  {O::Iota, "iota", Rule::Index, In::None, In::None, In::None, Out::Type, C::None, Op::Dimension, false, Where::Both, simple},
  {O::Assert, "assert", Rule::None, In::I1, In::None, In::None, Out::None, C::FaultKind, Op::String, false, Where::Both, simple},

  {O::Reduce, "reduce", Rule::Any, In::Type, In::None, In::None, Out::Type, C::Combine, Op::None, false, Where::Elements, simple},
  {O::Carry, "carry", Rule::Any, In::Row, In::None, In::None, Out::Type, C::None, Op::None, false, Where::Elements, Cost::Free},
  {O::Next, "next", Rule::Any, In::Carry, In::Type, In::None, Out::None, C::None, Op::None, false, Where::Elements, simple},

  onFloats(O::AddF, "add_f", 2, simple),
  onFloats(O::SubF, "sub_f", 2, simple),
  onFloats(O::MulF, "mul_f", 2, simple),
  onFloats(O::DivF, "div_f", 2, slow),
  onFloats(O::FmaF, "fma_f", 3, simple),
  onFloats(O::NegF, "neg_f", 1, simple),
  onFloats(O::AbsF, "abs_f", 1, simple),
  onFloats(O::SqrtF, "sqrt_f", 1, slow),
  onFloats(O::MaximumF, "maximum_f", 2, simple),
  onFloats(O::MinimumF, "minimum_f", 2, simple),
  onFloats(O::MaxNumF, "max_num_f", 2, simple),
  onFloats(O::MinNumF, "min_num_f", 2, simple),
  onFloats(O::RemF, "rem_f", 2, slow),
  onFloats(O::FloorF, "floor_f", 1, simple),
  onFloats(O::CeilF, "ceil_f", 1, simple),
  onFloats(O::TruncF, "trunc_f", 1, simple),
  onFloats(O::RoundF, "round_f", 1, simple),
  onFloats(O::RoundEvenF, "round_even_f", 1, simple),
  onFloats(O::CopySignF, "copy_sign_f", 2, simple),

  onFloats(O::ExpF, "exp_f", 1, slow),
  onFloats(O::Exp2F, "exp2_f", 1, slow),
  onFloats(O::Expm1F, "expm1_f", 1, slow),
  onFloats(O::LogF, "log_f", 1, slow),
  onFloats(O::Log2F, "log2_f", 1, slow),
  onFloats(O::Log10F, "log10_f", 1, slow),
  onFloats(O::Log1pF, "log1p_f", 1, slow),
  onFloats(O::SinF, "sin_f", 1, slow),
  onFloats(O::CosF, "cos_f", 1, slow),
  onFloats(O::TanF, "tan_f", 1, slow),
  onFloats(O::TanhF, "tanh_f", 1, slow),
  onFloats(O::ErfF, "erf_f", 1, slow),
  onFloats(O::ErfcF, "erfc_f", 1, slow),
  onFloats(O::RsqrtF, "rsqrt_f", 1, slow),
  onFloats(O::PowF, "pow_f", 2, slow),
  onFloats(O::AtanF, "atan_f", 1, slow),
  onFloats(O::Atan2F, "atan2_f", 2, slow),
  onFloats(O::AsinF, "asin_f", 1, slow),
  onFloats(O::AcosF, "acos_f", 1, slow),
  onFloats(O::SinhF, "sinh_f", 1, slow),
  onFloats(O::CoshF, "cosh_f", 1, slow),
  onFloats(O::AsinhF, "asinh_f", 1, slow),
  onFloats(O::AcoshF, "acosh_f", 1, slow),
  onFloats(O::AtanhF, "atanh_f", 1, slow),
  onFloats(O::CbrtF, "cbrt_f", 1, slow),

  onIntegers(O::AddI, "add_i", Rule::IntegerOrI1),
  onIntegers(O::SubI, "sub_i", Rule::IntegerOrI1),
  onIntegers(O::MulI, "mul_i", Rule::IntegerOrI1),
  onIntegers(O::DivSI, "div_si", Rule::Integer, slow),
  onIntegers(O::DivUI, "div_ui", Rule::Integer, slow),
  onIntegers(O::RemSI, "rem_si", Rule::Integer, slow),
  onIntegers(O::RemUI, "rem_ui", Rule::Integer, slow),
  onIntegers(O::AndI, "and_i", Rule::IntegerOrI1),
  onIntegers(O::OrI, "or_i", Rule::IntegerOrI1),
  onIntegers(O::XorI, "xor_i", Rule::IntegerOrI1),
  onIntegers(O::ShlI, "shl_i", Rule::Integer),
  onIntegers(O::ShrSI, "shr_si", Rule::Integer),
  onIntegers(O::ShrUI, "shr_ui", Rule::Integer),
  onIntegers(O::MinSI, "min_si", Rule::Integer),
  onIntegers(O::MaxSI, "max_si", Rule::Integer),
  onIntegers(O::MinUI, "min_ui", Rule::IntegerOrI1),
  onIntegers(O::MaxUI, "max_ui", Rule::IntegerOrI1),
  onIntegers(O::FloorDivSI, "floor_div_si", Rule::Integer, slow),
  onIntegers(O::CeilDivSI, "ceil_div_si", Rule::Integer, slow),

  {O::CmpF, "cmp_f", Rule::Float, In::Type, In::Type, In::None, Out::I1, C::PredicateF, Op::None, false, Where::Both, simple},
  {O::CmpI, "cmp_i", Rule::IntegerOrI1, In::Type, In::Type, In::None, Out::I1, C::PredicateI, Op::None, false, Where::Both, simple},
  {O::Select, "select", Rule::Any, In::I1, In::Type, In::Type, Out::Type, C::Register, Op::None, false, Where::Both, simple},

  conversion(O::RoundBF16, "round_bf16", Rule::Float, In::Type),
  conversion(O::RoundF16, "round_f16", Rule::Float, In::Type),
  conversion(O::SIToF, "si_to_f", Rule::Float, In::Source, C::SourceType),
  conversion(O::UIToF, "ui_to_f", Rule::Float, In::Source, C::SourceType),
  conversion(O::FToSI, "f_to_si", Rule::Integer, In::Float),
  conversion(O::FToUI, "f_to_ui", Rule::IntegerOrI1, In::Float),
  conversion(O::ExtS, "ext_s", Rule::Integer, In::Source, C::SourceType),
  conversion(O::ExtU, "ext_u", Rule::Integer, In::Source, C::SourceType),
  conversion(O::TruncI, "trunc_i", Rule::IntegerOrI1, In::Wider),
  conversion(O::BitcastFToI, "bitcast_f_to_i", Rule::I32, In::Float),
  conversion(O::BitcastIToF, "bitcast_i_to_f", Rule::Float, In::Word),
};
// clang-format on

/// Row number by opcode; 0xff where there is none.
static constexpr std::array<uint8_t, 256> indexRows() {
  std::array<uint8_t, 256> rows{};
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = 0xff;
  }
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
    rows[static_cast<uint8_t>(table[i].opcode)] = static_cast<uint8_t>(i);
  }
  return rows;
}
static constexpr std::array<uint8_t, 256> rowOf = indexRows();

const MicroOpInfo *lpu::microOpTable() { return table; }

size_t lpu::microOpCount() { return sizeof(table) / sizeof(table[0]); }

const MicroOpInfo *lpu::lookupMicroOp(MicroOpcode opcode) {
  uint8_t row = rowOf[static_cast<uint8_t>(opcode)];
  return row == 0xff ? nullptr : &table[row];
}

const MicroOpInfo *lpu::lookupMicroOp(std::string_view name) {
  for (const MicroOpInfo &info : table) {
    if (info.name == name) {
      return &info;
    }
  }
  return nullptr;
}

bool lpu::allows(MicroTypeRule rule, MicroType type) {
  switch (rule) {
  case Rule::None:
    return type == MicroType{};
  case Rule::Float:
    return type == MicroType::F32;
  case Rule::Index:
    return type == MicroType::I64;
  case Rule::I32:
    return type == MicroType::I32;
  case Rule::Integer:
    return type != MicroType::F32 && type != MicroType::I1;
  case Rule::IntegerOrI1:
    return type != MicroType::F32;
  case Rule::Any:
    return true;
  }
  return false;
}

bool lpu::allows(MicroCombine combine, MicroType type) {
  switch (combine) {
  case MicroCombine::Set:
    return true;
  case MicroCombine::AddF:
  case MicroCombine::MulF:
  case MicroCombine::MaximumF:
  case MicroCombine::MinimumF:
  case MicroCombine::MaxNumF:
  case MicroCombine::MinNumF:
    return type == MicroType::F32;
  case MicroCombine::MaxSI:
  case MicroCombine::MinSI:
    return type != MicroType::F32 && type != MicroType::I1;
  case MicroCombine::AddI:
  case MicroCombine::MulI:
  case MicroCombine::MaxUI:
  case MicroCombine::MinUI:
  case MicroCombine::AndI:
  case MicroCombine::OrI:
  case MicroCombine::XorI:
    return type != MicroType::F32;
  }
  return false;
}

bool lpu::allows(MicroPredicateI predicate, MicroType type) {
  switch (predicate) {
  case MicroPredicateI::SLT:
  case MicroPredicateI::SLE:
  case MicroPredicateI::SGT:
  case MicroPredicateI::SGE:
    return type != MicroType::F32 && type != MicroType::I1;
  case MicroPredicateI::EQ:
  case MicroPredicateI::NE:
  case MicroPredicateI::ULT:
  case MicroPredicateI::ULE:
  case MicroPredicateI::UGT:
  case MicroPredicateI::UGE:
    return type != MicroType::F32;
  }
  return false;
}

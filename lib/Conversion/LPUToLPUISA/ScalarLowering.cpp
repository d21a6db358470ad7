//===- ScalarLowering.cpp - From scalar operations to micro-operations ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most scalar operations have a micro-operation of the same meaning: a table
// lists them. The rest are casts, whose micro-operation depends on both types,
// and a few that are written as two or three micro-operations. Truth values
// have no sign on the machine, so signed operations on i1 become logic.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ScalarLowering.h"

#include "lpu/Target/MicroOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::lpu;
using ::lpu::MicroCombine;
using ::lpu::MicroOpcode;
using ::lpu::MicroPredicateF;
using ::lpu::MicroPredicateI;
using ::lpu::MicroType;
using Register = MicroDraft::Register;

std::optional<MicroType> mlir::lpu::getMicroType(Type type) {
  if (type.isF32() || type.isBF16() || type.isF16()) {
    return MicroType::F32;
  }
  if (type.isIndex() || type.isInteger(64)) {
    return MicroType::I64;
  }
  if (type.isInteger(32)) {
    return MicroType::I32;
  }
  if (type.isInteger(16)) {
    return MicroType::I16;
  }
  if (type.isInteger(8)) {
    return MicroType::I8;
  }
  if (type.isInteger(1)) {
    return MicroType::I1;
  }
  return std::nullopt;
}

Register mlir::lpu::roundTo(MicroDraft &draft, Type type, Register value) {
  if (type.isBF16()) {
    return draft.compute(MicroOpcode::RoundBF16, MicroType::F32, value);
  }
  if (type.isF16()) {
    return draft.compute(MicroOpcode::RoundF16, MicroType::F32, value);
  }
  return value;
}

Register mlir::lpu::lowerConstant(MicroDraft &draft, TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat wide = number.getValue();
    bool losesInfo = false;
    wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    return draft.constantFloat(wide.convertToFloat());
  }
  MicroType type = *getMicroType(value.getType());
  const APInt &bits = cast<IntegerAttr>(value).getValue();
  return draft.constantInteger(
      type, type == MicroType::I1 ? bits.getZExtValue() : bits.getSExtValue());
}

std::optional<MicroCombine> mlir::lpu::getCombine(Operation *op) {
  using Answer = std::optional<MicroCombine>;
  Answer combine = llvm::StringSwitch<Answer>(op->getName().getStringRef())
                       .Case("arith.addf", MicroCombine::AddF)
                       .Case("arith.mulf", MicroCombine::MulF)
                       .Case("arith.maximumf", MicroCombine::MaximumF)
                       .Case("arith.minimumf", MicroCombine::MinimumF)
                       .Case("arith.maxnumf", MicroCombine::MaxNumF)
                       .Case("arith.minnumf", MicroCombine::MinNumF)
                       .Case("arith.addi", MicroCombine::AddI)
                       .Case("arith.muli", MicroCombine::MulI)
                       .Case("arith.maxsi", MicroCombine::MaxSI)
                       .Case("arith.minsi", MicroCombine::MinSI)
                       .Case("arith.maxui", MicroCombine::MaxUI)
                       .Case("arith.minui", MicroCombine::MinUI)
                       .Case("arith.andi", MicroCombine::AndI)
                       .Case("arith.ori", MicroCombine::OrI)
                       .Case("arith.xori", MicroCombine::XorI)
                       .Default(std::nullopt);
  if (combine && op->getResult(0).getType().isInteger(1)) {
    // As a signed number, true is -1: the least.
    if (combine == MicroCombine::MaxSI) {
      return MicroCombine::AndI;
    }
    if (combine == MicroCombine::MinSI) {
      return MicroCombine::OrI;
    }
  }
  return combine;
}

namespace {

/// An operation with a micro-operation of the same meaning.
struct Counterpart {
  MicroOpcode opcode;
  /// The result is a value of the operation's float type, so that rounding
  /// cannot change it.
  bool isExact;
};

} // namespace

/// The micro-operation of the same meaning as `op`, by name.
static std::optional<Counterpart> getCounterpart(StringRef name) {
  using Answer = std::optional<Counterpart>;
  constexpr bool exact = true, rounded = false;
#define CASE(NAME, OPCODE, EXACT)                                              \
  Case(NAME, Counterpart{MicroOpcode::OPCODE, EXACT})
  return llvm::StringSwitch<Answer>(name)
      .CASE("arith.addf", AddF, rounded)
      .CASE("arith.subf", SubF, rounded)
      .CASE("arith.mulf", MulF, rounded)
      .CASE("arith.divf", DivF, rounded)
      .CASE("arith.remf", RemF, rounded)
      .CASE("arith.negf", NegF, exact)
      .CASE("arith.maximumf", MaximumF, exact)
      .CASE("arith.minimumf", MinimumF, exact)
      .CASE("arith.maxnumf", MaxNumF, exact)
      .CASE("arith.minnumf", MinNumF, exact)
      .CASE("arith.addi", AddI, exact)
      .CASE("arith.subi", SubI, exact)
      .CASE("arith.muli", MulI, exact)
      .CASE("arith.divsi", DivSI, exact)
      .CASE("arith.divui", DivUI, exact)
      .CASE("arith.remsi", RemSI, exact)
      .CASE("arith.remui", RemUI, exact)
      .CASE("arith.floordivsi", FloorDivSI, exact)
      .CASE("arith.ceildivsi", CeilDivSI, exact)
      .CASE("arith.andi", AndI, exact)
      .CASE("arith.ori", OrI, exact)
      .CASE("arith.xori", XorI, exact)
      .CASE("arith.shli", ShlI, exact)
      .CASE("arith.shrsi", ShrSI, exact)
      .CASE("arith.shrui", ShrUI, exact)
      .CASE("arith.maxsi", MaxSI, exact)
      .CASE("arith.minsi", MinSI, exact)
      .CASE("arith.maxui", MaxUI, exact)
      .CASE("arith.minui", MinUI, exact)
      .CASE("math.absf", AbsF, exact)
      .CASE("math.floor", FloorF, exact)
      .CASE("math.ceil", CeilF, exact)
      .CASE("math.trunc", TruncF, exact)
      .CASE("math.round", RoundF, exact)
      .CASE("math.roundeven", RoundEvenF, exact)
      .CASE("math.copysign", CopySignF, exact)
      .CASE("math.fma", FmaF, rounded)
      .CASE("math.sqrt", SqrtF, rounded)
      .CASE("math.rsqrt", RsqrtF, rounded)
      .CASE("math.exp", ExpF, rounded)
      .CASE("math.exp2", Exp2F, rounded)
      .CASE("math.expm1", Expm1F, rounded)
      .CASE("math.log", LogF, rounded)
      .CASE("math.log2", Log2F, rounded)
      .CASE("math.log10", Log10F, rounded)
      .CASE("math.log1p", Log1pF, rounded)
      .CASE("math.sin", SinF, rounded)
      .CASE("math.cos", CosF, rounded)
      .CASE("math.tan", TanF, rounded)
      .CASE("math.tanh", TanhF, rounded)
      .CASE("math.erf", ErfF, rounded)
      .CASE("math.erfc", ErfcF, rounded)
      .CASE("math.powf", PowF, rounded)
      .CASE("math.atan", AtanF, rounded)
      .CASE("math.atan2", Atan2F, rounded)
      .CASE("math.asin", AsinF, rounded)
      .CASE("math.acos", AcosF, rounded)
      .CASE("math.sinh", SinhF, rounded)
      .CASE("math.cosh", CoshF, rounded)
      .CASE("math.asinh", AsinhF, rounded)
      .CASE("math.acosh", AcoshF, rounded)
      .CASE("math.atanh", AtanhF, rounded)
      .CASE("math.cbrt", CbrtF, rounded)
      .Default(std::nullopt);
#undef CASE
}

/// The operation that does on truth values what `opcode` does on one-bit
/// two's-complement numbers, if the machine's own does not.
static MicroOpcode onTruthValues(MicroOpcode opcode) {
  switch (opcode) {
  case MicroOpcode::MaxSI:
    return MicroOpcode::AndI;
  case MicroOpcode::MinSI:
    return MicroOpcode::OrI;
  default:
    return opcode;
  }
}

/// Converts an integer to a wider or narrower one.
static Register resize(MicroDraft &draft, Register value, MicroType to,
                       bool isSigned) {
  unsigned from = ::lpu::bitWidth(value.type), width = ::lpu::bitWidth(to);
  if (from == width) {
    return value;
  }
  if (from > width) {
    return draft.convert(MicroOpcode::TruncI, to, value);
  }
  return draft.convert(isSigned ? MicroOpcode::ExtS : MicroOpcode::ExtU, to,
                       value);
}

/// The bits of a float as an integer of the same width and back; f16 has no
/// such conversion on the machine.
static FailureOr<Register> lowerBitcast(MicroDraft &draft, arith::BitcastOp op,
                                        Register value) {
  Type from = op.getIn().getType(), to = op.getType();
  if (from.isF16() || to.isF16()) {
    if (from == to) {
      return value;
    }
    return op.emitOpError("has no micro-operation: the machine cannot take "
                          "the bits of an f16");
  }
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (fromFloat == toFloat) {
    return value;
  }
  // A bf16 is the upper half of its f32.
  Register half = draft.constantInteger(MicroType::I32, 16);
  if (fromFloat) {
    Register bits =
        draft.compute(MicroOpcode::BitcastFToI, MicroType::I32, value);
    if (from.isF32()) {
      return bits;
    }
    bits = draft.compute(MicroOpcode::ShrUI, MicroType::I32, {bits, half});
    return draft.convert(MicroOpcode::TruncI, MicroType::I16, bits);
  }
  if (to.isBF16()) {
    value = draft.convert(MicroOpcode::ExtU, MicroType::I32, value);
    value = draft.compute(MicroOpcode::ShlI, MicroType::I32, {value, half});
  }
  return draft.compute(MicroOpcode::BitcastIToF, MicroType::F32, value);
}

/// Comparison of integers; on truth values, where true is -1 as a signed
/// number, the signed orders are the reversed unsigned ones.
static Register lowerCmpI(MicroDraft &draft, arith::CmpIPredicate predicate,
                          Register a, Register b) {
  auto wanted = static_cast<MicroPredicateI>(predicate);
  if (a.type == MicroType::I1) {
    switch (wanted) {
    case MicroPredicateI::SLT:
      return draft.compareInteger(MicroPredicateI::UGT, a, b);
    case MicroPredicateI::SLE:
      return draft.compareInteger(MicroPredicateI::UGE, a, b);
    case MicroPredicateI::SGT:
      return draft.compareInteger(MicroPredicateI::ULT, a, b);
    case MicroPredicateI::SGE:
      return draft.compareInteger(MicroPredicateI::ULE, a, b);
    default:
      break;
    }
  }
  return draft.compareInteger(wanted, a, b);
}

/// Operations that take several micro-operations, and casts.
static FailureOr<Register> lowerSpecial(MicroDraft &draft, Operation *op,
                                        ArrayRef<Register> in) {
  Type resultType = op->getResult(0).getType();
  MicroType type = *getMicroType(resultType);
  Register none{0, type};
  bool isKnown = true;
  Register result =
      TypeSwitch<Operation *, Register>(op)
          .Case([&](arith::CmpFOp cmp) {
            return draft.compareFloat(
                static_cast<MicroPredicateF>(cmp.getPredicate()), in[0], in[1]);
          })
          .Case([&](arith::CmpIOp cmp) {
            return lowerCmpI(draft, cmp.getPredicate(), in[0], in[1]);
          })
          .Case([&](arith::SelectOp) {
            return draft.select(in[0], in[1], in[2]);
          })
          .Case<arith::ExtFOp>([&](auto) { return in[0]; })
          .Case<arith::TruncFOp>(
              [&](auto) { return roundTo(draft, resultType, in[0]); })
          .Case<arith::SIToFPOp>([&](auto) {
            return roundTo(draft, resultType,
                           draft.convert(MicroOpcode::SIToF, type, in[0]));
          })
          .Case<arith::UIToFPOp>([&](auto) {
            return roundTo(draft, resultType,
                           draft.convert(MicroOpcode::UIToF, type, in[0]));
          })
          .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto cast) {
            MicroOpcode opcode = isa<arith::FPToSIOp>(cast.getOperation())
                                     ? MicroOpcode::FToSI
                                     : MicroOpcode::FToUI;
            if (type != MicroType::I1) {
              return draft.compute(opcode, type, in[0]);
            }
            return draft.convert(MicroOpcode::TruncI, type,
                                 draft.compute(opcode, MicroType::I8, in[0]));
          })
          .Case<arith::ExtSIOp, arith::IndexCastOp>(
              [&](auto) { return resize(draft, in[0], type, true); })
          .Case<arith::ExtUIOp, arith::IndexCastUIOp, arith::TruncIOp>(
              [&](auto) { return resize(draft, in[0], type, false); })
          .Case([&](arith::CeilDivUIOp) {
            // (a - 1) / b + 1 does not overflow, but for a = 0 it is wrong.
            Register one = draft.constantInteger(type, 1);
            Register zero = draft.constantInteger(type, 0);
            Register less =
                draft.compute(MicroOpcode::SubI, type, {in[0], one});
            Register quotient =
                draft.compute(MicroOpcode::DivUI, type, {less, in[1]});
            Register up =
                draft.compute(MicroOpcode::AddI, type, {quotient, one});
            return draft.select(
                draft.compareInteger(MicroPredicateI::EQ, in[0], zero), zero,
                up);
          })
          .Case([&](math::AbsIOp) {
            if (type == MicroType::I1) {
              return in[0];
            }
            Register zero = draft.constantInteger(type, 0);
            Register negative =
                draft.compute(MicroOpcode::SubI, type, {zero, in[0]});
            return draft.compute(MicroOpcode::MaxSI, type, {in[0], negative});
          })
          .Case([&](math::ClampFOp) {
            Register low =
                draft.compute(MicroOpcode::MaximumF, type, {in[0], in[1]});
            return draft.compute(MicroOpcode::MinimumF, type, {low, in[2]});
          })
          .Case([&](math::IsNaNOp) {
            return draft.compareFloat(MicroPredicateF::UNO, in[0], in[0]);
          })
          .Case<math::IsInfOp, math::IsFiniteOp>([&](auto classify) {
            Register size =
                draft.compute(MicroOpcode::AbsF, MicroType::F32, in[0]);
            Register infinity =
                draft.constantFloat(std::numeric_limits<float>::infinity());
            return draft.compareFloat(
                isa<math::IsInfOp>(classify.getOperation())
                    ? MicroPredicateF::OEQ
                    : MicroPredicateF::OLT,
                size, infinity);
          })
          .Default([&](Operation *) {
            isKnown = false;
            return none;
          });
  if (isKnown) {
    return result;
  }
  if (auto bitcast = dyn_cast<arith::BitcastOp>(op)) {
    return lowerBitcast(draft, bitcast, in[0]);
  }
  return op->emitOpError("has no micro-operation");
}

FailureOr<Register> mlir::lpu::lowerScalar(MicroDraft &draft, Operation *op,
                                           ArrayRef<Register> inputs) {
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes()))) {
    if (!getMicroType(type)) {
      return op->emitOpError("has a value of type ")
             << type << ", which no register of the vector unit holds";
    }
  }
  if (op->getNumResults() != 1) {
    return op->emitOpError("has no micro-operation");
  }
  Type resultType = op->getResult(0).getType();
  MicroType type = *getMicroType(resultType);
  draft.setLocation(op->getLoc());
  std::optional<Counterpart> counterpart =
      getCounterpart(op->getName().getStringRef());
  if (!counterpart) {
    return lowerSpecial(draft, op, inputs);
  }
  MicroOpcode opcode = type == MicroType::I1
                           ? onTruthValues(counterpart->opcode)
                           : counterpart->opcode;
  Register result = draft.compute(opcode, type, inputs);
  return counterpart->isExact ? result : roundTo(draft, resultType, result);
}

FailureOr<SmallVector<Register>>
mlir::lpu::lowerBlock(MicroDraft &draft, Block &block,
                      ArrayRef<Register> arguments) {
  DenseMap<Value, Register> registers;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    registers.try_emplace(argument, value);
  }
  auto getRegisters = [&](Operation *user) -> FailureOr<SmallVector<Register>> {
    SmallVector<Register> values;
    for (Value operand : user->getOperands()) {
      TypedAttr constant;
      if (auto found = registers.find(operand); found != registers.end()) {
        values.push_back(found->second);
      } else if (matchPattern(operand, m_Constant(&constant)) &&
                 getMicroType(operand.getType())) {
        values.push_back(lowerConstant(draft, constant));
      } else {
        return user->emitOpError("uses a value that no register holds");
      }
    }
    return values;
  };
  for (Operation &op : block.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      continue;
    }
    FailureOr<SmallVector<Register>> inputs = getRegisters(&op);
    if (failed(inputs)) {
      return failure();
    }
    FailureOr<Register> result = lowerScalar(draft, &op, *inputs);
    if (failed(result)) {
      return failure();
    }
    registers.try_emplace(op.getResult(0), *result);
  }
  return getRegisters(block.getTerminator());
}

Register mlir::lpu::lowerAffine(MicroDraft &draft, AffineExpr expr,
                                ArrayRef<Register> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return dims[dim.getPosition()];
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    return draft.constantInteger(MicroType::I64, number.getValue());
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Register a = lowerAffine(draft, binary.getLHS(), dims);
  Register b = lowerAffine(draft, binary.getRHS(), dims);
  auto on = [&](MicroOpcode opcode, Register x, Register y) {
    return draft.compute(opcode, MicroType::I64, {x, y});
  };
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return on(MicroOpcode::AddI, a, b);
  case AffineExprKind::Mul:
    return on(MicroOpcode::MulI, a, b);
  case AffineExprKind::FloorDiv:
    return on(MicroOpcode::FloorDivSI, a, b);
  case AffineExprKind::CeilDiv:
    return on(MicroOpcode::CeilDivSI, a, b);
  case AffineExprKind::Mod: {
    // The affine remainder has the sign of the divisor.
    Register quotient = on(MicroOpcode::FloorDivSI, a, b);
    return on(MicroOpcode::SubI, a, on(MicroOpcode::MulI, quotient, b));
  }
  default:
    llvm_unreachable("every kind of binary affine expression is handled");
  }
}

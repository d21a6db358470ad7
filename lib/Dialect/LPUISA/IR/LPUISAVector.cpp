//===- LPUISAVector.cpp - Vector instructions and micro-operations --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders and verification of `lpuisa.vec` and of what stands in it. What a
// micro-operation takes is read from the table in lpu/Target/MicroOps.h; where
// its values are visible follows from the sections.
//
//===----------------------------------------------------------------------===//

#include "LPUISASyntax.h"

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::lpuisa;

using ::lpu::MicroFieldC;
using ::lpu::MicroFieldOperand;
using ::lpu::MicroInput;
using ::lpu::MicroOpcode;
using ::lpu::MicroOpInfo;
using ::lpu::MicroResult;
using ::lpu::MicroType;

//===----------------------------------------------------------------------===//
// MicroOp
//===----------------------------------------------------------------------===//

const MicroOpInfo *MicroOp::getInfo() {
  return ::lpu::lookupMicroOp(getOpcode());
}

MicroType MicroOp::getMicroType() {
  const MicroOpInfo *info = getInfo();
  if (info->type == ::lpu::MicroTypeRule::None) {
    return MicroType{};
  }
  if (info->result == MicroResult::Type) {
    return *lpuisa::getMicroType(getResult().getType());
  }
  unsigned position = 0;
  for (MicroInput input : {info->a, info->b, info->c}) {
    if (input == MicroInput::Type) {
      return *lpuisa::getMicroType(getInputs()[position].getType());
    }
    position += input != MicroInput::None;
  }
  llvm_unreachable("an operation with a type has a result or an input of it");
}

void MicroOp::build(OpBuilder &builder, OperationState &state,
                    MicroOpcode opcode, MicroType type, ValueRange inputs,
                    std::optional<unsigned> selector,
                    std::optional<unsigned> operand, StringRef message) {
  MLIRContext *context = builder.getContext();
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setOpcode(MicroOpcodeAttr::get(context, opcode));
  if (selector) {
    properties.setSelector(builder.getI32IntegerAttr(*selector));
  }
  if (operand) {
    properties.setOperand(builder.getI32IntegerAttr(*operand));
  }
  const MicroOpInfo *info = ::lpu::lookupMicroOp(opcode);
  assert(info && "an opcode that the table does not have");
  if (info->operand == MicroFieldOperand::String) {
    properties.setMessage(builder.getStringAttr(message));
  }
  state.addOperands(inputs);
  switch (info->result) {
  case MicroResult::None:
    break;
  case MicroResult::Type:
    state.addTypes(getMicroRegisterType(context, type));
    break;
  case MicroResult::I1:
    state.addTypes(builder.getI1Type());
    break;
  }
}

void MicroOp::build(OpBuilder &builder, OperationState &state,
                    MicroOpcode opcode, ValueRange inputs) {
  build(builder, state, opcode, *lpuisa::getMicroType(inputs.back().getType()),
        inputs);
}

void MicroOp::build(OpBuilder &builder, OperationState &state,
                    TypedAttr immediate) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setOpcode(
      MicroOpcodeAttr::get(builder.getContext(), MicroOpcode::Const));
  properties.setImmediate(immediate);
  state.addTypes(immediate.getType());
}

StringRef mlir::lpuisa::getSelectorName(MicroOpcode opcode, int64_t selector) {
  const MicroOpInfo *info = ::lpu::lookupMicroOp(opcode);
  if (!info || selector < 0 || selector > 255) {
    return {};
  }
  switch (info->fieldC) {
  case MicroFieldC::Combine:
  case MicroFieldC::CombineSet:
    return ::lpu::nameOf(static_cast<::lpu::MicroCombine>(selector));
  case MicroFieldC::PredicateF:
    return ::lpu::nameOf(static_cast<::lpu::MicroPredicateF>(selector));
  case MicroFieldC::PredicateI:
    return ::lpu::nameOf(static_cast<::lpu::MicroPredicateI>(selector));
  case MicroFieldC::FaultKind:
    return ::lpu::nameOf(static_cast<::lpu::FaultKind>(selector));
  case MicroFieldC::None:
  case MicroFieldC::Register:
  case MicroFieldC::SourceType:
    return {};
  }
  return {};
}

/// Whether the opcode has a selector.
static bool takesSelector(const MicroOpInfo &info) {
  return info.fieldC != MicroFieldC::None &&
         info.fieldC != MicroFieldC::Register &&
         info.fieldC != MicroFieldC::SourceType;
}

/// Checks that `name` is there exactly if the opcode takes it.
static LogicalResult verifyPresence(MicroOp op, StringRef name, bool isThere,
                                    bool isTaken) {
  if (isThere == isTaken) {
    return success();
  }
  return op.emitOpError() << stringifyMachineEnum(op.getOpcode()) << ": found "
                          << (isThere ? "a " : "no ") << name << ", expected "
                          << (isTaken ? "one" : "none");
}

/// Checks the selector, when `type` is the one on which the operation works.
static LogicalResult verifySelector(MicroOp op, MicroType type) {
  const MicroOpInfo &info = *op.getInfo();
  if (!takesSelector(info)) {
    return success();
  }
  StringRef name = getSelectorName(op.getOpcode(), *op.getSelector());
  bool isAllowed = !name.empty();
  auto combine = static_cast<::lpu::MicroCombine>(*op.getSelector());
  if (isAllowed && info.fieldC == MicroFieldC::Combine) {
    isAllowed =
        combine != ::lpu::MicroCombine::Set && ::lpu::allows(combine, type);
  } else if (isAllowed && info.fieldC == MicroFieldC::CombineSet) {
    isAllowed = ::lpu::allows(combine, type);
  } else if (isAllowed && info.fieldC == MicroFieldC::PredicateI) {
    isAllowed = ::lpu::allows(
        static_cast<::lpu::MicroPredicateI>(*op.getSelector()), type);
  }
  if (isAllowed) {
    return success();
  }
  InFlightDiagnostic diagnostic = op.emitOpError()
                                  << stringifyMachineEnum(op.getOpcode())
                                  << ": found selector ";
  if (name.empty()) {
    diagnostic << *op.getSelector();
  } else {
    diagnostic << name;
  }
  return diagnostic << ", expected one for type "
                    << StringRef(::lpu::nameOf(type));
}

/// Checks the type of an input against the table.
static LogicalResult verifyInput(MicroOp op, unsigned position, MicroInput rule,
                                 MicroType type) {
  MicroType found = *getMicroType(op.getInputs()[position].getType());
  StringRef typeName = ::lpu::nameOf(type);
  std::string expected;
  switch (rule) {
  case MicroInput::None:
    return success();
  case MicroInput::Type:
  case MicroInput::Row:
  case MicroInput::Carry:
    expected = found == type ? "" : typeName.str();
    break;
  case MicroInput::I1:
    expected = found == MicroType::I1 ? "" : "i1";
    break;
  case MicroInput::Index:
    expected = found == MicroType::I64 ? "" : "i64";
    break;
  case MicroInput::Float:
    expected = found == MicroType::F32 ? "" : "f32";
    break;
  case MicroInput::Word:
    expected = found == MicroType::I32 ? "" : "i32";
    break;
  case MicroInput::Wider:
    expected = found != MicroType::F32 &&
                       ::lpu::bitWidth(found) > ::lpu::bitWidth(type)
                   ? ""
                   : ("an integer wider than " + typeName).str();
    break;
  case MicroInput::Source: {
    bool isInteger = found != MicroType::F32;
    bool isExtension = type != MicroType::F32;
    bool isNarrower = ::lpu::bitWidth(found) < ::lpu::bitWidth(type);
    if (!isInteger || (isExtension && !isNarrower)) {
      expected = isExtension ? ("an integer narrower than " + typeName).str()
                             : "an integer";
    }
    break;
  }
  }
  if (expected.empty()) {
    return success();
  }
  return op.emitOpError() << stringifyMachineEnum(op.getOpcode())
                          << ": found input " << position << " of type "
                          << StringRef(::lpu::nameOf(found)) << ", expected "
                          << expected;
}

LogicalResult MicroOp::verify() {
  const MicroOpInfo *info = getInfo();
  if (!info || info->sections == ::lpu::MicroSections::Marker) {
    return emitOpError() << "found opcode "
                         << static_cast<unsigned>(getOpcode())
                         << ", expected a micro-operation that is no section";
  }
  StringRef name = stringifyMachineEnum(getOpcode());
  bool takesNumber = info->operand == MicroFieldOperand::Operand ||
                     info->operand == MicroFieldOperand::Table ||
                     info->operand == MicroFieldOperand::Dimension;
  if (failed(verifyPresence(*this, "selector", getSelector().has_value(),
                            takesSelector(*info))) ||
      failed(verifyPresence(*this, "operand number", getOperand().has_value(),
                            takesNumber)) ||
      failed(verifyPresence(*this, "message", getMessage().has_value(),
                            info->operand == MicroFieldOperand::String)) ||
      failed(verifyPresence(*this, "immediate", !!getImmediateAttr(),
                            info->hasImmediate)) ||
      failed(verifyPresence(*this, "result", !!getResult(),
                            info->result != MicroResult::None))) {
    return failure();
  }
  if (getInputs().size() != info->numInputs()) {
    return emitOpError() << name << ": found " << getInputs().size()
                         << " inputs, expected " << info->numInputs();
  }
  if (info->result == MicroResult::I1 && !getResult().getType().isInteger(1)) {
    return emitOpError() << name << ": found a result of type "
                         << getResult().getType() << ", expected i1";
  }
  if (TypedAttr immediate = getImmediateAttr();
      immediate && (immediate.getType() != getResult().getType() ||
                    !isa<FloatAttr, IntegerAttr>(immediate))) {
    return emitOpError() << name << ": found immediate " << immediate
                         << ", expected a number of type "
                         << getResult().getType();
  }
  MicroType type = getMicroType();
  if (!::lpu::allows(info->type, type)) {
    return emitOpError() << name << ": found type "
                         << StringRef(::lpu::nameOf(type))
                         << ", which this operation does not have";
  }
  unsigned position = 0;
  for (MicroInput input : {info->a, info->b, info->c}) {
    if (input == MicroInput::None) {
      continue;
    }
    if (failed(verifyInput(*this, position, input, type))) {
      return failure();
    }
    ++position;
  }
  return verifySelector(*this, type);
}

//===----------------------------------------------------------------------===//
// VecOp
//===----------------------------------------------------------------------===//

void VecOp::build(OpBuilder &builder, OperationState &state, unsigned rank,
                  unsigned parallel, ArrayRef<ViewAttr> views) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setRank(builder.getI32IntegerAttr(rank));
  properties.setParallel(builder.getI32IntegerAttr(parallel));
  properties.setViews(
      builder.getArrayAttr(SmallVector<Attribute>(views.begin(), views.end())));
  state.addRegion()->emplaceBlock();
}

void VecOp::build(OpBuilder &builder, OperationState &state, unsigned rank,
                  unsigned parallel, ArrayRef<::lpu::View> views) {
  SmallVector<ViewAttr> attributes;
  for (const ::lpu::View &view : views) {
    attributes.push_back(ViewAttr::fromView(builder.getContext(), view));
  }
  build(builder, state, rank, parallel, attributes);
}

::lpu::Unit VecOp::getExecutingUnit() { return ::lpu::Unit::VXE; }

void VecOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  llvm::BitVector reads(getViews().size()), writes(getViews().size());
  for (MicroOp op : getBodyBlock()->getOps<MicroOp>()) {
    switch (op.getOpcode()) {
    case MicroOpcode::Load:
    case MicroOpcode::Gather:
      reads.set(*op.getOperand());
      break;
    case MicroOpcode::Store:
      writes.set(*op.getOperand());
      break;
    case MicroOpcode::Scatter:
      writes.set(*op.getOperand());
      if (*op.getSelector() !=
          static_cast<uint32_t>(::lpu::MicroCombine::Set)) {
        reads.set(*op.getOperand());
      }
      break;
    default:
      break; // Works on registers.
    }
  }
  for (unsigned number : reads.set_bits()) {
    accesses.push_back({getView(number), AccessKind::Read});
  }
  for (unsigned number : writes.set_bits()) {
    accesses.push_back({getView(number), AccessKind::Write});
  }
}

namespace {
/// Checks the micro-program of one vector instruction as a whole.
class MicroProgramVerifier {
public:
  MicroProgramVerifier(VecOp vec)
      : vec(vec), tables(vec.getViews().size()),
        domainViews(vec.getViews().size()) {}
  LogicalResult run();

private:
  LogicalResult enterSection(Operation *op);
  LogicalResult verifyOp(MicroOp op);
  LogicalResult verifyVisible(MicroOp op, Value input, MicroInput rule);
  LogicalResult verifyView(MicroOp op);
  LogicalResult leaveSection();
  LogicalResult verifyDomain();

  /// A section, by number; 0 is before the first.
  struct Section {
    unsigned number = 0;
    bool isRows = false;
  };

  VecOp vec;
  Section section;
  unsigned numElementsSections = 0;
  /// The section that assigned each value.
  DenseMap<Value, Section> sectionOf;
  /// Carries of this section that have no next value yet.
  SetVector<Operation *> carries;
  /// Views that are used by element number, and by index of the domain.
  llvm::BitVector tables, domainViews;
};
} // namespace

LogicalResult MicroProgramVerifier::leaveSection() {
  if (carries.empty()) {
    return success();
  }
  return carries.front()->emitOpError()
         << "carry: found no next of it in its section, expected one";
}

LogicalResult MicroProgramVerifier::enterSection(Operation *op) {
  if (failed(leaveSection())) {
    return failure();
  }
  section = {section.number + 1, isa<RowsOp>(op)};
  if (section.isRows) {
    return success();
  }
  if (++numElementsSections > ::lpu::maxPhases) {
    return op->emitOpError()
           << "found " << numElementsSections
           << " elements sections, expected at most " << ::lpu::maxPhases;
  }
  return success();
}

/// An input is visible if its section is this one or was a rows section; what
/// reduce and carry give is visible in later sections too.
LogicalResult MicroProgramVerifier::verifyVisible(MicroOp op, Value input,
                                                  MicroInput rule) {
  auto producer = input.getDefiningOp<MicroOp>();
  Section from = sectionOf.lookup(input);
  bool isHere = from.number == section.number;
  bool isReduce = producer.getOpcode() == MicroOpcode::Reduce;
  bool isCarry = producer.getOpcode() == MicroOpcode::Carry;
  StringRef expected;
  if (rule == MicroInput::Carry) {
    expected = isCarry && isHere ? "" : "a carry of the same section";
  } else if (rule == MicroInput::Row) {
    bool isRow = from.isRows || (!isHere && (isReduce || isCarry)) ||
                 (isHere && producer.getOpcode() == MicroOpcode::Const);
    expected = isRow ? "" : "a value of the row";
  } else if (isReduce && isHere) {
    expected = "the result of a reduce in later sections only";
  } else if (!isHere && !from.isRows && !isReduce && !isCarry) {
    expected = "a value of this section, of a rows section, or the result of "
               "a reduce or carry";
  }
  if (expected.empty()) {
    return success();
  }
  InFlightDiagnostic diagnostic = op.emitOpError()
                                  << stringifyMachineEnum(op.getOpcode())
                                  << ": found the result of "
                                  << stringifyMachineEnum(producer.getOpcode())
                                  << " of " << (isHere ? "the same" : "another")
                                  << " section, expected " << expected;
  diagnostic.attachNote(producer.getLoc()) << "assigned here";
  return diagnostic;
}

/// Checks the view that a load, store, gather or scatter names.
LogicalResult MicroProgramVerifier::verifyView(MicroOp op) {
  StringRef name = stringifyMachineEnum(op.getOpcode());
  uint32_t number = *op.getOperand();
  if (number >= vec.getViews().size()) {
    return op.emitOpError() << name << ": found view number " << number
                            << ", expected less than the number of views "
                            << vec.getViews().size();
  }
  ViewAttr view = vec.getView(number);
  MicroType type = ::lpu::microTypeOf(view.getType());
  if (type != op.getMicroType()) {
    return op.emitOpError()
           << name << ": found type "
           << StringRef(::lpu::nameOf(op.getMicroType())) << ", expected "
           << StringRef(::lpu::nameOf(type)) << " for view " << view;
  }
  bool isTable = op.getInfo()->operand == MicroFieldOperand::Table;
  (isTable ? tables : domainViews).set(number);
  if (tables[number] && domainViews[number]) {
    return op.emitOpError() << name << ": found view number " << number
                            << " used by element number and by index, "
                               "expected one of them";
  }
  if (isTable && view.getRank() != 1) {
    return op.emitOpError()
           << name << ": found view " << view << ", expected rank 1";
  }
  return success();
}

/// All views but tables have the sizes of the domain.
LogicalResult MicroProgramVerifier::verifyDomain() {
  ViewAttr domain;
  for (unsigned number = 0; number < vec.getViews().size(); ++number) {
    ViewAttr view = vec.getView(number);
    if (tables[number]) {
      continue;
    }
    if (view.getRank() != static_cast<int64_t>(vec.getRank())) {
      return vec.emitOpError()
             << "found view " << view << ", expected the rank of the domain "
             << vec.getRank();
    }
    if (!domain) {
      domain = view;
    }
    if (view.getSizes() != domain.getSizes() ||
        view.getDynamicDim() != domain.getDynamicDim() ||
        view.getSizeRegister() != domain.getSizeRegister()) {
      return vec.emitOpError()
             << "found view " << view
             << ", expected the sizes of the domain as in " << domain;
    }
  }
  if (!domain && vec.getRank() != 0) {
    return vec.emitOpError() << "found no view but tables, expected one with "
                                "the sizes of the domain";
  }
  return success();
}

LogicalResult MicroProgramVerifier::verifyOp(MicroOp op) {
  const MicroOpInfo &info = *op.getInfo();
  StringRef name = stringifyMachineEnum(op.getOpcode());
  if (section.number == 0) {
    return op.emitOpError() << name
                            << ": found before any section, expected elements "
                               "or rows first";
  }
  if (info.sections == ::lpu::MicroSections::Elements && section.isRows) {
    return op.emitOpError() << name
                            << ": found in a rows section, expected in an "
                               "elements section";
  }
  unsigned position = 0;
  for (MicroInput rule : {info.a, info.b, info.c}) {
    if (rule == MicroInput::None) {
      continue;
    }
    if (failed(verifyVisible(op, op.getInputs()[position], rule))) {
      return failure();
    }
    ++position;
  }
  if (op.getOpcode() == MicroOpcode::Carry) {
    carries.insert(op);
  } else if (op.getOpcode() == MicroOpcode::Next &&
             !carries.remove(op.getInputs()[0].getDefiningOp())) {
    return op.emitOpError() << "next: found a second next of this carry, "
                               "expected one";
  }
  if (op.getOpcode() == MicroOpcode::Iota) {
    unsigned limit = section.isRows ? vec.getParallel() : vec.getRank();
    if (*op.getOperand() >= limit) {
      return op.emitOpError() << "iota: found dimension " << *op.getOperand()
                              << ", expected less than " << limit
                              << (section.isRows ? " in a rows section" : "");
    }
  }
  if (info.operand == MicroFieldOperand::Operand ||
      info.operand == MicroFieldOperand::Table) {
    if (failed(verifyView(op))) {
      return failure();
    }
  }
  if (Value result = op.getResult()) {
    sectionOf[result] = section;
  }
  return success();
}

LogicalResult MicroProgramVerifier::run() {
  for (Operation &op : *vec.getBodyBlock()) {
    if (isa<ElementsOp, RowsOp>(op)) {
      if (failed(enterSection(&op))) {
        return failure();
      }
      continue;
    }
    auto micro = dyn_cast<MicroOp>(op);
    if (!micro) {
      return op.emitError() << "found '" << op.getName()
                            << "' in a micro-program, expected sections and "
                               "micro-operations";
    }
    if (failed(verifyOp(micro))) {
      return failure();
    }
  }
  if (failed(leaveSection())) {
    return failure();
  }
  return verifyDomain();
}

LogicalResult VecOp::verifyRegions() {
  if (getParallel() > getRank()) {
    return emitOpError() << "found " << getParallel()
                         << " parallel dimensions, expected at most the rank "
                         << getRank();
  }
  return MicroProgramVerifier(*this).run();
}

//===- ExportMicroProgram.cpp - Encodes the body of a vec -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One micro-operation for each operation of the region, field by field as the
// table in lpu/Target/MicroOps.h says.
//
//===----------------------------------------------------------------------===//

#include "ExportMicroProgram.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>

using namespace mlir;
using namespace mlir::lpuisa;

using ::lpu::MicroFieldC;
using ::lpu::MicroInput;

/// The bits of a constant as a micro-register holds it.
static uint64_t encodeImmediate(TypedAttr immediate) {
  if (auto number = dyn_cast<FloatAttr>(immediate)) {
    return number.getValue().bitcastToAPInt().getZExtValue();
  }
  const APInt &value = cast<IntegerAttr>(immediate).getValue();
  return value.getBitWidth() == 1 ? value.getZExtValue()
                                  : static_cast<uint64_t>(value.getSExtValue());
}

/// Encodes one operation, whose inputs have their numbers already.
static ::lpu::MicroOp encode(MicroOp op,
                             const DenseMap<Value, uint16_t> &registers,
                             function_ref<uint32_t(StringRef)> addString) {
  const ::lpu::MicroOpInfo &info = *op.getInfo();
  ::lpu::MicroOp out{};
  out.opcode = op.getOpcode();
  out.type = op.getMicroType();
  unsigned position = 0;
  for (auto [rule, field] : {std::pair<MicroInput, uint16_t *>(info.a, &out.a),
                             {info.b, &out.b},
                             {info.c, &out.c}}) {
    if (rule != MicroInput::None) {
      *field = registers.at(op.getInputs()[position++]);
    }
  }
  if (std::optional<uint32_t> selector = op.getSelector()) {
    out.c = static_cast<uint16_t>(*selector);
  } else if (info.fieldC == MicroFieldC::SourceType) {
    out.c = static_cast<uint16_t>(*getMicroType(op.getInputs()[0].getType()));
  }
  if (std::optional<uint32_t> operand = op.getOperand()) {
    out.operand = *operand;
  } else if (std::optional<StringRef> message = op.getMessage()) {
    out.operand = addString(*message);
  }
  if (TypedAttr immediate = op.getImmediateAttr()) {
    out.imm = encodeImmediate(immediate);
  }
  return out;
}

FailureOr<::lpu::MicroProgram>
mlir::lpuisa::exportMicroProgram(VecOp vec,
                                 function_ref<uint32_t(StringRef)> addString) {
  ::lpu::MicroProgram program;
  DenseMap<Value, uint16_t> registers;
  for (Operation &op : *vec.getBodyBlock()) {
    auto micro = dyn_cast<MicroOp>(op);
    if (!micro) {
      ::lpu::MicroOp section{};
      section.opcode = isa<ElementsOp>(op) ? ::lpu::MicroOpcode::Elements
                                           : ::lpu::MicroOpcode::Rows;
      program.ops.push_back(section);
      continue;
    }
    program.ops.push_back(encode(micro, registers, addString));
    if (Value result = micro.getResult()) {
      size_t number = registers.size();
      if (number >= std::numeric_limits<uint16_t>::max()) {
        return vec.emitOpError() << "found more than " << number
                                 << " micro-registers, expected at most these";
      }
      registers[result] = program.ops.back().dst =
          static_cast<uint16_t>(number);
    }
  }
  program.header.numOps = static_cast<uint32_t>(program.ops.size());
  program.header.numRegisters = static_cast<uint16_t>(registers.size());
  program.header.rank = static_cast<uint8_t>(vec.getRank());
  program.header.parallel = static_cast<uint8_t>(vec.getParallel());
  program.header.numOperands = static_cast<uint32_t>(vec.getViews().size());
  return program;
}

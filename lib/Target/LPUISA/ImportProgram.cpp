//===- ImportProgram.cpp - Decodes a machine program ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text is a list of nested ranges: a program's, and the body of each loop.
// Each range becomes a block; the targets of its branches become labels. The
// program has been verified, so every index is in range and loops nest.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Target/LPUISA/Translation.h"

#include "llvm/ADT/Twine.h"

#include <set>

using namespace mlir;
using namespace mlir::lpuisa;

using ::lpu::Instruction;
using ::lpu::MicroFieldOperand;
using ::lpu::MicroInput;
using ::lpu::Opcode;

namespace {
class ProgramImporter {
public:
  ProgramImporter(const ::lpu::Program &program, MLIRContext *context)
      : program(program), builder(context) {}
  OwningOpRef<ModuleOp> run();

private:
  SmallVector<TensorSpecAttr>
  importTensors(const std::vector<::lpu::TensorSpec> &specs);
  void importRange(size_t begin, size_t end);
  void importInstruction(const Instruction &word, Location location);
  void importVec(const Instruction &word, Location location);
  void importMicroOp(const ::lpu::MicroOp &op, Location location,
                     SmallVectorImpl<Value> &registers);

  Location getLocation(size_t index);
  ViewAttr getView(uint32_t number) {
    return ViewAttr::fromView(builder.getContext(), program.views[number]);
  }
  StringRef getString(uint32_t offset) {
    return StringRef(program.strtab.data() + offset);
  }

  const ::lpu::Program &program;
  OpBuilder builder;
  /// Instructions that some branch continues at.
  std::set<size_t> targets;
};
} // namespace

static std::string labelOf(size_t index) { return "L" + std::to_string(index); }

Location ProgramImporter::getLocation(size_t index) {
  MLIRContext *context = builder.getContext();
  Location unknown = builder.getUnknownLoc();
  if (index >= program.locationOf.size() ||
      program.locationOf[index] == 0xffffffff) {
    return unknown;
  }
  const ::lpu::Location &value = program.locations[program.locationOf[index]];
  Location position =
      value.file.empty()
          ? unknown
          : FileLineColLoc::get(context, value.file, value.line, /*column=*/0);
  return value.name.empty()
             ? position
             : NameLoc::get(builder.getStringAttr(value.name), position);
}

SmallVector<TensorSpecAttr>
ProgramImporter::importTensors(const std::vector<::lpu::TensorSpec> &specs) {
  SmallVector<TensorSpecAttr> tensors;
  for (const ::lpu::TensorSpec &spec : specs) {
    std::optional<unsigned> alias;
    if (spec.alias >= 0) {
      alias = spec.alias;
    }
    tensors.push_back(TensorSpecAttr::get(builder.getContext(), spec.name,
                                          spec.type, spec.sizes, alias,
                                          spec.argument));
  }
  return tensors;
}

void ProgramImporter::importMicroOp(const ::lpu::MicroOp &op, Location location,
                                    SmallVectorImpl<Value> &registers) {
  if (op.opcode == ::lpu::MicroOpcode::Elements) {
    ElementsOp::create(builder, location);
    return;
  }
  if (op.opcode == ::lpu::MicroOpcode::Rows) {
    RowsOp::create(builder, location);
    return;
  }
  const ::lpu::MicroOpInfo &info = *::lpu::lookupMicroOp(op.opcode);
  if (info.hasImmediate) {
    TypedAttr immediate;
    if (op.type == ::lpu::MicroType::F32) {
      immediate = builder.getF32FloatAttr(
          llvm::bit_cast<float>(static_cast<uint32_t>(op.imm)));
    } else {
      immediate = builder.getIntegerAttr(
          getMicroRegisterType(builder.getContext(), op.type),
          APInt(::lpu::bitWidth(op.type), op.imm, /*isSigned=*/false,
                /*implicitTrunc=*/true));
    }
    registers[op.dst] =
        MicroOp::create(builder, location, immediate).getResult();
    return;
  }
  SmallVector<Value> inputs;
  for (auto [rule, number] : {std::pair<MicroInput, uint16_t>(info.a, op.a),
                              {info.b, op.b},
                              {info.c, op.c}}) {
    if (rule != MicroInput::None) {
      inputs.push_back(registers[number]);
    }
  }
  std::optional<unsigned> selector, operand;
  StringRef message;
  switch (info.fieldC) {
  case ::lpu::MicroFieldC::None:
  case ::lpu::MicroFieldC::Register:
  case ::lpu::MicroFieldC::SourceType:
    break;
  case ::lpu::MicroFieldC::Combine:
  case ::lpu::MicroFieldC::CombineSet:
  case ::lpu::MicroFieldC::PredicateF:
  case ::lpu::MicroFieldC::PredicateI:
  case ::lpu::MicroFieldC::FaultKind:
    selector = op.c;
    break;
  }
  switch (info.operand) {
  case MicroFieldOperand::None:
    break;
  case MicroFieldOperand::Operand:
  case MicroFieldOperand::Table:
  case MicroFieldOperand::Dimension:
    operand = op.operand;
    break;
  case MicroFieldOperand::String:
    message = getString(op.operand);
    break;
  }
  auto micro = MicroOp::create(builder, location, op.opcode, op.type, inputs,
                               selector, operand, message);
  if (Value result = micro.getResult()) {
    registers[op.dst] = result;
  }
}

void ProgramImporter::importVec(const Instruction &word, Location location) {
  const ::lpu::MicroProgram &micro = program.micro[word.a];
  SmallVector<ViewAttr> views;
  for (uint32_t i = 0; i < word.c; ++i) {
    views.push_back(getView(program.operands[word.b + i]));
  }
  auto vec = VecOp::create(builder, location, micro.header.rank,
                           micro.header.parallel, ArrayRef<ViewAttr>(views));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(vec.getBodyBlock());
  SmallVector<Value> registers(micro.header.numRegisters);
  for (const ::lpu::MicroOp &op : micro.ops) {
    importMicroOp(op, location, registers);
  }
}

void ProgramImporter::importInstruction(const Instruction &word,
                                        Location location) {
  switch (word.opcode) {
  case Opcode::Halt:
    HaltOp::create(builder, location);
    return;
  case Opcode::Li:
    LiOp::create(builder, location, word.aux,
                 static_cast<uint64_t>(word.b) << 32 | word.a);
    return;
  case Opcode::Ld:
    LdOp::create(builder, location, word.aux, getView(word.a));
    return;
  case Opcode::Alu: {
    ::lpu::AluFields fields = ::lpu::AluFields::unpack(word.aux);
    auto function = static_cast<::lpu::AluFunction>(word.flags);
    if (fields.immediate) {
      AluOp::createImmediate(builder, location, function, fields.rd, fields.rs,
                             static_cast<int32_t>(word.a));
    } else {
      AluOp::create(builder, location, function, fields.rd, fields.rs,
                    fields.rt);
    }
    return;
  }
  case Opcode::Branch: {
    auto condition = static_cast<::lpu::BranchCondition>(word.flags);
    IntegerAttr rs;
    if (condition != ::lpu::BranchCondition::Always) {
      rs = builder.getI32IntegerAttr(word.aux);
    }
    BranchOp::create(builder, location, condition, rs,
                     builder.getStringAttr(labelOf(word.a)));
    return;
  }
  case Opcode::Loop: {
    std::optional<unsigned> tripsRegister;
    if (word.flags & ::lpu::LoopTripsInRegister) {
      tripsRegister = word.a;
    }
    LoopOp::create(builder, location, word.c, tripsRegister);
    return; // Its body is a range of its own.
  }
  case Opcode::Wait:
    WaitOp::create(builder, location, static_cast<::lpu::Unit>(word.flags),
                   word.aux, word.a);
    return;
  case Opcode::Post:
    PostOp::create(builder, location, static_cast<::lpu::Unit>(word.flags),
                   word.aux, word.a);
    return;
  case Opcode::Trace:
    TraceOp::create(builder, location, getString(word.a));
    return;
  case Opcode::Fault:
    FaultOp::create(builder, location,
                    static_cast<::lpu::FaultKind>(word.flags),
                    getString(word.a));
    return;
  case Opcode::Copy:
    CopyOp::create(builder, location, getView(word.a), getView(word.b));
    return;
  case Opcode::Gather:
    GatherOp::create(builder, location, getView(word.a), getView(word.b),
                     getView(word.c), word.aux,
                     (word.flags & ::lpu::IndexWrapNegative) != 0);
    return;
  case Opcode::Scatter:
    ScatterOp::create(builder, location, getView(word.a), getView(word.b),
                      getView(word.c), word.aux,
                      (word.flags & ::lpu::IndexWrapNegative) != 0);
    return;
  case Opcode::Stream:
    StreamOp::create(builder, location, getView(word.a), word.b);
    return;
  case Opcode::Mm: {
    ::lpu::MmFields dims = ::lpu::MmFields::unpack(word.aux);
    MmOp::create(builder, location, getView(word.b), getView(word.a),
                 getView(word.c), dims.batch, dims.rows, dims.cols, dims.depth,
                 (word.flags & ::lpu::MmAccumulate) != 0);
    return;
  }
  case Opcode::Vec:
    importVec(word, location);
    return;
  }
}

void ProgramImporter::importRange(size_t begin, size_t end) {
  for (size_t index = begin; index < end;) {
    const Instruction &word = program.text[index];
    Location location = getLocation(index);
    if (targets.count(index)) {
      LabelOp::create(builder, location, labelOf(index));
    }
    importInstruction(word, location);
    ++index;
    if (word.opcode == Opcode::Loop) {
      OpBuilder::InsertionGuard guard(builder);
      auto loop = cast<LoopOp>(builder.getInsertionBlock()->back());
      builder.setInsertionPointToEnd(loop.getBodyBlock());
      importRange(index, word.b);
      index = word.b;
    }
  }
}

OwningOpRef<ModuleOp> ProgramImporter::run() {
  MLIRContext *context = builder.getContext();
  for (const Instruction &word : program.text) {
    if (word.opcode == Opcode::Branch) {
      targets.insert(word.a);
    }
  }
  Location location = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  (*module)->setAttr(
      mlir::lpu::LPUDialect::machineAttrName,
      mlir::lpu::MachineAttr::fromModel(context, program.machine));
  builder.setInsertionPointToEnd(module->getBody());
  auto op = ProgramOp::create(
      builder, location, program.name, importTensors(program.inputs),
      importTensors(program.results), importTensors(program.outputs),
      program.scratchBytes, program.lmuBytes, program.rodata);
  builder.setInsertionPointToEnd(op.getBodyBlock());
  importRange(0, program.text.size());
  return module;
}

OwningOpRef<ModuleOp> mlir::lpuisa::importProgram(const ::lpu::Program &program,
                                                  MLIRContext *context) {
  context->loadDialect<LPUISADialect, mlir::lpu::LPUDialect>();
  return ProgramImporter(program, context).run();
}

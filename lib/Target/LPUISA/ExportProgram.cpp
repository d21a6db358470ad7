//===- ExportProgram.cpp - Encodes an lpuisa.program ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the operations in text order. A loop's end and the targets of
// branches are filled in when they are known; tables grow with each first use.
//
//===----------------------------------------------------------------------===//

#include "ExportMicroProgram.h"

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Target/LPUISA/Translation.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>
#include <map>

using namespace mlir;
using namespace mlir::lpuisa;

using ::lpu::Instruction;
using ::lpu::Opcode;

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// The first name and the first file position in a location, outermost first.
static void collectLocation(LocationAttr location, ::lpu::Location &out) {
  TypeSwitch<LocationAttr>(location)
      .Case<NameLoc>([&](NameLoc name) {
        if (out.name.empty()) {
          out.name = name.getName().str();
        }
        collectLocation(name.getChildLoc(), out);
      })
      .Case<FileLineColRange>([&](FileLineColRange position) {
        if (out.file.empty()) {
          out.file = position.getFilename().str();
          out.line = position.getStartLine();
        }
      })
      .Case<CallSiteLoc>([&](CallSiteLoc site) {
        collectLocation(site.getCallee(), out);
        collectLocation(site.getCaller(), out);
      })
      .Case<FusedLoc>([&](FusedLoc fused) {
        for (Location part : fused.getLocations()) {
          collectLocation(part, out);
        }
      })
      .Case<OpaqueLoc>([&](OpaqueLoc opaque) {
        collectLocation(opaque.getFallbackLocation(), out);
      });
}

//===----------------------------------------------------------------------===//
// The exporter
//===----------------------------------------------------------------------===//

namespace {
class ProgramExporter {
public:
  ProgramExporter(ProgramOp program) : program(program) {}
  FailureOr<::lpu::Program> run();

private:
  void exportSignature();
  LogicalResult exportBlock(Block &block);
  LogicalResult exportOp(Operation *op);
  LogicalResult exportLoop(LoopOp loop);
  LogicalResult exportVec(VecOp vec);

  uint32_t addView(ViewAttr view);
  uint32_t addString(StringRef string);
  uint32_t addOperands(const std::vector<uint32_t> &list);
  uint32_t addMicroProgram(::lpu::MicroProgram micro);
  uint32_t addLocation(Location location);
  Instruction &append(Operation *op, Opcode opcode);

  ProgramOp program;
  ::lpu::Program out;
  DenseMap<ViewAttr, uint32_t> viewNumbers;
  llvm::StringMap<uint32_t> stringOffsets;
  std::map<std::vector<uint32_t>, uint32_t> operandOffsets;
  /// By the bytes of a micro-program.
  llvm::StringMap<uint32_t> microNumbers;
  DenseMap<Attribute, uint32_t> locationNumbers;
  std::map<std::tuple<std::string, std::string, uint32_t>, uint32_t>
      locationsByValue;
};
} // namespace

uint32_t ProgramExporter::addView(ViewAttr view) {
  // Two attributes may differ in trailing zero increments only.
  ::lpu::View descriptor = view.toView();
  view = ViewAttr::fromView(view.getContext(), descriptor);
  auto [entry, isNew] =
      viewNumbers.try_emplace(view, static_cast<uint32_t>(out.views.size()));
  if (isNew) {
    out.views.push_back(descriptor);
  }
  return entry->second;
}

uint32_t ProgramExporter::addString(StringRef string) {
  // The table's strings end at a zero byte.
  string = string.take_until([](char c) { return c == 0; });
  auto [entry, isNew] = stringOffsets.try_emplace(
      string, static_cast<uint32_t>(out.strtab.size()));
  if (isNew) {
    out.strtab.insert(out.strtab.end(), string.begin(), string.end());
    out.strtab.push_back(0);
  }
  return entry->second;
}

uint32_t ProgramExporter::addOperands(const std::vector<uint32_t> &list) {
  auto [entry, isNew] = operandOffsets.try_emplace(
      list, static_cast<uint32_t>(out.operands.size()));
  if (isNew) {
    out.operands.insert(out.operands.end(), list.begin(), list.end());
  }
  return entry->second;
}

uint32_t ProgramExporter::addMicroProgram(::lpu::MicroProgram micro) {
  std::string bytes(sizeof(::lpu::MicroHeader) +
                        micro.ops.size() * sizeof(::lpu::MicroOp),
                    '\0');
  std::memcpy(bytes.data(), &micro.header, sizeof(::lpu::MicroHeader));
  std::memcpy(bytes.data() + sizeof(::lpu::MicroHeader), micro.ops.data(),
              micro.ops.size() * sizeof(::lpu::MicroOp));
  auto [entry, isNew] =
      microNumbers.try_emplace(bytes, static_cast<uint32_t>(out.micro.size()));
  if (isNew) {
    out.micro.push_back(std::move(micro));
  }
  return entry->second;
}

uint32_t ProgramExporter::addLocation(Location location) {
  constexpr uint32_t none = 0xffffffff;
  auto [entry, isNew] =
      locationNumbers.try_emplace(LocationAttr(location), none);
  if (!isNew) {
    return entry->second;
  }
  ::lpu::Location value;
  collectLocation(location, value);
  if (value.name.empty() && value.file.empty()) {
    return none;
  }
  auto [byValue, isNewValue] =
      locationsByValue.try_emplace({value.name, value.file, value.line},
                                   static_cast<uint32_t>(out.locations.size()));
  if (isNewValue) {
    out.locations.push_back(value);
  }
  return entry->second = byValue->second;
}

/// Appends an instruction word whose other fields are zero.
Instruction &ProgramExporter::append(Operation *op, Opcode opcode) {
  Instruction word{};
  word.opcode = opcode;
  out.locationOf.push_back(addLocation(op->getLoc()));
  return out.text.emplace_back(word);
}

void ProgramExporter::exportSignature() {
  auto exportTensors = [](ArrayAttr from, std::vector<::lpu::TensorSpec> &to) {
    for (TensorSpecAttr tensor : from.getAsRange<TensorSpecAttr>()) {
      ::lpu::TensorSpec &spec = to.emplace_back();
      spec.name = tensor.getName().str();
      spec.type = tensor.getType();
      spec.sizes = tensor.getSizes().vec();
      spec.alias =
          tensor.getAlias() ? static_cast<int32_t>(*tensor.getAlias()) : -1;
      spec.argument = tensor.getArgument();
    }
  };
  out.name = program.getSymName().str();
  out.machine = mlir::lpu::getMachine(program);
  exportTensors(program.getInputs(), out.inputs);
  exportTensors(program.getResultTensors(), out.results);
  exportTensors(program.getOutputs(), out.outputs);
  out.scratchBytes = program.getScratchBytes();
  out.lmuBytes = program.getLmuBytes();
  if (std::optional<DenseIntElementsAttr> rodata = program.getRodata()) {
    ArrayRef<char> bytes = rodata->getRawData();
    if (rodata->isSplat()) {
      out.rodata.assign(rodata->getNumElements(),
                        static_cast<uint8_t>(bytes.front()));
    } else {
      out.rodata.assign(bytes.begin(), bytes.end());
    }
  }
}

LogicalResult ProgramExporter::exportLoop(LoopOp loop) {
  size_t index = out.text.size();
  Instruction &word = append(loop, Opcode::Loop);
  word.aux = static_cast<uint16_t>(loop.getLevel());
  word.a = word.c = loop.getTrips();
  if (std::optional<uint32_t> tripsRegister = loop.getTripsRegister()) {
    word.flags = ::lpu::LoopTripsInRegister;
    word.a = *tripsRegister;
  }
  if (failed(exportBlock(*loop.getBodyBlock()))) {
    return failure();
  }
  out.text[index].b = static_cast<uint32_t>(out.text.size());
  return success();
}

LogicalResult ProgramExporter::exportVec(VecOp vec) {
  FailureOr<::lpu::MicroProgram> micro = exportMicroProgram(
      vec, [&](StringRef message) { return addString(message); });
  if (failed(micro)) {
    return failure();
  }
  std::vector<uint32_t> list;
  for (ViewAttr view : vec.getViews().getAsRange<ViewAttr>()) {
    list.push_back(addView(view));
  }
  Instruction &word = append(vec, Opcode::Vec);
  word.aux = static_cast<uint16_t>(vec.getRank() | vec.getParallel() << 8);
  word.a = addMicroProgram(std::move(*micro));
  word.b = addOperands(list);
  word.c = static_cast<uint32_t>(list.size());
  return success();
}

LogicalResult ProgramExporter::exportOp(Operation *operation) {
  return TypeSwitch<Operation *, LogicalResult>(operation)
      .Case<HaltOp>([&](HaltOp op) {
        append(op, Opcode::Halt);
        return success();
      })
      .Case<LiOp>([&](LiOp op) {
        uint64_t value = op.getValue();
        Instruction &word = append(op, Opcode::Li);
        word.aux = static_cast<uint16_t>(op.getRd());
        word.a = static_cast<uint32_t>(value);
        word.b = static_cast<uint32_t>(value >> 32);
        return success();
      })
      .Case<LdOp>([&](LdOp op) {
        Instruction &word = append(op, Opcode::Ld);
        word.aux = static_cast<uint16_t>(op.getRd());
        word.a = addView(op.getSource());
        return success();
      })
      .Case<AluOp>([&](AluOp op) {
        Instruction &word = append(op, Opcode::Alu);
        word.flags = static_cast<uint8_t>(op.getFunction());
        word.aux =
            ::lpu::AluFields{op.getRd(), op.getRs(), op.getRt().value_or(0),
                             op.getImmediate().has_value()}
                .pack();
        word.a = op.getImmediate().value_or(0);
        return success();
      })
      .Case<BranchOp>([&](BranchOp op) {
        Instruction &word = append(op, Opcode::Branch);
        word.flags = static_cast<uint8_t>(op.getCondition());
        word.aux = static_cast<uint16_t>(op.getRs().value_or(0));
        return success(); // The target follows with the block's labels.
      })
      .Case<LoopOp>([&](LoopOp op) { return exportLoop(op); })
      .Case<WaitOp, PostOp>([&](auto op) {
        Instruction &word =
            append(op, isa<WaitOp>(operation) ? Opcode::Wait : Opcode::Post);
        word.flags = static_cast<uint8_t>(op.getUnit());
        word.aux = static_cast<uint16_t>(op.getSemaphore());
        word.a = op.getCount();
        return success();
      })
      .Case<TraceOp>([&](TraceOp op) {
        append(op, Opcode::Trace).a = addString(op.getMessage());
        return success();
      })
      .Case<FaultOp>([&](FaultOp op) {
        Instruction &word = append(op, Opcode::Fault);
        word.flags = static_cast<uint8_t>(op.getKind());
        word.a = addString(op.getMessage());
        return success();
      })
      .Case<CopyOp>([&](CopyOp op) {
        Instruction &word = append(op, Opcode::Copy);
        word.a = addView(op.getDestination());
        word.b = addView(op.getSource());
        return success();
      })
      .Case<GatherOp, ScatterOp>([&](auto op) {
        Instruction &word = append(
            op, isa<GatherOp>(operation) ? Opcode::Gather : Opcode::Scatter);
        word.flags = op.getWrapNegative() ? ::lpu::IndexWrapNegative : 0;
        word.aux = static_cast<uint16_t>(op.getAxis());
        word.a = addView(op.getDestination());
        word.b = addView(op.getSource());
        word.c = addView(op.getIndex());
        return success();
      })
      .Case<StreamOp>([&](StreamOp op) {
        Instruction &word = append(op, Opcode::Stream);
        word.a = addView(op.getSource());
        word.b = op.getPasses();
        return success();
      })
      .Case<MmOp>([&](MmOp op) {
        Instruction &word = append(op, Opcode::Mm);
        word.flags = op.getAccumulate() ? ::lpu::MmAccumulate : 0;
        word.aux = ::lpu::MmFields{op.getBatch(), op.getRows(), op.getCols(),
                                   op.getDepth()}
                       .pack();
        word.a = addView(op.getLhs());
        word.b = addView(op.getOutput());
        word.c = addView(op.getStreamed());
        return success();
      })
      .Case<VecOp>([&](VecOp op) { return exportVec(op); })
      .Default([&](Operation *op) {
        return op->emitError() << "found '" << op->getName()
                               << "' in a program, expected instructions of "
                                  "the lpuisa dialect only";
      });
}

LogicalResult ProgramExporter::exportBlock(Block &block) {
  llvm::StringMap<uint32_t> labels;
  SmallVector<std::pair<size_t, StringRef>> branches;
  for (Operation &op : block) {
    if (auto label = dyn_cast<LabelOp>(op)) {
      labels[label.getLabel()] = static_cast<uint32_t>(out.text.size());
      continue;
    }
    if (auto branch = dyn_cast<BranchOp>(op)) {
      branches.emplace_back(out.text.size(), branch.getTarget());
    }
    if (failed(exportOp(&op))) {
      return failure();
    }
  }
  for (auto [index, target] : branches) {
    out.text[index].a = labels.at(target); // The branch's verifier found it.
  }
  return success();
}

FailureOr<::lpu::Program> ProgramExporter::run() {
  exportSignature();
  if (failed(exportBlock(*program.getBodyBlock()))) {
    return failure();
  }
  return std::move(out);
}

FailureOr<::lpu::Program> mlir::lpuisa::exportProgram(ProgramOp program) {
  return ProgramExporter(program).run();
}

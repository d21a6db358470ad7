//===- Mutator.cpp - Changes a binary a little ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Mutator.h.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include "ElfFormat.h"
#include "lpu/Target/Binary.h"
#include "lpu/Target/MicroOps.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace lpu;
using namespace lpu::fuzz;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A number in place of `old`: near it, small, a power of two, or an extreme.
static uint64_t changeNumber(uint64_t old, Random &random) {
  switch (random.below(8)) {
  case 0:
    return old + 1;
  case 1:
    return old - 1;
  case 2:
    return random.below(9);
  case 3:
    return uint64_t(1) << random.below(64);
  case 4:
    return (uint64_t(1) << random.below(64)) - random.below(3);
  case 5:
    return old ^ uint64_t(1) << random.below(64);
  case 6:
    return old * 2;
  default:
    return random.oneIn(2) ? 0 - old : random.bits();
  }
}

template <typename T>
static void change(T &field, Random &random) {
  field = static_cast<T>(changeNumber(static_cast<uint64_t>(field), random));
}

/// Changes an enumerator: mostly to one that exists.
template <typename T>
static void changeEnum(T &field, unsigned count, Random &random) {
  field = static_cast<T>(random.oneIn(16) ? random.below(256)
                                          : random.below(count));
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// Removes, repeats, moves or takes over an element.
template <typename T>
static void changeList(std::vector<T> &list, const std::vector<T> &other,
                       Random &random) {
  size_t at = random.below(list.size() + 1);
  if (!list.empty() && random.oneIn(3)) {
    list.erase(list.begin() + random.below(list.size()));
  } else if (!list.empty() && random.oneIn(3)) {
    std::swap(list[random.below(list.size())], list[random.below(list.size())]);
  } else if (!list.empty() && random.oneIn(2)) {
    T copy = list[random.below(list.size())];
    list.insert(list.begin() + at, copy);
  } else if (!other.empty() && list.size() < 4096) {
    T copy = other[random.below(other.size())];
    list.insert(list.begin() + at, copy);
  }
}

//===----------------------------------------------------------------------===//
// Parts of a program
//===----------------------------------------------------------------------===//

static constexpr Opcode opcodes[] = {
    Opcode::Halt,    Opcode::Li,     Opcode::Ld,   Opcode::Alu,
    Opcode::Branch,  Opcode::Loop,   Opcode::Wait, Opcode::Post,
    Opcode::Trace,   Opcode::Fault,  Opcode::Copy, Opcode::Gather,
    Opcode::Scatter, Opcode::Stream, Opcode::Mm,   Opcode::Vec};

static void changeInstruction(Program &program, Random &random) {
  if (program.text.empty()) {
    return;
  }
  Instruction &word = program.text[random.below(program.text.size())];
  switch (random.below(8)) {
  case 0:
    word.opcode = opcodes[random.below(std::size(opcodes))];
    return;
  case 1:
    changeEnum(word.flags, 8, random);
    return;
  case 2:
    change(word.aux, random);
    return;
  case 3:
    change(word.a, random);
    return;
  case 4:
    change(word.b, random);
    return;
  case 5:
    change(word.c, random);
    return;
  case 6: { // Another view.
    auto views = static_cast<uint32_t>(program.views.size() + 1);
    uint32_t *fields[] = {&word.a, &word.b, &word.c};
    *fields[random.below(3)] = static_cast<uint32_t>(random.below(views));
    return;
  }
  default: { // A way back or ahead.
    word.opcode = Opcode::Branch;
    word.flags = static_cast<uint8_t>(random.below(3));
    word.aux = static_cast<uint16_t>(random.below(4));
    word.a = static_cast<uint32_t>(random.below(program.text.size()));
    word.b = word.c = 0;
    return;
  }
  }
}

static void changeView(Program &program, Random &random) {
  if (program.views.empty()) {
    return;
  }
  View &view = program.views[random.below(program.views.size())];
  size_t d = random.below(maxRank);
  size_t used = random.below(
      std::max<unsigned>(1, std::min<unsigned>(view.rank, maxRank)));
  switch (random.below(14)) {
  case 0:
    changeEnum(view.space, 4, random);
    return;
  case 1:
    changeEnum(view.type, numDTypes, random);
    return;
  case 2:
    change(view.rank, random);
    return;
  case 3: // A run-time size.
    view.dynamicDim = static_cast<uint8_t>(used);
    view.sizeRegister = static_cast<uint8_t>(random.below(4));
    return;
  case 4: // A run-time offset.
    view.offsetRegister = static_cast<uint8_t>(random.below(4));
    change(view.offsetBound, random);
    return;
  case 5:
    view.dynamicDim = view.sizeRegister = noneField;
    return;
  case 6:
    change(view.argument, random);
    return;
  case 7:
    change(view.offset, random);
    return;
  case 8:
    change(view.sizes[used], random);
    return;
  case 9:
    change(view.strides[used], random);
    return;
  case 10: // A broadcast as large as can be told.
    view.strides[used] = 0;
    view.sizes[used] = static_cast<uint32_t>(random.bits());
    return;
  case 11:
    change(view.loopIncrements[random.below(maxLoopDepth)], random);
    return;
  case 12:
    change(random.oneIn(2) ? view.sizes[d] : view.sizes[used], random);
    return;
  default: { // The same size and stride in all views that have it.
    uint32_t from = view.sizes[used], to = from;
    change(to, random);
    bool isBroadcast = random.oneIn(2);
    for (View &each : program.views) {
      for (unsigned i = 0; i < std::min<unsigned>(each.rank, maxRank); ++i) {
        if (each.sizes[i] == from) {
          each.sizes[i] = to;
          each.strides[i] = isBroadcast ? 0 : each.strides[i];
        }
      }
    }
    return;
  }
  }
}

static void changeMicro(Program &program, const Program &other,
                        Random &random) {
  if (program.micro.empty()) {
    return;
  }
  MicroProgram &micro = program.micro[random.below(program.micro.size())];
  if (random.oneIn(8)) {
    switch (random.below(4)) {
    case 0:
      change(micro.header.numRegisters, random);
      return;
    case 1:
      change(micro.header.rank, random);
      return;
    case 2:
      change(micro.header.parallel, random);
      return;
    default:
      change(micro.header.numOperands, random);
      return;
    }
  }
  if (micro.ops.empty() || random.oneIn(8)) {
    const MicroProgram &from =
        other.micro.empty() ? micro
                            : other.micro[random.below(other.micro.size())];
    changeList(micro.ops, from.ops, random);
    return;
  }
  MicroOp &op = micro.ops[random.below(micro.ops.size())];
  switch (random.below(8)) {
  case 0: { // Any operation that exists.
    MicroOpcode next = op.opcode;
    for (unsigned tries = 0; tries < 32; ++tries) {
      next = static_cast<MicroOpcode>(random.below(256));
      if (lookupMicroOp(next) != nullptr) {
        break;
      }
    }
    op.opcode = next;
    return;
  }
  case 1:
    changeEnum(op.type, numMicroTypes, random);
    return;
  case 2:
    op.dst = static_cast<uint16_t>(random.below(micro.header.numRegisters + 1));
    return;
  case 3:
    op.a = static_cast<uint16_t>(random.below(micro.header.numRegisters + 1));
    return;
  case 4:
    op.b = static_cast<uint16_t>(random.below(micro.header.numRegisters + 1));
    return;
  case 5:
    op.c = static_cast<uint16_t>(random.below(numMicroCombines + 1));
    return;
  case 6:
    op.operand = static_cast<uint32_t>(random.below(5));
    return;
  default: {
    static const uint64_t floats[] = {0,          0x80000000, 0x7f800000,
                                      0xff800000, 0x7fc00000, 0x00000001,
                                      0x7f7fffff, 0x3f800000, 0x5f000000};
    op.imm = random.oneIn(2) ? floats[random.below(std::size(floats))]
                             : changeNumber(op.imm, random);
    return;
  }
  }
}

static void changeTensor(std::vector<TensorSpec> &tensors, Random &random) {
  if (tensors.empty()) {
    return;
  }
  TensorSpec &tensor = tensors[random.below(tensors.size())];
  switch (random.below(6)) {
  case 0:
    changeEnum(tensor.type, numDTypes, random);
    return;
  case 1:
    change(tensor.alias, random);
    return;
  case 2:
    change(tensor.argument, random);
    return;
  case 3:
    tensor.name.resize(random.below(40), 'x');
    return;
  case 4:
    changeList(tensor.sizes, tensor.sizes, random);
    return;
  default:
    if (!tensor.sizes.empty()) {
      change(tensor.sizes[random.below(tensor.sizes.size())], random);
    }
    return;
  }
}

static void changeSignature(Program &program, const Program &other,
                            Random &random) {
  std::vector<TensorSpec> *lists[] = {&program.inputs, &program.results,
                                      &program.outputs};
  const std::vector<TensorSpec> *others[] = {&other.inputs, &other.results,
                                             &other.outputs};
  size_t which = random.below(3);
  if (random.oneIn(3)) {
    changeList(*lists[which], *others[which], random);
  } else {
    changeTensor(*lists[which], random);
  }
}

static void changeMachine(MachineModel &machine, Random &random) {
  const std::vector<MachineParameter> &parameters = MachineModel::parameters();
  const MachineParameter &parameter =
      parameters[random.below(parameters.size())];
  double ends[] = {parameter.minimum, parameter.maximum};
  double value = ends[random.below(2)];
  if (parameter.integer) {
    int64_t &field = machine.*parameter.integer;
    field = random.oneIn(2) ? static_cast<int64_t>(value)
                            : static_cast<int64_t>(changeNumber(
                                  static_cast<uint64_t>(field), random));
  } else {
    double &field = machine.*parameter.real;
    field = random.oneIn(2) ? value : field * (random.oneIn(2) ? 0.125 : 3.0);
  }
}

static void changeLocations(Program &program, Random &random) {
  if (!program.locationOf.empty() && random.oneIn(2)) {
    change(program.locationOf[random.below(program.locationOf.size())], random);
    return;
  }
  changeList(program.locations, program.locations, random);
}

static void changeProgram(Program &program, const Program &other,
                          Random &random) {
  switch (random.below(16)) {
  case 0:
  case 1:
  case 2:
    return changeInstruction(program, random);
  case 3:
  case 4:
  case 5:
  case 6:
    return changeView(program, random);
  case 7:
  case 8:
  case 9:
    return changeMicro(program, other, random);
  case 10:
    return changeSignature(program, other, random);
  case 11:
    return changeMachine(program.machine, random);
  case 12: { // Locations follow their instructions.
    changeList(program.text, other.text, random);
    if (!random.oneIn(8)) {
      program.locationOf.resize(program.text.size(), UINT32_MAX);
    }
    return;
  }
  case 13:
    if (random.oneIn(2)) {
      return changeList(program.views, other.views, random);
    }
    return changeList(program.operands, other.operands, random);
  case 14:
    change(random.oneIn(2) ? program.scratchBytes : program.lmuBytes, random);
    return;
  default:
    switch (random.below(4)) {
    case 0:
      return changeLocations(program, random);
    case 1:
      return changeList(program.micro, other.micro, random);
    case 2:
      program.rodata.resize(random.below(300), 0x3f);
      return;
    default:
      if (!program.strtab.empty()) {
        program.strtab[random.below(program.strtab.size())] =
            static_cast<char>(random.below(128));
      }
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static void changeBytes(Bytes &file, const Bytes &other, Random &random) {
  if (file.empty()) {
    file.push_back(static_cast<uint8_t>(random.bits()));
    return;
  }
  size_t at = random.below(file.size());
  switch (random.below(5)) {
  case 0:
    file[at] ^= static_cast<uint8_t>(1u << random.below(8));
    return;
  case 1: {
    size_t width = size_t(1) << random.below(4);
    if (at + width <= file.size()) {
      uint64_t value = 0;
      std::memcpy(&value, &file[at], width);
      value = changeNumber(value, random);
      std::memcpy(&file[at], &value, width);
    }
    return;
  }
  case 2:
    file.resize(at);
    return;
  case 3:
    file.insert(file.begin() + at, random.below(64),
                static_cast<uint8_t>(random.bits()));
    return;
  default:
    if (!other.empty()) {
      size_t from = random.below(other.size());
      size_t count =
          std::min({random.below(64), other.size() - from, file.size() - at});
      std::copy_n(other.begin() + from, count, file.begin() + at);
    }
    return;
  }
}

namespace {
/// Where a section of a file is, if the file is well-formed that far.
struct Place {
  uint64_t offset, size;
};
} // namespace

static std::optional<Place> findSection(const Bytes &file,
                                        elf::Section section) {
  elf::Header header;
  if (file.size() < sizeof(header)) {
    return std::nullopt;
  }
  std::memcpy(&header, file.data(), sizeof(header));
  uint64_t at = section * sizeof(elf::SectionHeader);
  if (header.sectionHeaders > file.size() ||
      file.size() - header.sectionHeaders < at + sizeof(elf::SectionHeader)) {
    return std::nullopt;
  }
  elf::SectionHeader found;
  std::memcpy(&found, file.data() + header.sectionHeaders + at, sizeof(found));
  if (found.offset > file.size() || found.size > file.size() - found.offset) {
    return std::nullopt;
  }
  return Place{found.offset, found.size};
}

void lpu::fuzz::repair(Bytes &file) {
  std::optional<Place> note = findSection(file, elf::NoteLPU);
  if (!note || note->size < sizeof(elf::NoteRecord)) {
    return;
  }
  elf::NoteRecord record;
  std::memcpy(&record, file.data() + note->offset, sizeof(record));
  if (std::optional<Place> machine = findSection(file, elf::Machine)) {
    Hash hash;
    for (uint64_t i = 0; i < machine->size; ++i) {
      hash.add(file[machine->offset + i]);
    }
    record.machineHash = hash.value();
    std::memcpy(file.data() + note->offset, &record, sizeof(record));
  }
  record.checksum =
      elf::checksum(file.data(), file.size(),
                    note->offset + offsetof(elf::NoteRecord, checksum));
  std::memcpy(file.data() + note->offset, &record, sizeof(record));
}

void lpu::fuzz::modernize(Bytes &file) {
  std::optional<Place> place = findSection(file, elf::Machine);
  if (!place || readBinary(file)) {
    return;
  }
  repair(file);
  std::string text(file.begin() + place->offset,
                   file.begin() + place->offset + place->size);
  Result<MachineModel> machine = MachineModel::parse(text, "");
  if (!machine) {
    return;
  }
  std::string canonical = machine->toText();
  if (canonical == text) {
    return;
  }
  // Sections can be anywhere, so the new text goes to the end of the file.
  elf::Header header;
  std::memcpy(&header, file.data(), sizeof(header));
  elf::SectionHeader section;
  uint8_t *to = file.data() + header.sectionHeaders +
                elf::Machine * sizeof(elf::SectionHeader);
  std::memcpy(&section, to, sizeof(section));
  section.offset = file.size();
  section.size = canonical.size();
  std::memcpy(to, &section, sizeof(section));
  file.insert(file.end(), canonical.begin(), canonical.end());
  repair(file);
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

Bytes lpu::fuzz::mutate(const Bytes &file, const Bytes &other, Random &random) {
  if (random.below(8) != 0) {
    Result<Program> program = readBinary(file);
    Result<Program> second = readBinary(other);
    if (program) {
      const Program source = second ? *second : *program;
      for (size_t i = 0, n = 1 + random.below(3); i < n; ++i) {
        changeProgram(*program, source, random);
      }
      return writeBinary(*program);
    }
  }
  Bytes result = file;
  for (size_t i = 0, n = 1 + random.below(4); i < n; ++i) {
    changeBytes(result, other, random);
  }
  if (!random.oneIn(4)) {
    repair(result);
  }
  return result;
}

//===- BinaryWriter.cpp - Writes a .lpubin file ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serialises each section, lays them out one after the other, appends the
// section headers and patches the checksum in last. Nothing depends on
// addresses or on the order of a hash table, so equal programs give equal
// bytes.
//
//===----------------------------------------------------------------------===//

#include "ElfFormat.h"
#include "lpu/Target/Binary.h"

#include <cstring>
#include <map>

using namespace lpu;

namespace {
/// A growing section.
class ByteStream {
public:
  template <typename T>
  void record(const T &value) {
    raw(&value, sizeof(value));
  }
  void raw(const void *data, size_t size) {
    const auto *begin = static_cast<const uint8_t *>(data);
    bytes.insert(bytes.end(), begin, begin + size);
  }
  template <typename T>
  void table(const std::vector<T> &values) {
    if (!values.empty()) {
      raw(values.data(), values.size() * sizeof(T));
    }
  }
  void number(uint32_t value) { record(value); }
  void string(const std::string &value) {
    number(static_cast<uint32_t>(value.size()));
    raw(value.data(), value.size());
  }
  void align(uint64_t alignment) {
    while (alignment > 1 && bytes.size() % alignment != 0) {
      bytes.push_back(0);
    }
  }

  std::vector<uint8_t> bytes;
};
} // namespace

static void writeMicro(const std::vector<MicroProgram> &programs,
                       ByteStream &out) {
  for (const MicroProgram &program : programs) {
    MicroHeader header = program.header;
    header.numOps = static_cast<uint32_t>(program.ops.size());
    out.record(header);
    out.table(program.ops);
  }
}

static void writeTensors(const std::vector<TensorSpec> &tensors,
                         ByteStream &out) {
  out.number(static_cast<uint32_t>(tensors.size()));
  for (const TensorSpec &tensor : tensors) {
    out.string(tensor.name);
    out.number(static_cast<uint32_t>(tensor.type));
    out.number(static_cast<uint32_t>(tensor.sizes.size()));
    out.table(tensor.sizes);
    out.record(tensor.alias);
    out.number(tensor.argument);
  }
}

static void writeSignature(const Program &program, ByteStream &out) {
  out.string(program.name);
  out.record(program.scratchBytes);
  out.record(program.lmuBytes);
  writeTensors(program.inputs, out);
  writeTensors(program.results, out);
  writeTensors(program.outputs, out);
}

/// File names repeat on nearly every location, so strings are numbered in the
/// order of first use and written once.
static void writeLocations(const Program &program, ByteStream &out) {
  std::map<std::string, uint32_t> numbers;
  std::vector<const std::string *> strings;
  auto number = [&](const std::string &text) {
    auto [entry, isNew] =
        numbers.try_emplace(text, static_cast<uint32_t>(strings.size()));
    if (isNew) {
      strings.push_back(&entry->first);
    }
    return entry->second;
  };
  ByteStream records;
  for (const Location &location : program.locations) {
    records.number(number(location.name));
    records.number(number(location.file));
    records.number(location.line);
  }
  out.number(static_cast<uint32_t>(strings.size()));
  for (const std::string *text : strings) {
    out.string(*text);
  }
  out.number(static_cast<uint32_t>(program.locations.size()));
  out.table(records.bytes);
  out.number(static_cast<uint32_t>(program.locationOf.size()));
  out.table(program.locationOf);
}

static void writeNote(const Program &program, ByteStream &out) {
  elf::NoteRecord note{};
  note.nameSize = sizeof(note.name);
  note.descriptionSize = elf::noteDescriptionSize;
  note.type = elf::noteType;
  std::memcpy(note.name, "LPU", sizeof(note.name));
  note.isaVersion = isaVersion;
  note.machineHash = program.machine.hash();
  out.record(note);
}

std::vector<uint8_t> lpu::writeBinary(const Program &program) {
  ByteStream contents[elf::numSections];
  contents[elf::Text].table(program.text);
  contents[elf::Views].table(program.views);
  contents[elf::Operands].table(program.operands);
  writeMicro(program.micro, contents[elf::Micro]);
  contents[elf::Constants].table(program.rodata);
  contents[elf::StringTable].table(program.strtab);
  std::string machine = program.machine.toText();
  contents[elf::Machine].raw(machine.data(), machine.size());
  writeSignature(program, contents[elf::Signature]);
  writeLocations(program, contents[elf::Locations]);
  writeNote(program, contents[elf::NoteLPU]);

  elf::SectionHeader headers[elf::numSections] = {};
  for (unsigned i = 0; i < elf::numSections; ++i) {
    headers[i].name =
        static_cast<uint32_t>(contents[elf::SectionNames].bytes.size());
    std::string_view name = elf::sections[i].name;
    contents[elf::SectionNames].raw(name.data(), name.size());
    contents[elf::SectionNames].bytes.push_back(0);
  }

  ByteStream file;
  file.record(elf::Header{});
  for (unsigned i = 1; i < elf::numSections; ++i) {
    const elf::SectionInfo &info = elf::sections[i];
    file.align(info.alignment);
    headers[i].type = info.type;
    headers[i].offset = file.bytes.size();
    headers[i].size = contents[i].bytes.size();
    headers[i].alignment = info.alignment;
    headers[i].entrySize = info.entrySize;
    file.table(contents[i].bytes);
  }
  file.align(8);

  elf::Header header{};
  std::memcpy(header.ident, elf::ident, sizeof(header.ident));
  header.type = elf::typeExecutable;
  header.machine = elfMachine;
  header.version = 1;
  header.sectionHeaders = file.bytes.size();
  header.flags = isaVersion;
  header.headerSize = sizeof(elf::Header);
  header.sectionHeaderSize = sizeof(elf::SectionHeader);
  header.sectionHeaderCount = elf::numSections;
  header.sectionNames = elf::SectionNames;
  std::memcpy(file.bytes.data(), &header, sizeof(header));
  file.raw(headers, sizeof(headers));

  size_t checksumOffset =
      headers[elf::NoteLPU].offset + offsetof(elf::NoteRecord, checksum);
  uint64_t checksum =
      elf::checksum(file.bytes.data(), file.bytes.size(), checksumOffset);
  std::memcpy(file.bytes.data() + checksumOffset, &checksum, sizeof(checksum));
  return std::move(file.bytes);
}

//===- BinaryReader.cpp - Reads a .lpubin file ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads untrusted bytes. Every access goes through `Cursor`, which knows its
// bounds and its place in the file; the first failure sticks and names its byte
// offset. Counts are never trusted further than the bytes that are there, so a
// small file cannot ask for much memory.
//
//===----------------------------------------------------------------------===//

#include "ElfFormat.h"
#include "Utf8.h"
#include "lpu/Target/Binary.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace lpu;

static Error at(uint64_t offset, const std::string &message) {
  char place[32];
  std::snprintf(place, sizeof(place),
                "byte 0x%llx: ", static_cast<unsigned long long>(offset));
  return Error{place + message};
}

/// Checks that the bytes at `offset` of the file are text.
static std::optional<Error> checkText(std::string_view text, uint64_t offset,
                                      const std::string &what) {
  size_t good = utf8Prefix(text);
  return good == text.size()
             ? std::optional<Error>()
             : at(offset + good, what + " is not UTF-8 from here on");
}

namespace {
/// A bounded walk over one section. After a failure all reads give zeros.
class Cursor {
public:
  Cursor(const uint8_t *file, uint64_t begin, uint64_t size)
      : file(file), position(begin), end(begin + size) {}

  uint64_t offset() const { return position; }
  uint64_t left() const { return end - position; }
  const std::optional<Error> &failure() const { return error; }

  void fail(const std::string &message) {
    if (!error) {
      error = at(position, message);
    }
    position = end;
  }

  template <typename T>
  T record(const char *what) {
    T value{};
    if (!need(sizeof(T), what)) {
      return value;
    }
    std::memcpy(&value, file + position, sizeof(T));
    position += sizeof(T);
    return value;
  }

  /// A count of records that must all be in the rest of the section.
  uint32_t count(size_t recordSize, const char *what) {
    uint64_t place = position;
    auto value = record<uint32_t>(what);
    if (!error && value > left() / recordSize) {
      position = place;
      fail(std::string(what) + " is " + std::to_string(value) +
           ", but the section ends before that");
      return 0;
    }
    return error ? 0 : value;
  }

  template <typename T>
  std::vector<T> table(size_t count, const char *what) {
    std::vector<T> values;
    if (count > left() / sizeof(T)) {
      fail(std::string(what) + " does not fit into the rest of its section");
      return values;
    }
    values.resize(count);
    if (count) {
      std::memcpy(values.data(), file + position, count * sizeof(T));
    }
    position += count * sizeof(T);
    return values;
  }

  std::string string(const char *what) {
    uint32_t size = count(1, what);
    std::string text(reinterpret_cast<const char *>(file + position), size);
    if (auto problem = checkText(text, position, what); problem && !error) {
      error = problem;
      position = end;
      return "";
    }
    position += size;
    return text;
  }

  void finish(const char *section) { // file_c5
    if (!error && left()) {
      fail(std::to_string(left()) + " bytes after the end of " + section);
    }
  }

private:
  bool need(uint64_t size, const char *what) { // file_c5
    if (left() >= size) {
      return true;
    }
    fail(std::string("the section ends inside of ") + what);
    return false;
  }

  const uint8_t *file;
  uint64_t position, end;
  std::optional<Error> error;
};

/// The file with its section headers found and checked.
class Container {
public:
  Container(const uint8_t *data, size_t size) : data(data), size(size) {}

  std::optional<Error> open();
  Cursor section(elf::Section section) const {
    const elf::SectionHeader &header = headers[section];
    return Cursor(data, header.offset, header.size);
  }
  const elf::SectionHeader &header(elf::Section section) const {
    return headers[section];
  }

private:
  std::optional<Error> openHeader();
  std::optional<Error> openSections();
  std::optional<Error> checkNote() const;

  const uint8_t *data;
  size_t size;
  elf::Header elfHeader{};
  elf::SectionHeader headers[elf::numSections] = {};
};
} // namespace

std::optional<Error> Container::open() {
  if (auto error = openHeader()) {
    return error;
  }
  if (auto error = openSections()) {
    return error;
  }
  return checkNote();
}

// file_c1, and file_c3 for e_flags.
std::optional<Error> Container::openHeader() {
  if (size < sizeof(elf::Header)) {
    return at(size,
              "the file ends inside of the ELF header, expected 64 bytes");
  }
  std::memcpy(&elfHeader, data, sizeof(elfHeader));
  if (std::memcmp(elfHeader.ident, elf::ident, sizeof(elf::ident)) != 0) {
    return at(0, "no little-endian ELF64 file without an operating system");
  }
  auto expect = [&](const void *field, uint64_t found, uint64_t expected,
                    const char *name) -> std::optional<Error> {
    if (found == expected) {
      return std::nullopt;
    }
    size_t offset = static_cast<const uint8_t *>(field) -
                    reinterpret_cast<const uint8_t *>(&elfHeader);
    return at(offset, std::string(name) + " is " + std::to_string(found) +
                          ", expected " + std::to_string(expected));
  };
  const elf::Header &h = elfHeader;
  struct {
    const void *field;
    uint64_t found, expected;
    const char *name;
  } checks[] = {
      {&h.type, h.type, elf::typeExecutable, "e_type"},
      {&h.machine, h.machine, elfMachine, "e_machine"},
      {&h.version, h.version, 1, "e_version"},
      {&h.flags, h.flags, isaVersion, "the ISA version in e_flags"},
      {&h.headerSize, h.headerSize, sizeof(elf::Header), "e_ehsize"},
      {&h.programHeaderCount, h.programHeaderCount, 0, "e_phnum"},
      {&h.sectionHeaderSize, h.sectionHeaderSize, sizeof(elf::SectionHeader),
       "e_shentsize"},
      {&h.sectionHeaderCount, h.sectionHeaderCount, elf::numSections,
       "e_shnum"},
      {&h.sectionNames, h.sectionNames, elf::SectionNames, "e_shstrndx"},
  };
  for (const auto &check : checks) {
    if (auto error =
            expect(check.field, check.found, check.expected, check.name)) {
      return error;
    }
  }
  if (h.sectionHeaders > size || size - h.sectionHeaders < sizeof(headers)) {
    return at(offsetof(elf::Header, sectionHeaders),
              "the section headers at " + std::to_string(h.sectionHeaders) +
                  " do not fit into the file of " + std::to_string(size) +
                  " bytes");
  }
  std::memcpy(headers, data + h.sectionHeaders, sizeof(headers));
  return std::nullopt;
}

// file_c2
std::optional<Error> Container::openSections() {
  for (unsigned i = 1; i < elf::numSections; ++i) {
    const elf::SectionInfo &info = elf::sections[i];
    const elf::SectionHeader &header = headers[i];
    uint64_t place = elfHeader.sectionHeaders + i * sizeof(elf::SectionHeader);
    std::string name(info.name);
    if (header.type != info.type) {
      return at(place + offsetof(elf::SectionHeader, type),
                "section " + std::to_string(i) + " has type " +
                    std::to_string(header.type) + ", expected " +
                    std::to_string(info.type) + " (" + name + ")");
    }
    if (header.offset > size || size - header.offset < header.size) {
      return at(place + offsetof(elf::SectionHeader, offset),
                name + " lies at " + std::to_string(header.offset) + " + " +
                    std::to_string(header.size) + ", past the end of the file");
    }
    if (info.entrySize && header.size % info.entrySize != 0) {
      return at(place + offsetof(elf::SectionHeader, size),
                name + " has " + std::to_string(header.size) +
                    " bytes, expected a multiple of " +
                    std::to_string(info.entrySize));
    }
  }
  // Names last, when the section that holds them is known to be in the file.
  const elf::SectionHeader &names = headers[elf::SectionNames];
  for (unsigned i = 1; i < elf::numSections; ++i) {
    std::string_view expected = elf::sections[i].name;
    uint64_t start = headers[i].name;
    bool matches = start < names.size && names.size - start > expected.size() &&
                   std::memcmp(data + names.offset + start, expected.data(),
                               expected.size()) == 0 &&
                   data[names.offset + start + expected.size()] == 0;
    if (!matches) {
      return at(elfHeader.sectionHeaders + i * sizeof(elf::SectionHeader),
                "section " + std::to_string(i) + " is not named " +
                    std::string(expected));
    }
  }
  return std::nullopt;
}

std::optional<Error> Container::checkNote() const {
  const elf::SectionHeader &header = headers[elf::NoteLPU];
  if (header.size != sizeof(elf::NoteRecord)) {
    return at(header.offset, ".note.lpu has " + std::to_string(header.size) +
                                 " bytes, expected " +
                                 std::to_string(sizeof(elf::NoteRecord)));
  }
  elf::NoteRecord note;
  std::memcpy(&note, data + header.offset, sizeof(note));
  if (note.nameSize != sizeof(note.name) || note.type != elf::noteType ||
      note.descriptionSize != elf::noteDescriptionSize ||
      std::memcmp(note.name, "LPU", sizeof(note.name)) != 0 || note.reserved) {
    return at(header.offset, ".note.lpu is no LPU note of type 1");
  }
  if (note.isaVersion != isaVersion) { // file_c3
    return at(header.offset + offsetof(elf::NoteRecord, isaVersion),
              "ISA version " + std::to_string(note.isaVersion) + ", expected " +
                  std::to_string(isaVersion));
  }
  uint64_t place = header.offset + offsetof(elf::NoteRecord, checksum);
  if (note.checksum != elf::checksum(data, size, place)) { // file_c4
    return at(place, "the checksum does not match: the file is damaged");
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

template <typename T>
static std::vector<T> readAll(Cursor cursor) {
  return cursor.table<T>(cursor.left() / sizeof(T), "table");
}

static std::optional<Error> readMicro(Cursor in, Program &program) {
  while (in.left()) {
    MicroProgram micro;
    uint64_t place = in.offset();
    micro.header = in.record<MicroHeader>("the head of a micro-program");
    if (!in.failure() && micro.header.numOps > in.left() / sizeof(MicroOp)) {
      return at(place, "micro-program " + std::to_string(program.micro.size()) +
                           " has " + std::to_string(micro.header.numOps) +
                           " operations, but .ucode ends before that");
    }
    micro.ops = in.table<MicroOp>(micro.header.numOps, "a micro-program");
    if (in.failure()) {
      return in.failure();
    }
    program.micro.push_back(std::move(micro));
  }
  return std::nullopt;
}

static std::vector<TensorSpec> readTensors(Cursor &in, const char *what) {
  // 20 bytes is the smallest record.
  uint32_t count = in.count(20, what);
  std::vector<TensorSpec> tensors;
  for (uint32_t i = 0; i < count && !in.failure(); ++i) {
    TensorSpec tensor;
    tensor.name = in.string("the name of a tensor");
    auto type = in.record<uint32_t>("the type of a tensor");
    if (type >= numDTypes) {
      in.fail("element type " + std::to_string(type) + ", expected less than " +
              std::to_string(numDTypes));
      break;
    }
    tensor.type = static_cast<DType>(type);
    uint32_t rank = in.count(sizeof(int64_t), "the rank of a tensor");
    tensor.sizes = in.table<int64_t>(rank, "the sizes of a tensor");
    tensor.alias = in.record<int32_t>("the alias of a tensor");
    tensor.argument = in.record<uint32_t>("the argument of a tensor");
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

static std::optional<Error> readSignature(Cursor in, Program &program) {
  program.name = in.string("the program's name");
  program.scratchBytes = in.record<uint64_t>("the size of the scratch");
  program.lmuBytes = in.record<uint64_t>("the LMU bytes in use");
  program.inputs = readTensors(in, "the number of inputs");
  program.results = readTensors(in, "the number of results");
  program.outputs = readTensors(in, "the number of outputs");
  in.finish(".lpu.signature");
  return in.failure();
}

constexpr size_t maxLocationString = 4096;

static std::optional<Error> readLocations(Cursor in, Program &program) {
  uint32_t numStrings = in.count(4, "the number of strings");
  std::vector<std::string> strings;
  for (uint32_t i = 0; i < numStrings && !in.failure(); ++i) {
    strings.push_back(in.string("a string"));
    // Each location holds a copy, so a long string could ask for much memory.
    if (strings.back().size() > maxLocationString) { // file_c6
      in.fail("a string of " + std::to_string(strings.back().size()) +
              " bytes, expected at most " + std::to_string(maxLocationString));
    }
  }
  uint32_t count = in.count(12, "the number of locations");
  for (uint32_t i = 0; i < count && !in.failure(); ++i) {
    auto name = in.record<uint32_t>("a location");
    auto file = in.record<uint32_t>("a location");
    auto line = in.record<uint32_t>("a location");
    if (name >= strings.size() || file >= strings.size()) {
      in.fail("a location names string " +
              std::to_string(std::max(name, file)) + ", expected less than " +
              std::to_string(strings.size()));
      break;
    }
    program.locations.push_back({strings[name], strings[file], line});
  }
  uint32_t numInstructions = in.count(4, "the number of located instructions");
  program.locationOf =
      in.table<uint32_t>(numInstructions, "the location of an instruction");
  in.finish(".lpu.locations");
  return in.failure();
}

static std::optional<Error> readMachine(const Container &container,
                                        const uint8_t *data, Program &program) {
  const elf::SectionHeader &section = container.header(elf::Machine);
  std::string text(reinterpret_cast<const char *>(data + section.offset),
                   section.size);
  if (auto error = checkText(text, section.offset, ".lpu.machine")) {
    return error;
  }
  Result<MachineModel> machine = MachineModel::parse(text, ".lpu.machine");
  if (!machine) {
    return at(section.offset, machine.message());
  }
  if (machine->toText() != text) { // file_c7
    return at(section.offset, ".lpu.machine is not the canonical text of its "
                              "parameters");
  }
  program.machine = *machine;
  Cursor in = container.section(elf::NoteLPU);
  auto note = in.record<elf::NoteRecord>("the note");
  if (note.machineHash != machine->hash()) { // file_c7
    return at(container.header(elf::NoteLPU).offset +
                  offsetof(elf::NoteRecord, machineHash),
              "the machine's hash is not that of .lpu.machine");
  }
  return std::nullopt;
}

Result<Program> lpu::readBinary(const uint8_t *data, size_t size) {
  Container container(data, size);
  if (auto error = container.open()) {
    return *error;
  }
  Program program;
  program.text = readAll<Instruction>(container.section(elf::Text));
  program.views = readAll<View>(container.section(elf::Views));
  program.operands = readAll<uint32_t>(container.section(elf::Operands));
  program.rodata = readAll<uint8_t>(container.section(elf::Constants));
  program.strtab = readAll<char>(container.section(elf::StringTable));
  if (!program.strtab.empty() && program.strtab.back() != 0) {
    const elf::SectionHeader &section = container.header(elf::StringTable);
    return at(section.offset + section.size - 1,
              ".strtab does not end in a zero byte");
  }
  if (auto error =
          checkText({program.strtab.data(), program.strtab.size()},
                    container.header(elf::StringTable).offset, ".strtab")) {
    return *error;
  }
  if (auto error = readMicro(container.section(elf::Micro), program)) {
    return *error;
  }
  if (auto error = readSignature(container.section(elf::Signature), program)) {
    return *error;
  }
  if (auto error = readLocations(container.section(elf::Locations), program)) {
    return *error;
  }
  if (auto error = readMachine(container, data, program)) {
    return *error;
  }
  return program;
}

//===- BinaryTest.cpp - Tests of the .lpubin container --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written reads back; what is damaged is refused. A file damaged with
// care (its checksum set right again) is refused by the reader or the verifier,
// or runs without touching anything it should not: run under a sanitizer.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Binary.h"
#include "ElfFormat.h"
#include "EveryInstruction.h"
#include "Utf8.h"
#include "lpu/Target/Verifier.h"

#include <cstring>
#include <random>

using namespace lpu;
using namespace lpu::test;

TEST(Binary, RoundTrip) {
  Program program = everyInstruction();
  std::vector<uint8_t> bytes = writeBinary(program);
  Result<Program> again = readBinary(bytes);
  ASSERT_TRUE(bool(again)) << again.message();
  EXPECT_EQ(again->name, program.name);
  EXPECT_EQ(again->machine.toText(), program.machine.toText());
  EXPECT_EQ(again->text.size(), program.text.size());
  EXPECT_EQ(again->inputs[2].type, DType::I64);
  EXPECT_EQ(again->results[0].argument, 4u);
  EXPECT_EQ(again->locations, program.locations);
  // Bytes stand for everything else: writing is a function of the program.
  EXPECT_EQ(writeBinary(*again), bytes);
}

TEST(Binary, EmptyProgram) {
  Program program;
  Result<Program> again = readBinary(writeBinary(program));
  ASSERT_TRUE(bool(again)) << again.message();
  EXPECT_EQ(writeBinary(*again), writeBinary(program));
}

TEST(Binary, IsElf) {
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  EXPECT_EQ(std::memcmp(bytes.data(),
                        "\x7f"
                        "ELF",
                        4),
            0);
  elf::Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  EXPECT_EQ(header.machine, 0x4c50);
  EXPECT_EQ(header.sectionHeaderCount, elf::numSections);
}

TEST(Binary, EveryTruncationIsRefused) {
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + size);
    Result<Program> program = readBinary(cut);
    ASSERT_FALSE(bool(program)) << size;
    ASSERT_EQ(program.message().substr(0, 7), "byte 0x") << program.message();
  }
}

TEST(Binary, AppendedByteIsRefused) {
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  bytes.push_back(0);
  EXPECT_FALSE(bool(readBinary(bytes)));
}

TEST(Binary, EveryBitFlipIsRefused) { // file_c4
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= 1 << bit % 8;
    Result<Program> program = readBinary(bytes);
    ASSERT_FALSE(bool(program)) << "bit " << bit;
    bytes[bit / 8] ^= 1 << bit % 8;
  }
}

/// Where the checksum stands in a file of ours.
static size_t checksumOffset(const std::vector<uint8_t> &bytes) {
  elf::Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  elf::SectionHeader note;
  std::memcpy(
      &note, bytes.data() + header.sectionHeaders + elf::NoteLPU * sizeof(note),
      sizeof(note));
  return note.offset + offsetof(elf::NoteRecord, checksum);
}

/// Runs a program that the verifier accepted, on arguments of its own sizes. A
/// branch backwards may be an endless loop, which is legal and not run here.
static void runOnce(const Program &program) {
  for (size_t i = 0; i < program.text.size(); ++i) {
    if (program.text[i].opcode == Opcode::Branch && program.text[i].a <= i) {
      return;
    }
  }
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<void *> arguments;
  int64_t total = static_cast<int64_t>(program.scratchBytes);
  for (const auto *group : {&program.inputs, &program.outputs}) {
    for (const TensorSpec &tensor : *group) {
      int64_t bytes = byteSize(tensor);
      total += bytes;
      if (total > 1 << 20) {
        return; // A larger signature is legal; the host need not provide it.
      }
      buffers.emplace_back(bytes);
    }
  }
  for (auto &buffer : buffers) {
    arguments.push_back(buffer.data());
  }
  RunOptions options;
  options.threads = 1;
  Result<std::unique_ptr<Simulator>> simulator = Simulator::create(program);
  ASSERT_TRUE(bool(simulator)) << simulator.message();
  Result<Report> report =
      (*simulator)->run(arguments.data(), arguments.size(), options);
  if (!report) {
    EXPECT_FALSE(report.message().empty());
  }
}

/// Sets the checksum right again after damage.
static void repair(std::vector<uint8_t> &bytes, size_t offset) {
  uint64_t checksum = elf::checksum(bytes.data(), bytes.size(), offset);
  std::memcpy(bytes.data() + offset, &checksum, sizeof(checksum));
}

/// Reads, verifies and runs; whether the program was accepted.
static bool runIfAccepted(const std::vector<uint8_t> &bytes) {
  Result<Program> program = readBinary(bytes);
  if (!program || verify(*program)) {
    return false;
  }
  runOnce(*program);
  return true;
}

TEST(Binary, EveryBitFlipWithGoodChecksumIsSafe) {
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  size_t offset = checksumOffset(bytes);
  size_t accepted = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::vector<uint8_t> damaged = bytes;
    damaged[bit / 8] ^= 1 << bit % 8;
    repair(damaged, offset);
    accepted += runIfAccepted(damaged);
  }
  // Names, constants, offsets and the like may change and stay legal.
  EXPECT_GT(accepted, 0u);
}

// Several changes at once find what single ones cannot; the seed is fixed.
TEST(Binary, RandomDamageWithGoodChecksumIsSafe) {
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  size_t offset = checksumOffset(bytes);
  std::mt19937 random(1);
  for (unsigned round = 0; round < 20000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<uint8_t> damaged = bytes;
    for (unsigned change = 0; change < 2 + round % 3; ++change) {
      // Past the ELF header, whose damage is always refused.
      size_t at =
          sizeof(elf::Header) + random() % (bytes.size() - sizeof(elf::Header));
      damaged[at] ^= round % 2 ? 1 << random() % 8 : random() % 256;
    }
    repair(damaged, offset);
    runIfAccepted(damaged);
  }
}

/// The message for a file whose record at `offset` is replaced.
template <typename T>
static std::string messageWith(size_t offset, T value) {
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  repair(bytes, checksumOffset(bytes));
  Result<Program> program = readBinary(bytes);
  return program ? "no error" : program.message();
}

TEST(Binary, MessagesNameTheByte) { // file_c1, file_c3
  EXPECT_EQ(
      messageWith<uint8_t>(1, 'X'),
      "byte 0x0: no little-endian ELF64 file without an operating system");
  EXPECT_EQ(messageWith<uint16_t>(offsetof(elf::Header, machine), 62),
            "byte 0x12: e_machine is 62, expected 19536");
  EXPECT_EQ(messageWith<uint32_t>(offsetof(elf::Header, flags), 9),
            "byte 0x30: the ISA version in e_flags is 9, expected 1");
  EXPECT_EQ(
      readBinary(std::vector<uint8_t>(3)).message(),
      "byte 0x3: the file ends inside of the ELF header, expected 64 bytes");
}

/// Where the header of a section stands in a file of ours, and it.
static std::pair<size_t, elf::SectionHeader> findSection(unsigned number) {
  std::vector<uint8_t> bytes = writeBinary(everyInstruction());
  elf::Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  size_t offset = header.sectionHeaders + number * sizeof(elf::SectionHeader);
  elf::SectionHeader section;
  std::memcpy(&section, bytes.data() + offset, sizeof(section));
  return {offset, section};
}

/// The message without the byte that it names.
template <typename T>
static std::string problemWith(size_t offset, T value) {
  std::string message = messageWith(offset, value);
  EXPECT_EQ(message.substr(0, 7), "byte 0x") << message;
  return message.substr(std::min(message.find(": "), message.size() - 2) + 2);
}

TEST(Binary, SectionMessages) { // file_c2
  auto [at, text] = findSection(elf::Text);
  using Header = elf::SectionHeader;
  EXPECT_EQ(problemWith<uint32_t>(at + offsetof(Header, type), 9),
            "section 1 has type 9, expected 1 (.text)");
  EXPECT_EQ(problemWith<uint64_t>(at + offsetof(Header, size), 40),
            ".text has 40 bytes, expected a multiple of 16");
  EXPECT_EQ(problemWith<uint64_t>(at + offsetof(Header, offset), 1 << 20),
            ".text lies at 1048576 + " + std::to_string(text.size) +
                ", past the end of the file");
  EXPECT_EQ(problemWith<uint32_t>(at + offsetof(Header, name), 0),
            "section 1 is not named .text");
}

TEST(Binary, RecordMessages) { // file_c5
  EXPECT_EQ(problemWith<uint32_t>(findSection(elf::Micro).second.offset, 1000),
            "micro-program 0 has 1000 operations, but .ucode ends before that");
  auto [at, signature] = findSection(elf::Signature);
  EXPECT_EQ(problemWith<uint64_t>(at + offsetof(elf::SectionHeader, size),
                                  signature.size + 4),
            "4 bytes after the end of .lpu.signature");
  EXPECT_EQ(problemWith<uint64_t>(at + offsetof(elf::SectionHeader, size),
                                  signature.size - 4),
            "the section ends inside of the argument of a tensor");
}

TEST(Binary, MachineMessages) { // file_c7
  EXPECT_EQ(problemWith<uint64_t>(findSection(elf::NoteLPU).second.offset +
                                      offsetof(elf::NoteRecord, machineHash),
                                  0),
            "the machine's hash is not that of .lpu.machine");
}

TEST(Binary, PrefixesOfUtf8) {
  EXPECT_EQ(utf8Prefix(""), 0u);
  EXPECT_EQ(utf8Prefix("a\u00e9\u20ac\U0001f600"), 10u);
  EXPECT_EQ(utf8Prefix(std::string_view("a\0b", 3)), 3u);
  for (const char *wrong : {"ab\x80", "ab\xff", "ab\xc3", "ab\xe2\x82",
                            "ab\xc0\x80", "ab\xe0\x80\x80", "ab\xed\xa0\x80",
                            "ab\xf4\x90\x80\x80", "ab\xf8\x88\x80\x80\x80"}) {
    EXPECT_EQ(utf8Prefix(wrong), 2u) << wrong;
  }
}

// Names reach Python as text.
TEST(Binary, TextIsUtf8) { // file_c6
  Program program = everyInstruction();
  auto messageOf = [](const Program &program) {
    Result<Program> read = readBinary(writeBinary(program));
    return read ? "no error" : read.message();
  };
  std::string name = program.inputs[0].name;
  program.inputs[0].name = "no\u00e9";
  EXPECT_EQ(messageOf(program), "no error");
  program.inputs[0].name = "no\xe9";
  std::string message = messageOf(program);
  EXPECT_EQ(message.substr(0, 7), "byte 0x") << message;
  EXPECT_NE(message.find("the name of a tensor is not UTF-8 from here on"),
            std::string::npos)
      << message;
  program.inputs[0].name = name;
  program.strtab.insert(program.strtab.end(), {'\xff', '\0'});
  EXPECT_NE(messageOf(program).find(".strtab is not UTF-8"), std::string::npos);
}

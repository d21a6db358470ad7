//===- ElfFormat.h - The records of the .lpubin container -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the writer and the reader share: the parts of ELF64 that we use, the
// list of sections and the note. Records are written as they stand in memory.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_TARGET_ELFFORMAT_H
#define LPU_LIB_TARGET_ELFFORMAT_H

#include "Hash.h"
#include "lpu/Target/Encoding.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "binaries are little-endian, and are copied as they stand in memory"
#endif

namespace lpu::elf {

struct Header {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programHeaders, sectionHeaders;
  uint32_t flags; ///< ISA version.
  uint16_t headerSize, programHeaderSize, programHeaderCount;
  uint16_t sectionHeaderSize, sectionHeaderCount, sectionNames;
};
static_assert(sizeof(Header) == 64, "Elf64_Ehdr");

struct SectionHeader {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entrySize;
};
static_assert(sizeof(SectionHeader) == 64, "Elf64_Shdr");

constexpr uint8_t ident[16] = {0x7f,
                               'E',
                               'L',
                               'F',
                               2 /* 64 bits */,
                               1 /* little-endian */,
                               1 /* version */,
                               0xff /* standalone: no operating system */};
constexpr uint16_t typeExecutable = 2;

enum SectionType : uint32_t { Null = 0, Bits = 1, Strings = 3, Note = 7 };

/// The sections, in the order of the file. Section 0 is ELF's null section.
enum Section : unsigned {
  Text = 1,
  Views,
  Operands,
  Micro,
  Constants,
  StringTable,
  Machine,
  Signature,
  Locations,
  NoteLPU,
  SectionNames,
  numSections,
};

struct SectionInfo {
  std::string_view name;
  SectionType type;
  uint64_t alignment;
  uint64_t entrySize; ///< Zero if not a table of equal records.
};

constexpr SectionInfo sections[numSections] = {
    {"", Null, 0, 0},
    {".text", Bits, 16, sizeof(Instruction)},
    {".desc", Bits, 8, sizeof(View)},
    {".operands", Bits, 4, sizeof(uint32_t)},
    {".ucode", Bits, 16, 0},
    {".rodata", Bits, 64, 0},
    {".strtab", Bits, 1, 0},
    {".lpu.machine", Bits, 1, 0},
    {".lpu.signature", Bits, 1, 0},
    {".lpu.locations", Bits, 1, 0},
    {".note.lpu", Note, 8, 0},
    {".shstrtab", Strings, 1, 0},
};

/// The whole of .note.lpu: one ELF note.
struct NoteRecord {
  uint32_t nameSize, descriptionSize, type;
  char name[4]; ///< "LPU" and a zero.
  uint32_t isaVersion;
  uint32_t reserved;
  uint64_t machineHash; ///< MachineModel::hash of .lpu.machine.
  uint64_t checksum;
};
static_assert(sizeof(NoteRecord) == 40, "no padding");
constexpr uint32_t noteDescriptionSize = 24;
constexpr uint32_t noteType = 1;

/// The hash of the whole file with the eight bytes at `checksumOffset` read as
/// zero.
inline uint64_t checksum(const uint8_t *data, size_t size,
                         size_t checksumOffset) {
  Hash hash;
  for (size_t i = 0; i < size; ++i) {
    bool isChecksum = i - checksumOffset < sizeof(uint64_t);
    hash.add(isChecksum ? 0 : data[i]);
  }
  return hash.value();
}

} // namespace lpu::elf

#endif // LPU_LIB_TARGET_ELFFORMAT_H

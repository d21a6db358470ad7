//===- Binary.h - The .lpubin file ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine program as an ELF64 file. Writing is deterministic: equal programs
// give equal bytes. Reading takes any bytes at all and either returns a program
// or an error that names the byte offset. docs/ISA.md, "The file", has the
// layout.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_BINARY_H
#define LPU_TARGET_BINARY_H

#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <cstdint>
#include <vector>

namespace lpu {

/// e_machine of a `.lpubin`: "PL" in the file; not a registered number.
constexpr uint16_t elfMachine = 0x4c50;

std::vector<uint8_t> writeBinary(const Program &program);

/// Reads and checks the container: ELF structure, section bounds, ISA version,
/// checksum, machine hash, strings, indices of locations. What the
/// instructions say is `verify`'s to check.
Result<Program> readBinary(const uint8_t *data, size_t size);
inline Result<Program> readBinary(const std::vector<uint8_t> &bytes) {
  return readBinary(bytes.data(), bytes.size());
}

} // namespace lpu

#endif // LPU_TARGET_BINARY_H

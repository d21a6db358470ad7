//===- Address.h - Numbers, addresses and arrays as text ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a user names bytes of the machine: `lmu:0x100:16` on the command line and
// in step mode, `x.npy:0x100:8x64:f32` for an array to be written.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_ADDRESS_H
#define LPU_TOOLS_LPU_SIM_ADDRESS_H

#include "lpu/Simulator/Memory.h"
#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lpu {

/// A decimal or, after "0x", hexadecimal number from 0 to 2^63 - 1.
std::optional<int64_t> parseNumber(std::string_view text);

/// A type by its name in the specification: f32, bf16, ...
std::optional<DType> parseType(std::string_view text);

/// The pieces of a text between separators.
std::vector<std::string> split(std::string_view text, char separator);

/// "lmu", "scratch", "constant" or "arg3".
std::string spaceText(Space space, uint16_t argument);

/// Reads SPACE:OFFSET[:BYTES], which must lie inside of the memory.
Result<ByteRange> parseAddress(const std::string &text, const Program &program,
                               const Memory &memory, int64_t defaultBytes = 4);

/// "lmu:0x100:4".
std::string addressText(const ByteRange &range);

/// An array in the LMU, and where to write it.
struct Dump {
  std::string path;
  int64_t offset = 0;
  TensorSpec tensor;
};

/// Reads FILE[:OFFSET:SIZES:DTYPE]; without the latter it is all bytes.
Result<Dump> parseDump(const std::string &text, const Memory &memory);

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_ADDRESS_H

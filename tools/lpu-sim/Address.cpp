//===- Address.cpp - Numbers, addresses and arrays as text ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Address.h.
//
//===----------------------------------------------------------------------===//

#include "Address.h"

#include "lpu/Target/Names.h"

#include <charconv>
#include <cstdio>

using namespace lpu;

std::optional<int64_t> lpu::parseNumber(std::string_view text) {
  bool isHex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
  const char *begin = text.data() + (isHex ? 2 : 0);
  const char *end = text.data() + text.size();
  int64_t value = 0;
  auto [stop, status] = std::from_chars(begin, end, value, isHex ? 16 : 10);
  if (status != std::errc() || stop != end || value < 0 || *begin == '-') {
    return std::nullopt;
  }
  return value;
}

std::optional<DType> lpu::parseType(std::string_view text) {
  for (unsigned i = 0; i < numDTypes; ++i) {
    auto type = static_cast<DType>(i);
    if (!text.empty() && nameOf(type) == text) {
      return type;
    }
  }
  return std::nullopt;
}

std::vector<std::string> lpu::split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find(separator, start), text.size());
    pieces.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return pieces;
}

std::string lpu::spaceText(Space space, uint16_t argument) {
  std::string text(nameOf(space));
  return space == Space::Arg ? text + std::to_string(argument) : text;
}

static std::string hex(int64_t value) {
  char buffer[24];
  std::snprintf(buffer, sizeof(buffer), "0x%llx",
                static_cast<unsigned long long>(value));
  return buffer;
}

std::string lpu::addressText(const ByteRange &range) {
  return spaceText(range.space, range.argument) + ":" + hex(range.begin) + ":" +
         std::to_string(range.end - range.begin);
}

/// Sets the memory of a range by its name; an error message if there is none.
static std::optional<Error>
parseSpace(const std::string &name, const Program &program, ByteRange &range) {
  for (Space space : {Space::LMU, Space::Scratch, Space::Constant}) {
    if (name == nameOf(space)) {
      range.space = space;
      return std::nullopt;
    }
  }
  std::string prefix(nameOf(Space::Arg));
  std::optional<int64_t> number;
  if (name.compare(0, prefix.size(), prefix) == 0) {
    number = parseNumber(std::string_view(name).substr(prefix.size()));
  }
  if (!number) {
    return Error{"'" + name +
                 "' is no memory, expected lmu, scratch, constant or argN"};
  }
  auto count = static_cast<int64_t>(program.numArguments());
  if (*number >= count) {
    return Error{"there is no argument " + std::to_string(*number) +
                 ", the program has " + std::to_string(count)};
  }
  range.space = Space::Arg;
  range.argument = static_cast<uint16_t>(*number);
  return std::nullopt;
}

Result<ByteRange> lpu::parseAddress(const std::string &text,
                                    const Program &program,
                                    const Memory &memory,
                                    int64_t defaultBytes) {
  std::vector<std::string> pieces = split(text, ':');
  if (pieces.size() < 2 || pieces.size() > 3) {
    return Error{"expected SPACE:OFFSET[:BYTES], such as lmu:0x100:4"};
  }
  ByteRange range;
  if (std::optional<Error> error = parseSpace(pieces[0], program, range)) {
    return *error;
  }
  std::optional<int64_t> offset = parseNumber(pieces[1]);
  if (!offset) {
    return Error{"offset '" + pieces[1] + "', expected a number"};
  }
  std::optional<int64_t> bytes =
      pieces.size() == 3 ? parseNumber(pieces[2]) : defaultBytes;
  if (!bytes || *bytes == 0) {
    return Error{"size '" + pieces[2] + "', expected a number of bytes"};
  }
  int64_t size = memory.size(range.space, range.argument);
  if (*offset > size || *bytes > size - *offset) {
    return Error{std::to_string(*bytes) + " bytes at " + hex(*offset) +
                 ", expected to be inside of " + pieces[0] + ", which has " +
                 std::to_string(size) + " bytes"};
  }
  range.begin = *offset;
  range.end = *offset + *bytes;
  return range;
}

Result<Dump> lpu::parseDump(const std::string &text, const Memory &memory) {
  Dump dump;
  dump.path = text;
  dump.tensor.name = "lmu";
  dump.tensor.type = DType::U8;
  int64_t size = memory.size(Space::LMU, 0);
  dump.tensor.sizes = {size};
  std::vector<std::string> pieces = split(text, ':');
  if (pieces.size() == 1 && !text.empty()) {
    return dump;
  }
  // A path may have colons of its own; the last three pieces are ours.
  if (pieces.size() < 4) {
    return Error{"expected FILE.npy or FILE.npy:OFFSET:SIZES:DTYPE, such as "
                 "x.npy:0x100:8x64:f32"};
  }
  const std::string *fields = pieces.data() + pieces.size() - 3;
  size_t length = 3;
  for (unsigned i = 0; i < 3; ++i) {
    length += fields[i].size();
  }
  dump.path = text.substr(0, text.size() - length);
  std::optional<int64_t> offset = parseNumber(fields[0]);
  if (!offset) {
    return Error{"offset '" + fields[0] + "', expected a number"};
  }
  dump.offset = *offset;
  dump.tensor.sizes.clear();
  std::optional<DType> type = parseType(fields[2]);
  if (!type) {
    return Error{"type '" + fields[2] +
                 "', expected f32, bf16, f16, i64, i32, i16, i8, u8 or bool"};
  }
  dump.tensor.type = *type;
  int64_t bytes = byteWidth(*type);
  for (const std::string &piece : split(fields[1], 'x')) {
    std::optional<int64_t> extent = parseNumber(piece);
    if (!extent || *extent == 0) {
      return Error{"sizes '" + fields[1] + "', expected sizes such as 8x64"};
    }
    // What is larger than the memory is refused below; it must not overflow.
    bytes = *extent > size / bytes ? size + 1 : bytes * *extent;
    bytes = std::min(bytes, size + 1);
    dump.tensor.sizes.push_back(*extent);
    if (bytes > size) {
      break;
    }
  }
  if (bytes > size || dump.offset > size - bytes) {
    return Error{"the array does not fit into the LMU at " + hex(dump.offset) +
                 ", which has " + std::to_string(size) + " bytes"};
  }
  return dump;
}

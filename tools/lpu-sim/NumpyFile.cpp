//===- NumpyFile.cpp - Arrays in .npy files -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A .npy file is a magic number, a version, the length of a header and the
// header: a Python dictionary as text, with 'descr', 'fortran_order' and
// 'shape'. NumPy writes it in one way, so looking for the three keys is enough.
//
//===----------------------------------------------------------------------===//

#include "NumpyFile.h"

#include <cstdio>
#include <cstring>
#include <memory>

using namespace lpu;

namespace {
struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;
} // namespace

constexpr char magic[] = "\x93NUMPY\x01\x00";
constexpr size_t magicSize = sizeof(magic) - 1;

/// NumPy's spelling of a type.
static const char *descriptorOf(DType type) {
  switch (type) {
  case DType::F32:
    return "<f4";
  case DType::BF16:
    return "<u2";
  case DType::F16:
    return "<f2";
  case DType::I64:
    return "<i8";
  case DType::I32:
    return "<i4";
  case DType::I16:
    return "<i2";
  case DType::I8:
    return "|i1";
  case DType::U8:
    return "|u1";
  case DType::Bool:
    return "|b1";
  }
  return "";
}

/// "(2, 3)", "(4,)" or "()".
static std::string shapeText(const TensorSpec &tensor) {
  std::string text = "(";
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    text += (d ? ", " : "") + std::to_string(tensor.sizes[d]);
  }
  return text + (tensor.sizes.size() == 1 ? ",)" : ")");
}

Result<std::vector<uint8_t>> lpu::readFile(const std::string &path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return Error{path + ": cannot be read"};
  }
  std::vector<uint8_t> bytes;
  uint8_t buffer[65536];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file.get())) {
    bytes.insert(bytes.end(), buffer, buffer + count);
  }
  if (std::ferror(file.get())) {
    return Error{path + ": cannot be read"};
  }
  return bytes;
}

std::optional<Error> lpu::writeFile(const std::string &path, const void *data,
                                    size_t size) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file || std::fwrite(data, 1, size, file.get()) != size ||
      std::fflush(file.get()) != 0) {
    return Error{path + ": cannot be written"};
  }
  return std::nullopt;
}

/// The text between `key` and the next of `ends`, without spaces around it.
static std::string headerValue(const std::string &header, const char *key,
                               const char *ends) {
  size_t start = header.find(key);
  if (start == std::string::npos) {
    return {};
  }
  start = header.find(':', start);
  start = start == std::string::npos ? start
                                     : header.find_first_not_of(" :", start);
  if (start == std::string::npos) {
    return {};
  }
  size_t end = header.find_first_of(ends, start + 1);
  return header.substr(start, end == std::string::npos ? end : end - start + 1);
}

/// What a file is that is none of ours.
static std::string describeMagic(const std::vector<uint8_t> &bytes) {
  constexpr size_t versionAt = magicSize - 2;
  if (bytes.size() < magicSize + 2 ||
      std::memcmp(bytes.data(), magic, versionAt) != 0) {
    return "no .npy file";
  }
  return "version " + std::to_string(bytes[versionAt]) + "." +
         std::to_string(bytes[versionAt + 1]);
}

Result<std::vector<uint8_t>> lpu::readNumpy(const std::string &path,
                                            const TensorSpec &tensor) {
  Result<std::vector<uint8_t>> file = readFile(path);
  if (!file) {
    return file;
  }
  std::vector<uint8_t> &bytes = *file;
  if (bytes.size() < magicSize + 2 ||
      std::memcmp(bytes.data(), magic, magicSize) != 0) {
    return Error{path + ": " + describeMagic(bytes) +
                 ", expected a .npy file of version 1.0"};
  }
  size_t headerSize = bytes[magicSize] | size_t(bytes[magicSize + 1]) << 8;
  size_t dataStart = magicSize + 2 + headerSize;
  if (dataStart > bytes.size()) {
    return Error{path + ": the file ends inside of its header"};
  }
  std::string header(bytes.begin() + magicSize + 2, bytes.begin() + dataStart);
  std::string type = headerValue(header, "'descr'", "'");
  std::string shape = headerValue(header, "'shape'", ")");
  std::string expectedType = std::string("'") + descriptorOf(tensor.type) + "'";
  if (type != expectedType || shape != shapeText(tensor)) {
    return Error{path + ": type " + type + " and shape " + shape +
                 ", expected " + expectedType + " and " + shapeText(tensor) +
                 " for '" + tensor.name + "'"};
  }
  if (headerValue(header, "'fortran_order'", ",") != "False,") {
    return Error{path + ": Fortran order, expected C order"};
  }
  auto expected = static_cast<size_t>(byteSize(tensor));
  if (bytes.size() - dataStart != expected) {
    return Error{path + ": " + std::to_string(bytes.size() - dataStart) +
                 " bytes of data, expected " + std::to_string(expected)};
  }
  bytes.erase(bytes.begin(), bytes.begin() + dataStart);
  return file;
}

std::optional<Error> lpu::writeNumpy(const std::string &path,
                                     const TensorSpec &tensor,
                                     const uint8_t *data) {
  std::string header =
      std::string("{'descr': '") + descriptorOf(tensor.type) +
      "', 'fortran_order': False, 'shape': " + shapeText(tensor) + ", }";
  // The data starts at a multiple of 64; the header ends in a newline.
  while ((magicSize + 2 + header.size() + 1) % 64 != 0) {
    header += ' ';
  }
  header += '\n';
  std::vector<uint8_t> bytes(magic, magic + magicSize);
  bytes.push_back(static_cast<uint8_t>(header.size() & 0xff));
  bytes.push_back(static_cast<uint8_t>(header.size() >> 8));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data, data + byteSize(tensor));
  return writeFile(path, bytes.data(), bytes.size());
}

//===- Describe.cpp - Instructions and values as text ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Describe.h.
//
//===----------------------------------------------------------------------===//

#include "Describe.h"

#include "lpu/Simulator/Numerics.h"
#include "lpu/Target/Names.h"

#include <cstdio>
#include <cstring>

using namespace lpu;
using namespace lpu::numerics;

std::string lpu::placeOf(const Program &program, uint32_t index) {
  std::string text = describeInstruction(program, index);
  const Location *location = program.locationOfInstruction(index);
  if (location && !location->file.empty()) {
    text += " at " + location->file + ":" + std::to_string(location->line);
  }
  return text;
}

static std::string list(const int64_t *values, unsigned count) {
  std::string text = "[";
  for (unsigned i = 0; i < count; ++i) {
    text += (i ? ", " : "") + std::to_string(values[i]);
  }
  return text + "]";
}

std::string lpu::describe(const ResolvedView &view) {
  std::string memory(nameOf(view.space));
  if (view.space == Space::Arg) {
    memory += "[" + std::to_string(view.argument) + "]";
  }
  return "<" + memory + ", " + std::string(nameOf(view.type)) + ", " +
         list(view.sizes, view.rank) + ", " + list(view.strides, view.rank) +
         ", " + std::to_string(view.offset) + ">";
}

template <typename T>
static T read(const uint8_t *data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

static std::string realText(float value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.9g", static_cast<double>(value));
  return buffer;
}

std::string lpu::valueText(DType type, const uint8_t *data) {
  switch (type) {
  case DType::F32:
    return realText(read<float>(data));
  case DType::BF16:
    return realText(bf16ToF32(read<uint16_t>(data)));
  case DType::F16:
    return realText(f16BitsToF32(read<uint16_t>(data)));
  case DType::I64:
    return std::to_string(read<int64_t>(data));
  case DType::I32:
    return std::to_string(read<int32_t>(data));
  case DType::I16:
    return std::to_string(read<int16_t>(data));
  case DType::I8:
    return std::to_string(read<int8_t>(data));
  case DType::U8:
  case DType::Bool:
    return std::to_string(*data);
  }
  return {};
}

std::string lpu::valuesText(DType type, const uint8_t *data, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += (i ? " " : "") + valueText(type, data + i * byteWidth(type));
  }
  return text;
}

std::string lpu::valuesText(const ResolvedView &view, const Memory &memory,
                            int64_t limit) {
  std::string text;
  int64_t count = view.numElements();
  for (int64_t i = 0; i < std::min(count, limit); ++i) {
    int64_t rest = i, element = 0;
    for (unsigned d = view.rank; d-- > 0;) {
      element += rest % view.sizes[d] * view.strides[d];
      rest /= view.sizes[d];
    }
    const uint8_t *data = memory.address(view) + element * byteWidth(view.type);
    text += (i ? " " : "") + valueText(view.type, data);
  }
  return count > limit ? text + " ..." : text;
}

std::string lpu::bytesText(const uint8_t *data, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    char buffer[4];
    std::snprintf(buffer, sizeof(buffer), i ? " %02x" : "%02x", data[i]);
    text += buffer;
  }
  return text;
}

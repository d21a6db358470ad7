//===- VerifyView.cpp - Checks views against their memories ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view names bytes through offsets, strides, registers with bounds and loop
// increments. The interval of all reachable bytes is computed in 128-bit
// arithmetic, where none of the fields can overflow, and compared with the size
// of the memory.
//
//===----------------------------------------------------------------------===//

#include "VerifierParts.h"
#include "lpu/Target/Names.h"

using namespace lpu;

using Wide = __int128;

std::string lpu::viewText(uint32_t number) {
  return "view " + std::to_string(number);
}

std::string lpu::sizesText(const View &view) {
  std::string text = "{";
  for (unsigned d = 0; d < view.rank; ++d) {
    text += (d ? ", " : "");
    text += d == view.dynamicDim ? "r" + std::to_string(view.sizeRegister) +
                                       " <= " + std::to_string(view.sizes[d])
                                 : std::to_string(view.sizes[d]);
  }
  return text + "}";
}

// view_c1
Problem lpu::verifyViewFields(const Program &program, const View &view) {
  size_t numArguments = program.numArguments();
  if (nameOf(view.space).empty()) {
    return "space " + std::to_string(static_cast<unsigned>(view.space)) +
           ", expected 0 to 3";
  }
  if (nameOf(view.type).empty() || view.type == DType::U8) {
    return "element type " + std::to_string(static_cast<unsigned>(view.type)) +
           ", expected f32, bf16, f16, i64, i32, i16, i8 or bool";
  }
  if (view.rank > maxRank) {
    return "rank " + std::to_string(view.rank) + ", expected at most " +
           std::to_string(maxRank);
  }
  if (view.space == Space::Arg ? view.argument >= numArguments
                               : view.argument != 0) {
    return "argument " + std::to_string(view.argument) + ", expected " +
           (view.space == Space::Arg
                ? "less than " + std::to_string(numArguments)
                : "0 outside of space arg");
  }
  for (unsigned d = view.rank; d < maxRank; ++d) {
    if (view.sizes[d] || view.strides[d]) {
      return "dimension " + std::to_string(d) +
             " past the rank is not zero, expected size 0 and stride 0";
    }
  }
  // view_c5: whatever multiplies a size and a stride stays within 64 bits, for
  // dimensions of size 0 and 1 too, whose strides reach nothing.
  constexpr Wide limit = Wide(1) << 56;
  Wide elements = 1; // view_c6
  for (unsigned d = 0; d < view.rank; ++d) {
    elements *= view.sizes[d] ? view.sizes[d] : 1;
    if (elements > limit) {
      return "sizes " + sizesText(view) + ", expected at most 2^56 elements";
    }
    Wide reach = Wide(view.sizes[d] ? view.sizes[d] : 1) * view.strides[d] *
                 byteWidth(view.type);
    if (reach > limit || reach < -limit) {
      return "dimension " + std::to_string(d) + " has size " +
             std::to_string(view.sizes[d]) + " and stride " +
             std::to_string(view.strides[d]) +
             ", expected to span at most 2^56 bytes";
    }
  }
  if (view.dynamicDim != noneField && view.dynamicDim >= view.rank) {
    return "dynamic dimension " + std::to_string(view.dynamicDim) +
           ", expected less than the rank " + std::to_string(view.rank);
  }
  if ((view.dynamicDim == noneField) != (view.sizeRegister == noneField)) {
    return "a dynamic dimension without a size register or the other way "
           "round, expected both or none";
  }
  if (view.sizeRegister != noneField && view.sizeRegister >= numRegisters) {
    return "size register " + std::to_string(view.sizeRegister) +
           ", expected less than " + std::to_string(numRegisters);
  }
  if (view.offsetRegister != noneField && view.offsetRegister >= numRegisters) {
    return "offset register " + std::to_string(view.offsetRegister) +
           ", expected less than " + std::to_string(numRegisters);
  }
  if (view.offsetRegister == noneField ? view.offsetBound != 0
                                       : view.offsetBound < 0) {
    return "offset bound " + std::to_string(view.offsetBound) + ", expected " +
           (view.offsetRegister == noneField ? "0 without an offset register"
                                             : "a value of 0 or more");
  }
  int64_t width = byteWidth(view.type);
  if (view.offset % width || view.offsetBound % width) { // view_c3
    return "offset " + std::to_string(view.offset) + " with bound " +
           std::to_string(view.offsetBound) + ", expected multiples of the " +
           std::to_string(width) + " bytes of an element";
  }
  return {};
}

/// Bytes of the memory that a view lies in.
static int64_t memoryBytes(const Program &program, const View &view) {
  switch (view.space) {
  case Space::Arg:
    return byteSize(program.argument(view.argument));
  case Space::Scratch:
    return static_cast<int64_t>(program.scratchBytes);
  case Space::Constant:
    return static_cast<int64_t>(program.rodata.size());
  case Space::LMU:
    return static_cast<int64_t>(program.lmuBytes);
  }
  return 0;
}

Problem lpu::verifyViewRange(const Program &program, const View &view,
                             const LoopContext &loops) {
  int64_t width = byteWidth(view.type);
  Wide low = view.offset;
  Wide high = Wide(view.offset) + view.offsetBound;
  for (unsigned level = 0; level < maxLoopDepth; ++level) {
    int64_t increment = view.loopIncrements[level];
    if (increment == 0) {
      continue;
    }
    if (level >= loops.depth) { // view_c4
      return "an increment for loop level " + std::to_string(level) +
             ", expected 0 outside of such a loop";
    }
    if (increment % width) { // view_c3
      return "an increment of " + std::to_string(increment) +
             " bytes, expected a multiple of the " + std::to_string(width) +
             " bytes of an element";
    }
    uint32_t trips = loops.trips[level];
    Wide reach = Wide(increment) * (trips ? trips - 1 : 0);
    (reach < 0 ? low : high) += reach;
  }
  bool isEmpty = false;
  for (unsigned d = 0; d < view.rank; ++d) {
    if (view.sizes[d] == 0) {
      isEmpty = true;
      continue;
    }
    // A size and a stride have at most 32 and 64 bits, a product 96.
    Wide reach = Wide(view.sizes[d] - 1) * view.strides[d] * width;
    (reach < 0 ? low : high) += reach;
  }
  high += width;
  // An empty view can be anywhere that 64 bits reach (view_c6).
  constexpr Wide farthest = Wide(1) << 60;
  if (isEmpty && low >= -farthest && high <= farthest) {
    return {};
  }
  int64_t bytes = memoryBytes(program, view);
  if (low < 0 || high > bytes) { // view_c2
    // Offsets and increments can still be any number.
    auto text = [](Wide value) {
      constexpr Wide limit = Wide(1) << 62;
      if (value > limit || value < -limit) {
        return std::string(value < 0 ? "less than -2^62" : "more than 2^62");
      }
      return std::to_string(static_cast<int64_t>(value));
    };
    return "reaches bytes [" + text(low) + ", " + text(high) + ") of " +
           std::string(nameOf(view.space)) +
           (view.space == Space::Arg ? " " + std::to_string(view.argument)
                                     : std::string()) +
           ", expected within [0, " + std::to_string(bytes) + ")";
  }
  return {};
}

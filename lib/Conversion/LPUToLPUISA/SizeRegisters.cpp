//===- SizeRegisters.cpp - Run-time sizes in registers --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SizeRegisters.h. There are 32 registers and a handful of values, so they
// are searched one by one.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/SizeRegisters.h"

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::lpu;
using ::lpu::AluFunction;

bool SizeValue::operator==(const SizeValue &other) const {
  return source.space == other.source.space &&
         source.argument == other.source.argument &&
         source.offset == other.source.offset &&
         source.type == other.source.type && part == other.part;
}

std::optional<unsigned> RegisterFile::find(const SizeValue &value) {
  for (auto [number, slot] : llvm::enumerate(slots)) {
    if (slot.value && *slot.value == value) {
      slot.lastUse = ++time;
      return number;
    }
  }
  return std::nullopt;
}

unsigned RegisterFile::assign(const SizeValue &value) {
  auto slot = std::min_element(slots.begin(), slots.end(),
                               [](const Slot &left, const Slot &right) {
                                 return (left.value ? left.lastUse : 0) <
                                        (right.value ? right.lastUse : 0);
                               });
  *slot = {value, ++time, depth};
  return slot - slots.begin();
}

void RegisterFile::forget(const StridedView &written) {
  for (Slot &slot : slots) {
    if (slot.value && slot.value->source.mayOverlap(written)) {
      slot.value.reset();
    }
  }
}

void RegisterFile::leaveRegion() {
  for (Slot &slot : slots) {
    if (slot.depth == depth) {
      slot.value.reset();
    }
  }
  --depth;
}

unsigned SizeRegisters::getPart(OpBuilder &builder, Location location,
                                const StridedView &source, int64_t first,
                                int64_t size) {
  SizeValue part{source, std::pair(first, size)};
  if (std::optional<unsigned> known = file.find(part)) {
    return *known;
  }
  SizeValue whole{source, std::nullopt};
  std::optional<unsigned> length = file.find(whole);
  if (!length) {
    length = file.assign(whole);
    lpuisa::LdOp::create(
        builder, location, *length,
        lpuisa::ViewAttr::fromView(builder.getContext(), source.toView()));
  }
  unsigned result = file.assign(part);
  unsigned operand = *length;
  auto emit = [&](AluFunction function, int64_t immediate) {
    lpuisa::AluOp::createImmediate(builder, location, function, result, operand,
                                   static_cast<int32_t>(immediate));
    operand = result;
  };
  if (first != 0) {
    emit(AluFunction::Add, -first);
  }
  emit(AluFunction::Max, 0);
  emit(AluFunction::Min, size);
  return result;
}

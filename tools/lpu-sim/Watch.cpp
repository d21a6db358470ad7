//===- Watch.cpp - Who reads and writes some bytes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Watch.h.
//
//===----------------------------------------------------------------------===//

#include "Watch.h"

#include "Accesses.h"
#include "Address.h"
#include "Describe.h"

#include <utility>

using namespace lpu;

/// The watched bytes, as a view.
static ResolvedView bytesOf(const ByteRange &range) {
  ResolvedView view;
  view.space = range.space;
  view.argument = range.argument;
  view.type = DType::U8;
  view.rank = 1;
  view.offset = range.begin;
  view.sizes[0] = range.end - range.begin;
  view.strides[0] = 1;
  return view;
}

void Watch::willExecute(const IssuedInstruction &instruction,
                        const MachineState &state) {
  isRead = isWritten = false;
  // Most instructions are far away.
  const ResolvedView *touching = nullptr;
  for (unsigned i = 0; i < instruction.numViews && !touching; ++i) {
    bool isNear = range.overlaps(instruction.views[i].bounds());
    touching = isNear ? &instruction.views[i] : nullptr;
  }
  if (!touching) {
    return;
  }
  ResolvedView view = bytesOf(range);
  StridedBytes bytes(view);
  for (const Access &access : accessesOf(instruction)) {
    if (range.overlaps(access.range) && bytes.overlaps(access.bytes)) {
      (access.isWrite ? isWritten : isRead) = true;
    }
  }
  type = touching->type;
  const uint8_t *data = state.memory().address(view);
  before.assign(data, data + view.sizes[0]);
}

std::string Watch::didExecute(const IssuedInstruction &instruction,
                              const MachineState &state,
                              const Program &program) {
  if (!isRead && !isWritten) {
    return {};
  }
  bool reads = std::exchange(isRead, false);
  bool writes = std::exchange(isWritten, false);
  // Whole elements are shown as such.
  auto size = static_cast<int64_t>(before.size());
  auto show = [&](const uint8_t *data) {
    int64_t width = byteWidth(type);
    bool isWhole = type != DType::U8 && size % width == 0;
    return bytesText(data, size) +
           (isWhole ? " (" + valuesText(type, data, size / width) + ")" : "");
  };
  std::string text = "watch " + addressText(range) + ": " +
                     placeOf(program, instruction.index) + " ";
  if (!writes) {
    return text + "reads " + show(before.data());
  }
  text += reads ? "reads and writes " : "writes ";
  const uint8_t *after = state.memory().address(bytesOf(range));
  return text + show(before.data()) + " -> " + show(after);
}

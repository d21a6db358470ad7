//===- HazardItems.cpp - A program as the planners see it -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HazardItems.h.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/Transforms/HazardItems.h"

using namespace mlir::lpuisa;

static void collectWritten(const std::vector<HazardItem> &block,
                           std::set<uint32_t> &memories) {
  for (const HazardItem &item : block) {
    for (const HazardAccess &access : item.accesses) {
      if (access.isWrite) {
        memories.insert(access.range.getMemory());
      }
    }
    collectWritten(item.body, memories);
  }
}

std::set<uint32_t>
mlir::lpuisa::getWrittenMemories(const std::vector<HazardItem> &block) {
  std::set<uint32_t> memories;
  collectWritten(block, memories);
  return memories;
}

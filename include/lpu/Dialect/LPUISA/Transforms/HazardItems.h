//===- HazardItems.h - A program as the planners see it ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data about instructions: the unit, the bytes that each touches, and how
// they nest. The semaphore planner and the scheduler decide on it.
//
// A hazard is a pair of accesses to common bytes, one of them a write.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_TRANSFORMS_HAZARDITEMS_H
#define LPU_DIALECT_LPUISA_TRANSFORMS_HAZARDITEMS_H

#include "lpu/Dialect/LPUISA/Transforms/ByteRange.h"
#include "lpu/Target/Encoding.h"

#include <set>
#include <vector>

namespace mlir::lpuisa {

/// One access of an instruction.
struct HazardAccess {
  ByteRange range;
  bool isWrite = false;
  /// The bytes that an `mm` takes from the stream: read as late as here, but
  /// ordered after their writer by the `stream`.
  bool isStreamed = false;
};

/// What stands in a block.
struct HazardItem {
  enum class Kind {
    Instruction, ///< Of `unit`, with `accesses`.
    Stream,      ///< Likewise; pushes an entry for an Mm of the same block.
    Mm,          ///< Likewise; takes the oldest entry.
    Loop,        ///< Repeats `body` at most `trips` times.
    Label,       ///< Control may come here from elsewhere.
    Branch,      ///< Control may go elsewhere from here.
    Halt,        ///< The program ends here.
    Fault,       ///< Likewise, in an error.
  };
  Kind kind = Kind::Instruction;
  ::lpu::Unit unit = ::lpu::Unit::ICP;
  std::vector<HazardAccess> accesses;
  uint64_t trips = 0;
  std::vector<HazardItem> body;
  /// The caller's number of this item; unique.
  unsigned id = 0;
};

/// Whether `after` must wait for `before`, if they touch a common byte.
inline bool isHazard(const HazardAccess &before, const HazardAccess &after) {
  // What an mm takes from the stream was read in order by the stream.
  return (before.isWrite || after.isWrite) && !after.isStreamed;
}

/// The memories that a block and the loops in it write.
std::set<uint32_t> getWrittenMemories(const std::vector<HazardItem> &block);

} // namespace mlir::lpuisa

#endif // LPU_DIALECT_LPUISA_TRANSFORMS_HAZARDITEMS_H

//===- MemoryPlanner.h - Places buffers in one memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision part of memory allocation, as plain data: which buffers share a
// memory of limited size, and where. It knows no IR, so that it is tested
// without any.
//
// Deciding is two steps. Eviction: at each moment at which the living buffers
// exceed the memory, the one with the largest product of size and lifetime
// leaves, for it occupies the most. Placement: greedy by size (Pisarchyk and
// Lee, 2020), each buffer at the lowest address that fits beside those that
// live at the same time; one that finds no place because of fragmentation
// leaves as well.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_MEMORYPLANNER_H
#define LPU_DIALECT_LPU_TRANSFORMS_MEMORYPLANNER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::lpu {

/// A buffer of `bytes` bytes that lives from moment `first` to `last`, both
/// included. Two buffers may share bytes if their lifetimes do not meet.
struct BufferRequest {
  int64_t bytes;
  int64_t first;
  int64_t last;
};

struct MemoryProblem {
  std::vector<BufferRequest> buffers;
  int64_t capacity;
  int64_t alignment;
};

struct MemoryPlan {
  /// Per buffer: its address, or none if it has to live elsewhere.
  std::vector<std::optional<int64_t>> addresses;
  /// End of the highest buffer.
  int64_t bytesUsed = 0;
  /// Bytes of the buffers without an address.
  int64_t bytesEvicted = 0;
};

/// Solves `problem`. Deterministic: equal problems have equal plans.
MemoryPlan planMemory(const MemoryProblem &problem);

/// Checks that `plan` solves `problem`: addresses aligned and within the
/// capacity, no bytes shared at the same moment. Returns what is wrong, or
/// none.
std::optional<std::string> verifyPlan(const MemoryProblem &problem,
                                      const MemoryPlan &plan);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_MEMORYPLANNER_H

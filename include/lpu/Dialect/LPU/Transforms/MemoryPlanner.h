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
// Units run ahead of each other, and whoever takes over bytes waits for their
// last user. So bytes rest between two owners for as many moments as the memory
// has room for: placement is tried with lifetimes that are longer by that many,
// by half of them, and so on down to none.
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
  /// For how many moments bytes should rest between two owners. A wish: no
  /// buffer leaves because of it.
  int64_t rest = 0;
};

struct MemoryPlan {
  /// Per buffer: its address, or none if it has to live elsewhere.
  std::vector<std::optional<int64_t>> addresses;
  /// End of the highest buffer.
  int64_t bytesUsed = 0;
  /// Bytes of the buffers without an address.
  int64_t bytesEvicted = 0;
  /// The most bytes that live at one moment, of the buffers with an address.
  /// No plan that keeps them uses less.
  int64_t bytesLive = 0;
  /// The rest that there was room for.
  int64_t rest = 0;
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

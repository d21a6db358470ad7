//===- Memory.h - The memories of the machine -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HBM (arguments, constants, scratch) and the LMU as host memory. Arguments
// are the caller's buffers and constants the program's; scratch and LMU are
// allocated here, by the page and only when touched, so that a program that is
// only timed costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_MEMORY_H
#define LPU_SIMULATOR_MEMORY_H

#include "lpu/Simulator/ResolvedView.h"
#include "lpu/Target/Program.h"

#include <optional>
#include <vector>

namespace lpu {

/// A region of zeroed pages that the system provides on first touch.
class PagedRegion {
public:
  PagedRegion() = default;
  explicit PagedRegion(uint64_t bytes);
  PagedRegion(PagedRegion &&other) noexcept;
  PagedRegion &operator=(PagedRegion &&other) noexcept;
  ~PagedRegion();

  /// Null if the system has not got that much address space.
  uint8_t *data() const { return start; }
  uint64_t size() const { return bytes; }

private:
  uint8_t *start = nullptr;
  uint64_t bytes = 0;
};

class Memory {
public:
  explicit Memory(const Program &program);

  /// Sets the arguments of the next run.
  void bind(void *const *pointers);

  /// Whether the system had the address space for scratch and LMU.
  bool isAllocated() const {
    return isPresent(Space::Scratch, 0) && isPresent(Space::LMU, 0);
  }

  /// Fills LMU and scratch with a pattern that is a NaN in every float type, an
  /// index far out of range as an integer, and neither 0 nor 1 as a truth
  /// value.
  void poison();

  /// Where the element at index 0 of a view is. The memory must be present.
  /// That of a view without elements can be anywhere and is never used, so this
  /// computes with numbers, whose sums may leave the memory. It is not null
  /// where the memory is not there: callers may add to it.
  uint8_t *address(const ResolvedView &view) const {
    static uint8_t nowhere;
    uint8_t *first = base(view.space, view.argument);
    auto start =
        reinterpret_cast<uintptr_t>(first != nullptr ? first : &nowhere);
    return reinterpret_cast<uint8_t *>(start +
                                       static_cast<uintptr_t>(view.offset));
  }

  /// Whether the bytes of a memory are there: an argument can be null.
  bool isPresent(Space space, uint16_t argument) const {
    return base(space, argument) != nullptr || size(space, argument) == 0;
  }

  /// An error unless the view lies in its memory.
  std::optional<Error> check(const ResolvedView &view) const;

  int64_t size(Space space, uint16_t argument) const;

private:
  uint8_t *base(Space space, uint16_t argument) const;

  std::vector<uint8_t *> arguments;
  std::vector<int64_t> argumentSizes;
  const std::vector<uint8_t> *constants;
  PagedRegion scratch, lmu;
};

} // namespace lpu

#endif // LPU_SIMULATOR_MEMORY_H

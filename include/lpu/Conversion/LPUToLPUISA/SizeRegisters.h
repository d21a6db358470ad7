//===- SizeRegisters.h - Run-time sizes in registers ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that are known when the program runs are in registers of the control
// unit. Several operations ask for the same ones (each layer for the parts of
// one length), so what a register holds is remembered for as long as no other
// value needs the register and nobody writes the memory that it was loaded
// from. When all are taken, the one that was not asked for longest gives way.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_SIZEREGISTERS_H
#define LPU_CONVERSION_LPUTOLPUISA_SIZEREGISTERS_H

#include "lpu/Conversion/LPUToLPUISA/StridedView.h"

#include "mlir/IR/Builders.h"

#include <vector>

namespace mlir::lpu {

/// What a register holds: an integer of memory, or a part of one.
struct SizeValue {
  StridedView source; ///< One integer.
  /// The part [first, first + size) of a length: how much of it there is, that
  /// is the integer less `first`, within [0, size]. Nothing: the integer.
  std::optional<std::pair<int64_t, int64_t>> part;

  bool operator==(const SizeValue &other) const;
};

/// Which value is in which register. Knows no IR.
class RegisterFile {
public:
  explicit RegisterFile(unsigned numRegisters) : slots(numRegisters) {}

  /// The register that holds `value`, if one does.
  std::optional<unsigned> find(const SizeValue &value);
  /// A register that holds `value` from now on.
  unsigned assign(const SizeValue &value);
  /// Forgets what was loaded from bytes that a write to `written` may change.
  void forget(const StridedView &written);

  /// What is assigned within a region that may not run is forgotten behind it.
  void enterRegion() { ++depth; }
  void leaveRegion();

private:
  struct Slot {
    std::optional<SizeValue> value;
    uint64_t lastUse = 0;
    unsigned depth = 0;
  };
  std::vector<Slot> slots;
  uint64_t time = 0;
  unsigned depth = 0;
};

/// Creates the instructions that bring sizes into registers.
class SizeRegisters {
public:
  SizeRegisters() : file(::lpu::numRegisters) {}

  /// A register with the part [first, first + size) of the length at `source`.
  unsigned getPart(OpBuilder &builder, Location location,
                   const StridedView &source, int64_t first, int64_t size);

  RegisterFile file;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_SIZEREGISTERS_H

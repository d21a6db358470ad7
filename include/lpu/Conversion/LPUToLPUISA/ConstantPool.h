//===- ConstantPool.h - The constants of a program --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the contents of the constant space: elements as they stand in
// memory, each distinct constant once.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_CONSTANTPOOL_H
#define LPU_CONVERSION_LPUTOLPUISA_CONSTANTPOOL_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::lpu {

/// The bytes of the constant space, in the making.
class ConstantPool {
public:
  /// Byte offset of a constant's elements, row-major; splats are expanded.
  /// None if the machine has no such element type.
  std::optional<int64_t> add(ElementsAttr elements);
  const std::vector<char> &getBytes() const { return bytes; }

private:
  std::vector<char> bytes;
  llvm::DenseMap<Attribute, int64_t> offsets;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_CONSTANTPOOL_H

//===- ConstantPool.cpp - The constants of a program ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants start at multiples of 64 bytes, the burst of every machine, so that
// one never costs a burst of its neighbour.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ConstantPool.h"

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Alignment.h"

using namespace mlir;
using namespace mlir::lpu;

/// The bytes of one element, little-endian.
static void append(std::vector<char> &bytes, const APInt &bits,
                   unsigned width) {
  APInt value = bits.zextOrTrunc(64);
  for (unsigned i = 0; i < width; ++i) {
    bytes.push_back(static_cast<char>(value.extractBitsAsZExtValue(8, 8 * i)));
  }
}

std::optional<int64_t> ConstantPool::add(ElementsAttr elements) {
  Type elementType = elements.getElementType();
  std::optional<::lpu::DType> type = getDType(elementType);
  if (!type) {
    return std::nullopt;
  }
  auto [entry, isNew] = offsets.try_emplace(elements, 0);
  if (!isNew) {
    return entry->second;
  }
  bytes.resize(llvm::alignTo(bytes.size(), 64));
  entry->second = static_cast<int64_t>(bytes.size());
  unsigned width = ::lpu::byteWidth(*type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    // A resource holds its elements as memory does, truth values as bytes.
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() !=
                     static_cast<size_t>(elements.getNumElements()) * width) {
      offsets.erase(elements);
      return std::nullopt;
    }
    bytes.insert(bytes.end(), blob->getData().begin(), blob->getData().end());
    return entry->second;
  }
  if (isa<FloatType>(elementType)) {
    for (const APFloat &value : elements.getValues<APFloat>()) {
      append(bytes, value.bitcastToAPInt(), width);
    }
  } else {
    for (const APInt &value : elements.getValues<APInt>()) {
      append(bytes, value, width);
    }
  }
  return entry->second;
}

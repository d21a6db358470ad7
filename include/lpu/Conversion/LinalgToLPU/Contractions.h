//===- Contractions.h - Recognises contractions in linalg -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a linalg.generic is work for the matrix unit. Fusion asks so as not
// to spoil one, the conversion so as to make one an `lpu.contract`.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LINALGTOLPU_CONTRACTIONS_H
#define LPU_CONVERSION_LINALGTOLPU_CONTRACTIONS_H

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace mlir::lpu {

/// A contraction without the loops of one trip that an import is full of.
struct Contraction {
  SmallVector<AffineMap> maps; ///< Of a, b and c.
  SmallVector<bool> isReduction;
  SmallVector<int64_t> sizes;
  ContractDimensions dimensions;
};

/// If `op` is `c += a * b` over linear maps, with types that the matrix unit
/// has, where a and b may be widened before they are multiplied: its shape.
std::optional<Contraction> matchContraction(linalg::GenericOp op);

inline bool isContraction(linalg::GenericOp op) {
  return matchContraction(op).has_value();
}

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LINALGTOLPU_CONTRACTIONS_H

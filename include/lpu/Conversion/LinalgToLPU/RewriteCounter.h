//===- RewriteCounter.h - How often patterns apply --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the statistics of passes that consist of patterns. What the driver folds
// or erases on its way is not counted.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LINALGTOLPU_REWRITECOUNTER_H
#define LPU_CONVERSION_LINALGTOLPU_REWRITECOUNTER_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::lpu {

/// Counts the patterns that a rewriter applies.
struct RewriteCounter : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &, LogicalResult status) override {
    count += succeeded(status);
  }
  unsigned count = 0;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LINALGTOLPU_REWRITECOUNTER_H

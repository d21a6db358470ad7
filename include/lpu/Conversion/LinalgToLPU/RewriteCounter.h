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
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {

/// Counts the patterns that a rewriter applies.
struct RewriteCounter : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &, LogicalResult status) override {
    count += succeeded(status);
  }
  unsigned count = 0;
};

/// Applies patterns until none is left to apply; `statistic` grows by how often
/// one did.
inline LogicalResult applyAndCount(Operation *op, RewritePatternSet &&patterns,
                                   Pass::Statistic &statistic) {
  RewriteCounter counter;
  GreedyRewriteConfig config = GreedyRewriteConfig().setListener(&counter);
  LogicalResult result = applyPatternsGreedily(op, std::move(patterns), config);
  statistic += counter.count;
  return result;
}

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LINALGTOLPU_REWRITECOUNTER_H

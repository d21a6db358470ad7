//===- ReplacementCounter.h - How many operations patterns replaced -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the statistics of passes that consist of patterns.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LINALGTOLPU_REPLACEMENTCOUNTER_H
#define LPU_CONVERSION_LINALGTOLPU_REPLACEMENTCOUNTER_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::lpu {

/// Counts the operations that a rewriter replaces by others.
struct ReplacementCounter : RewriterBase::Listener {
  using RewriterBase::Listener::notifyOperationReplaced;
  void notifyOperationReplaced(Operation *, ValueRange) override { ++count; }
  unsigned count = 0;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LINALGTOLPU_REPLACEMENTCOUNTER_H

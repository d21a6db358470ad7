//===- MicroStages.h - The linalg operations of one program -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Analysis of a region of the vector unit: its linalg operations become stages
// of one micro-program over one domain. Loops of two operations are one
// dimension of the domain if a tensor between the two says so. A dimension is
// reduced if some operation reduces it; operations that have a reduced
// dimension run for elements, the others for rows.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_MICROSTAGES_H
#define LPU_CONVERSION_LPUTOLPUISA_MICROSTAGES_H

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>
#include <vector>

namespace mlir::lpu {

/// One linalg operation.
struct MicroStage {
  linalg::LinalgOp op;
  /// Trip count of each loop.
  SmallVector<int64_t> sizes;
  /// Dimension of the domain that each loop is, or -1 if it has one trip.
  SmallVector<int> dims;
  bool isElements = false; ///< Has a reduced dimension.
  bool isReducing = false; ///< Reduces it; else it is computed in place.
  /// The first section (numbered as in MicroDraft) in which its results can be
  /// computed; what it reduces is known in the section after it.
  unsigned section = 0;
};

/// The stages of one body, in order, and their domain.
struct MicroStages {
  std::vector<MicroStage> stages;
  SmallVector<int64_t> domain;
  unsigned parallel = 0;

  /// Analyses a region of the vector unit. If it is no single micro-program,
  /// says in `reason` why; `culprit` is then the operation that it says it of.
  static std::optional<MicroStages> analyze(Block &body, std::string &reason,
                                            Operation *&culprit);

  MicroStage *lookup(Operation *op);
  /// The section behind which no stage computes anything.
  unsigned getLastSection() const;
  bool hasReducedDimensions() const { return parallel < domain.size(); }

  /// The dimension of the domain that all operations walk dimension `position`
  /// of `tensor` as, a block argument or a result of the body; none if there is
  /// no such one.
  std::optional<unsigned> getDomainDim(Value tensor, unsigned position);
  /// Lane-cycles of computing each operation once, about.
  int64_t getWork(int64_t transcendental);
};

/// Lane-cycles that one execution of the body of `op` takes, about.
int64_t getBodyCycles(linalg::LinalgOp op, int64_t transcendental);

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_MICROSTAGES_H

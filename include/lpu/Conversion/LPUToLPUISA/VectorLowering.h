//===- VectorLowering.h - From lpu.vector to micro-programs -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a region of the vector unit into micro-operations: the body of an
// `lpu.vector`, or what stands before or behind an `lpu.contract`. Values are
// computed on demand: each in the section that asks for it, once in that
// section, and what does not vary within a row once a row. So nothing is
// written to memory between the phases of a program; a later phase computes
// again what an earlier one had.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_VECTORLOWERING_H
#define LPU_CONVERSION_LPUTOLPUISA_VECTORLOWERING_H

#include "lpu/Conversion/LPUToLPUISA/MicroDraft.h"
#include "lpu/Conversion/LPUToLPUISA/MicroStages.h"
#include "lpu/Conversion/LPUToLPUISA/ViewBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::lpu {

/// A region that becomes one micro-program, and where its tensors lie.
struct VectorBody {
  Block *block;
  SmallVector<StridedView> arguments; ///< By block argument.
  SmallVector<StridedView> results;   ///< By yielded value.

  /// The part of one dimension of the program's domain (see MicroStages) that
  /// is computed. Views are of the whole all the same.
  struct Slice {
    unsigned dim;
    int64_t first, size;
  };
  std::optional<Slice> slice;
};

class VectorLowering {
public:
  using Register = MicroDraft::Register;

  VectorLowering(Location location, VectorBody body, ViewBuilder &views);

  /// Creates the instructions. Emits an error on the operation that has no
  /// counterpart on the machine.
  LogicalResult lower(OpBuilder &builder);

private:
  // Tensors (VectorLowering.cpp).
  LogicalResult lowerReduction(MicroStage &stage);
  LogicalResult lowerStores();
  LogicalResult lowerPassedThrough(OpBuilder &builder);
  FailureOr<Register> getResult(OpResult result);
  FailureOr<Register> getElement(Value tensor, AffineMap map,
                                 MicroStage *stage);
  FailureOr<StridedView> getTensorView(Value tensor);
  StridedView onDomain(const StridedView &view, const MicroStage &stage) const;
  FailureOr<Register> load(const StridedView &view);

  // Scalars (VectorScalars.cpp).
  FailureOr<Register> getScalar(Value value, MicroStage *stage);
  FailureOr<Register> computeScalar(Value value, MicroStage *stage);
  FailureOr<Register> lowerIf(scf::IfOp op, unsigned result, MicroStage *stage);
  FailureOr<Register> lowerExtract(tensor::ExtractOp op, MicroStage *stage);
  /// The condition under which the code around `op` runs within its stage.
  FailureOr<std::optional<Register>> getGuard(Operation *op, MicroStage *stage);
  LogicalResult lowerAsserts(MicroStage &stage);
  Register getLoopIndex(unsigned loop, const MicroStage &stage);
  std::optional<AffineExpr> getAffineIndex(Value value,
                                           MicroStage *stage) const;

  Location location;
  VectorBody body;
  ViewBuilder &views;
  MicroStages stages;
  std::optional<MicroDraft> draft;
  /// What is known, by section.
  DenseMap<std::pair<Value, unsigned>, Register> known;
  DenseMap<Value, Register> reduced;
  llvm::SmallPtrSet<Operation *, 4> asserted;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_VECTORLOWERING_H

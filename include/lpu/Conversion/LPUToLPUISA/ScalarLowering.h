//===- ScalarLowering.h - Scalars as micro-operations -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers one operation of the arith, math or index arithmetic kind, whose
// operands are already in micro-registers.
//
// Floats live in f32 registers. What is computed in bf16 or f16 is computed in
// f32 and rounded, which gives the correctly rounded result for add, sub, mul,
// div and sqrt because f32 has more than twice the digits.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_SCALARLOWERING_H
#define LPU_CONVERSION_LPUTOLPUISA_SCALARLOWERING_H

#include "lpu/Conversion/LPUToLPUISA/MicroDraft.h"

#include "mlir/IR/Operation.h"

namespace mlir::lpu {

/// The type of the register that holds a scalar, if there is one.
std::optional<::lpu::MicroType> getMicroType(Type type);

/// Rounds a register to the values of the float type `type`; f32 is exact.
MicroDraft::Register roundTo(MicroDraft &draft, Type type,
                             MicroDraft::Register value);

/// The register of a scalar constant, which `getMicroType` accepts.
MicroDraft::Register lowerConstant(MicroDraft &draft, TypedAttr value);

/// Appends `op` to the current section. Emits an error on an operation that
/// the machine has no micro-operation for.
FailureOr<MicroDraft::Register>
lowerScalar(MicroDraft &draft, Operation *op,
            ArrayRef<MicroDraft::Register> inputs);

/// Appends the scalar code of `block`, which has no nested regions, for these
/// arguments; gives what its terminator yields.
FailureOr<SmallVector<MicroDraft::Register>>
lowerBlock(MicroDraft &draft, Block &block,
           ArrayRef<MicroDraft::Register> arguments);

/// An affine expression of dimensions that are in I64 registers.
MicroDraft::Register lowerAffine(MicroDraft &draft, AffineExpr expr,
                                 ArrayRef<MicroDraft::Register> dims);

/// How the machine combines what the scalar operation `op` combines, if it can
/// reduce with it.
std::optional<::lpu::MicroCombine> getCombine(Operation *op);

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_SCALARLOWERING_H

//===- AttentionOp.cpp - Verifier and effects of lpu.attention ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of queries, keys, values, mask and length, and the memory that the
// operation touches.
//
//===----------------------------------------------------------------------===//

#include "DestinationOps.h"

#include "lpu/Dialect/LPU/IR/LPU.h"

using namespace mlir;
using namespace mlir::lpu;

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffectsWithTemporary(*this, effects);
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyStaticShapes(*this))) {
    return failure();
  }
  if (getTemporary() && !isa<MemRefType>(getTemporary().getType())) {
    return emitOpError("has a temporary that is no memref");
  }
  ShapedType q = getShaped(getQ()), k = getShaped(getK()),
             v = getShaped(getV()), out = getShaped(getOuts());
  for (ShapedType type : {q, k, v, out}) {
    if (type.getRank() != 4) {
      return emitOpError("has an operand of rank ")
             << type.getRank() << "; expected [batch, heads, length, size]";
    }
    if (type.getElementType() != q.getElementType() ||
        !isContractType(type.getElementType(), type.getElementType())) {
      return emitOpError("has an operand of ")
             << type.getElementType()
             << "; expected one type f32, f16 or bf16 for q, k, v and result";
    }
  }
  int64_t batch = q.getDimSize(0), queryHeads = q.getDimSize(1),
          rows = q.getDimSize(2), keyHeads = k.getDimSize(1),
          keys = k.getDimSize(2);
  if (k.getDimSize(0) != batch || v.getDimSize(0) != batch ||
      v.getDimSize(1) != keyHeads || v.getDimSize(2) != keys ||
      k.getDimSize(3) != q.getDimSize(3)) {
    return emitOpError("shapes of q, k and v do not agree: ")
           << q << ", " << k << ", " << v;
  }
  if (keyHeads == 0 ? queryHeads != 0 : queryHeads % keyHeads != 0) {
    return emitOpError("has ") << queryHeads << " query heads, no multiple of "
                               << keyHeads << " key heads";
  }
  SmallVector<int64_t> expected{batch, queryHeads, rows, v.getDimSize(3)};
  if (out.getShape() != ArrayRef(expected)) {
    return emitOpError("result is ") << out << "; expected shape " << expected;
  }
  if (getLength()) {
    ShapedType length = getShaped(getLength());
    if (!length.getElementType().isInteger(64) || length.getRank() > 1 ||
        length.getNumElements() != 1) {
      return emitOpError("has a length of ") << length << "; expected one i64";
    }
  }
  if (!getMask()) {
    return success();
  }
  ShapedType mask = getShaped(getMask());
  Type element = mask.getElementType();
  if (!element.isInteger(1) && !isContractType(element, element)) {
    return emitOpError("has a mask of ")
           << element << "; expected i1, f32, f16 or bf16";
  }
  SmallVector<int64_t> scores{batch, queryHeads, rows, keys};
  if (mask.getRank() > 4) {
    return emitOpError("has a mask of rank ") << mask.getRank();
  }
  for (auto [size, full] :
       llvm::zip(llvm::reverse(mask.getShape()), llvm::reverse(scores))) {
    if (size != full && size != 1) {
      return emitOpError("mask ")
             << mask << " does not broadcast to " << scores;
    }
  }
  return success();
}

bool AttentionOp::readsInit(unsigned) { return false; }

//===- ContractLowering.cpp - From lpu.contract to stream and mm ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maps of a contraction are linear, so every operand is a strided view over
// its domain: transposes, strides of convolutions and their windows are views.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/Lowerings.h"
#include "lpu/Conversion/LPUToLPUISA/MatrixProduct.h"

using namespace mlir;
using namespace mlir::lpu;

LogicalResult mlir::lpu::lowerContract(ContractOp op,
                                       LoweringContext &context) {
  if (op.hasPrologue() || op.hasEpilogue()) {
    return op.emitOpError("has a region; expected none at this stage");
  }
  SmallVector<int64_t> domain = op.getDomainSizes();
  MatrixProduct product;
  for (auto [memref, map, target] :
       {std::tuple(Value(op.getA()), op.getMapA(), &product.a),
        std::tuple(Value(op.getB()), op.getMapB(), &product.b),
        std::tuple(Value(op.getOuts()), op.getMapC(), &product.c)}) {
    FailureOr<StridedView> base = context.views.getView(memref);
    if (failed(base)) {
      return failure();
    }
    std::optional<StridedView> view = base->through(map, domain);
    if (!view) {
      return op.emitOpError("has a map that is not linear: ")
             << AffineMapAttr::get(map);
    }
    *target = *view;
  }
  product.dims = op.classify();
  product.accumulates = !op.getZeroInit();
  return product.emit(context.builder, op.getLoc(), context.machine);
}

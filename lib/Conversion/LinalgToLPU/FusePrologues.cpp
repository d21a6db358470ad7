//===- FusePrologues.cpp - Move the making of a weight into its use -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weight that is converted or scaled before a contraction streams it would be
// made as a whole, through memory. As the prologue of the contraction it is
// made a tile at a time, on chip, while the matrix unit works on the tile
// before.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ContractPlan.h"
#include "lpu/Conversion/LinalgToLPU/Regions.h"
#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_FUSEPROLOGUESPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// The one input of `op` that has as many elements as its result and is stored;
/// null unless all others are small against it.
static Value findRaw(VectorOp op) {
  int64_t numElements =
      cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  Value raw;
  for (Value input : op.getInputs()) {
    int64_t size = cast<RankedTensorType>(input.getType()).getNumElements();
    if (size == numElements && getStored(input) && !raw) {
      raw = input;
    } else if (size > numElements / 8) {
      return {};
    }
  }
  return raw;
}

namespace {

struct FuseProloguesPass
    : mlir::lpu::impl::FuseProloguesPassBase<FuseProloguesPass> {
  using FuseProloguesPassBase::FuseProloguesPassBase;

  void runOnOperation() override {
    SmallVector<ContractOp> contracts;
    getOperation().walk([&](ContractOp op) { contracts.push_back(op); });
    for (ContractOp op : contracts) {
      auto producer = op.getB().getDefiningOp<VectorOp>();
      if (op.hasPrologue() || !producer || !op.getB().hasOneUse() ||
          !isElementwise(producer)) {
        continue;
      }
      Value raw = findRaw(producer);
      if (raw && fuse(op, producer, raw)) {
        ++numFused;
      }
    }
  }

  static bool fuse(ContractOp op, VectorOp producer, Value raw) {
    SmallVector<Value> inputs;
    for (Value input : producer.getInputs()) {
      if (input != raw) {
        inputs.push_back(input);
      }
    }
    OpBuilder b(op);
    auto fused = ContractOp::create(
        b, op.getLoc(), op->getResultTypes(), op.getA(), raw, inputs,
        op.getEpilogueInputs(), op.getOuts(), /*temporary=*/Value(),
        op.getIndexingMaps(), op.getIteratorTypes(), op.getZeroInit(),
        /*tiling=*/TilingAttr());
    fillRegion(fused.getPrologue(), producer, raw);
    fused.getEpilogue().takeBody(op.getEpilogue());
    ContractDimensions dims = fused.classify();
    SmallVector<int64_t> domain = fused.getDomainSizes();
    bool canBeCut = llvm::any_of(
        llvm::concat<unsigned>(dims.cols, dims.batch),
        [&](unsigned dim) { return domain[dim] > 1 && getCut(fused, dim); });
    if (!canBeCut) {
      op.getEpilogue().takeBody(fused.getEpilogue());
      fused.erase();
      return false;
    }
    op->getResult(0).replaceAllUsesWith(fused->getResult(0));
    op.erase();
    producer.erase();
    return true;
  }
};

} // namespace

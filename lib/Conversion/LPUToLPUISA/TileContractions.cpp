//===- TileContractions.cpp - Cut contractions between the units ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the decision of ContractPlan into the IR. It runs on buffers, since
// what pays depends on the memories that they lie in.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ContractPlan.h"
#include "lpu/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_TILECONTRACTIONSPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct TileContractionsPass
    : mlir::lpu::impl::TileContractionsPassBase<TileContractionsPass> {
  using TileContractionsPassBase::TileContractionsPassBase;

  void runOnOperation() override {
    ::lpu::MachineModel machine = getMachine(getOperation());
    getOperation().walk([&](ContractOp op) {
      if (op.getTilingAttr() || !isa<MemRefType>(op.getOuts().getType())) {
        return;
      }
      TilingAttr tiling = chooseTiling(op, machine);
      if (!tiling) {
        return;
      }
      op.setTilingAttr(tiling);
      int64_t extent = op.getDomainSizes()[tiling.getDim()];
      numTiles += (extent + tiling.getSize() - 1) / tiling.getSize();
      numStaged += tiling.getStaged();
    });
  }
};

} // namespace

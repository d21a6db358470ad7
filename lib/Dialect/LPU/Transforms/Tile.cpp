//===- Tile.cpp - Tile what exceeds the on-chip memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the operations at which more has to live than fits on chip, grows a
// chain around each (TileChain.cpp), lets the planner choose among the
// dimensions that it could be tiled along (TilePlanner.cpp), and writes the
// tiles (TileEmission.cpp). Liveness is that of one block in its order.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Operands.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"
#include "lpu/Dialect/LPU/Transforms/TileChain.h"
#include "lpu/Dialect/LPU/Transforms/TilingDomain.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "lpu-tile"

namespace mlir::lpu {
#define GEN_PASS_DEF_TILEPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// The tensor that `value` is a view of.
static Value getViewed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

/// Bytes of the operands that the unit of `op` works on directly. What is
/// streamed or read as a table needs no room on chip.
static int64_t getOwnBytes(DestinationStyleOpInterface op) {
  int64_t bytes = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (wantsLMU(operand)) {
      bytes += getByteSize(cast<ShapedType>(operand.get().getType()));
    }
  }
  return bytes;
}

namespace {

struct TilePass : mlir::lpu::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function.getBody().hasOneBlock()) {
      return;
    }
    ::lpu::MachineModel machine = getMachine(function);
    Block &block = function.getBody().front();
    llvm::SetVector<Operation *> seeds = findExceeding(block, machine.lmuBytes);
    while (!seeds.empty()) {
      Operation *seed = seeds.front();
      seeds.remove(seed);
      tileAround(seed, seeds, machine);
    }
    mark(machine.lmuBytes);
  }

  /// The operations at which the operands of the units and what is kept for
  /// later operations exceed `capacity`.
  static llvm::SetVector<Operation *> findExceeding(Block &block,
                                                    int64_t capacity) {
    // A value lives from its producer to the last unit that works on it. What
    // is only streamed or returned may as well lie in HBM.
    SmallVector<DestinationStyleOpInterface> ops;
    llvm::MapVector<Value, std::pair<size_t, size_t>> lifetimes;
    for (Operation &op : block) {
      auto destinationOp = dyn_cast<DestinationStyleOpInterface>(op);
      if (!destinationOp || !isa<LPUDialect>(op.getDialect())) {
        continue;
      }
      size_t position = ops.size();
      ops.push_back(destinationOp);
      for (OpOperand *operand : destinationOp.getDpsInputOperands()) {
        if (!wantsLMU(*operand)) {
          continue;
        }
        Value value = getViewed(operand->get());
        bool isArgument = isa<BlockArgument>(value);
        auto [lifetime, isNew] =
            lifetimes.insert({value, {position, position}});
        // An argument can be brought on chip for each use.
        lifetime->second.second = position;
        if (isArgument) {
          lifetime->second.first = position;
        }
      }
      for (OpResult result : op.getResults()) {
        lifetimes.insert({result, {position, position}});
      }
    }
    SmallVector<int64_t> bytes(ops.size(), 0);
    for (auto &[value, lifetime] : lifetimes) {
      if (isa<BlockArgument>(value)) {
        continue;
      }
      for (size_t at = lifetime.first; at <= lifetime.second; ++at) {
        bytes[at] += getByteSize(cast<ShapedType>(value.getType()));
      }
    }
    llvm::SetVector<Operation *> exceeding;
    for (auto [at, op] : llvm::enumerate(ops)) {
      for (OpOperand *operand : op.getDpsInputOperands()) {
        if (wantsLMU(*operand) &&
            isa<BlockArgument>(getViewed(operand->get()))) {
          bytes[at] += getByteSize(cast<ShapedType>(operand->get().getType()));
        }
      }
      if (bytes[at] > capacity) {
        exceeding.insert(op);
      }
    }
    return exceeding;
  }

  /// Tiles the best chain around `seed`, if one saves bytes.
  void tileAround(Operation *seed, llvm::SetVector<Operation *> &seeds,
                  const ::lpu::MachineModel &machine) {
    TileChain best;
    ChainPlan bestPlan;
    TilingDomain domain = getTilingDomain(seed);
    for (unsigned dim = 0, e = domain.extents.size(); dim < e; ++dim) {
      TileChain chain = growChain(seed, dim, machine.lmuBytes / 8, machine);
      if (!chain.members.contains(seed)) {
        continue;
      }
      ChainProblem problem = describeChain(chain, machine);
      problem.maxTiles = maxTiles;
      std::optional<ChainPlan> plan = planChain(problem);
      if (!plan && chain.granularity < chain.preferredGranularity) {
        problem.granularity = chain.granularity;
        plan = planChain(problem);
      }
      LLVM_DEBUG({
        llvm::dbgs() << "dimension " << dim << " of " << *seed << ": chain of "
                     << chain.numSteps << ", working set "
                     << getWorkingSet(problem, problem.extent, problem.numSteps)
                     << ", of a tile of " << problem.granularity << " "
                     << getWorkingSet(problem, problem.granularity,
                                      problem.numSteps);
        if (plan) {
          llvm::dbgs() << "; " << plan->numTiles << " tiles of "
                       << plan->tileSize << " need " << plan->bytesTiled
                       << ", save " << plan->bytesSaved;
        }
        llvm::dbgs() << "\n";
      });
      if (plan && plan->bytesSaved > bestPlan.bytesSaved) {
        best = std::move(chain);
        bestPlan = *plan;
      }
    }
    if (best.members.empty()) {
      return;
    }
    ++numChains;
    numTiles += bestPlan.numTiles;
    bytesSaved += bestPlan.bytesSaved;
    bytesWhole.updateMax(bestPlan.bytesWhole);
    bytesTiled.updateMax(bestPlan.bytesTiled);
    numTiled += best.numSteps;
    for (auto &[op, member] : best.members) {
      seeds.remove(op);
    }
    emitTiles(best, bestPlan, machine);
  }

  /// Says of each operation that still exceeds the memory by how much.
  void mark(int64_t capacity) {
    getOperation().walk([&](DestinationStyleOpInterface op) {
      if (!isa<LPUDialect>(op->getDialect())) {
        return;
      }
      int64_t bytes = getOwnBytes(op);
      if (bytes > capacity) {
        op->setAttr("lpu.exceeds_lmu",
                    Builder(op).getI64IntegerAttr(bytes - capacity));
        ++numExceeding;
      }
    });
  }
};

} // namespace

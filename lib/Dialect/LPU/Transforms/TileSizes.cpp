//===- TileSizes.cpp - The sizes by which a chain is planned --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a chain into the plain data that the planner decides on: the values
// that units work on with their lifetimes, and the weights that are streamed.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/Operands.h"
#include "lpu/Dialect/LPU/Transforms/TileChain.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lpu;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The value that `value` shares its memory with, among the chain's: what it is
/// a view of, or what it is inserted into.
static Value getSource(const TileChain &chain, Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isTensorView(op) || !chain.members.contains(op)) {
      break;
    }
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (!chain.produces(insert.getDest())) {
        break;
      }
      value = insert.getDest();
    } else {
      value = op->getOperand(0);
    }
  }
  return value;
}

/// Bytes that a tile of `value` moves in vain: its pieces, one for each index
/// of the dimensions outside of the tiled one, end within bursts.
static int64_t countWaste(const TileChain &chain, Value value,
                          const ::lpu::MachineModel &machine) {
  auto slab = chain.slabs.find(value);
  if (slab == chain.slabs.end()) {
    return 0;
  }
  RankedTensorType type = getTensor(value);
  int64_t pieces = 1;
  for (int64_t size : type.getShape().take_front(slab->second.dimension)) {
    pieces *= size;
  }
  bool isAligned = getByteSize(type) / pieces % machine.hbmBurstBytes == 0;
  return isAligned ? 0 : pieces * machine.hbmBurstBytes;
}

/// Bytes of the weight and rows of a contraction, as they follow the tile.
static ChainStream describeStream(const TileChain &chain, ContractOp op,
                                  unsigned tiledDimension,
                                  const ::lpu::MachineModel &machine) {
  ContractDimensions dims = op.classify();
  SmallVector<int64_t> sizes = op.getDomainSizes();
  ChainStream stream{getByteSize(getTensor(op.getB())), 1,
                     llvm::is_contained(dims.rows, tiledDimension),
                     !llvm::is_contained(dims.rows, tiledDimension),
                     countWaste(chain, op.getB(), machine)};
  for (unsigned dim : dims.rows) {
    stream.rows *= sizes[dim];
  }
  return stream;
}

/// Bytes that the unit of an operation reads of an operand.
static int64_t countBytesRead(OpOperand &operand,
                              const ::lpu::MachineModel &machine) {
  int64_t bytes = getByteSize(getTensor(operand.get()));
  auto contract = dyn_cast<ContractOp>(operand.getOwner());
  if (!contract || operand.get() != contract.getA()) {
    return bytes;
  }
  // The activations are broadcast anew to each group of columns.
  int64_t cols = 1;
  SmallVector<int64_t> sizes = contract.getDomainSizes();
  for (unsigned dim : contract.classify().cols) {
    cols *= sizes[dim];
  }
  return bytes * llvm::divideCeil(cols, machine.trees);
}

/// Whether something outside of the chain uses `value` or a view of it.
static bool isSeenOutside(const TileChain &chain, Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !chain.members.contains(user) ||
           (isTensorView(user) && isSeenOutside(chain, user->getResult(0)));
  });
}

/// Bytes that units outside of the chain read of `value` or views of it.
static int64_t countBytesReadOutside(const TileChain &chain, Value value,
                                     const ::lpu::MachineModel &machine) {
  int64_t bytes = 0;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isTensorView(user)) {
      bytes += countBytesReadOutside(chain, user->getResult(0), machine);
    } else if (isa<LPUDialect>(user->getDialect()) &&
               !chain.members.contains(user)) {
      bytes += countBytesRead(use, machine);
    }
  }
  return bytes;
}

ChainProblem mlir::lpu::describeChain(const TileChain &chain,
                                      const ::lpu::MachineModel &machine) {
  ChainProblem problem{{},
                       {},
                       chain.numSteps,
                       chain.extent,
                       chain.preferredGranularity,
                       machine.lmuBytes,
                       machine.rowsPerPass,
                       /*maxTiles=*/0};
  llvm::DenseMap<Value, size_t> indices;
  int64_t step = 0;
  auto touch = [&](Value value) -> ChainValue & {
    Value source = getSource(chain, value);
    auto [index, isNew] = indices.try_emplace(source, problem.values.size());
    if (isNew) {
      bool isProduced = chain.produces(source);
      problem.values.push_back(
          {getByteSize(getTensor(source)), step, step,
           chain.slabs.contains(source), !isProduced,
           isProduced && isSeenOutside(chain, source), 0,
           isProduced ? countBytesReadOutside(chain, source, machine) : 0,
           countWaste(chain, source, machine)});
    }
    ChainValue &entry = problem.values[index->second];
    entry.last = step;
    return entry;
  };
  for (auto [op, member] : chain.members) {
    step = member.step;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      // What comes from outside goes where it is inserted.
      touch(insert.getResult());
      if (chain.produces(insert.getSource())) {
        touch(insert.getSource()).bytesRead +=
            getByteSize(getTensor(insert.getSource()));
      }
      continue;
    }
    if (!member.slab) {
      continue;
    }
    auto destinationOp = cast<DestinationStyleOpInterface>(op);
    for (OpOperand *input : destinationOp.getDpsInputOperands()) {
      if (wantsLMU(*input)) {
        touch(input->get()).bytesRead += countBytesRead(*input, machine);
      }
    }
    for (Value result : op->getResults()) {
      touch(result);
    }
    if (auto contract = dyn_cast<ContractOp>(op)) {
      problem.streams.push_back(
          describeStream(chain, contract, member.slab->dimension, machine));
    }
  }
  return problem;
}

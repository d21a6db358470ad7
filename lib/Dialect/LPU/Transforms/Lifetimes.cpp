//===- Lifetimes.cpp - When buffers live ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Lifetimes.h.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/Lifetimes.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"

using namespace mlir;
using namespace mlir::lpu;

/// Buffers start at whole bursts of the HBM and whole words of the LMU's ports.
static constexpr int64_t alignment = 64;

Lifetimes mlir::lpu::collectLifetimes(func::FuncOp function, Space space,
                                      int64_t capacity) {
  Lifetimes lifetimes;
  lifetimes.problem.capacity = capacity;
  lifetimes.problem.alignment = alignment;
  llvm::DenseMap<Operation *, int64_t> positions;
  int64_t next = 0;
  for (Operation &op : function.getBody().front()) {
    positions[&op] = next;
    next += isa<LPUDialect>(op.getDialect());
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      if (getSpace(alloc.getType()) == space) {
        lifetimes.allocs.push_back(alloc);
      }
    }
  }
  for (memref::AllocOp alloc : lifetimes.allocs) {
    // Unused buffers still get an address, so that the IR stays uniform.
    BufferRequest request{getByteSize(alloc.getType()),
                          std::numeric_limits<int64_t>::max(), -1};
    forEachAccess(alloc, [&](OpOperand &use) {
      int64_t position = positions.lookup(use.getOwner());
      request.first = std::min(request.first, position);
      request.last = std::max(request.last, position);
    });
    if (request.last < 0) {
      request.first = request.last = positions.lookup(alloc);
    }
    lifetimes.problem.buffers.push_back(request);
  }
  return lifetimes;
}

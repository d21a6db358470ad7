//===- DescribeProgram.cpp - From operations to hazard items --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DescribeProgram.h.
//
//===----------------------------------------------------------------------===//

#include "DescribeProgram.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::lpuisa;

static HazardItem::Kind kindOf(Operation *op) {
  return TypeSwitch<Operation *, HazardItem::Kind>(op)
      .Case<StreamOp>([](auto) { return HazardItem::Kind::Stream; })
      .Case<MmOp>([](auto) { return HazardItem::Kind::Mm; })
      .Case<LoopOp>([](auto) { return HazardItem::Kind::Loop; })
      .Case<LabelOp>([](auto) { return HazardItem::Kind::Label; })
      .Case<BranchOp>([](auto) { return HazardItem::Kind::Branch; })
      .Case<HaltOp>([](auto) { return HazardItem::Kind::Halt; })
      .Case<FaultOp>([](auto) { return HazardItem::Kind::Fault; })
      .Default([](auto) { return HazardItem::Kind::Instruction; });
}

/// `trips` are those of the loops around the block.
static LogicalResult describeBlock(Block &block, std::vector<uint64_t> &trips,
                                   std::vector<HazardItem> &items,
                                   std::vector<Operation *> &ops) {
  for (Operation &op : block) {
    if (isa<WaitOp, PostOp>(op)) {
      return op.emitOpError() << "found in a program without semaphores, "
                                 "expected none before they are inserted";
    }
    HazardItem &item = items.emplace_back();
    item.kind = kindOf(&op);
    item.id = static_cast<unsigned>(ops.size());
    ops.push_back(&op);
    if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
      SmallVector<Access> accesses;
      instruction.getAccesses(accesses);
      item.unit = instruction.getExecutingUnit();
      for (const Access &access : accesses) {
        ByteRange range(access.view.toView(), trips);
        if (!range.isEmpty()) {
          item.accesses.push_back({range, access.kind == AccessKind::Write,
                                   access.kind == AccessKind::LateRead});
        }
      }
    }
    if (auto loop = dyn_cast<LoopOp>(op)) {
      item.trips = loop.getTrips();
      trips.push_back(loop.getTrips());
      if (failed(describeBlock(*loop.getBodyBlock(), trips, item.body, ops))) {
        return failure();
      }
      trips.pop_back();
    }
  }
  return success();
}

FailureOr<ProgramDescription> mlir::lpuisa::describeProgram(ProgramOp program) {
  ProgramDescription description;
  std::vector<uint64_t> trips;
  if (failed(describeBlock(*program.getBodyBlock(), trips, description.block,
                           description.ops))) {
    return failure();
  }
  return description;
}

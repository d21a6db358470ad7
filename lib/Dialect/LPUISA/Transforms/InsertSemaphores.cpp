//===- InsertSemaphores.cpp - Order the units where they share bytes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the program to the planner (SemaphorePlanner.h) and inserts the
// posts and waits that it asks for.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Dialect/LPUISA/Transforms/Passes.h"
#include "lpu/Dialect/LPUISA/Transforms/SemaphorePlanner.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::lpuisa {
#define GEN_PASS_DEF_LPUISAINSERTSEMAPHORESPASS
#include "lpu/Dialect/LPUISA/Transforms/Passes.h.inc"
} // namespace mlir::lpuisa

using namespace mlir;
using namespace mlir::lpuisa;

namespace {
/// The program as the planner sees it, and the operations behind its items.
struct Description {
  std::vector<HazardItem> block;
  std::vector<Operation *> ops;
};

class InsertSemaphores
    : public lpuisa::impl::LPUISAInsertSemaphoresPassBase<InsertSemaphores> {
public:
  using LPUISAInsertSemaphoresPassBase::LPUISAInsertSemaphoresPassBase;
  void runOnOperation() override;

private:
  LogicalResult describe(Block &block, std::vector<uint64_t> &trips,
                         std::vector<HazardItem> &items);
  void insert(const SemaphorePlan &plan);

  Description description;
};
} // namespace

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
LogicalResult InsertSemaphores::describe(Block &block,
                                         std::vector<uint64_t> &trips,
                                         std::vector<HazardItem> &items) {
  for (Operation &op : block) {
    if (isa<WaitOp, PostOp>(op)) {
      return op.emitOpError() << "found in a program without semaphores, "
                                 "expected none before they are inserted";
    }
    HazardItem &item = items.emplace_back();
    item.kind = kindOf(&op);
    item.id = static_cast<unsigned>(description.ops.size());
    description.ops.push_back(&op);
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
      if (failed(describe(*loop.getBodyBlock(), trips, item.body))) {
        return failure();
      }
      trips.pop_back();
    }
  }
  return success();
}

void InsertSemaphores::insert(const SemaphorePlan &plan) {
  // What was inserted last after an operation: the next one follows it.
  DenseMap<Operation *, Operation *> lastAfter;
  OpBuilder builder(&getContext());
  for (const PlannedSemaphore &planned : plan.semaphores) {
    Operation *anchor = description.ops[planned.id];
    switch (planned.place) {
    case PlannedSemaphore::Place::Before:
      builder.setInsertionPoint(anchor);
      break;
    case PlannedSemaphore::Place::After:
      builder.setInsertionPointAfter(
          lastAfter.try_emplace(anchor, anchor).first->second);
      break;
    case PlannedSemaphore::Place::EndOfBody:
      builder.setInsertionPointToEnd(cast<LoopOp>(anchor).getBodyBlock());
      break;
    }
    Operation *op;
    if (planned.isPost) {
      op = PostOp::create(builder, anchor->getLoc(), planned.unit,
                          planned.semaphore, /*count=*/1);
    } else {
      op = WaitOp::create(builder, anchor->getLoc(), planned.unit,
                          planned.semaphore, /*count=*/1);
    }
    if (planned.place == PlannedSemaphore::Place::After) {
      lastAfter[anchor] = op;
    }
  }
}

void InsertSemaphores::runOnOperation() {
  description = {};
  std::vector<uint64_t> trips;
  if (failed(
          describe(*getOperation().getBodyBlock(), trips, description.block))) {
    return signalPassFailure();
  }
  SemaphoreProblem problem;
  std::optional<SemaphorePlan> plan =
      planSemaphores(description.block, problem);
  if (!plan) {
    description.ops[problem.id]->emitOpError() << problem.message;
    return signalPassFailure();
  }
  insert(*plan);
  numWaits += plan->numWaits();
  numElided += plan->edgesElided;
  numDrains += plan->drains;
}

//===- InsertSemaphores.cpp - Order the units where they share bytes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the program to the planner (SemaphorePlanner.h) and inserts the
// posts and waits that it asks for.
//
//===----------------------------------------------------------------------===//

#include "DescribeProgram.h"

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Dialect/LPUISA/Transforms/Passes.h"
#include "lpu/Dialect/LPUISA/Transforms/SemaphorePlanner.h"

namespace mlir::lpuisa {
#define GEN_PASS_DEF_LPUISAINSERTSEMAPHORESPASS
#include "lpu/Dialect/LPUISA/Transforms/Passes.h.inc"
} // namespace mlir::lpuisa

using namespace mlir;
using namespace mlir::lpuisa;

namespace {
class InsertSemaphores
    : public lpuisa::impl::LPUISAInsertSemaphoresPassBase<InsertSemaphores> {
public:
  using LPUISAInsertSemaphoresPassBase::LPUISAInsertSemaphoresPassBase;
  void runOnOperation() override;

private:
  static void insert(const SemaphorePlan &plan,
                     const ProgramDescription &description);
};
} // namespace

void InsertSemaphores::insert(const SemaphorePlan &plan,
                              const ProgramDescription &description) {
  // What was inserted last after an operation: the next one follows it.
  DenseMap<Operation *, Operation *> lastAfter;
  for (const PlannedSemaphore &planned : plan.semaphores) {
    Operation *anchor = description.ops[planned.id];
    OpBuilder builder(anchor);
    switch (planned.place) {
    case PlannedSemaphore::Place::Before:
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
  FailureOr<ProgramDescription> description = describeProgram(getOperation());
  if (failed(description)) {
    return signalPassFailure();
  }
  SemaphoreProblem problem;
  std::optional<SemaphorePlan> plan =
      planSemaphores(description->block, problem);
  if (!plan) {
    description->ops[problem.id]->emitOpError() << problem.message;
    return signalPassFailure();
  }
  insert(*plan, *description);
  numWaits += plan->numWaits();
  numElided += plan->edgesElided;
  numDrains += plan->drains;
}

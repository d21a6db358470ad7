//===- Verify.cpp - Check a program as a whole ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier at the end of stage `isa`. One walk in text order; errors stand
// on the operation that is wrong. Addresses are summed in 128 bits, where no
// field can overflow.
//
//===----------------------------------------------------------------------===//

#include "VerifyProgress.h"

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Dialect/LPUISA/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include <array>
#include <deque>

namespace mlir::lpuisa {
#define GEN_PASS_DEF_LPUISAVERIFYPASS
#include "lpu/Dialect/LPUISA/Transforms/Passes.h.inc"
} // namespace mlir::lpuisa

using namespace mlir;
using namespace mlir::lpuisa;

using Wide = __int128;

namespace {
/// For each semaphore, what is posted and not waited for.
using Balance = std::array<int64_t, ::lpu::numSemaphores>;

class VerifyPass : public lpuisa::impl::LPUISAVerifyPassBase<VerifyPass> {
public:
  using LPUISAVerifyPassBase::LPUISAVerifyPassBase;
  void runOnOperation() override;

private:
  LogicalResult verifyMemories();
  LogicalResult verifyEnd();
  LogicalResult verifyBlock(Block &block);
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyView(Operation *op, ViewAttr view);
  LogicalResult verifyMm(MmOp mm);
  LogicalResult verifyNoOpenStream(Operation *before);
  FailureOr<Balance> balance(Block &block);
  bool isWithoutBranches();
  LogicalResult verifyBalance();
  int64_t getMemoryBytes(ViewAttr view);

  ::lpu::MachineModel machine;
  /// Bounds of the trips of the loops around the walk.
  SmallVector<uint32_t> trips;
  /// Streams of this block whose mm has not come.
  std::deque<StreamOp> openStreams;
};
} // namespace

//===----------------------------------------------------------------------===//
// Memories and views
//===----------------------------------------------------------------------===//

LogicalResult VerifyPass::verifyMemories() {
  ProgramOp program = getOperation();
  auto lmuBytes = static_cast<int64_t>(program.getLmuBytes());
  if (lmuBytes > machine.lmuBytes) {
    return program.emitOpError()
           << "found " << lmuBytes << " bytes of LMU, expected at most the "
           << machine.lmuBytes << " of machine '" << machine.name << "'";
  }
  return success();
}

/// Bytes of the memory in which a view lies.
int64_t VerifyPass::getMemoryBytes(ViewAttr view) {
  ProgramOp program = getOperation();
  switch (view.getSpace()) {
  case ::lpu::Space::Arg:
    return program.getArgument(view.getArgument()).getByteSize();
  case ::lpu::Space::Scratch:
    return program.getScratchBytes();
  case ::lpu::Space::Constant:
    return program.getRodata() ? program.getRodata()->getNumElements() : 0;
  case ::lpu::Space::LMU:
    return program.getLmuBytes();
  }
  return 0;
}

LogicalResult VerifyPass::verifyView(Operation *op, ViewAttr view) {
  unsigned numArguments = getOperation().getNumArguments();
  if (view.getSpace() == ::lpu::Space::Arg &&
      view.getArgument() >= numArguments) {
    return op->emitOpError()
           << "found view " << view << ", expected one of the " << numArguments
           << " arguments";
  }
  int64_t width = ::lpu::byteWidth(view.getType());
  Wide low = view.getOffset();
  Wide high = low + view.getOffsetBound() + width;
  bool isAligned =
      view.getOffset() % width == 0 && view.getOffsetBound() % width == 0;
  auto addReach = [&](Wide reach) { (reach < 0 ? low : high) += reach; };
  for (auto [level, increment] : llvm::enumerate(view.getLoopIncrements())) {
    isAligned &= increment % width == 0;
    if (increment == 0) {
      continue;
    }
    if (level >= trips.size()) {
      return op->emitOpError() << "found an increment for loop level " << level
                               << " in view " << view << ", expected none with "
                               << trips.size() << " loops around it";
    }
    addReach(Wide(increment) * (trips[level] ? trips[level] - 1 : 0));
  }
  if (!isAligned) {
    return op->emitOpError()
           << "found view " << view
           << ", expected offset, bound and increments in multiples of the "
           << width << " bytes of an element";
  }
  if (view.isEmpty()) {
    return success();
  }
  for (auto [size, stride] : llvm::zip(view.getSizes(), view.getStrides())) {
    addReach(Wide(size - 1) * stride * width);
  }
  int64_t bytes = getMemoryBytes(view);
  if (low < 0 || high > bytes) {
    auto clamp = [](Wide value) {
      constexpr Wide limit = Wide(1) << 62;
      return static_cast<int64_t>(std::clamp(value, -limit, limit));
    };
    return op->emitOpError()
           << "found view " << view << " that reaches bytes [" << clamp(low)
           << ", " << clamp(high) << "), expected within the " << bytes
           << " bytes of its memory";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

LogicalResult VerifyPass::verifyMm(MmOp mm) {
  if (openStreams.empty()) {
    return mm.emitOpError() << "found no stream for it, expected one before it "
                               "in the same straight-line code";
  }
  StreamOp stream = openStreams.front();
  openStreams.pop_front();
  if (stream.getSource() != mm.getStreamed()) {
    InFlightDiagnostic diagnostic =
        mm.emitOpError() << "found streamed view " << mm.getStreamed()
                         << ", expected that of the oldest stream "
                         << stream.getSource();
    diagnostic.attachNote(stream.getLoc()) << "pushed here";
    return diagnostic;
  }
  // A pass serves so many rows. A run-time number of rows is left to the run.
  ViewAttr lhs = mm.getLhs();
  Wide rows = 1;
  for (unsigned d = mm.getBatch(); d < mm.getBatch() + mm.getRows(); ++d) {
    if (lhs.getDynamicDim() == d) {
      return success();
    }
    rows *= lhs.getSizes()[d];
  }
  Wide passes = (rows + machine.rowsPerPass - 1) / machine.rowsPerPass;
  if (rows != 0 && passes != stream.getPasses()) {
    return stream.emitOpError()
           << "found " << stream.getPasses() << " passes, expected "
           << static_cast<int64_t>(passes) << " for "
           << static_cast<int64_t>(rows) << " rows at " << machine.rowsPerPass
           << " rows a pass";
  }
  return success();
}

LogicalResult VerifyPass::verifyNoOpenStream(Operation *before) {
  if (openStreams.empty()) {
    return success();
  }
  StreamOp stream = openStreams.front();
  if (!before) {
    return stream.emitOpError() << "found no mm for it, expected one after it "
                                   "in the same block";
  }
  return stream.emitOpError() << "found '" << before->getName()
                              << "' before its mm, expected straight-line code";
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

/// What a block leaves behind for each semaphore.
FailureOr<Balance> VerifyPass::balance(Block &block) {
  Balance sum{};
  for (Operation &op : block) {
    if (auto post = dyn_cast<PostOp>(op)) {
      sum[post.getSemaphore()] += post.getCount();
      continue;
    }
    if (auto wait = dyn_cast<WaitOp>(op)) {
      sum[wait.getSemaphore()] -= wait.getCount();
      continue;
    }
    auto loop = dyn_cast<LoopOp>(op);
    if (!loop) {
      continue;
    }
    FailureOr<Balance> body = balance(*loop.getBodyBlock());
    if (failed(body)) {
      return failure();
    }
    for (auto [semaphore, count] : llvm::enumerate(*body)) {
      if (count != 0 && loop.getTripsRegister()) {
        return loop.emitOpError()
               << "found a body that leaves " << count << " on semaphore "
               << semaphore << ", expected 0 where a register gives the trips";
      }
      sum[semaphore] += count * static_cast<int64_t>(loop.getTrips());
    }
  }
  return sum;
}

/// Whether every path runs all instructions.
bool VerifyPass::isWithoutBranches() {
  Operation *last = &getOperation().getBodyBlock()->back();
  return !getOperation()
              .walk([&](Operation *op) {
                bool isBranch = isa<BranchOp>(op) ||
                                (isa<HaltOp, FaultOp>(op) && op != last);
                return isBranch ? WalkResult::interrupt()
                                : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Posts and waits can be counted if every path runs all instructions.
LogicalResult VerifyPass::verifyBalance() {
  FailureOr<Balance> sum = balance(*getOperation().getBodyBlock());
  if (failed(sum)) {
    return failure();
  }
  for (auto [semaphore, count] : llvm::enumerate(*sum)) {
    if (count != 0) {
      return getOperation().emitOpError()
             << "found semaphore " << semaphore << " with "
             << (count > 0 ? count : -count)
             << (count > 0 ? " more posts than waits"
                           : " more waits than posts")
             << ", expected as many";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult VerifyPass::verifyEnd() {
  Block *body = getOperation().getBodyBlock();
  Operation *last = body->empty() ? nullptr : &body->back();
  auto branch = dyn_cast_or_null<BranchOp>(last);
  if (isa_and_nonnull<HaltOp, FaultOp>(last) ||
      (branch && branch.getCondition() == ::lpu::BranchCondition::Always)) {
    return success();
  }
  if (!last) {
    return getOperation().emitOpError()
           << "found no instruction, expected at least lpuisa.halt";
  }
  return last->emitOpError() << "found as the last one, expected lpuisa.halt";
}

LogicalResult VerifyPass::verifyOp(Operation *op) {
  WalkResult result = op->getAttrDictionary().walk(
      [&](ViewAttr view) { return WalkResult(verifyView(op, view)); });
  if (result.wasInterrupted()) {
    return failure();
  }
  if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
    SmallVector<Access> accesses;
    instruction.getAccesses(accesses);
    for (const Access &access : accesses) {
      if (access.kind == AccessKind::Write &&
          access.view.getSpace() == ::lpu::Space::Constant) {
        return op->emitOpError() << "found a write to " << access.view
                                 << ", expected constants to be read only";
      }
    }
  }
  if (auto stream = dyn_cast<StreamOp>(op)) {
    openStreams.push_back(stream);
    return success();
  }
  if (auto mm = dyn_cast<MmOp>(op)) {
    return verifyMm(mm);
  }
  if (isa<LabelOp, BranchOp, LoopOp, HaltOp, FaultOp>(op) &&
      failed(verifyNoOpenStream(op))) {
    return failure();
  }
  auto loop = dyn_cast<LoopOp>(op);
  if (!loop) {
    return success();
  }
  trips.push_back(loop.getTrips());
  LogicalResult body = verifyBlock(*loop.getBodyBlock());
  trips.pop_back();
  return body;
}

LogicalResult VerifyPass::verifyBlock(Block &block) {
  for (Operation &op : block) {
    if (failed(verifyOp(&op))) {
      return failure();
    }
  }
  return verifyNoOpenStream(nullptr);
}

void VerifyPass::runOnOperation() {
  machine = mlir::lpu::getMachine(getOperation());
  trips.clear();
  openStreams.clear();
  if (failed(verifyMemories()) || failed(verifyEnd()) ||
      failed(verifyBlock(*getOperation().getBodyBlock()))) {
    return signalPassFailure();
  }
  if (isWithoutBranches()) {
    bool hasLoops = !getOperation().getBodyBlock()->getOps<LoopOp>().empty();
    if (failed(verifyBalance()) ||
        (!hasLoops && failed(verifyProgress(getOperation(), machine)))) {
      return signalPassFailure();
    }
  }
  markAllAnalysesPreserved();
}

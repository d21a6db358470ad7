//===- VerifyProgress.cpp - Whether a program comes to its end ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the queues without time: each goes on as far as semaphores and the
// stream buffer let it. Whoever can go on stays able to, since one unit alone
// waits for each semaphore and the buffer is a queue. So the order in which
// they are tried does not matter (Kahn, 1974), and a program that stops here
// stops in every run.
//
//===----------------------------------------------------------------------===//

#include "VerifyProgress.h"

#include "lpu/Simulator/Cost.h"
#include "lpu/Target/LPUISA/Translation.h"

#include <array>
#include <deque>

using namespace mlir;
using namespace mlir::lpuisa;

namespace {

class Progress {
public:
  Progress(ProgramOp program, const ::lpu::Program &binary,
           const ::lpu::MachineModel &machine)
      : body(*program.getBodyBlock()), next(body.begin()), binary(binary),
        capacity(machine.streamBufferBytes),
        chunkBytes(::lpu::streamChunkBytes(machine)) {}

  /// Goes on until nothing can; whether that is the end.
  bool run() {
    bool hasMoved = true;
    while (hasMoved) {
      hasMoved = issue();
      for (std::deque<Head> &queue : queues) {
        while (!queue.empty() && step(queue)) {
          hasMoved = true;
        }
      }
    }
    return next == body.end() && llvm::all_of(queues, [](const auto &queue) {
             return queue.empty();
           });
  }

  /// What stands at the head of each queue that is not empty, streams first.
  SmallVector<Operation *> getBlocked() const {
    SmallVector<Operation *> blocked;
    for (const std::deque<Head> &queue : queues) {
      if (!queue.empty()) {
        blocked.push_back(queue.front().op);
      }
    }
    if (next != body.end()) {
      blocked.push_back(&*next);
    }
    llvm::stable_sort(blocked, [](Operation *a, Operation *b) {
      return isa<StreamOp>(a) && !isa<StreamOp>(b);
    });
    return blocked;
  }

private:
  /// An instruction in a queue. Of a stream or mm: bytes that are left.
  struct Head {
    Operation *op;
    int64_t bytes = 0;
    bool hasStarted = false;
  };
  struct Chunk {
    int64_t bytes;
    bool isLast;
  };

  /// The ICP puts instructions into queues until it waits itself.
  bool issue() {
    bool hasMoved = false;
    for (; next != body.end(); ++next) {
      Operation *op = &*next;
      ::lpu::Unit unit = ::lpu::Unit::ICP;
      if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
        unit = instruction.getExecutingUnit();
      }
      if (unit == ::lpu::Unit::ICP) {
        if (!synchronise(op)) {
          return hasMoved;
        }
      } else {
        Head head{op};
        if (isa<StreamOp>(op)) {
          ::lpu::Cost cost = ::lpu::costAtBounds(binary, index);
          head.bytes = cost.hbmRead + cost.lmuRead;
        }
        queues[static_cast<unsigned>(unit)].push_back(head);
      }
      hasMoved = true;
      index += !isa<LabelOp>(op);
    }
    return hasMoved;
  }

  /// Passes a post or a wait, or any other instruction; false if it waits.
  bool synchronise(Operation *op) {
    if (auto post = dyn_cast<PostOp>(op)) {
      counts[post.getSemaphore()] += post.getCount();
    } else if (auto wait = dyn_cast<WaitOp>(op)) {
      int64_t &count = counts[wait.getSemaphore()];
      if (count < wait.getCount()) {
        return false;
      }
      count -= wait.getCount();
    }
    return true;
  }

  /// Whether the head of a queue got on.
  bool step(std::deque<Head> &queue) {
    Head &head = queue.front();
    if (isa<StreamOp>(head.op)) {
      int64_t bytes = std::min({chunkBytes, head.bytes, capacity});
      if (used + bytes > capacity) {
        return false;
      }
      used += bytes;
      head.bytes -= bytes;
      buffer.push_back({bytes, head.bytes == 0});
      if (head.bytes != 0) {
        return true;
      }
    } else if (isa<MmOp>(head.op)) {
      if (buffer.empty()) {
        return false;
      }
      Chunk chunk = buffer.front();
      buffer.pop_front();
      used -= chunk.bytes;
      if (!chunk.isLast) {
        return true;
      }
    } else if (!synchronise(head.op)) {
      return false;
    }
    queue.pop_front();
    return true;
  }

  Block &body;
  Block::iterator next;
  const ::lpu::Program &binary;
  size_t index = 0;
  int64_t capacity, chunkBytes;
  int64_t used = 0;
  std::deque<Chunk> buffer;
  std::array<std::deque<Head>, ::lpu::numUnits> queues;
  std::array<int64_t, ::lpu::numSemaphores> counts{};
};

} // namespace

LogicalResult mlir::lpuisa::verifyProgress(ProgramOp program,
                                           const ::lpu::MachineModel &machine) {
  FailureOr<::lpu::Program> binary = exportProgram(program);
  if (failed(binary)) {
    return failure();
  }
  Progress progress(program, *binary, machine);
  if (progress.run()) {
    return success();
  }
  SmallVector<Operation *> blocked = progress.getBlocked();
  InFlightDiagnostic diagnostic = blocked.front()->emitOpError();
  if (isa<StreamOp>(blocked.front())) {
    diagnostic << "found that it never gets room in the stream buffer of "
               << machine.streamBufferBytes
               << " bytes, expected what the products before it and its own "
                  "wait for to stand before it";
  } else {
    diagnostic << "found that it waits for ever, expected a program that "
                  "comes to its end";
  }
  for (Operation *other : ArrayRef(blocked).drop_front()) {
    diagnostic.attachNote(other->getLoc()) << "another queue stops here";
  }
  return diagnostic;
}

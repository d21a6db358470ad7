//===- Schedule.cpp - Put instructions into a better order ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes each straight-line piece of the program to the scheduler
// (Scheduler.h), with the costs that the simulator states, and moves the
// operations into the order that it returns.
//
// What orders two instructions: common bytes, one of them writing, and the
// registers of the ICP. A view is read when its instruction is issued, so
// instructions that read a register stand behind the one that sets it and
// before the next one that does.
//
//===----------------------------------------------------------------------===//

#include "DescribeProgram.h"
#include "LiveAccesses.h"

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Dialect/LPUISA/Transforms/Passes.h"
#include "lpu/Dialect/LPUISA/Transforms/Scheduler.h"
#include "lpu/Simulator/Cost.h"
#include "lpu/Target/LPUISA/Translation.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <optional>
#include <unordered_map>

namespace mlir::lpuisa {
#define GEN_PASS_DEF_LPUISASCHEDULEPASS
#include "lpu/Dialect/LPUISA/Transforms/Passes.h.inc"
} // namespace mlir::lpuisa

using namespace mlir;
using namespace mlir::lpuisa;

namespace {

/// Registers that an instruction of the ICP sets, or that others read.
struct RegisterUse {
  std::optional<unsigned> set;
  SmallVector<unsigned> read;
};

class SchedulePass : public lpuisa::impl::LPUISASchedulePassBase<SchedulePass> {
public:
  using LPUISASchedulePassBase::LPUISASchedulePassBase;
  void runOnOperation() override;

private:
  void scheduleBlock(const std::vector<HazardItem> &block, unsigned level);
  void schedulePiece(ArrayRef<const HazardItem *> piece, unsigned level);
  ScheduleNode describeNode(const HazardItem &item);

  ProgramDescription description;
  std::set<uint32_t> writtenMemories;
  ::lpu::Program program;
  /// Where an operation stands in the text of `program`.
  DenseMap<Operation *, size_t> indices;
  ScheduleMachine machine;
};

} // namespace

//===----------------------------------------------------------------------===//
// What orders two instructions
//===----------------------------------------------------------------------===//

static RegisterUse getRegisterUse(Operation *op) {
  RegisterUse use;
  op->getAttrDictionary().walk([&](ViewAttr view) {
    for (std::optional<unsigned> number :
         {view.getOffsetRegister(), view.getSizeRegister()}) {
      if (number) {
        use.read.push_back(*number);
      }
    }
  });
  TypeSwitch<Operation *>(op)
      .Case<LiOp, LdOp>([&](auto set) { use.set = set.getRd(); })
      .Case<AluOp>([&](AluOp alu) {
        use.set = alu.getRd();
        use.read.push_back(alu.getRs());
        if (std::optional<uint32_t> rt = alu.getRt()) {
          use.read.push_back(*rt);
        }
      });
  return use;
}

namespace {

/// Finds what each node of a piece comes after, node by node.
class Dependences {
public:
  Dependences(const std::set<uint32_t> &writtenMemories, unsigned level)
      : writtenMemories(writtenMemories), level(level) {}

  void add(unsigned number, const HazardItem &item, Operation *op,
           ScheduleNode &node) {
    addBytes(number, item, node);
    addRegisters(number, op, node);
    // The ICP runs its instructions in the order of the text.
    if (item.unit == ::lpu::Unit::ICP) {
      if (lastOfICP) {
        node.after.push_back(*lastOfICP);
      }
      lastOfICP = number;
    }
    for (std::vector<unsigned> *list : {&node.after, &node.behind}) {
      llvm::sort(*list);
      list->erase(llvm::unique(*list), list->end());
    }
  }

private:
  void addBytes(unsigned number, const HazardItem &item, ScheduleNode &node) {
    for (const HazardAccess &access : item.accesses) {
      uint32_t memory = access.range.getMemory();
      if (writtenMemories.count(memory) == 0) {
        continue;
      }
      LiveAccesses &accesses = live[memory];
      accesses.forEachNear(access.range, [&](const LiveAccess &before) {
        if (before.position != number && isHazard(*before.access, access) &&
            access.range.mayOverlap(before.access->range, level)) {
          node.after.push_back(static_cast<unsigned>(before.position));
        }
      });
    }
    for (const HazardAccess &access : item.accesses) {
      uint32_t memory = access.range.getMemory();
      if (writtenMemories.count(memory) == 0) {
        continue;
      }
      // Whoever conflicts with what a write covers conflicts with the write.
      LiveAccesses &accesses = live[memory];
      accesses.removeWithin(access.range, [&](const LiveAccess &before) {
        return access.isWrite && before.position != number &&
               access.range.covers(before.access->range, level);
      });
      accesses.add({static_cast<int64_t>(number), item.unit, &access});
    }
  }

  void addRegisters(unsigned number, Operation *op, ScheduleNode &node) {
    RegisterUse use = getRegisterUse(op);
    for (unsigned read : use.read) {
      Register &state = registers[read];
      if (state.setter) {
        node.after.push_back(*state.setter);
      }
      state.readers.push_back(number);
    }
    if (use.set) {
      Register &state = registers[*use.set];
      for (unsigned reader : state.readers) {
        if (reader != number) {
          node.behind.push_back(reader);
        }
      }
      state.readers.clear();
      state.setter = number;
    }
  }

  struct Register {
    std::optional<unsigned> setter;
    std::vector<unsigned> readers;
  };

  const std::set<uint32_t> &writtenMemories;
  unsigned level;
  std::unordered_map<uint32_t, LiveAccesses> live;
  std::array<Register, ::lpu::numRegisters> registers;
  std::optional<unsigned> lastOfICP;
};

} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

ScheduleNode SchedulePass::describeNode(const HazardItem &item) {
  ::lpu::Cost cost =
      ::lpu::costAtBounds(program, indices.lookup(description.ops[item.id]));
  ScheduleNode node;
  node.unit = item.unit;
  node.cycles = cost.cycles;
  node.latency = cost.latency;
  node.hbmBytes = cost.hbmRead + cost.hbmWritten;
  if (item.kind == HazardItem::Kind::Stream) {
    node.kind = ScheduleNode::Kind::Stream;
    node.streamBytes = cost.hbmRead + cost.lmuRead;
  } else if (item.kind == HazardItem::Kind::Mm) {
    node.kind = ScheduleNode::Kind::Mm;
  }
  return node;
}

void SchedulePass::schedulePiece(ArrayRef<const HazardItem *> piece,
                                 unsigned level) {
  if (piece.size() < 2) {
    return;
  }
  ScheduleProblem problem;
  problem.machine = machine;
  problem.window = window;
  Dependences dependences(writtenMemories, level);
  for (const HazardItem *item : piece) {
    auto number = static_cast<unsigned>(problem.nodes.size());
    dependences.add(number, *item, description.ops[item->id],
                    problem.nodes.emplace_back(describeNode(*item)));
  }
  Schedule schedule = planSchedule(problem);
  cyclesSaved += schedule.givenCycles - schedule.cycles;
  // Everything moves to before what ends the piece.
  Operation *last = description.ops[piece.back()->id];
  Block *block = last->getBlock();
  Block::iterator end = std::next(last->getIterator());
  for (auto [position, number] : llvm::enumerate(schedule.order)) {
    numMoved += position != number;
    Operation *op = description.ops[piece[number]->id];
    op->moveBefore(block, end);
  }
}

void SchedulePass::scheduleBlock(const std::vector<HazardItem> &block,
                                 unsigned level) {
  SmallVector<const HazardItem *> piece;
  for (const HazardItem &item : block) {
    switch (item.kind) {
    case HazardItem::Kind::Instruction:
    case HazardItem::Kind::Stream:
    case HazardItem::Kind::Mm:
      piece.push_back(&item);
      continue;
    case HazardItem::Kind::Loop:
    case HazardItem::Kind::Label:
    case HazardItem::Kind::Branch:
    case HazardItem::Kind::Halt:
    case HazardItem::Kind::Fault:
      schedulePiece(piece, level);
      piece.clear();
      scheduleBlock(item.body, level + 1);
    }
  }
  schedulePiece(piece, level);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static ScheduleMachine describeMachine(const ::lpu::MachineModel &model) {
  ScheduleMachine machine;
  machine.hbmBytesPerCycle = model.hbmBytesPerCycle();
  machine.lmuBytesPerCycle =
      static_cast<double>(model.lmuReadPorts * model.lmuPortBytes);
  machine.hbmLatency =
      static_cast<int64_t>(std::ceil(model.hbmLatencyCycles()));
  machine.streamBufferBytes = model.streamBufferBytes;
  machine.chunkBytes = ::lpu::streamChunkBytes(model);
  machine.issueCycles = model.issueCycles;
  machine.semaphoreCycles = model.semaphoreCycles;
  return machine;
}

void SchedulePass::runOnOperation() {
  FailureOr<ProgramDescription> described = describeProgram(getOperation());
  FailureOr<::lpu::Program> exported = exportProgram(getOperation());
  if (failed(described) || failed(exported)) {
    return signalPassFailure();
  }
  description = std::move(*described);
  program = std::move(*exported);
  writtenMemories = getWrittenMemories(description.block);
  machine = describeMachine(program.machine);
  indices.clear();
  size_t next = 0;
  for (Operation *op : description.ops) {
    indices[op] = next;
    next += !isa<LabelOp>(op); // A label is no instruction.
  }
  scheduleBlock(description.block, /*level=*/0);
}

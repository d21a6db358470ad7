//===- VecCost.cpp - What a vector instruction costs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A micro-program runs section after section over its row block. A section
// takes as long as the slower of the lanes and the LMU's ports; the next one
// starts when the pipeline has drained, since it depends on what the section
// computed (a reduction, as a rule). Costs are a function of shapes alone, so a
// run with and without values takes the same time: where a table is read at
// computed places, the walk of the index over the innermost dimension is
// derived from the program.
//
//===----------------------------------------------------------------------===//

#include "VecCost.h"
#include "lpu/Target/MicroOps.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

using namespace lpu;

/// Reductions run in this many interleaved partials.
constexpr int64_t numPartials = 64;

static int64_t ceilDiv(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

namespace {
class VecCost {
public:
  VecCost(const IssuedInstruction &instruction, const MachineModel &machine)
      : micro(*instruction.micro), views(instruction.views),
        numViews(instruction.numViews), machine(machine) {}

  Cost run();

private:
  /// What has been seen of the current section.
  struct Section {
    bool isRows = false;
    int64_t laneCycles = 0; ///< For one value in each lane.
    int64_t reductions = 0;
    bool hasCarry = false;
    Cost traffic;
    std::set<uint32_t> loaded, stored; ///< Operands, counted once a section.
  };

  void measureDomain();
  void visit(const MicroOp &op, const MicroOpInfo &info);
  void leaveSection();
  void addOperand(const MicroOp &op, bool isWrite);
  void addTable(const MicroOp &op, bool isWrite);
  int64_t opCycles(MicroCost cost) const;
  std::optional<int64_t> innerStep(const MicroOp &op) const;
  std::optional<int64_t> stepOf(uint16_t reg) const { return steps[reg]; }

  const MicroProgram &micro;
  const ResolvedView *views;
  unsigned numViews;
  const MachineModel &machine;

  int64_t rows = 1, reduced = 1;
  unsigned innerDim = noneField; ///< The last dimension of more than 1.
  int64_t innerSize = 1;
  /// By how much a register grows from one element to the next along
  /// `innerDim`, if that is known.
  std::vector<std::optional<int64_t>> steps;
  /// Values of constants, for products with a step.
  std::vector<std::optional<int64_t>> constants;
  Section section;
  Cost total;
  bool hasDrained = false; ///< A section with work has come before.
};
} // namespace

void VecCost::measureDomain() {
  std::vector<bool> isTable(numViews);
  for (const MicroOp &op : micro.ops) {
    const MicroOpInfo *info = lookupMicroOp(op.opcode);
    if (info->operand == MicroFieldOperand::Table) {
      isTable[op.operand] = true;
    }
  }
  for (unsigned i = 0; i < numViews; ++i) {
    if (isTable[i]) {
      continue;
    }
    for (unsigned d = 0; d < micro.header.rank; ++d) {
      (d < micro.header.parallel ? rows : reduced) *= views[i].sizes[d];
      if (views[i].sizes[d] > 1) {
        innerDim = d;
        innerSize = views[i].sizes[d];
      }
    }
    return;
  }
}

int64_t VecCost::opCycles(MicroCost cost) const {
  switch (cost) {
  case MicroCost::Free:
  case MicroCost::Port:
    return 0;
  case MicroCost::Simple:
    return 1;
  case MicroCost::Transcendental:
    return machine.vxeTranscendentalCycles;
  }
  return 1;
}

/// A Load or Store. A value that is the same along the last dimensions is
/// moved once for them; an operand in HBM pays its bursts once a section.
void VecCost::addOperand(const MicroOp &op, bool isWrite) {
  std::set<uint32_t> &counted = isWrite ? section.stored : section.loaded;
  if (!counted.insert(op.operand).second) {
    return;
  }
  const ResolvedView &view = views[op.operand];
  unsigned rank = section.isRows ? micro.header.parallel : micro.header.rank;
  ResolvedView part = view;
  part.rank = static_cast<uint8_t>(rank);
  if (view.isInHBM()) {
    int64_t bytes =
        machine.hbmBurstBytes * countTouchedBursts(part, machine.hbmBurstBytes);
    (isWrite ? section.traffic.hbmWritten : section.traffic.hbmRead) += bytes;
    return;
  }
  while (part.rank && part.strides[part.rank - 1] == 0) {
    --part.rank;
  }
  int64_t bytes = part.numElements() * byteWidth(view.type);
  (isWrite ? section.traffic.lmuWritten : section.traffic.lmuRead) += bytes;
}

/// cost_walk: a Gather or Scatter. In HBM each walk along the innermost
/// dimension touches the bursts of its own stretch of the table.
void VecCost::addTable(const MicroOp &op, bool isWrite) {
  const ResolvedView &table = views[op.operand];
  int64_t accesses = section.isRows ? rows : rows * reduced;
  int64_t width = byteWidth(table.type);
  if (!table.isInHBM()) {
    int64_t bytes = accesses * width;
    (isWrite ? section.traffic.lmuWritten : section.traffic.lmuRead) += bytes;
    return;
  }
  int64_t burst = machine.hbmBurstBytes;
  int64_t bursts = accesses;
  std::optional<int64_t> step = stepOf(op.a);
  bool walksInner = !section.isRows || innerDim < micro.header.parallel;
  if (step && walksInner && innerSize > 0) {
    int64_t stride = std::abs(*step) * width;
    int64_t stretch = stride < burst
                          ? ceilDiv((innerSize - 1) * stride + width, burst) + 1
                          : innerSize;
    bursts =
        accesses / innerSize * (*step == 0 ? 1 : std::min(stretch, innerSize));
  }
  int64_t bytes = burst * std::min(bursts, countTouchedBursts(table, burst));
  (isWrite ? section.traffic.hbmWritten : section.traffic.hbmRead) += bytes;
}

/// The step of the value that `op` assigns, if it can be told.
std::optional<int64_t> VecCost::innerStep(const MicroOp &op) const {
  bool isRowValue = section.isRows || op.opcode == MicroOpcode::Reduce;
  if (isRowValue && innerDim != noneField &&
      innerDim >= micro.header.parallel) {
    return 0;
  }
  switch (op.opcode) {
  case MicroOpcode::Const:
    return 0;
  case MicroOpcode::Iota:
    return op.operand == innerDim ? 1 : 0;
  case MicroOpcode::Load: {
    bool isSame =
        innerDim == noneField || views[op.operand].strides[innerDim] == 0;
    return isSame ? std::optional<int64_t>(0) : std::nullopt;
  }
  case MicroOpcode::AddI:
  case MicroOpcode::SubI: {
    std::optional<int64_t> a = stepOf(op.a), b = stepOf(op.b);
    if (!a || !b) {
      return std::nullopt;
    }
    return op.opcode == MicroOpcode::AddI ? *a + *b : *a - *b;
  }
  case MicroOpcode::MulI:
    for (auto [value, factor] :
         {std::pair(op.a, op.b), std::pair(op.b, op.a)}) {
      if (stepOf(value) && constants[factor]) {
        return *stepOf(value) * *constants[factor];
      }
    }
    break;
  case MicroOpcode::Select:
    // A wrapped index (i < 0 ? i + n : i) walks as its two sides do.
    if (stepOf(op.b) && stepOf(op.b) == stepOf(op.c)) {
      return stepOf(op.b);
    }
    break;
  default:
    break;
  }
  // A function of values that do not change does not change.
  const MicroOpInfo &info = *lookupMicroOp(op.opcode);
  struct {
    MicroInput rule;
    uint16_t reg;
  } inputs[] = {{info.a, op.a}, {info.b, op.b}, {info.c, op.c}};
  for (const auto &input : inputs) {
    if (input.rule != MicroInput::None && stepOf(input.reg) != 0) {
      return std::nullopt;
    }
  }
  bool isPure = info.numInputs() > 0 && op.opcode != MicroOpcode::Carry;
  return isPure ? std::optional<int64_t>(0) : std::nullopt;
}

/// cost_section.
void VecCost::leaveSection() {
  // Within a section every lane does one value after the other.
  int64_t lanes = machine.vxeLanes;
  int64_t positions;
  if (section.isRows) {
    positions = ceilDiv(rows, lanes);
  } else if (section.hasCarry) {
    positions = reduced * ceilDiv(rows, lanes);
  } else if (section.reductions) {
    // A row takes whole groups of partials (or of lanes, if those are fewer).
    int64_t group = std::min(numPartials, lanes);
    positions = ceilDiv(rows * ceilDiv(reduced, group) * group, lanes);
  } else {
    positions = ceilDiv(rows * reduced, lanes);
  }
  int64_t cycles = positions * section.laneCycles;
  // The tree over the partials takes a row's lanes once for each reduction.
  int64_t group = std::min(numPartials, lanes);
  cycles += section.reductions * ceilDiv(rows * group, lanes);
  cycles = std::max(cycles, lmuPortCycles(section.traffic, machine));

  const Cost &traffic = section.traffic;
  bool hasWork = cycles || traffic.hbmRead || traffic.hbmWritten;
  if (hasWork && hasDrained) {
    cycles += machine.vxeLatencyCycles;
  }
  hasDrained |= hasWork;
  total.cycles += cycles;
  total.hbmRead += traffic.hbmRead;
  total.hbmWritten += traffic.hbmWritten;
  total.lmuRead += traffic.lmuRead;
  total.lmuWritten += traffic.lmuWritten;
  section = {};
}

void VecCost::visit(const MicroOp &op, const MicroOpInfo &info) {
  if (info.sections == MicroSections::Marker) {
    leaveSection();
    section.isRows = op.opcode == MicroOpcode::Rows;
    return;
  }
  section.laneCycles += opCycles(info.cost);
  section.reductions += op.opcode == MicroOpcode::Reduce;
  section.hasCarry |= op.opcode == MicroOpcode::Carry;
  bool isWrite =
      op.opcode == MicroOpcode::Store || op.opcode == MicroOpcode::Scatter;
  if (info.operand == MicroFieldOperand::Operand) {
    addOperand(op, isWrite);
  } else if (info.operand == MicroFieldOperand::Table) {
    addTable(op, isWrite);
  }
  if (info.result != MicroResult::None) {
    steps[op.dst] = innerStep(op);
    if (op.opcode == MicroOpcode::Const) {
      constants[op.dst] = static_cast<int64_t>(op.imm);
    }
  }
}

Cost VecCost::run() {
  measureDomain();
  total.cycles = 0;
  if (rows == 0) {
    total.cycles = 1;
    return total;
  }
  steps.resize(micro.header.numRegisters);
  constants.resize(micro.header.numRegisters);
  for (const MicroOp &op : micro.ops) {
    visit(op, *lookupMicroOp(op.opcode));
  }
  leaveSection();
  total.cycles = std::max<int64_t>(1, total.cycles);
  total.latency = machine.vxeLatencyCycles;
  const ResolvedView *slowest = nullptr;
  for (const MicroOp &op : micro.ops) {
    if (op.opcode != MicroOpcode::Load && op.opcode != MicroOpcode::Gather) {
      continue;
    }
    const ResolvedView &view = views[op.operand];
    if (slowest == nullptr ||
        readLatency(view, machine) > readLatency(*slowest, machine)) {
      slowest = &view;
    }
  }
  if (slowest != nullptr) {
    addLatency(total, *slowest, machine);
  }
  return total;
}

Cost lpu::costVec(const IssuedInstruction &instruction,
                  const MachineModel &machine) {
  return VecCost(instruction, machine).run();
}

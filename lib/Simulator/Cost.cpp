//===- Cost.cpp - What one instruction costs ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function an instruction, each short enough to compare with its clause in
// docs/ISA.md ("cost_mm" and so on) by eye. VecCost.cpp has that of the vector
// instruction.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Cost.h"
#include "VecCost.h"
#include "lpu/Target/Names.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace lpu;

Unit IssuedInstruction::unit() const {
  if (word.opcode == Opcode::Wait || word.opcode == Opcode::Post) {
    return static_cast<Unit>(word.flags);
  }
  return unitOf(word.opcode);
}

static int64_t ceilDiv(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

int64_t lpu::streamChunkBytes(const MachineModel &machine) {
  int64_t burst = machine.hbmBurstBytes;
  return std::max(burst, machine.streamBufferBytes / 16 / burst * burst);
}

int64_t lpu::lmuPortCycles(const Cost &cost, const MachineModel &machine) {
  int64_t readBytes = machine.lmuReadPorts * machine.lmuPortBytes;
  int64_t writtenBytes = machine.lmuWritePorts * machine.lmuPortBytes;
  return std::max(ceilDiv(cost.lmuRead, readBytes),
                  ceilDiv(cost.lmuWritten, writtenBytes));
}

int64_t lpu::readLatency(const ResolvedView &view,
                         const MachineModel &machine) {
  return view.isInHBM()
             ? static_cast<int64_t>(std::ceil(machine.hbmLatencyCycles()))
             : machine.lmuLatencyCycles;
}

void lpu::addLatency(Cost &cost, const ResolvedView &view,
                     const MachineModel &machine) {
  int64_t cycles = readLatency(view, machine);
  cost.latency += cycles;
  cost.hbmLatency += view.isInHBM() ? cycles : 0;
}

/// Adds the bytes of reading a whole view `times` over.
static void addRead(Cost &cost, const ResolvedView &view, int64_t times,
                    const MachineModel &machine) {
  if (view.isInHBM()) {
    cost.hbmRead += times * machine.hbmBurstBytes *
                    countTouchedBursts(view, machine.hbmBurstBytes);
  } else {
    cost.lmuRead += times * view.numElements() * byteWidth(view.type);
  }
}

static void addWritten(Cost &cost, const ResolvedView &view,
                       const MachineModel &machine) {
  if (view.isInHBM()) {
    cost.hbmWritten +=
        machine.hbmBurstBytes * countTouchedBursts(view, machine.hbmBurstBytes);
  } else {
    cost.lmuWritten += view.numElements() * byteWidth(view.type);
  }
}

/// cost_ld: one cycle, then the latency of the memory.
static Cost costLd(const IssuedInstruction &instruction,
                   const MachineModel &machine) {
  Cost cost;
  addRead(cost, instruction.views[0], 1, machine);
  addLatency(cost, instruction.views[0], machine);
  return cost;
}

/// cost_copy: bound by the ports of the LMU here and by the HBM's bandwidth in
/// the timeline.
static Cost costCopy(const IssuedInstruction &instruction,
                     const MachineModel &machine) {
  const ResolvedView &target = instruction.views[0];
  const ResolvedView &source = instruction.views[1];
  Cost cost;
  addWritten(cost, target, machine);
  addRead(cost, source, 1, machine);
  addLatency(cost, source, machine);
  cost.cycles = std::max<int64_t>(1, lmuPortCycles(cost, machine));
  return cost;
}

/// cost_gather, cost_scatter: every index moves one row of the table, which
/// touches its own bursts, but all together no more than the table has.
static Cost costIndexed(const IssuedInstruction &instruction,
                        const MachineModel &machine) {
  bool isGather = instruction.word.opcode == Opcode::Gather;
  const ResolvedView &rows = instruction.views[isGather ? 0 : 1];
  const ResolvedView &table = instruction.views[isGather ? 1 : 0];
  const ResolvedView &index = instruction.views[2];
  Cost cost;
  int64_t count = index.numElements();
  if (table.isInHBM()) {
    ResolvedView row = table;
    row.sizes[instruction.word.aux] =
        std::min<int64_t>(1, row.sizes[instruction.word.aux]);
    int64_t burst = machine.hbmBurstBytes;
    int64_t bytes = burst * std::min(count * countTouchedBursts(row, burst),
                                     countTouchedBursts(table, burst));
    (isGather ? cost.hbmRead : cost.hbmWritten) += bytes;
  } else {
    int64_t bytes = rows.numElements() * byteWidth(rows.type);
    (isGather ? cost.lmuRead : cost.lmuWritten) += bytes;
  }
  if (isGather) {
    addWritten(cost, rows, machine);
  } else {
    addRead(cost, rows, 1, machine);
  }
  addRead(cost, index, 1, machine);
  // The address of a row depends on its index, so the latencies add up.
  addLatency(cost, index, machine);
  addLatency(cost, isGather ? table : rows, machine);
  cost.cycles = std::max({int64_t(1), count, lmuPortCycles(cost, machine)});
  return cost;
}

/// cost_stream: the view's bursts, once a pass.
static Cost costStream(const IssuedInstruction &instruction,
                       const MachineModel &machine) {
  const ResolvedView &view = instruction.views[0];
  Cost cost;
  addRead(cost, view, instruction.word.b, machine);
  addLatency(cost, view, machine);
  cost.cycles = std::max<int64_t>(1, lmuPortCycles(cost, machine));
  return cost;
}

/// cost_mm: batch x ceil(cols / trees) x ceil(depth / width) x rows. The
/// activations are broadcast anew to each group of `trees` columns.
static Cost costMm(const IssuedInstruction &instruction,
                   const MachineModel &machine) {
  const ResolvedView &a = instruction.views[0];
  const ResolvedView &c = instruction.views[1];
  MmFields dims = MmFields::unpack(instruction.word.aux);
  auto product = [](const ResolvedView &view, unsigned begin, unsigned count) {
    int64_t result = 1;
    for (unsigned d = begin; d < begin + count; ++d) {
      result *= view.sizes[d];
    }
    return result;
  };
  int64_t batch = product(a, 0, dims.batch);
  int64_t rows = product(a, dims.batch, dims.rows);
  int64_t depth = product(a, dims.batch + dims.rows, dims.depth);
  int64_t cols = product(c, dims.batch + dims.rows, dims.cols);
  int64_t columnGroups = ceilDiv(cols, machine.trees);

  Cost cost;
  addRead(cost, a, columnGroups, machine);
  if (instruction.word.flags & MmAccumulate) {
    addRead(cost, c, 1, machine);
  }
  addWritten(cost, c, machine);
  cost.latency = machine.sxeFillCycles;
  addLatency(cost, a, machine);
  cost.cycles = std::max(
      {int64_t(1), batch * columnGroups * ceilDiv(depth, machine.width) * rows,
       lmuPortCycles(cost, machine)});
  return cost;
}

Cost lpu::cost(const IssuedInstruction &instruction,
               const MachineModel &machine) {
  switch (instruction.word.opcode) {
  case Opcode::Halt:
  case Opcode::Li:
  case Opcode::Alu:
  case Opcode::Branch:
  case Opcode::Loop:
  case Opcode::Wait:
  case Opcode::Post:
  case Opcode::Trace:
  case Opcode::Fault:
    return {};
  case Opcode::Ld:
    return costLd(instruction, machine);
  case Opcode::Copy:
    return costCopy(instruction, machine);
  case Opcode::Gather:
  case Opcode::Scatter:
    return costIndexed(instruction, machine);
  case Opcode::Stream:
    return costStream(instruction, machine);
  case Opcode::Mm:
    return costMm(instruction, machine);
  case Opcode::Vec:
    return costVec(instruction, machine);
  }
  return {};
}

Cost lpu::costAtBounds(const Program &program, size_t index) {
  const Instruction &word = program.text[index];
  std::vector<uint32_t> numbers;
  switch (word.opcode) {
  case Opcode::Ld:
  case Opcode::Stream:
    numbers = {word.a};
    break;
  case Opcode::Copy:
  case Opcode::Mm:
    numbers = {word.a, word.b};
    break;
  case Opcode::Gather:
  case Opcode::Scatter:
    numbers = {word.a, word.b, word.c};
    break;
  case Opcode::Vec:
    numbers.assign(program.operands.begin() + word.b,
                   program.operands.begin() + word.b + word.c);
    break;
  case Opcode::Halt:
  case Opcode::Li:
  case Opcode::Alu:
  case Opcode::Branch:
  case Opcode::Loop:
  case Opcode::Wait:
  case Opcode::Post:
  case Opcode::Trace:
  case Opcode::Fault:
    break;
  }
  // Where a register is unknown, a view is as large as it can get.
  ControlState control;
  std::fill(std::begin(control.isUnknown), std::end(control.isUnknown), true);
  std::vector<ResolvedView> views;
  for (uint32_t number : numbers) {
    views.push_back(*ResolvedView::resolve(program.views[number], control));
  }
  IssuedInstruction instruction;
  instruction.index = static_cast<uint32_t>(index);
  instruction.word = word;
  instruction.views = views.data();
  instruction.numViews = static_cast<unsigned>(views.size());
  if (word.opcode == Opcode::Vec) {
    instruction.micro = &program.micro[word.a];
  }
  return cost(instruction, program.machine);
}

//===- Budget.cpp - What a run may take of the host -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Budget.h. Each term names the code that it stands for.
//
//===----------------------------------------------------------------------===//

#include "Budget.h"

#include "StridedBytes.h"
#include "lpu/Simulator/Cost.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace lpu;

/// 2^60: counts of bytes, operations and cycles stay below it.
static constexpr double largest = double(int64_t(1) << 60);
/// What Footprint, TouchedBursts and RaceChecker list one by one at most.
static constexpr double maxListed = 1 << 20;

static uint64_t physicalMemory() {
  long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? uint64_t(pages) * uint64_t(bytes)
                                : uint64_t(1) << 36;
}

Budget::Budget(const Program &program, const std::vector<MicroPlan> &plans,
               const RunOptions &options)
    : program(program), plans(plans), options(options),
      maxHostBytes(options.maxHostBytes ? options.maxHostBytes
                                        : physicalMemory()) {}

static std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.4g", value);
  return buffer;
}

static Error limitError(const std::string &what, const std::string &limit,
                        const char *option) {
  return Error{what + ", more than the limit of " + limit +
                   "; if the program is right, raise " + option,
               ErrorKind::Limit};
}

std::optional<Error> Budget::checkMemories() const {
  uint64_t bytes = program.scratchBytes + program.lmuBytes;
  if (!options.values || bytes <= maxHostBytes) {
    return std::nullopt;
  }
  return limitError(
      "scratch and LMU take " + std::to_string(bytes) + " bytes of the host",
      std::to_string(maxHostBytes), "max-host-bytes, or run without values");
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

static double productOf(const ResolvedView &view, unsigned first,
                        unsigned count) {
  double product = 1;
  for (unsigned d = first; d < first + count; ++d) {
    product *= static_cast<double>(view.sizes[d]);
  }
  return product;
}

static double elementsOf(const ResolvedView &view) {
  return productOf(view, 0, view.rank);
}

/// Bytes between the first and the last one of a view: what a copy of it takes.
static double spanOf(const ResolvedView &view) {
  ByteRange range = view.bounds();
  return static_cast<double>(range.end - range.begin);
}

/// Footprint, and each element once.
void Budget::addWalk(const ResolvedView &view, Need &need) const {
  double elements = elementsOf(view);
  need.work += options.values ? elements : std::min(elements, maxListed);
}

/// copyView, which moves an overlapping source to memory of its own.
void Budget::addCopy(const ResolvedView &to, const ResolvedView &from,
                     double times, Need &need) const {
  need.work += times * elementsOf(to);
  if (from.bounds().overlaps(to.bounds())) {
    need.work += times * spanOf(from);
    need.hostBytes += spanOf(from);
  }
}

void Budget::addIndexed(const QueuedInstruction &instruction,
                        Need &need) const {
  const ResolvedView &to = instruction.views[0], &from = instruction.views[1];
  const ResolvedView &indices = instruction.views[2];
  double rows = elementsOf(indices);
  need.work += rows;
  need.hostBytes += rows * sizeof(int64_t);
  if (to.numElements() > 0 && from.numElements() > 0) {
    // Rows are compared apart, and each is as far as its view at most.
    ResolvedView row = sliceAt(to, instruction.word.aux, 0);
    need.work += rows * elementsOf(row);
    if (from.bounds().overlaps(to.bounds())) {
      need.work += rows * spanOf(from);
      need.hostBytes += spanOf(from);
    }
  }
}

void Budget::addMm(const QueuedInstruction &instruction, Need &need) const {
  const ResolvedView &a = instruction.views[0], &c = instruction.views[1];
  MmFields shape = MmFields::unpack(instruction.word.aux);
  double batches = productOf(c, 0, shape.batch);
  double rows = productOf(c, shape.batch, shape.rows);
  double columns = productOf(c, shape.batch + shape.rows, shape.cols);
  double depth = productOf(a, shape.batch + shape.rows, shape.depth);
  double products = batches * rows * columns * std::max(depth, 1.0);
  need.cycles += products;
  if (!options.values) {
    return;
  }
  need.work += products;
  // Tables of offsets, three for each role; packed rows and sums.
  double steps = 3 * (batches + rows + columns + depth);
  need.work += steps;
  need.hostBytes += steps * sizeof(int64_t);
  need.hostBytes += std::min(rows, 192.0) * (depth + 1024) * sizeof(float);
  if (a.bounds().overlaps(c.bounds())) {
    need.work += spanOf(a);
    need.hostBytes += spanOf(a);
  }
  // The streamed operand is as large as its roles, but can lie far apart.
  const View &streamed = program.views[instruction.word.c];
  if (streamed.space == c.space && streamed.argument == c.argument) {
    double span = byteWidth(streamed.type);
    for (unsigned d = 0; d < streamed.rank; ++d) {
      span += double(streamed.sizes[d]) * byteWidth(streamed.type) *
              double(std::abs(streamed.strides[d]));
    }
    need.work += span;
    need.hostBytes += span;
  }
}

void Budget::addVec(const QueuedInstruction &instruction, Need &need) const {
  const MicroPlan &plan = plans[instruction.word.a];
  const MicroProgram &micro = program.micro[instruction.word.a];
  double elements = 1;
  for (size_t i = 0; i < instruction.views.size(); ++i) {
    if (plan.isWalked[i]) {
      // Rows run even if what they reduce is empty.
      for (unsigned d = 0; d < instruction.views[i].rank; ++d) {
        elements *= std::max<double>(1, instruction.views[i].sizes[d]);
      }
      break;
    }
  }
  double steps = elements * static_cast<double>(micro.ops.size() + 1);
  // A row is padded to whole groups of partial results.
  need.cycles += 128 * steps * program.machine.vxeTranscendentalCycles;
  double tabled = 0;
  for (const MicroOp &op : micro.ops) {
    tabled +=
        op.opcode == MicroOpcode::Gather || op.opcode == MicroOpcode::Scatter;
  }
  need.bytes +=
      tabled * elements * std::max<double>(8, program.machine.hbmBurstBytes);
  if (options.values) {
    need.work += steps;
    need.hostBytes += tabled * elements * sizeof(TouchedElements);
    need.hostBytes += plan.registerBytes;
  }
}

/// countTouchedBursts and the events of the timeline.
void Budget::addTiming(const QueuedInstruction &instruction, Need &need) const {
  const MachineModel &machine = program.machine;
  double burst = static_cast<double>(machine.hbmBurstBytes);
  double times =
      instruction.word.opcode == Opcode::Stream ? instruction.word.b : 1;
  for (const ResolvedView &view : instruction.views) {
    double elements = elementsOf(view);
    need.bytes += times * elements * std::max(8.0, burst);
    if (!view.isInHBM() || elements == 0) {
      continue;
    }
    if (elements <= 4096) { // Not worth a closer look.
      need.work += elements;
      continue;
    }
    StridedBytes bytes(view, machine.hbmBurstBytes);
    double outer = 1;
    for (size_t level = bytes.dimensions.size(); level-- > 0;) {
      double size = static_cast<double>(bytes.dimensions[level].size);
      bool isApart = bytes.dimensions[level].stride - bytes.span(level) >=
                     machine.hbmBurstBytes - 1;
      double runs = static_cast<double>(
          bytes.countRuns(level + 1, static_cast<int64_t>(maxListed)));
      need.work +=
          std::min(outer, burst) * (isApart ? std::min(size, burst) : runs);
      outer *= size;
    }
  }
  double chunk = static_cast<double>(
      std::min(streamChunkBytes(machine), machine.streamBufferBytes));
  need.work += need.bytes / chunk;
  double slowest = std::max(1.0, 1 / machine.hbmBytesPerCycle());
  need.cycles += need.bytes * slowest;
  need.cycles +=
      16 + 2 * machine.hbmLatencyCycles() +
      static_cast<double>(machine.issueCycles + machine.semaphoreCycles +
                          machine.lmuLatencyCycles + machine.sxeFillCycles +
                          maxPhases * 2 * machine.vxeLatencyCycles);
}

Need Budget::estimate(const QueuedInstruction &instruction) const {
  const std::vector<ResolvedView> &views = instruction.views;
  Need need;
  need.work = 1;
  for (const ResolvedView &view : views) {
    addWalk(view, need);
    if (options.checks != Checks::None) {
      double listed = std::min(elementsOf(view), double(1 << 16));
      need.work += accesses + listed; // Few pairs are compared by the byte.
    }
  }
  switch (instruction.word.opcode) {
  case Opcode::Copy:
    addCopy(views[0], views[1], 1, need);
    break;
  case Opcode::Gather:
  case Opcode::Scatter:
    addIndexed(instruction, need);
    break;
  case Opcode::Mm:
    addMm(instruction, need);
    break;
  case Opcode::Vec:
    addVec(instruction, need);
    break;
  case Opcode::Stream:
  case Opcode::Ld:
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
  if (options.timing) {
    addTiming(instruction, need);
  }
  return need;
}

std::optional<Error> Budget::spend(const QueuedInstruction &instruction) {
  if (++instructions > options.maxInstructions) {
    return limitError(
        "the run issued " + std::to_string(instructions) + " instructions",
        std::to_string(options.maxInstructions), "max-instructions");
  }
  Need need = estimate(instruction);
  accesses += static_cast<double>(instruction.views.size());
  spent.work += need.work;
  spent.bytes += need.bytes;
  spent.cycles += need.cycles;
  if (need.hostBytes > static_cast<double>(maxHostBytes)) {
    return limitError("the instruction takes up to " + text(need.hostBytes) +
                          " bytes of the host",
                      std::to_string(maxHostBytes), "max-host-bytes");
  }
  if (spent.work > static_cast<double>(options.maxWork)) {
    return limitError("the run takes up to " + text(spent.work) +
                          " steps of the host",
                      std::to_string(options.maxWork), "max-work");
  }
  if (std::max({need.work, spent.bytes, spent.cycles}) > largest) {
    return Error{"the run takes more than 2^60 bytes or cycles, which is more "
                 "than can be counted",
                 ErrorKind::Limit};
  }
  return std::nullopt;
}

std::optional<Error> Budget::checkQueued(size_t count) const {
  if (count <= options.maxQueued) {
    return std::nullopt;
  }
  return limitError(std::to_string(count) +
                        " instructions, posts and stream entries wait at once",
                    std::to_string(options.maxQueued), "max-queued");
}

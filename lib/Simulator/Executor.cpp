//===- Executor.cpp - Runs one instruction on the memories ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case an opcode, each a call into the unit that owns it. What all have in
// common is here: the stream buffer keeps its values when a source is about to
// be written, and touched bytes are noted.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "Sxe.h"

#include <algorithm>

using namespace lpu;

IssuedInstruction QueuedInstruction::issued(const Program &program) const {
  IssuedInstruction issued;
  issued.index = index;
  issued.word = word;
  issued.views = views.data();
  issued.numViews = static_cast<unsigned>(views.size());
  if (word.opcode == Opcode::Vec) {
    issued.micro = &program.micro[word.a];
  }
  return issued;
}

std::optional<Error> Executor::execute(const QueuedInstruction &instruction) {
  const Instruction &word = instruction.word;
  const std::vector<ResolvedView> &views = instruction.views;
  for (size_t i = 0; i < views.size(); ++i) {
    // An empty view touches nothing, unless it is the result of a reduction of
    // nothing, which the rows still write.
    bool isTouched = views[i].numElements() > 0 ||
                     (word.opcode == Opcode::Vec && plans[word.a].isWritten[i]);
    std::optional<Error> error =
        isTouched ? memory.check(views[i]) : std::nullopt;
    if (error) {
      return error;
    }
  }
  switch (word.opcode) {
  case Opcode::Copy:
    if (written != nullptr) {
      if (std::optional<Error> error = written->copy(word, views)) {
        return error;
      }
    }
    if (std::optional<Error> error = willWrite(views[0])) {
      return error;
    }
    copyView(views[0], views[1], memory);
    footprint.add(views[0], true);
    footprint.add(views[1], false);
    return std::nullopt;
  case Opcode::Gather:
  case Opcode::Scatter:
    return executeIndexed(instruction);
  case Opcode::Stream:
    if (written != nullptr) {
      if (std::optional<Error> error = written->stream(word, views[0])) {
        return error;
      }
    }
    streamQueue.push(views[0], instruction.index, word.a, word.b, memory);
    footprint.add(views[0], false);
    return std::nullopt;
  case Opcode::Mm:
    return executeMm(instruction);
  case Opcode::Vec:
    return executeVec(instruction);
  case Opcode::Halt:
  case Opcode::Li:
  case Opcode::Ld:
  case Opcode::Alu:
  case Opcode::Branch:
  case Opcode::Loop:
  case Opcode::Wait:
  case Opcode::Post:
  case Opcode::Trace:
  case Opcode::Fault:
    break; // The driver's.
  }
  return Error{"not an instruction of this unit", ErrorKind::Invalid};
}

std::optional<Error>
Executor::executeIndexed(const QueuedInstruction &instruction) {
  const Instruction &word = instruction.word;
  const ResolvedView &to = instruction.views[0], &from = instruction.views[1];
  const ResolvedView &indices = instruction.views[2];
  bool isGather = word.opcode == Opcode::Gather;
  unsigned axis = word.aux;
  if (written != nullptr) {
    if (auto error = written->readIndices(word, instruction.views)) {
      return error;
    }
  }
  Result<std::vector<int64_t>> rows =
      readIndices(indices, (isGather ? from : to).sizes[axis],
                  (word.flags & IndexWrapNegative) != 0, memory);
  if (!rows) {
    return Error{rows.message(), rows.kind()};
  }
  if (written != nullptr) {
    if (auto error =
            written->moveRows(word, instruction.views, {*rows, axis})) {
      return error;
    }
  }
  if (std::optional<Error> error = willWrite(to)) {
    return error;
  }
  footprint.add(indices, false);
  footprint.add(isGather ? to : from, isGather);
  for (int64_t row : *rows) {
    footprint.add(sliceAt(isGather ? from : to, axis, row), !isGather);
  }
  if (isGather) {
    gatherRows(to, from, *rows, axis, memory);
  } else {
    scatterRows(to, from, *rows, axis, memory);
  }
  return std::nullopt;
}

/// Whether a stream entry has the sizes that the other operands have: all were
/// the same when the program was loaded, but a size register can change between
/// the stream and the mm.
static bool fits(const ResolvedView &entry, const ResolvedView &activations,
                 const ResolvedView &output, MmFields shape) {
  const int64_t *sizes = entry.sizes;
  const int64_t *columns = output.sizes + shape.batch + shape.rows;
  const int64_t *depths = activations.sizes + shape.batch + shape.rows;
  return std::equal(output.sizes, output.sizes + shape.batch, sizes) &&
         std::equal(columns, columns + shape.cols, sizes + shape.batch) &&
         std::equal(depths, depths + shape.depth,
                    sizes + shape.batch + shape.cols);
}

/// The elements of a view in memory of their own, if `output` overlaps them.
static uint8_t *stage(const ResolvedView &view, uint8_t *data,
                      const ResolvedView &output,
                      std::vector<uint8_t> &storage) {
  ByteRange range = view.bounds();
  if (view.numElements() == 0 || !range.overlaps(output.bounds())) {
    return data;
  }
  int64_t lead = view.offset - range.begin;
  storage.assign(data - lead, data - lead + (range.end - range.begin));
  return storage.data() + lead;
}

std::optional<Error> Executor::executeMm(const QueuedInstruction &instruction) {
  const Instruction &word = instruction.word;
  const ResolvedView &activations = instruction.views[0];
  const ResolvedView &output = instruction.views[1];
  MmFields shape = MmFields::unpack(word.aux);
  bool accumulate = (word.flags & MmAccumulate) != 0;
  if (written != nullptr) {
    if (auto error = written->mm(word, instruction.views)) {
      return error;
    }
  }
  if (std::optional<Error> error = willWrite(output)) {
    return error;
  }
  footprint.add(activations, false);
  footprint.add(output, true);
  if (accumulate) {
    footprint.add(output, false);
  }
  PlacedView to{output, memory.address(output)};
  StreamQueue::Entry entry = streamQueue.pop();
  if (entry.viewNumber != word.c) { // mm_f1
    return Error{"the next stream entry is view " +
                     std::to_string(entry.viewNumber) + ", expected view " +
                     std::to_string(word.c),
                 ErrorKind::Runtime};
  }
  // A run-time number of rows counts with its bound, as in the Stream.
  int64_t rows = 1;
  for (unsigned d = shape.batch; d < shape.batch + shape.rows; ++d) {
    rows *= program.views[word.a].sizes[d];
  }
  int64_t perPass = program.machine.rowsPerPass;
  if (rows > 0 && entry.passes != (rows + perPass - 1) / perPass) {
    return Error{"the stream entry has " + std::to_string(entry.passes) +
                     " passes, expected " +
                     std::to_string((rows + perPass - 1) / perPass) + " for " +
                     std::to_string(rows) + " rows",
                 ErrorKind::Runtime};
  }
  if (!fits(entry.view, activations, output, shape)) { // mm_f2
    return Error{"a size of the stream entry is not that of the other "
                 "operands, expected its register unchanged since the stream",
                 ErrorKind::Runtime};
  }
  std::vector<uint8_t> stagedActivations, stagedStream;
  uint8_t *left = stage(activations, memory.address(activations), output,
                        stagedActivations);
  uint8_t *right = const_cast<uint8_t *>(entry.data);
  if (entry.copy.empty()) {
    right = stage(entry.view, right, output, stagedStream);
  }
  if (output.hasDistinctElements()) {
    multiply({activations, left}, {entry.view, right}, to, shape, accumulate,
             pool);
    return std::nullopt;
  }
  // Where elements of the output share bytes, each has its sum of the old
  // value, and the last one stays.
  ResolvedView apart = output;
  int64_t stride = 1;
  for (unsigned d = output.rank; d-- > 0; stride *= output.sizes[d]) {
    apart.strides[d] = stride;
  }
  std::vector<uint8_t> results(output.numElements() * byteWidth(output.type));
  copyElements(apart, results.data(), output, to.data);
  multiply({activations, left}, {entry.view, right}, {apart, results.data()},
           shape, accumulate, pool);
  copyElements(output, to.data, apart, results.data());
  return std::nullopt;
}

std::optional<Error>
Executor::executeVec(const QueuedInstruction &instruction) {
  const std::vector<ResolvedView> &views = instruction.views;
  const MicroPlan &plan = plans[instruction.word.a];
  for (unsigned i = 0; i < views.size(); ++i) {
    if (plan.isWritten[i]) {
      if (std::optional<Error> error = willWrite(views[i])) {
        return error;
      }
    }
    if (plan.isWalked[i]) {
      if (plan.isRead[i]) {
        footprint.add(views[i], false);
      }
      if (plan.isWritten[i]) {
        footprint.add(views[i], true);
      }
    }
  }
  touched.clear();
  bool tracksAll = written != nullptr;
  std::optional<Error> error =
      runMicroProgram(plan, views.data(), static_cast<unsigned>(views.size()),
                      memory, pool, program.strtab, &touched, tracksAll);
  for (const TouchedElements &run : touched) {
    footprint.addElements(views[run.operand], run.first, run.last, run.write);
  }
  if (!error && written != nullptr) {
    error = written->vec(instruction.word, views, touched);
  }
  return error;
}

void lpu::estimateFootprint(const QueuedInstruction &instruction,
                            const std::vector<MicroPlan> &plans,
                            Footprint &footprint) {
  const Instruction &word = instruction.word;
  const std::vector<ResolvedView> &views = instruction.views;
  switch (word.opcode) {
  case Opcode::Copy:
    footprint.add(views[0], true);
    footprint.add(views[1], false);
    return;
  case Opcode::Gather:
  case Opcode::Scatter: {
    bool isGather = word.opcode == Opcode::Gather;
    ResolvedView indexed = isGather ? views[1] : views[0];
    int64_t &rows = indexed.sizes[word.aux];
    rows = std::min(rows, views[2].numElements());
    footprint.add(indexed, !isGather);
    footprint.add(isGather ? views[0] : views[1], isGather);
    footprint.add(views[2], false);
    return;
  }
  case Opcode::Stream:
    footprint.add(views[0], false);
    return;
  case Opcode::Mm:
    footprint.add(views[0], false);
    footprint.add(views[1], true);
    if ((word.flags & MmAccumulate) != 0) {
      footprint.add(views[1], false);
    }
    return;
  case Opcode::Vec: {
    const MicroPlan &plan = plans[word.a];
    int64_t elements = 1;
    for (unsigned i = 0; i < views.size(); ++i) {
      if (plan.isWalked[i]) {
        elements = views[i].numElements();
        break;
      }
    }
    for (unsigned i = 0; i < views.size(); ++i) {
      ResolvedView view = views[i];
      if (!plan.isWalked[i] && view.rank > 0) {
        view.sizes[0] = std::min(view.sizes[0], elements);
      }
      if (plan.isRead[i]) {
        footprint.add(view, false);
      }
      if (plan.isWritten[i]) {
        footprint.add(view, true);
      }
    }
    return;
  }
  case Opcode::Halt:
  case Opcode::Li:
  case Opcode::Ld:
  case Opcode::Alu:
  case Opcode::Branch:
  case Opcode::Loop:
  case Opcode::Wait:
  case Opcode::Post:
  case Opcode::Trace:
  case Opcode::Fault:
    return;
  }
}

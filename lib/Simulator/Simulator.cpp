//===- Simulator.cpp - Runs a program on the simulated machine ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver. It walks .text as the ICP does and hands every instruction, its
// views resolved, to two clients that know nothing of each other: the queues
// (which change memory) and the timeline (which tells time).
//
//     .text --ICP--> issue --> UnitQueues --> Executor --> Memory
//                          \-> Timeline   --> Report
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Simulator.h"

#include "Budget.h"
#include "Conservation.h"
#include "Executor.h"
#include "Footprint.h"
#include "Icp.h"
#include "Kernels/Kernels.h"
#include "RaceChecker.h"
#include "ThreadPool.h"
#include "UnitQueues.h"
#include "lpu/Simulator/Deadlock.h"
#include "lpu/Simulator/Memory.h"
#include "lpu/Simulator/Timeline.h"
#include "lpu/Target/Names.h"
#include "lpu/Target/Verifier.h"

#include <algorithm>

using namespace lpu;

/// Instructions that the ICP may be ahead of the units, so that a long loop
/// does not fill the host's memory.
static constexpr size_t maxPending = 1 << 16;

struct Simulator::Implementation {
  explicit Implementation(Program given)
      : program(std::move(given)), memory(program) {
    for (const MicroProgram &micro : program.micro) {
      plans.push_back(MicroPlan::make(micro));
    }
  }

  Program program;
  Memory memory;
  std::vector<MicroPlan> plans;
  std::unique_ptr<ThreadPool> pool;
};

namespace {

/// One run of a program.
class Run final : MachineState {
public:
  Run(const Program &program, const std::vector<MicroPlan> &plans,
      Memory &memory, ThreadPool &pool, const RunOptions &options,
      Listener *listener)
      : program(program), plans(plans), memories(memory), options(options),
        listener(listener), budget(program, plans, options),
        footprint(program.numArguments()),
        written(options.values && options.checks == Checks::All
                    ? std::make_unique<WrittenBytes>(program)
                    : nullptr),
        executor(program, plans, memory, pool, footprint, written.get()),
        queues(program, executor, options, *this, listener) {
    if (options.timing) {
      if (options.checks != Checks::None) {
        conservation = std::make_unique<Conservation>(program, listener);
      }
      timeline = std::make_unique<Timeline>(
          program.machine, conservation ? conservation.get() : listener,
          options.criticalPath ? Timeline::maxPathSteps : 0);
    }
    if (options.checks != Checks::None) {
      races = std::make_unique<RaceChecker>(program);
    }
  }

  Result<Report> run();

private:
  const ControlState &control() const override { return icp.control(); }
  const Memory &memory() const override { return memories; }
  uint64_t semaphore(unsigned number) const override {
    return queues.semaphore(number);
  }
  Queue queue(Unit unit) const override { return queues.queue(unit); }

  /// One instruction. `done` is set by Halt.
  std::optional<Error> step(uint32_t index, bool &done);
  std::optional<Error> resolveViews(QueuedInstruction &instruction);
  std::optional<Error> runControl(const QueuedInstruction &instruction,
                                  bool &done);
  std::optional<Error> loadRegister(const QueuedInstruction &instruction);
  std::optional<Error> issue(const QueuedInstruction &instruction);
  Error locate(const Error &error, uint32_t index) const;
  const char *string(uint32_t offset) const {
    return program.strtab.data() + offset;
  }

  const Program &program;
  const std::vector<MicroPlan> &plans;
  Memory &memories;
  const RunOptions &options;
  Listener *listener;
  Budget budget;
  Footprint footprint;
  std::unique_ptr<WrittenBytes> written; ///< sync_c3
  Executor executor;
  UnitQueues queues;
  std::unique_ptr<Conservation> conservation; ///< cost_report
  IssuedTokens issuedTokens; ///< Without values, where queues see no tokens.
  std::unique_ptr<Timeline> timeline;
  std::unique_ptr<RaceChecker> races;
  Icp icp;
  Report report;
};

} // namespace

/// Adds the instruction and its source to a message, unless it names them.
Error Run::locate(const Error &error, uint32_t index) const {
  if (error.kind == ErrorKind::Deadlock) {
    return error;
  }
  std::string message = error.message + " [instruction " +
                        std::to_string(index) + " (" +
                        std::string(nameOf(program.text[index].opcode)) + ")";
  if (const Location *location = program.locationOfInstruction(index)) {
    if (!location->name.empty()) {
      message += " of " + location->name;
    }
    if (!location->file.empty()) {
      message += " at " + location->file + ":" + std::to_string(location->line);
    }
  }
  return {message + "]", error.kind};
}

std::optional<Error> Run::resolveViews(QueuedInstruction &instruction) {
  const Instruction &word = instruction.word;
  auto add = [&](uint32_t number) -> std::optional<Error> {
    Result<ResolvedView> view =
        ResolvedView::resolve(program.views[number], icp.control());
    if (!view) {
      return Error{view.message(), view.kind()};
    }
    instruction.views.push_back(*view);
    return std::nullopt;
  };
  auto addAll = [&](std::initializer_list<uint32_t> numbers) {
    std::optional<Error> error;
    for (uint32_t number : numbers) {
      error = error ? error : add(number);
    }
    return error;
  };
  switch (word.opcode) {
  case Opcode::Ld:
  case Opcode::Stream:
    return addAll({word.a});
  case Opcode::Copy:
  case Opcode::Mm:
    return addAll({word.a, word.b});
  case Opcode::Gather:
  case Opcode::Scatter:
    return addAll({word.a, word.b, word.c});
  case Opcode::Vec: {
    instruction.views.reserve(word.c);
    std::optional<Error> error;
    for (uint32_t i = 0; i < word.c && !error; ++i) {
      error = add(program.operands[word.b + i]);
    }
    return error;
  }
  case Opcode::Halt:
  case Opcode::Li:
  case Opcode::Alu:
  case Opcode::Branch:
  case Opcode::Loop:
  case Opcode::Wait:
  case Opcode::Post:
  case Opcode::Trace:
  case Opcode::Fault:
    return std::nullopt;
  }
  return std::nullopt;
}

/// Tells those who watch of an issued instruction: the clock (or, without one,
/// the listener) and the race checker.
std::optional<Error> Run::issue(const QueuedInstruction &instruction) {
  ++report.instructions[static_cast<uint8_t>(instruction.word.opcode)];
  if (instruction.word.opcode == Opcode::Mm) {
    ++report.mmOperands[static_cast<uint8_t>(instruction.views[0].type)];
  }
  IssuedInstruction issued = instruction.issued(program);
  if (conservation) {
    conservation->request(issued);
  }
  if (timeline) {
    timeline->issue(issued);
  } else if (listener != nullptr) {
    listener->willIssue(issued.index, issued.unit(), 0);
  }
  if (races) {
    if (std::optional<Error> error = races->issue(issued)) {
      return locate(*error, races->faultIndex());
    }
  }
  size_t queued =
      std::max({timeline ? timeline->queued() : 0, races ? races->queued() : 0,
                options.values ? executor.streams().size()
                               : issuedTokens.streamCount()});
  if (std::optional<Error> error = budget.checkQueued(queued)) {
    return locate(*error, instruction.index);
  }
  return std::nullopt;
}

std::optional<Error> Run::loadRegister(const QueuedInstruction &instruction) {
  const ResolvedView &view = instruction.views[0];
  if (std::optional<Error> error = memories.check(view)) {
    return error;
  }
  if (written) {
    if (auto error = written->load(instruction.word, view)) {
      return error;
    }
  }
  footprint.add(view, false);
  // Without values only what the caller or the program provides can be read.
  bool isKnown = options.values || view.space == Space::Constant ||
                 (view.space == Space::Arg &&
                  memories.isPresent(view.space, view.argument));
  if (isKnown) {
    icp.loadElement(instruction.word, memories.address(view), view.type);
  } else {
    icp.loadUnknown(instruction.word);
  }
  return std::nullopt;
}

/// An instruction of the ICP.
std::optional<Error> Run::runControl(const QueuedInstruction &instruction,
                                     bool &done) {
  const Instruction &word = instruction.word;
  switch (word.opcode) {
  case Opcode::Halt:
    done = true;
    return std::nullopt;
  case Opcode::Li:
    icp.loadImmediate(word);
    return std::nullopt;
  case Opcode::Ld:
    return loadRegister(instruction);
  case Opcode::Alu:
    icp.compute(word);
    return std::nullopt;
  case Opcode::Branch:
    icp.branch(word);
    return std::nullopt;
  case Opcode::Loop:
    return icp.enterLoop(word);
  case Opcode::Wait:
    return options.values ? queues.wait(word.aux, word.a, instruction.index)
                          : std::nullopt;
  case Opcode::Post:
    queues.post(word.aux, word.a, instruction.index);
    return std::nullopt;
  case Opcode::Trace:
    if (timeline) {
      timeline->mark(string(word.a));
    } else if (listener != nullptr) {
      listener->didMark(string(word.a), 0);
    }
    return std::nullopt;
  case Opcode::Fault: // fault_f1
    return Error{string(word.a),
                 static_cast<FaultKind>(word.flags) == FaultKind::Index
                     ? ErrorKind::Index
                     : ErrorKind::Runtime};
  case Opcode::Copy:
  case Opcode::Gather:
  case Opcode::Scatter:
  case Opcode::Stream:
  case Opcode::Mm:
  case Opcode::Vec:
    break; // In a unit's queue.
  }
  return std::nullopt;
}

std::optional<Error> Run::step(uint32_t index, bool &done) {
  if (std::optional<Error> error = queues.goBeforeICP()) {
    return locate(*error, queues.faultIndex());
  }
  QueuedInstruction instruction;
  instruction.index = index;
  instruction.word = program.text[index];
  if (std::optional<Error> error = resolveViews(instruction)) {
    return locate(*error, index);
  }
  if (std::optional<Error> error = budget.spend(instruction)) {
    return locate(*error, index);
  }
  if (std::optional<Error> error = issue(instruction)) {
    return error;
  }
  const Instruction &word = instruction.word;
  if (!options.values) {
    issuedTokens.issue(index, word);
  }
  bool isSync = word.opcode == Opcode::Wait || word.opcode == Opcode::Post;
  Unit unit = isSync ? static_cast<Unit>(word.flags) : unitOf(word.opcode);
  // The queues tell the listener of a unit's instruction, when it is its turn.
  bool isTold = listener != nullptr && (unit == Unit::ICP || !options.values);
  if (isTold && !listener->willExecute(instruction.issued(program), *this)) {
    return locate({"stopped", ErrorKind::Stopped}, index);
  }
  if (unit == Unit::ICP) {
    std::optional<Error> error = runControl(instruction, done);
    if (!error) {
      if (isTold) {
        listener->didExecute(instruction.issued(program), *this);
      }
      return std::nullopt;
    }
    bool isQueues = word.opcode == Opcode::Wait;
    return locate(*error, isQueues ? queues.faultIndex() : index);
  }
  if (!options.values) {
    estimateFootprint(instruction, plans, footprint);
    if (isTold) {
      listener->didExecute(instruction.issued(program), *this);
    }
    return std::nullopt;
  }
  queues.push(unit, std::move(instruction));
  if (queues.pending() >= maxPending) {
    if (std::optional<Error> error = queues.run(maxPending / 2)) {
      return locate(*error, queues.faultIndex());
    }
  }
  return std::nullopt;
}

Result<Report> Run::run() {
  report.program = program.name;
  report.machine = program.machine.name;
  report.lmuBytes = static_cast<int64_t>(program.lmuBytes);
  report.scratchBytes = static_cast<int64_t>(program.scratchBytes);
  report.warnings = capacityWarnings(program);
  executor.limitStagedBytes(budget.hostBytes());
  for (bool done = false; !done;) {
    uint32_t index = icp.fetch();
    if (std::count(options.omit.begin(), options.omit.end(), index) > 0) {
      continue;
    }
    if (std::optional<Error> error = step(index, done)) {
      return *error;
    }
  }
  if (races) {
    if (std::optional<Error> error = races->finish()) {
      return *error;
    }
  }
  if (options.values) {
    if (std::optional<Error> error = queues.run(0)) {
      return locate(*error, queues.faultIndex());
    }
    if (std::optional<Error> error = queues.checkDrained()) {
      return *error;
    }
  }
  if (written) {
    if (std::optional<Error> error = written->checkOutputs()) {
      return *error;
    }
  }
  if (timeline) {
    if (std::optional<Deadlock> deadlock = timeline->finish()) {
      return deadlock->describe(program);
    }
    if (!options.values) {
      if (std::optional<Error> error = issuedTokens.checkDrained(program)) {
        return *error;
      }
    }
    timeline->fill(report);
    if (conservation) {
      if (std::optional<Error> error = conservation->check(report)) {
        return *error;
      }
    }
    std::vector<PathStep> path = timeline->criticalPath();
    report.criticalPath = summarizePath(path, program);
    if (listener != nullptr) {
      listener->didFindPath(path);
    }
  }
  report.compulsoryReadBytes = footprint.readBytes();
  report.compulsoryWrittenBytes = footprint.writtenBytes();
  return report;
}

Simulator::Simulator(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}

Simulator::~Simulator() = default;

const Program &Simulator::program() const { return implementation->program; }

const Memory &Simulator::memory() const { return implementation->memory; }

Result<std::unique_ptr<Simulator>> Simulator::create(Program program) {
  if (std::optional<Error> error = verify(program)) {
    return *error;
  }
  return std::unique_ptr<Simulator>(
      new Simulator(std::make_unique<Implementation>(std::move(program))));
}

Result<Report> Simulator::run(void *const *arguments, size_t numArguments,
                              const RunOptions &options, Listener *listener) {
  const Program &program = implementation->program;
  size_t expected = program.inputs.size() + program.outputs.size();
  if (numArguments != expected) {
    return Error{"program " + program.name + " got " +
                 std::to_string(numArguments) + " arguments, expected " +
                 std::to_string(expected)};
  }
  for (uint32_t index : options.omit) {
    bool isSync = index < program.text.size() &&
                  (program.text[index].opcode == Opcode::Wait ||
                   program.text[index].opcode == Opcode::Post);
    if (!isSync) {
      return Error{"instruction " + std::to_string(index) +
                   " cannot be left out, expected a wait or a post"};
    }
  }
  if (const auto &chosen = chosenKernels(); !chosen) {
    return Error{chosen.message()};
  }
  Memory &memory = implementation->memory;
  memory.bind(arguments);
  for (size_t i = 0; options.values && i < expected; ++i) {
    if (!memory.isPresent(Space::Arg, static_cast<uint16_t>(i))) {
      return Error{"argument " + std::to_string(i) + " of program " +
                   program.name + " is null, expected data"};
    }
  }
  if (std::optional<Error> error =
          Budget(program, implementation->plans, options).checkMemories()) {
    return *error;
  }
  if (options.values && !memory.isAllocated()) {
    return Error{"the host has no address space for the " +
                     std::to_string(program.scratchBytes) + " bytes of scratch",
                 ErrorKind::Limit};
  }
  if (options.values && options.checks == Checks::All) {
    memory.poison();
  }
  std::unique_ptr<ThreadPool> &pool = implementation->pool;
  if (pool == nullptr ||
      (options.threads != 0 && pool->size() != options.threads)) {
    pool = std::make_unique<ThreadPool>(options.values ? options.threads : 1);
  }
  return Run(program, implementation->plans, memory, *pool, options, listener)
      .run();
}

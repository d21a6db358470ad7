//===- lpu-sim.cpp - Runs a binary on the simulated machine ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a .lpubin file, runs it on .npy arguments and prints what it cost; on
// request it stops, watches and shows what is in the machine. Links nothing of
// MLIR.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Arguments.h"
#include "Inspector.h"
#include "NumpyFile.h"
#include "Options.h"
#include "lpu/Simulator/Simulator.h"
#include "lpu/Simulator/Trace.h"
#include "lpu/Target/Binary.h"

#include <cstdio>
#include <limits>

using namespace lpu;

static int fail(const std::string &message, ExitCode code) {
  std::fflush(stdout);
  std::fprintf(stderr, "lpu-sim: %s\n", message.c_str());
  return code;
}

static Result<std::unique_ptr<Simulator>> load(const std::string &path) {
  Result<std::vector<uint8_t>> bytes = readFile(path);
  if (!bytes) {
    return Error{bytes.message()};
  }
  Result<Program> program = readBinary(*bytes);
  if (!program) {
    return Error{path + ": " + program.message()};
  }
  Result<std::unique_ptr<Simulator>> simulator =
      Simulator::create(std::move(*program));
  if (!simulator) {
    return Error{path + ": " + simulator.message()};
  }
  return simulator;
}

/// Resolves what the options say of places in this program.
static std::optional<Error> prepare(const Options &options,
                                    const Simulator &simulator,
                                    Inspector &inspector,
                                    std::vector<Dump> &dumps) {
  const Program &program = simulator.program();
  for (const std::string &text : options.stops) {
    Result<Stop> stop = Stop::parse(text, program, options.run.timing);
    if (!stop) {
      return Error{"--stop-at " + text + ": " + stop.message()};
    }
    inspector.stops.push_back(*stop);
  }
  for (const std::string &text : options.watches) {
    Result<ByteRange> range = parseAddress(text, program, simulator.memory());
    if (!range) {
      return Error{"--watch " + text + ": " + range.message()};
    }
    inspector.watches.emplace_back(*range);
  }
  for (const std::string &text : options.dumps) {
    Result<Dump> dump = parseDump(text, simulator.memory());
    if (!dump) {
      return Error{"--dump-lmu " + text + ": " + dump.message()};
    }
    dumps.push_back(*dump);
  }
  if (options.step) {
    int64_t stepsLeft =
        options.stops.empty() ? 0 : std::numeric_limits<int64_t>::max();
    inspector.prompt.emplace(program, options.run.timing, options.run.values,
                             stepsLeft);
  }
  return std::nullopt;
}

static std::optional<Error> writeDumps(const std::vector<Dump> &dumps,
                                       const Memory &memory) {
  for (const Dump &dump : dumps) {
    ResolvedView view;
    view.space = Space::LMU;
    view.offset = dump.offset;
    if (std::optional<Error> error =
            writeNumpy(dump.path, dump.tensor, memory.address(view))) {
      return error;
    }
  }
  return std::nullopt;
}

static std::optional<Error> writeText(const std::string &path,
                                      std::string text) {
  if (path.empty()) {
    return std::nullopt;
  }
  text += "\n";
  return writeFile(path, text.data(), text.size());
}

static ExitCode codeOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Invalid:
    return BadUsage;
  case ErrorKind::Index:
  case ErrorKind::Runtime:
  case ErrorKind::Bounds:
  case ErrorKind::Limit:
    return Fault;
  case ErrorKind::Deadlock:
    return Deadlocked;
  case ErrorKind::Check:
    return CheckFailed;
  case ErrorKind::Stopped:
    return Stopped;
  }
  return Fault;
}

static int run(Options options) {
  Result<std::unique_ptr<Simulator>> loaded = load(options.program);
  if (!loaded) {
    return fail(loaded.message(), BadFile);
  }
  Simulator &simulator = **loaded;
  const Program &program = simulator.program();
  if (options.signature) {
    printSignature(program);
    return Ok;
  }
  if (options.arguments.size() > program.numArguments()) {
    return fail(std::to_string(options.arguments.size()) +
                    " arguments given, expected at most " +
                    std::to_string(program.numArguments()),
                BadUsage);
  }
  Trace trace(program);
  Trace *wantedTrace = options.trace.empty() ? nullptr : &trace;
  Inspector inspector(program, wantedTrace);
  std::vector<Dump> dumps;
  if (auto error = prepare(options, simulator, inspector, dumps)) {
    return fail(error->message, BadUsage);
  }
  bool isInspected = options.step || !options.stops.empty();
  if (isInspected && !options.interleaveGiven) {
    options.run.interleave = Interleave::Prompt;
  }
  isInspected |= !options.watches.empty();
  Result<Arguments> arguments =
      Arguments::read(program, options.arguments, options.run.values);
  if (!arguments) {
    return fail(arguments.message(), BadFile);
  }

  Listener *listener =
      isInspected ? static_cast<Listener *>(&inspector) : wantedTrace;
  Result<Report> report = simulator.run(
      arguments->pointers(), arguments->size(), options.run, listener);
  // What is in the LMU is of most interest where a run did not end well.
  if (auto error = writeDumps(dumps, simulator.memory())) {
    return fail(error->message, BadFile);
  }
  if (inspector.isStopped()) {
    return Stopped;
  }
  if (!report) {
    return fail(report.message(), codeOf(report.kind()));
  }
  std::fputs(report->toTable().c_str(), stdout);

  std::optional<Error> error =
      options.out.empty() ? std::nullopt
                          : arguments->writeResults(program, options.out);
  error = error ? error : writeText(options.report, report->toJSON());
  error = error ? error : writeText(options.trace, trace.toJSON());
  if (error) {
    return fail(error->message, BadFile);
  }
  if (!options.stops.empty() && !inspector.isStopReached()) {
    std::string stops;
    for (const std::string &stop : options.stops) {
      stops += (stops.empty() ? "--stop-at " : ", --stop-at ") + stop;
    }
    return fail(stops + ": the program ended before it got there", NotReached);
  }
  return Ok;
}

int main(int argc, char **argv) {
  Options options;
  if (std::optional<Error> error = parseOptions(argc, argv, options)) {
    std::fprintf(stderr, "lpu-sim: %s\n\n%s", error->message.c_str(),
                 usage().c_str());
    return BadUsage;
  }
  if (options.help) {
    std::fputs(usage().c_str(), stdout);
    return Ok;
  }
  return run(std::move(options));
}

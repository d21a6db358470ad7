//===- lpu-sim.cpp - Runs a binary on the simulated machine ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a .lpubin file, runs it on .npy arguments and prints what it cost.
// Links nothing of MLIR.
//
//===----------------------------------------------------------------------===//

#include "NumpyFile.h"
#include "lpu/Simulator/Simulator.h"
#include "lpu/Simulator/Trace.h"
#include "lpu/Target/Binary.h"
#include "lpu/Target/Names.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace lpu;

enum ExitCode { Ok = 0, BadInput = 1, Fault = 2, Deadlocked = 3 };

static const char usage[] =
    R"(usage: lpu-sim program.lpubin [options]

Runs a machine program and prints a report.

  --arg FILE.npy      the next argument (inputs, then outputs); arguments that
                      are not given are zero. bf16 is stored as uint16.
  --out DIR           write each result to DIR/<name>.npy
  --report FILE.json  write the report
  --trace FILE.json   write a trace for https://ui.perfetto.dev
  --dma early|late|random:SEED
                      when transfers take effect where semaphores leave it open
  --interleave fixed|random:SEED
                      which unit goes next where semaphores leave it open
  --check none|standard|all
                      standard: fail if nothing orders two conflicting accesses;
                      all: also fill LMU and scratch with NaN before the run
  --timing-only       count cycles without computing values
  --no-timing         compute values without counting cycles
  --threads N         host threads (0: all)
  --signature         print the program's arguments and results, and stop

exit status: 0 ok, 1 bad usage or file, 2 fault at run time, 3 deadlock
)";

namespace {
struct Options {
  std::string program, out, report, trace;
  std::vector<std::string> arguments;
  RunOptions run;
  bool signature = false;
};
} // namespace

static int fail(const std::string &message) {
  std::fprintf(stderr, "lpu-sim: %s\n", message.c_str());
  return BadInput;
}

/// Reads the command line; an error message, or nothing.
static std::optional<Error> parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    auto value = [&](std::string &target) -> std::optional<Error> {
      if (i + 1 == argc) {
        return Error{name + " needs a value"};
      }
      target = argv[++i];
      return std::nullopt;
    };
    std::optional<Error> error;
    std::string text;
    if (name == "--arg") {
      error = value(text);
      options.arguments.push_back(text);
    } else if (name == "--out") {
      error = value(options.out);
    } else if (name == "--report") {
      error = value(options.report);
    } else if (name == "--trace") {
      error = value(options.trace);
    } else if (name == "--dma") {
      error = value(text);
      Result<Dma> dma = Dma::parse(text);
      if (dma) {
        options.run.dma = *dma;
      } else if (!error) {
        error = Error{dma.message()};
      }
    } else if (name == "--threads") {
      error = value(text);
      char *end = nullptr;
      unsigned long threads = std::strtoul(text.c_str(), &end, 10);
      if (!error && (text.empty() || *end || threads > 4096)) {
        error = Error{"--threads " + text + ", expected a number up to 4096"};
      }
      options.run.threads = static_cast<unsigned>(threads);
    } else if (name == "--interleave") {
      error = value(text);
      Result<Interleave> interleave = Interleave::parse(text);
      if (interleave) {
        options.run.interleave = *interleave;
      } else if (!error) {
        error = Error{interleave.message()};
      }
    } else if (name == "--check") {
      error = value(text);
      Result<Checks> checks = parseChecks(text);
      if (checks) {
        options.run.checks = *checks;
      } else if (!error) {
        error = Error{checks.message()};
      }
    } else if (name == "--timing-only") {
      options.run.values = false;
    } else if (name == "--no-timing") {
      options.run.timing = false;
    } else if (name == "--signature") {
      options.signature = true;
    } else if (name.size() > 1 && name[0] == '-') {
      error = Error{"unknown option " + name};
    } else if (options.program.empty()) {
      options.program = name;
    } else {
      error = Error{"two programs, " + options.program + " and " + name};
    }
    if (error) {
      return error;
    }
  }
  if (options.program.empty()) {
    return Error{"no program"};
  }
  if (!options.run.values && !options.run.timing) {
    return Error{"--timing-only and --no-timing leave nothing to do"};
  }
  if (!options.run.values && !options.out.empty()) {
    return Error{"--timing-only computes no values for --out"};
  }
  return std::nullopt;
}

static void printTensor(const char *kind, size_t number,
                        const TensorSpec &tensor) {
  std::string sizes;
  for (int64_t size : tensor.sizes) {
    sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
  }
  std::printf("%s %zu: %s %s [%s]", kind, number, tensor.name.c_str(),
              std::string(nameOf(tensor.type)).c_str(), sizes.c_str());
}

static void printSignature(const Program &program) {
  std::printf("%s for %s\n", program.name.c_str(),
              program.machine.name.c_str());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    printTensor("input", i, program.inputs[i]);
    std::printf("\n");
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    printTensor("output", program.inputs.size() + i, program.outputs[i]);
    std::printf("\n");
  }
  for (size_t i = 0; i < program.results.size(); ++i) {
    printTensor("result", i, program.results[i]);
    std::printf(" in argument %u\n", program.results[i].argument);
  }
}

/// A result's file: its name with what no file name should hold replaced.
static std::string resultPath(const std::string &folder,
                              const TensorSpec &result, size_t number) {
  std::string name =
      result.name.empty() ? "result" + std::to_string(number) : result.name;
  for (char &c : name) {
    if (c == '/' || c == '\0') {
      c = '_';
    }
  }
  return folder + "/" + name + ".npy";
}

static int run(const Options &options) {
  Result<std::vector<uint8_t>> bytes = readFile(options.program);
  if (!bytes) {
    return fail(bytes.message());
  }
  Result<Program> loaded = readBinary(*bytes);
  if (!loaded) {
    return fail(options.program + ": " + loaded.message());
  }
  Result<std::unique_ptr<Simulator>> created =
      Simulator::create(std::move(*loaded));
  if (!created) {
    return fail(options.program + ": " + created.message());
  }
  Simulator &simulator = **created;
  const Program &program = simulator.program();
  if (options.signature) {
    printSignature(program);
    return Ok;
  }

  size_t numArguments = program.numArguments();
  if (options.arguments.size() > numArguments) {
    return fail(std::to_string(options.arguments.size()) +
                " arguments given, expected at most " +
                std::to_string(numArguments));
  }
  std::vector<std::vector<uint8_t>> buffers(numArguments);
  std::vector<void *> pointers(numArguments);
  for (size_t i = 0; i < numArguments && options.run.values; ++i) {
    if (i < options.arguments.size()) {
      Result<std::vector<uint8_t>> data =
          readNumpy(options.arguments[i], program.argument(i));
      if (!data) {
        return fail(data.message());
      }
      buffers[i] = std::move(*data);
    } else {
      buffers[i].resize(byteSize(program.argument(i)));
    }
    pointers[i] = buffers[i].data();
  }

  Trace trace(program);
  Result<Report> report =
      simulator.run(pointers.data(), pointers.size(), options.run,
                    options.trace.empty() ? nullptr : &trace);
  if (!report) {
    fail(report.message());
    switch (report.kind()) {
    case ErrorKind::Invalid:
      return BadInput;
    case ErrorKind::Index:
    case ErrorKind::Runtime:
    case ErrorKind::Bounds:
      return Fault;
    case ErrorKind::Deadlock:
      return Deadlocked;
    }
  }
  std::fputs(report->toTable().c_str(), stdout);

  for (size_t i = 0; i < program.results.size() && !options.out.empty(); ++i) {
    const TensorSpec &result = program.results[i];
    if (auto error = writeNumpy(resultPath(options.out, result, i), result,
                                buffers[result.argument])) {
      return fail(error->message);
    }
  }
  if (!options.report.empty()) {
    std::string json = report->toJSON() + "\n";
    if (auto error = writeFile(options.report, json.data(), json.size())) {
      return fail(error->message);
    }
  }
  if (!options.trace.empty()) {
    std::string json = trace.toJSON() + "\n";
    if (auto error = writeFile(options.trace, json.data(), json.size())) {
      return fail(error->message);
    }
  }
  return Ok;
}

int main(int argc, char **argv) {
  if (argc == 2 && (std::strcmp(argv[1], "--help") == 0 ||
                    std::strcmp(argv[1], "-h") == 0)) {
    std::fputs(usage, stdout);
    return Ok;
  }
  Options options;
  if (std::optional<Error> error = parse(argc, argv, options)) {
    std::fprintf(stderr, "lpu-sim: %s\n\n%s", error->message.c_str(), usage);
    return BadInput;
  }
  return run(options);
}

//===- FuzzInput.cpp - What is done with one fuzzed file ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FuzzInput.h. One program is run up to three times: with what its hash
// says, timing only, and again to see that the clock changes no value.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"

#include "Random.h"
#include "lpu/Simulator/Simulator.h"
#include "lpu/Simulator/Trace.h"
#include "lpu/Target/Binary.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace lpu;
using namespace lpu::fuzz;

/// Arguments above this are not provided: their programs are only timed.
static constexpr int64_t maxArgumentBytes = 1 << 20;
static constexpr uint64_t maxInstructions = 1 << 12;
static constexpr uint64_t maxWork = 1 << 18;
static constexpr uint64_t maxHostBytes = 4 << 20;

const char *lpu::fuzz::nameOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::NotABinary:
    return "refused by the reader";
  case Outcome::NotValid:
    return "refused by the verifier";
  case Outcome::Finished:
    return "ran to the end";
  case Outcome::Index:
    return "index fault";
  case Outcome::Runtime:
    return "runtime fault";
  case Outcome::Deadlock:
    return "deadlock";
  case Outcome::Bounds:
    return "bounds fault";
  case Outcome::Limit:
    return "limit reached";
  case Outcome::Check:
    return "found by a check";
  }
  return "";
}

[[noreturn]] static void fail(const char *what, const std::string &detail) {
  std::fprintf(stderr, "lpu-fuzz: %s: %s\n", what, detail.c_str());
  std::abort();
}

static Outcome outcomeOf(const Result<Report> &report) {
  if (report) {
    return Outcome::Finished;
  }
  // No program is to blame for that.
  if (report.message().rfind("conservation: ", 0) == 0) {
    fail("the account of a run does not add up", report.message());
  }
  switch (report.kind()) {
  case ErrorKind::Invalid:
  case ErrorKind::Runtime:
    return Outcome::Runtime;
  case ErrorKind::Index:
    return Outcome::Index;
  case ErrorKind::Deadlock:
    return Outcome::Deadlock;
  case ErrorKind::Bounds:
    return Outcome::Bounds;
  case ErrorKind::Limit:
    return Outcome::Limit;
  case ErrorKind::Check:
    return Outcome::Check;
  case ErrorKind::Stopped:
    break; // Nobody stops a run here.
  }
  return Outcome::Runtime;
}

static uint64_t hashOf(const uint8_t *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a.
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ data[i]) * 0x100000001b3;
  }
  return hash;
}

namespace {

/// The arguments of a program, or none if they are too large.
class Arguments {
public:
  Arguments(const Program &program, Random random) {
    int64_t total = 0;
    for (size_t i = 0; i < program.numArguments(); ++i) {
      int64_t bytes = byteSize(program.argument(i));
      total += bytes < maxArgumentBytes ? bytes : maxArgumentBytes;
    }
    pointers.resize(program.numArguments());
    arePresent = total < maxArgumentBytes;
    for (size_t i = 0; arePresent && i < pointers.size(); ++i) {
      const TensorSpec &tensor = program.argument(i);
      buffers.emplace_back(static_cast<size_t>(byteSize(tensor)));
      fill(buffers.back(), byteWidth(tensor.type), random);
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      pointers[i] = buffers[i].data();
      // An empty vector has no address, which would say "not provided".
      static uint8_t nothing;
      pointers[i] = pointers[i] ? pointers[i] : &nothing;
    }
  }

  bool arePresent = false;
  std::vector<void *> pointers;
  std::vector<std::vector<uint8_t>> buffers;

private:
  /// Zeros, small numbers (which indices and trip counts are), or any bits.
  static void fill(std::vector<uint8_t> &bytes, unsigned width,
                   Random &random) {
    size_t kind = random.below(4);
    for (size_t i = 0; kind != 0 && i < bytes.size(); ++i) {
      bool isLow = i % width == 0;
      bytes[i] = static_cast<uint8_t>(kind == 3 ? random.bits()
                                      : isLow   ? random.below(5)
                                                : 0);
    }
  }
};

} // namespace

static RunOptions chooseOptions(Random &random) {
  RunOptions options;
  options.threads = 1;
  options.maxInstructions = maxInstructions;
  options.maxWork = maxWork;
  options.maxHostBytes = maxHostBytes;
  options.timing = random.oneIn(2);
  options.checks = static_cast<Checks>(random.below(3));
  if (random.oneIn(2)) {
    options.interleave = Interleave(Interleave::Random, random.bits());
  }
  size_t order = random.below(4);
  options.dma = order == 0   ? Dma(Dma::Early)
                : order == 1 ? Dma(Dma::Late)
                             : Dma(Dma::Random, random.bits());
  return options;
}

/// The same run without a clock must leave the same bytes.
static void checkTiming(Simulator &simulator, const Program &program,
                        Random random, RunOptions options,
                        const Arguments &before) {
  Arguments arguments(program, random);
  options.timing = false;
  Result<Report> report = simulator.run(arguments.pointers.data(),
                                        arguments.pointers.size(), options);
  // The clock has a limit of its own.
  if (report && arguments.buffers != before.buffers) {
    fail("the clock changed a value", program.name);
  }
}

Outcome lpu::fuzz::runInput(const uint8_t *data, size_t size) {
  Result<Program> loaded = readBinary(data, size);
  if (!loaded) {
    return Outcome::NotABinary;
  }
  // What the reader takes, the writer can say.
  std::vector<uint8_t> written = writeBinary(*loaded);
  Result<Program> again = readBinary(written);
  if (!again) {
    fail("cannot be read again", again.message());
  }
  if (writeBinary(*again) != written) {
    fail("changes when it is written again", loaded->name);
  }

  Result<std::unique_ptr<Simulator>> created =
      Simulator::create(std::move(*loaded));
  if (!created) {
    return Outcome::NotValid;
  }
  Simulator &simulator = **created;
  const Program &program = simulator.program();
  Random random(hashOf(data, size));
  RunOptions options = chooseOptions(random);

  RunOptions timingOnly = options;
  timingOnly.values = false;
  timingOnly.timing = true;
  std::vector<void *> nothing(program.numArguments());
  Trace trace(program);
  Result<Report> timed =
      simulator.run(nothing.data(), nothing.size(), timingOnly, &trace);
  if (timed) {
    (void)timed->toJSON();
    (void)timed->toTable();
  }
  (void)trace.toJSON();

  Outcome outcome = outcomeOf(timed);
  Arguments arguments(program, random);
  if (!arguments.arePresent) {
    return outcome;
  }
  Result<Report> report = simulator.run(arguments.pointers.data(),
                                        arguments.pointers.size(), options);
  // Without the poison both runs would start from what the last one left.
  if (report && options.timing && options.checks == Checks::All) {
    checkTiming(simulator, program, random, options, arguments);
  }
  return outcomeOf(report);
}

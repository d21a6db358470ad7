//===- Options.cpp - The command line of lpu-sim --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Options.h.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Address.h"

using namespace lpu;

namespace {

using Problem = std::optional<Error>;

/// One option. Those that take a value name it.
struct Option {
  const char *name;
  const char *value; ///< Or null.
  const char *help;  ///< Lines.
  Problem (*apply)(const std::string &value, Options &options);
};

template <std::string Options::*member>
Problem assign(const std::string &value, Options &options) {
  if (value.empty()) {
    return Error{"expected a path"};
  }
  options.*member = value;
  return std::nullopt;
}

template <std::vector<std::string> Options::*member>
Problem append(const std::string &value, Options &options) {
  (options.*member).push_back(value);
  return std::nullopt;
}

template <bool Options::*member>
Problem enable(const std::string &, Options &options) {
  options.*member = true;
  return std::nullopt;
}

template <uint64_t RunOptions::*member>
Problem limit(const std::string &value, Options &options) {
  std::optional<int64_t> number = parseNumber(value);
  if (!number) {
    return Error{"expected a number"};
  }
  options.run.*member = static_cast<uint64_t>(*number);
  return std::nullopt;
}

template <typename T>
Problem take(Result<T> parsed, T &target) {
  if (!parsed) {
    return Error{parsed.message()};
  }
  target = *parsed;
  return std::nullopt;
}

const Option table[] = {
    {"--arg", "FILE.npy",
     "the next argument (inputs, then outputs). One that is not given, or\n"
     "given as '-', is zero. bf16 is stored as uint16",
     append<&Options::arguments>},
    {"--out", "DIR", "write each result to DIR/<name>.npy",
     assign<&Options::out>},
    {"--report", "FILE.json", "write the report", assign<&Options::report>},
    {"--trace", "FILE.json", "write a trace for https://ui.perfetto.dev",
     assign<&Options::trace>},
    {"--dma", "early|late|random:SEED",
     "when transfers take effect where semaphores leave it open",
     [](const std::string &value, Options &options) {
       return take(Dma::parse(value), options.run.dma);
     }},
    {"--interleave", "fixed|prompt|random:SEED",
     "which unit goes next where semaphores leave it open; prompt: in the\n"
     "order of the program (what --stop-at and --step take if not told)",
     [](const std::string &value, Options &options) {
       options.interleaveGiven = true;
       return take(Interleave::parse(value), options.run.interleave);
     }},
    {"--check", "none|standard|all",
     "standard: fail if nothing orders two conflicting accesses;\n"
     "all: also on the use of bytes that nothing has written",
     [](const std::string &value, Options &options) {
       return take(parseChecks(value), options.run.checks);
     }},
    {"--timing-only", nullptr,
     "count cycles without computing values; needs no arguments",
     [](const std::string &, Options &options) {
       options.run.values = false;
       return Problem();
     }},
    {"--no-timing", nullptr, "compute values without counting cycles",
     [](const std::string &, Options &options) {
       options.run.timing = false;
       return Problem();
     }},
    {"--threads", "N", "host threads (0: all)",
     [](const std::string &value, Options &options) -> Problem {
       std::optional<int64_t> threads = parseNumber(value);
       if (!threads || *threads > 4096) {
         return Error{"expected a number from 0 to 4096"};
       }
       options.run.threads = static_cast<unsigned>(*threads);
       return std::nullopt;
     }},
    {"--max-instructions", "N",
     "end with a fault when the program issues more instructions",
     limit<&RunOptions::maxInstructions>},
    {"--max-work", "N",
     "likewise for steps of the host: elements times operations,\n"
     "multiply-adds, transfers told apart by the clock",
     limit<&RunOptions::maxWork>},
    {"--max-host-bytes", "N",
     "likewise for memory of the host: LMU and scratch together, and what one\n"
     "instruction sets aside (0: the memory that the host has)",
     limit<&RunOptions::maxHostBytes>},
    {"--max-queued", "N",
     "likewise for instructions, posts and stream entries that wait at a time",
     limit<&RunOptions::maxQueued>},
    {"--stop-at", "WHERE",
     "stop before an instruction takes effect: its number; the name of its\n"
     "FX node, or FILE:LINE in Python; cycle:N, the first one issued then",
     append<&Options::stops>},
    {"--dump-lmu", "FILE.npy[:OFFSET:SIZES:DTYPE]",
     "write the LMU as it is at the end, at a stop or a fault: its bytes, or\n"
     "an array in it, as in x.npy:0x100:8x64:f32",
     append<&Options::dumps>},
    {"--watch", "ADDRESS[:BYTES]",
     "print each instruction that reads or writes these bytes (4 if not\n"
     "told): lmu:0x100, arg3:0x40:8, scratch:64, constant:0",
     append<&Options::watches>},
    {"--step", nullptr,
     "read commands from standard input before instructions; try 'help'",
     enable<&Options::step>},
    {"--signature", nullptr, "print the program's arguments, and stop",
     enable<&Options::signature>},
    {"--help", nullptr, "print this, and stop", enable<&Options::help>},
};

constexpr const char *ending = R"(
exit status: 0 ok, 1 bad usage, 2 fault of the program, 3 deadlock, 4 a check
             failed, 5 stopped, 6 ended before --stop-at, 7 bad file
)";

} // namespace

std::string lpu::usage() {
  std::string text = "usage: lpu-sim program.lpubin [options]\n\n"
                     "Runs a machine program and prints a report.\n\n";
  constexpr size_t column = 22;
  for (const Option &option : table) {
    std::string line = std::string("  ") + option.name;
    line += option.value ? std::string(" ") + option.value : "";
    bool fits = line.size() < column;
    line += fits ? std::string(column - line.size(), ' ')
                 : "\n" + std::string(column, ' ');
    for (const char *c = option.help; *c; ++c) {
      line += *c;
      line += *c == '\n' ? std::string(column, ' ') : "";
    }
    text += line + "\n";
  }
  return text + ending;
}

static const Option *findOption(const std::string &name) {
  for (const Option &option : table) {
    if (option.name == name) {
      return &option;
    }
  }
  return nullptr;
}

/// What no single option can tell.
static Problem checkTogether(const Options &options) {
  if (options.program.empty()) {
    return Error{"no program"};
  }
  if (options.run.values) {
    return std::nullopt;
  }
  if (!options.run.timing) {
    return Error{"--timing-only and --no-timing leave nothing to do"};
  }
  bool wantsValues = !options.out.empty() || !options.dumps.empty() ||
                     !options.watches.empty();
  if (wantsValues) {
    const char *name = !options.out.empty()     ? "--out"
                       : !options.dumps.empty() ? "--dump-lmu"
                                                : "--watch";
    return Error{std::string("--timing-only computes no values for ") + name};
  }
  return std::nullopt;
}

Problem lpu::parseOptions(int argc, const char *const *argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.size() < 2 || word[0] != '-') {
      if (!options.program.empty()) {
        return Error{"two programs, " + options.program + " and " + word};
      }
      options.program = word;
      continue;
    }
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    const Option *option = findOption(name == "-h" ? "--help" : name);
    if (!option) {
      return Error{"unknown option " + name};
    }
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
      if (!option->value) {
        return Error{name + " takes no value, got '" + value + "'"};
      }
    } else if (option->value) {
      if (i + 1 == argc) {
        return Error{name + " needs a value: " + option->value};
      }
      value = argv[++i];
    }
    if (Problem problem = option->apply(value, options)) {
      return Error{name + " " + value + ": " + problem->message};
    }
    if (options.help) {
      return std::nullopt;
    }
  }
  return checkTogether(options);
}

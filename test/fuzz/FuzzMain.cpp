//===- FuzzMain.cpp - Replays a corpus and mutates it ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fuzzer without coverage guidance that needs nothing but a compiler with
// sanitizers. Each input is written to a file before it is tried, so that
// whatever ends the process leaves the input behind; a timer ends what hangs.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Mutator.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/time.h>
#include <unistd.h>

using namespace lpu::fuzz;

static const char usage[] =
    R"(usage: lpu-fuzz CORPUS... [--seconds N] [--seed N] [--save FILE]

Runs every file of the given folders (or the given files), then mutations of
them for N seconds (default: 0).

  --seed N     where random numbers start (default: 0)
  --save FILE  where the input of a failure is left (default: lpu-fuzz-failure)

An input that takes more than 20 seconds of processor time is a failure. A failure of the corpus
is seen again with `lpu-fuzz FILE`.
)";

namespace {

struct Options {
  std::vector<std::string> paths;
  double seconds = 0;
  uint64_t seed = 0;
  std::string save = "lpu-fuzz-failure";
};

/// Tries inputs and counts how far they got.
class Fuzzer {
public:
  explicit Fuzzer(std::string save) : save(std::move(save)) {}

  Outcome run(const Bytes &input);
  void print() const;

private:
  std::string save;
  uint64_t runs = 0;
  uint64_t counts[numOutcomes] = {};
};

} // namespace

static constexpr unsigned maxSeconds = 20;

/// AddressSanitizer reports an allocation as large as this as an error.
extern "C" const char *__asan_default_options() {
  return "max_allocation_size_mb=1024:detect_leaks=1";
}
extern "C" const char *__ubsan_default_options() {
  return "print_stacktrace=1:halt_on_error=1";
}

static void writeInput(const std::string &path, const Bytes &input) {
  int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file < 0 || write(file, input.data(), input.size()) < 0) {
    std::fprintf(stderr, "lpu-fuzz: cannot write %s\n", path.c_str());
    std::exit(1);
  }
  close(file);
}

/// In processor time, so that a busy host is not taken for a hang.
static void setAlarm(unsigned seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

Outcome Fuzzer::run(const Bytes &input) {
  writeInput(save, input);
  setAlarm(maxSeconds);
  Outcome outcome = runInput(input.data(), input.size());
  setAlarm(0);
  ++runs;
  ++counts[static_cast<unsigned>(outcome)];
  return outcome;
}

void Fuzzer::print() const {
  std::printf("%llu inputs:", static_cast<unsigned long long>(runs));
  const char *separator = " ";
  for (unsigned i = 0; i < numOutcomes; ++i) {
    std::printf("%s%llu %s", separator,
                static_cast<unsigned long long>(counts[i]),
                nameOf(static_cast<Outcome>(i)));
    separator = ", ";
  }
  std::printf("\n");
  std::fflush(stdout);
}

static std::vector<std::string> listFiles(const std::string &path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return {path};
  }
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(path, error)) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end()); // The same order on every host.
  return files;
}

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    bool hasValue = i + 1 < argc;
    if (name == "--seconds" && hasValue) {
      options.seconds = std::atof(argv[++i]);
    } else if (name == "--seed" && hasValue) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (name == "--save" && hasValue) {
      options.save = argv[++i];
    } else if (name.size() > 1 && name[0] == '-') {
      return false;
    } else {
      options.paths.push_back(name);
    }
  }
  return !options.paths.empty();
}

/// Mutates the corpus, and what it found to be programs. A file that ran to its
/// end leads further than one that was refused, so those are kept.
static void fuzz(std::vector<Bytes> corpus, const Options &options,
                 Fuzzer &fuzzer) {
  constexpr size_t maxCorpus = 2048;
  Random random(options.seed);
  size_t seeds = corpus.size();
  auto end = std::chrono::steady_clock::now() +
             std::chrono::duration<double>(options.seconds);
  while (std::chrono::steady_clock::now() < end) {
    const Bytes &file = corpus[random.below(corpus.size())];
    const Bytes &other = corpus[random.below(corpus.size())];
    Bytes input = mutate(file, other, random);
    Outcome outcome = fuzzer.run(input);
    bool isProgram =
        outcome != Outcome::NotABinary && outcome != Outcome::NotValid;
    if (!isProgram || input.size() > 32768 || !random.oneIn(8)) {
      continue;
    }
    if (corpus.size() < maxCorpus) {
      corpus.push_back(std::move(input));
    } else {
      corpus[seeds + random.below(maxCorpus - seeds)] = std::move(input);
    }
  }
}

/// A hang: the input stays where it was written.
static void onAlarm(int) {
  static const char message[] = "lpu-fuzz: the input took too long\n";
  ssize_t written = write(2, message, sizeof(message) - 1);
  (void)written;
  std::abort(); // With a core or a debugger, this is where it hung.
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(usage, stderr);
    return 1;
  }
  std::signal(SIGPROF, onAlarm);
  Fuzzer fuzzer(options.save);
  std::vector<Bytes> corpus;
  unsigned seeds = 0, refused = 0;
  for (const std::string &path : options.paths) {
    for (const std::string &name : listFiles(path)) {
      std::ifstream in(name, std::ios::binary);
      if (!in) {
        std::fprintf(stderr, "lpu-fuzz: cannot read %s\n", name.c_str());
        return 1;
      }
      Bytes file((std::istreambuf_iterator<char>(in)),
                 std::istreambuf_iterator<char>());
      Outcome outcome = fuzzer.run(file);
      Bytes modern = file;
      modernize(modern);
      if (modern != file) {
        file = std::move(modern);
        outcome = fuzzer.run(file);
      }
      // Seeds are right; what once was a crash need not be.
      bool isSeed = std::filesystem::path(name).filename().string().rfind(
                        "seed-", 0) == 0;
      seeds += isSeed;
      if (isSeed &&
          (outcome == Outcome::NotABinary || outcome == Outcome::NotValid)) {
        std::fprintf(stderr, "lpu-fuzz: %s is %s\n", name.c_str(),
                     nameOf(outcome));
        ++refused;
      }
      corpus.push_back(std::move(file));
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "lpu-fuzz: no file to run\n");
    return 1;
  }
  std::printf("corpus, ");
  fuzzer.print();
  if (options.seconds > 0) {
    fuzz(corpus, options, fuzzer);
    std::printf("with mutations, ");
    fuzzer.print();
  }
  std::remove(options.save.c_str());
  if (refused != 0) {
    std::fprintf(stderr,
                 "lpu-fuzz: %u of %u seeds are no programs any more: make them "
                 "again (test/fuzz/make_corpus.py)\n",
                 refused, seeds);
    return 1;
  }
  return 0;
}

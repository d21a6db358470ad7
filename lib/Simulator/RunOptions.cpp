//===- RunOptions.cpp - How a program is run ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The spellings of choices, the same for all who offer them.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/RunOptions.h"

#include <charconv>
#include <optional>

using namespace lpu;

/// The seed of "random:SEED".
static std::optional<uint64_t> parseRandom(std::string_view text) {
  constexpr std::string_view prefix = "random:";
  if (text.substr(0, prefix.size()) != prefix) {
    return std::nullopt;
  }
  const char *end = text.data() + text.size();
  uint64_t seed = 0;
  auto parsed = std::from_chars(text.data() + prefix.size(), end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return std::nullopt;
  }
  return seed;
}

Result<Checks> lpu::parseChecks(std::string_view text) {
  if (text == "none") {
    return Checks::None;
  }
  if (text == "standard") {
    return Checks::Standard;
  }
  if (text == "all") {
    return Checks::All;
  }
  return Error{"checks '" + std::string(text) +
               "', expected none, standard or all"};
}

Result<Dma> Dma::parse(std::string_view text) {
  if (text == "early") {
    return Dma(Early);
  }
  if (text == "late") {
    return Dma(Late);
  }
  if (std::optional<uint64_t> seed = parseRandom(text)) {
    return Dma(Random, *seed);
  }
  return Error{"dma '" + std::string(text) +
               "', expected early, late or random:SEED with a seed from 0 to "
               "2^64 - 1"};
}

Result<Interleave> Interleave::parse(std::string_view text) {
  if (text == "fixed") {
    return Interleave(Fixed);
  }
  if (text == "prompt") {
    return Interleave(Prompt);
  }
  if (std::optional<uint64_t> seed = parseRandom(text)) {
    return Interleave(Random, *seed);
  }
  return Error{"interleave '" + std::string(text) +
               "', expected fixed, prompt or random:SEED with a seed from 0 to "
               "2^64 - 1"};
}

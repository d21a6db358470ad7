//===- FuzzInput.h - What is done with one fuzzed file --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes at all: they are read, verified and, if they are a program, run,
// within limits of time and memory. How they run (values, clock, checks, order)
// and on what arguments follows from the bytes alone, so that a file is all
// that it takes to see a failure again.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_FUZZ_FUZZINPUT_H
#define LPU_TEST_FUZZ_FUZZINPUT_H

#include <cstddef>
#include <cstdint>

namespace lpu::fuzz {

/// How far the bytes got.
enum class Outcome : uint8_t {
  NotABinary, ///< The reader refused them.
  NotValid,   ///< The verifier did.
  Finished,   ///< The program ran to its end.
  Index,      ///< A fault, by its kind.
  Runtime,
  Deadlock,
  Bounds,
  Limit,
  Check, ///< A race, or a use of what nothing has written.
};
constexpr unsigned numOutcomes = 9;
const char *nameOf(Outcome outcome);

/// Reads, verifies and runs. What it must never do is crash, hang or read what
/// it should not; a broken invariant ends the process with a message.
Outcome runInput(const uint8_t *data, size_t size);

} // namespace lpu::fuzz

#endif // LPU_TEST_FUZZ_FUZZINPUT_H

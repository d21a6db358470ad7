//===- Mutator.h - Changes a binary a little ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checksum refuses almost every damaged file, so most mutations work on the
// program that the file holds and write it again: instruction words, views,
// micro-operations, signature, machine, locations, sizes. Others damage bytes
// of the container, with the checksum made good afterwards or not.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_FUZZ_MUTATOR_H
#define LPU_TEST_FUZZ_MUTATOR_H

#include "Random.h"

#include <cstdint>
#include <vector>

namespace lpu::fuzz {

using Bytes = std::vector<uint8_t>;

/// Changes a file. `other` is a second one to take parts from; it can be the
/// same, and neither needs to be a binary.
Bytes mutate(const Bytes &file, const Bytes &other, Random &random);

/// Writes the checksum and the machine's hash that belong to the rest, if the
/// file has a note to write them to.
void repair(Bytes &file);

/// The file as this version of the reader takes it, as far as it can be: sums
/// are made good, a machine that lacks newer parameters gets their defaults.
void modernize(Bytes &file);

} // namespace lpu::fuzz

#endif // LPU_TEST_FUZZ_MUTATOR_H

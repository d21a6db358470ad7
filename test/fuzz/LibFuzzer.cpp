//===- LibFuzzer.cpp - The entry points of libFuzzer ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with Clang only (preset fuzz): coverage guides what is mutated.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "Mutator.h"

#include <algorithm>

using namespace lpu::fuzz;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  runInput(data, size);
  return 0;
}

static size_t put(const Bytes &file, uint8_t *data, size_t maxSize) {
  size_t size = std::min(file.size(), maxSize);
  std::copy_n(file.begin(), size, data);
  return size;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  if (random.oneIn(16)) { // libFuzzer's own, which knows what was compared.
    Bytes file(data, data + size);
    file.resize(maxSize);
    file.resize(LLVMFuzzerMutate(file.data(), size, maxSize));
    repair(file);
    return put(file, data, maxSize);
  }
  Bytes file(data, data + size);
  return put(mutate(file, file, random), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  Random random(seed);
  Bytes first(data1, data1 + size1), second(data2, data2 + size2);
  return put(mutate(first, second, random), out, maxSize);
}

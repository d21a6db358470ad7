//===- Hash.h - FNV-1a ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash of machine texts and the checksum of files. Each step is a bijection
// of the state, so no change of a single byte goes unseen.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_TARGET_HASH_H
#define LPU_LIB_TARGET_HASH_H

#include <cstdint>

namespace lpu {

/// FNV-1a with 64 bits, byte by byte.
class Hash {
public:
  void add(uint8_t byte) { state = (state ^ byte) * 0x100000001b3u; }
  uint64_t value() const { return state; }

private:
  uint64_t state = 0xcbf29ce484222325u;
};

} // namespace lpu

#endif // LPU_LIB_TARGET_HASH_H

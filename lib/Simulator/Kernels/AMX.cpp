//===- AMX.cpp - Kernels for x86-64 with matrix tiles ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AVX-512 kernels with products of bf16 on AMX tiles (AMX-TILE, AMX-BF16),
// whose TDPBF16PS is the bf16 order of docs/ISA.md. Built with the flags that
// CMakeLists.txt gives this file.
//
// The instructions are written as assembly: GCC's intrinsics (seen in 12) do
// not tell the compiler which memory they read, so that it drops the stores in
// front of them.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <cstdint>

using namespace lpu;

namespace {
#include "Tiles.inc"

/// The state of tiles belongs to a thread, and other libraries of the process
/// use tiles too: so it is set up before each product and given back after.
class HardwareTiles {
public:
  HardwareTiles() {
    // Palette 1: eight tiles of 16 rows of 64 bytes.
    uint8_t configuration[64] = {1};
    for (unsigned tile = 0; tile < 8; ++tile) {
      configuration[16 + 2 * tile] = 2 * tileDepth;
      configuration[48 + tile] = tileSide;
    }
    asm volatile("ldtilecfg (%0)" : : "r"(configuration) : "memory");
  }
  ~HardwareTiles() { asm volatile("tilerelease"); }
  HardwareTiles(const HardwareTiles &) = delete;
  HardwareTiles &operator=(const HardwareTiles &) = delete;

  template <unsigned tile>
  void load(const void *data, int64_t byteStride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
                 :
                 : "r"(data), "r"(byteStride), "i"(tile)
                 : "memory");
  }

  template <unsigned tile>
  void store(void *data, int64_t byteStride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(data), "r"(byteStride), "i"(tile)
                 : "memory");
  }

  template <unsigned sums, unsigned left, unsigned right>
  void multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0"
                 :
                 : "i"(sums), "i"(left), "i"(right));
  }
};
} // namespace

const KernelSet *lpu::amxKernels() {
  static const KernelSet tiles = [] {
    KernelSet set = avx512Kernels;
    set.name = "amx";
    set.packTileRows = packTileRows;
    set.multiplyTiles = multiplyOnTiles<HardwareTiles>;
    return set;
  }();
  return &tiles;
}

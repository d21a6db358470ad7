//===- EmulatedTiles.h - The matrix tiles of AMX in software ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TILELOADD, TILESTORED and TDPBF16PS, written from the pseudo code in Intel's
// manual, with full tiles only: what the blocking code in Kernels/Tiles.inc can
// be run on where the CPU has no tiles.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_UNIT_SIMULATOR_EMULATEDTILES_H
#define LPU_TEST_UNIT_SIMULATOR_EMULATEDTILES_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace lpu::test {

struct TileFile {
  static constexpr unsigned numRows = 16, rowBytes = 64;
  uint8_t tiles[8][numRows][rowBytes] = {};

  void load(unsigned tile, const void *data, int64_t byteStride) {
    for (unsigned row = 0; row < numRows; ++row) {
      std::memcpy(tiles[tile][row],
                  static_cast<const uint8_t *>(data) + row * byteStride,
                  rowBytes);
    }
  }

  void store(unsigned tile, void *data, int64_t byteStride) const {
    for (unsigned row = 0; row < numRows; ++row) {
      std::memcpy(static_cast<uint8_t *>(data) + row * byteStride,
                  tiles[tile][row], rowBytes);
    }
  }

  /// tsrcdest, tsrc1, tsrc2 of the manual.
  void multiply(unsigned dest, unsigned src1, unsigned src2) {
    for (unsigned m = 0; m < numRows; ++m) {
      float temp1[32] = {};
      for (unsigned k = 0; k < 16; ++k) {
        for (unsigned n = 0; n < 16; ++n) {
          for (unsigned odd = 0; odd < 2; ++odd) {
            temp1[2 * n + odd] = fusedMultiplyAdd(bf16(src1, m, 2 * k + odd),
                                                  bf16(src2, k, 2 * n + odd),
                                                  temp1[2 * n + odd]);
          }
        }
      }
      for (unsigned n = 0; n < 16; ++n) {
        float sum;
        std::memcpy(&sum, &tiles[dest][m][4 * n], 4);
        sum = add(sum, add(temp1[2 * n], temp1[2 * n + 1]));
        std::memcpy(&tiles[dest][m][4 * n], &sum, 4);
      }
    }
  }

private:
  float bf16(unsigned tile, unsigned row, unsigned element) const {
    uint16_t half;
    std::memcpy(&half, &tiles[tile][row][2 * element], 2);
    uint32_t bits = uint32_t(half) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }

  /// DAZ, and FTZ of what cannot round to a normal number.
  static float flush(float x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
  }
  static float add(float a, float b) { return flush(flush(a) + flush(b)); }

  /// x86 calls a result subnormal by its value rounded to 24 bits with an
  /// exponent as small as it likes.
  static float fusedMultiplyAdd(float a, float b, float c) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
    float result = std::fma(a, b, c);
    // Scaled by a power of two, every value keeps its 24 bits. Only a small
    // result asks for this, so that nothing overflows.
    if (std::abs(result) <= 0x1p-126f) {
      float scaled = std::fma(a * 0x1p+64f, b * 0x1p+64f, c * 0x1p+127f * 2.0f);
      if (std::abs(scaled) < 0x1p+2f) {
        return std::copysign(0.0f, result);
      }
    }
    return flush(result);
  }
};

/// What Tiles.inc takes.
class EmulatedTiles {
public:
  template <unsigned tile>
  void load(const void *data, int64_t byteStride) {
    file.load(tile, data, byteStride);
  }
  template <unsigned tile>
  void store(void *data, int64_t byteStride) {
    file.store(tile, data, byteStride);
  }
  template <unsigned sums, unsigned left, unsigned right>
  void multiply() {
    file.multiply(sums, left, right);
  }

private:
  TileFile file;
};

} // namespace lpu::test

#endif // LPU_TEST_UNIT_SIMULATOR_EMULATEDTILES_H

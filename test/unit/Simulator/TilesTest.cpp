//===- TilesTest.cpp - bf16 products on matrix tiles ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocking of Kernels/Tiles.inc against the portable kernels, bit for bit:
// on emulated tiles on any CPU, and as the kernel set `amx` has it on a CPU
// that has AVX-512. That one is run without the permission to use tiles, so
// that its tile instructions trap, whether the CPU knows them or not, and the
// handler does in software what they encode.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Kernels/Kernels.h"
#include "EmulatedTiles.h"

#include "lpu/Simulator/Numerics.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#if defined(__x86_64__) && defined(__linux__)
#include <csignal>
#include <ucontext.h>
#endif

using namespace lpu;
using namespace lpu::test;

namespace {
#include "../../../lib/Simulator/Kernels/Tiles.inc"

struct Shape {
  int64_t rows, columns, depth;
};

/// What numbers look like.
enum class Values {
  Usual,
  Tiny,    ///< Products around the smallest normal number.
  Special, ///< Infinities, NaNs, zeros of both signs, subnormals.
};

/// A product of the given shape with room between rows.
struct Product {
  Shape shape;
  int64_t stride;                 ///< Of weights and activations.
  std::vector<float> activations; ///< Exactly bf16.
  std::vector<uint16_t> weights;
  std::vector<float> sums; ///< Rows of portableKernels.panelColumns.

  Product(Shape shape, Values values, unsigned seed)
      : shape(shape), stride(shape.depth + 3), activations(shape.rows * stride),
        weights(shape.columns * stride),
        sums(shape.rows * portableKernels.panelColumns) {
    std::mt19937 generator(seed);
    auto draw = [&](bool isSum) { return number(generator, values, isSum); };
    for (float &x : activations) {
      // Activations arrive with subnormals gone.
      x = numerics::roundToBF16(draw(false));
      x = std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x;
    }
    for (uint16_t &x : weights) {
      x = numerics::f32ToBF16(draw(false));
    }
    for (float &x : sums) {
      x = draw(true);
    }
  }

  static float number(std::mt19937 &generator, Values values, bool isSum) {
    float x = std::normal_distribution<float>()(generator);
    int power = int(generator() % 8);
    switch (values) {
    case Values::Usual:
      return std::ldexp(x, power);
    case Values::Tiny:
      return std::ldexp(x, power - (isSum ? 128 : 67));
    case Values::Special:
      break;
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const float list[] = {infinity, -infinity, nan,        0.0f,
                          -0.0f,    0x1p-127f, -0x1p-130f, 0x1p+127f};
    // Few, or every sum is a NaN.
    return generator() % 40 == 0 ? list[generator() % 8] : x;
  }

  std::vector<float> onPanels() const {
    unsigned step = portableKernels.columnStep;
    unsigned width = (shape.columns + step - 1) / step * step;
    std::vector<float> panel(width * shape.depth), result = sums;
    portableKernels.packAlongDepth(panel.data(), weights.data(), DType::BF16,
                                   stride, shape.depth, shape.columns, 0);
    portableKernels.multiplyBF16(result.data(), activations.data(), stride,
                                 panel.data(), width, shape.depth, shape.rows);
    return result;
  }

  std::vector<float>
  onTiles(decltype(KernelSet::packTileRows) pack,
          decltype(KernelSet::multiplyTiles) multiply) const {
    std::vector<uint16_t> packed((shape.rows + 15) / 16 *
                                 ((shape.depth + 31) / 32) * tileElements);
    std::vector<float> result = sums;
    pack(packed.data(), activations.data(), stride, shape.depth, shape.rows);
    multiply(result.data(), portableKernels.panelColumns, packed.data(),
             weights.data(), stride, shape.depth, shape.columns, shape.rows);
    return result;
  }
};

/// Equal bits, or both NaN: a NaN's payload is not fixed.
bool isSame(float a, float b) {
  return numerics::bitsOf(a) == numerics::bitsOf(b) || (a != a && b != b);
}

void expectSame(const Product &product, const std::vector<float> &got) {
  SCOPED_TRACE(testing::Message()
               << product.shape.rows << " x " << product.shape.columns << " x "
               << product.shape.depth);
  std::vector<float> wanted = product.onPanels();
  for (int64_t r = 0; r < product.shape.rows; ++r) {
    for (int64_t j = 0; j < int64_t(portableKernels.panelColumns); ++j) {
      int64_t at = r * portableKernels.panelColumns + j;
      // Columns past the end are the caller's.
      float expected =
          j < product.shape.columns ? wanted[at] : product.sums[at];
      ASSERT_TRUE(isSame(got[at], expected))
          << "row " << r << ", column " << j << ": " << got[at] << ", expected "
          << expected;
    }
  }
}

template <typename Run>
void forProducts(std::initializer_list<int64_t> depths, Run run) {
  auto columns = static_cast<int64_t>(portableKernels.panelColumns);
  unsigned seed = 0;
  for (Values values : {Values::Usual, Values::Tiny, Values::Special}) {
    for (int64_t rows : {1, 2, 7, 15, 16, 17, 31, 32, 33, 50}) {
      for (int64_t count : {int64_t(1), columns / 2 - 1, columns / 2,
                            columns / 2 + 1, columns - 1, columns}) {
        for (int64_t depth : depths) {
          run(Product({rows, count, depth}, values, ++seed));
        }
      }
    }
  }
}

TEST(Tiles, EqualThePortableKernels) { // num_mm
  forProducts({0, 1, 2, 31, 32, 33, 64, 95, 100}, [](const Product &product) {
    expectSame(product,
               product.onTiles(packTileRows, multiplyOnTiles<EmulatedTiles>));
  });
}

TEST(Tiles, PaddingKeepsAChainOfNegativeZero) {
  // Products that underflow leave both chains at -0, and so the sum.
  Product product({1, 1, 2}, Values::Usual, 0);
  product.activations[0] = product.activations[1] = 0x1p-100f;
  product.weights[0] = product.weights[1] = numerics::f32ToBF16(-0x1p-100f);
  product.sums[0] = -0.0f;
  std::vector<float> got =
      product.onTiles(packTileRows, multiplyOnTiles<EmulatedTiles>);
  EXPECT_EQ(numerics::bitsOf(got[0]), 0x80000000u);
  expectSame(product, got);
}

#if defined(__x86_64__) && defined(__linux__)

TileFile trappedTiles;
unsigned traps[5]; ///< By instruction.

/// A general register of an interrupted thread by its number in instructions.
greg_t &generalRegister(ucontext_t *context, unsigned number) {
  constexpr int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                           REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                           REG_R12, REG_R13, REG_R14, REG_R15};
  return context->uc_mcontext.gregs[order[number]];
}

/// Does the tile instruction at the program counter and steps over it. Knows
/// the forms that the kernels use: memory without a displacement, or with one
/// of 8 or 32 bits.
bool emulate(ucontext_t *context) {
  greg_t &counter = context->uc_mcontext.gregs[REG_RIP];
  const auto *code = reinterpret_cast<const uint8_t *>(counter);
  if (code[0] != 0xc4 || (code[1] & 0x1f) != 2) {
    return false;
  }
  bool isExtendedIndex = (code[1] & 0x40) == 0;
  bool isExtendedBase = (code[1] & 0x20) == 0;
  unsigned vvvv = ~(code[2] >> 3) & 15, prefix = code[2] & 3;
  uint8_t opcode = code[3], modrm = code[4];
  unsigned mode = modrm >> 6, reg = modrm >> 3 & 7, rm = modrm & 7;
  if (mode == 3) {
    if (opcode == 0x5c && prefix == 2) { // tdpbf16ps
      trappedTiles.multiply(reg, rm, vvvv);
      ++traps[0];
    } else if (opcode == 0x49 && prefix == 0) { // tilerelease
      trappedTiles = TileFile();
      ++traps[1];
    } else {
      return false;
    }
    counter += 5;
    return true;
  }
  unsigned length = 5;
  int64_t address = 0, stride = 0;
  if (rm == 4) {
    uint8_t sib = code[length++];
    unsigned index = (sib >> 3 & 7) + 8 * isExtendedIndex;
    stride = index == 4 ? 0 : generalRegister(context, index) << (sib >> 6);
    rm = sib & 7;
  }
  if (rm == 5 && mode == 0) {
    return false;
  }
  address = generalRegister(context, rm + 8 * isExtendedBase);
  if (mode == 1) {
    address += static_cast<int8_t>(code[length++]);
  } else if (mode == 2) {
    int32_t displacement;
    std::memcpy(&displacement, code + length, 4);
    address += displacement;
    length += 4;
  }
  auto *memory = reinterpret_cast<uint8_t *>(address);
  if (opcode == 0x4b && prefix == 3) { // tileloadd
    trappedTiles.load(reg, memory, stride);
    ++traps[2];
  } else if (opcode == 0x4b && prefix == 2) { // tilestored
    trappedTiles.store(reg, memory, stride);
    ++traps[3];
  } else if (opcode == 0x49 && prefix == 0) { // ldtilecfg
    // What the emulated tiles are: palette 1, 16 rows of 64 bytes.
    bool isFull = memory[0] == 1 && memory[1] == 0;
    for (unsigned tile = 0; tile < 8; ++tile) {
      isFull &= memory[16 + 2 * tile] == 64 && memory[17 + 2 * tile] == 0 &&
                memory[48 + tile] == 16;
    }
    if (!isFull) {
      return false;
    }
    trappedTiles = TileFile();
    ++traps[4];
  } else {
    return false;
  }
  counter += length;
  return true;
}

void onIllegalInstruction(int, siginfo_t *, void *context) {
  if (!emulate(static_cast<ucontext_t *>(context))) {
    std::signal(SIGILL, SIG_DFL); // Once more, and the process ends.
  }
}

/// The instructions of `amx` do what the emulated tiles do.
TEST(Tiles, InstructionsEqualThePortableKernels) {
  const KernelSet *amx = amxKernels();
  if (amx == nullptr || !__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl")) {
    GTEST_SKIP() << "no AVX-512, which the kernels around the tiles use";
  }
  if (chosenKernels() && *chosenKernels() == amx) {
    GTEST_SKIP() << "this process may use tiles";
  }
  struct sigaction action = {}, old = {};
  action.sa_sigaction = onIllegalInstruction;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGILL, &action, &old), 0);
  std::fill(std::begin(traps), std::end(traps), 0u);
  unsigned products = 0;
  forProducts({1, 33, 64}, [&](const Product &product) {
    ++products;
    expectSame(product, product.onTiles(amx->packTileRows, amx->multiplyTiles));
  });
  sigaction(SIGILL, &old, nullptr);
  // Of a CPU with tiles these need no permission, perhaps.
  EXPECT_TRUE(traps[1] == products || traps[1] == 0);
  EXPECT_TRUE(traps[4] == products || traps[4] == 0);
  EXPECT_GT(traps[0], products);
  EXPECT_GT(traps[2], traps[0]);
  EXPECT_GT(traps[3], products);
}

#endif
} // namespace

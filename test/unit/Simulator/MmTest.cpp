//===- MmTest.cpp - Matrix products bit for bit ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every type, layout, kernel set and number of threads against scalar code that
// is written from the definition of a chain.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Kernels/Kernels.h"
#include "EmulatedTiles.h"
#include "ProgramBuilder.h"

#include "lpu/Simulator/Numerics.h"

#include <cmath>
#include <functional>
#include <random>

using namespace lpu;
using namespace lpu::test;

namespace {
#include "../../../lib/Simulator/Kernels/Tiles.inc"

/// f32 chain, ascending.
float chain(const std::vector<float> &a, const std::vector<float> &b,
            float sum) {
  for (size_t k = 0; k < a.size(); ++k) {
    sum = std::fma(a[k], b[k], sum);
  }
  return sum;
}

float flush(float x) {
  return std::abs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}

/// Blocks of 32: even steps and odd steps apart, then both into the sum.
float blockChain(const std::vector<float> &a, const std::vector<float> &b,
                 float sum) {
  for (size_t first = 0; first < a.size(); first += 32) {
    float part[2] = {0, 0};
    for (size_t k = first; k < std::min(a.size(), first + 32); ++k) {
      float &p = part[k % 2];
      p = flush(std::fma(flush(a[k]), flush(b[k]), p));
    }
    sum = flush(flush(sum) + flush(part[0] + part[1]));
  }
  return sum;
}

/// An operand in its memory format.
struct Tensor {
  DType type;
  std::vector<uint8_t> bytes;

  Tensor(DType type, int64_t count)
      : type(type), bytes(count * byteWidth(type)) {}
  float get(int64_t i) const {
    const void *p = bytes.data() + i * byteWidth(type);
    switch (type) {
    case DType::BF16:
      return numerics::bf16ToF32(*static_cast<const uint16_t *>(p));
    case DType::F16:
      return numerics::f16ToF32(*static_cast<const uint16_t *>(p));
    case DType::I8:
      return *static_cast<const int8_t *>(p);
    default:
      return *static_cast<const float *>(p);
    }
  }
  void set(int64_t i, float value) {
    void *p = bytes.data() + i * byteWidth(type);
    switch (type) {
    case DType::BF16:
      *static_cast<uint16_t *>(p) = numerics::f32ToBF16(value);
      return;
    case DType::F16:
      *static_cast<uint16_t *>(p) = numerics::f32ToF16(value);
      return;
    case DType::I8:
      *static_cast<int8_t *>(p) = static_cast<int8_t>(value);
      return;
    default:
      *static_cast<float *>(p) = value;
      return;
    }
  }
};

struct Case {
  int64_t batch, rows, columns, depth;
  /// Strides of (batch, row, depth), (batch, column, depth) and (batch, row,
  /// column).
  Shape a, b, c;
};

int64_t extent(const Shape &sizes, const Shape &strides) {
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    last += (sizes[d] - 1) * strides[d];
  }
  return last + 1;
}

/// What this CPU has (but for tiles, which need a permission), and a set that
/// takes bf16 to emulated tiles.
std::vector<const KernelSet *> kernelsUnderTest() {
  static const KernelSet onTiles = [] {
    KernelSet set = portableKernels;
    set.name = "portable with emulated tiles";
    set.packTileRows = packTileRows;
    set.multiplyTiles = multiplyOnTiles<EmulatedTiles>;
    return set;
  }();
  std::vector<const KernelSet *> sets = {&onTiles};
  for (const KernelSet *const *set = availableKernels(); *set; ++set) {
    if (*set != amxKernels()) {
      sets.push_back(*set);
    }
  }
  return sets;
}

void check(DType type, DType outType, const Case &shape, bool accumulate,
           unsigned seed, float scale = 1) {
  SCOPED_TRACE(testing::Message()
               << int(type) << " to " << int(outType) << ": " << shape.batch
               << " x " << shape.rows << " x " << shape.columns << " x "
               << shape.depth << (accumulate ? ", accumulated" : ""));
  Shape aSizes = {shape.batch, shape.rows, shape.depth},
        bSizes = {shape.batch, shape.columns, shape.depth},
        cSizes = {shape.batch, shape.rows, shape.columns};
  Tensor a(type, extent(aSizes, shape.a)), b(type, extent(bSizes, shape.b)),
      c(outType, extent(cSizes, shape.c));
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (Tensor *tensor : {&a, &b}) {
    int64_t count = int64_t(tensor->bytes.size()) / byteWidth(type);
    for (int64_t i = 0; i < count; ++i) {
      float value = std::ldexp(normal(generator) * scale, int(generator() % 8));
      tensor->set(i, type == DType::I8 ? float(int(generator() % 256) - 128)
                                       : value);
    }
  }
  if (outType != DType::I32) {
    int64_t count = int64_t(c.bytes.size()) / byteWidth(outType);
    for (int64_t i = 0; i < count; ++i) {
      c.set(i, normal(generator) * scale);
    }
  }
  Tensor wanted = c;
  for (int64_t n = 0; n < shape.batch; ++n) {
    for (int64_t r = 0; r < shape.rows; ++r) {
      for (int64_t j = 0; j < shape.columns; ++j) {
        std::vector<float> left(shape.depth), right(shape.depth);
        for (int64_t k = 0; k < shape.depth; ++k) {
          left[k] = a.get(n * shape.a[0] + r * shape.a[1] + k * shape.a[2]);
          right[k] = b.get(n * shape.b[0] + j * shape.b[1] + k * shape.b[2]);
        }
        int64_t at = n * shape.c[0] + r * shape.c[1] + j * shape.c[2];
        if (type == DType::I8) {
          int32_t sum = 0;
          if (accumulate) {
            std::memcpy(&sum, wanted.bytes.data() + 4 * at, 4);
          }
          for (int64_t k = 0; k < shape.depth; ++k) {
            sum += int(left[k]) * int(right[k]);
          }
          std::memcpy(wanted.bytes.data() + 4 * at, &sum, 4);
          continue;
        }
        float start = accumulate ? wanted.get(at) : 0.0f;
        wanted.set(at, type == DType::BF16 ? blockChain(left, right, start)
                                           : chain(left, right, start));
      }
    }
  }
  Tensor initial = c;
  ProgramBuilder builder;
  builder.input(type, {int64_t(a.bytes.size()) / byteWidth(type)});
  builder.input(type, {int64_t(b.bytes.size()) / byteWidth(type)});
  builder.output(outType, {int64_t(c.bytes.size()) / byteWidth(outType)});
  builder.matmul(arg(0, type, aSizes, shape.a), arg(1, type, bSizes, shape.b),
                 arg(2, outType, cSizes, shape.c), {1, 1, 1, 1}, accumulate);
  for (const KernelSet *set : kernelsUnderTest()) {
    for (unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(set->name);
      selectKernels(set);
      RunOptions options;
      options.threads = threads;
      options.timing = false;
      c.bytes = initial.bytes;
      Result<Report> report = runProgram(
          builder, {a.bytes.data(), b.bytes.data(), c.bytes.data()}, options);
      ASSERT_TRUE(bool(report)) << report.message();
      EXPECT_TRUE(c.bytes == wanted.bytes);
    }
  }
  selectKernels(nullptr);
}

Case rowMajorCase(int64_t batch, int64_t rows, int64_t columns, int64_t depth) {
  return {batch,
          rows,
          columns,
          depth,
          {rows * depth, depth, 1},
          {columns * depth, depth, 1},
          {rows * columns, columns, 1}};
}
/// The streamed operand has its columns contiguous.
Case columnsCase(int64_t batch, int64_t rows, int64_t columns, int64_t depth) {
  Case result = rowMajorCase(batch, rows, columns, depth);
  result.b = {columns * depth, 1, columns};
  return result;
}
/// Everything strided.
Case stridedCase(int64_t rows, int64_t columns, int64_t depth) {
  return {2,
          rows,
          columns,
          depth,
          {1, 2, 2 * rows},
          {depth * columns * 3, 3, 3 * columns},
          {1, 2 * columns, 2}};
}

const DType floats[] = {DType::F32, DType::F16, DType::BF16};

TEST(Mm, ChainsBitForBit) { // num_mm
  unsigned seed = 0;
  for (DType type : floats) {
    for (auto [rows, columns, depth] : {std::tuple{1, 1, 1},
                                        {1, 64, 32},
                                        {1, 70, 129},
                                        {3, 17, 40},
                                        {7, 130, 31},
                                        {13, 33, 300},
                                        {200, 20, 64}}) {
      check(type, DType::F32, rowMajorCase(2, rows, columns, depth), false,
            ++seed);
      check(type, type, columnsCase(1, rows, columns, depth), true, ++seed);
    }
    check(type, type, stridedCase(5, 19, 65), false, ++seed);
    check(type, DType::F32, stridedCase(5, 19, 65), true, ++seed);
  }
}

TEST(Mm, IntegersAreExact) {
  check(DType::I8, DType::I32, rowMajorCase(2, 3, 70, 300), false, 1);
  check(DType::I8, DType::I32, columnsCase(1, 9, 33, 17), true, 2);
  check(DType::I8, DType::I32, stridedCase(4, 18, 33), false, 3);
}

TEST(Mm, SubnormalsOfBF16AreZero) {
  // Products around the smallest normal number.
  check(DType::BF16, DType::F32, rowMajorCase(1, 4, 70, 100), true, 1,
        0x1p-64f);
  check(DType::BF16, DType::F32, rowMajorCase(1, 4, 70, 100), false, 2,
        0x1p-66f);
  check(DType::BF16, DType::BF16, columnsCase(1, 4, 70, 100), false, 3,
        0x1p-126f);
  // The old output.
  check(DType::BF16, DType::F32, rowMajorCase(1, 4, 70, 100), true, 5,
        0x1p-130f);
  check(DType::BF16, DType::BF16, columnsCase(1, 4, 70, 100), true, 6,
        0x1p-130f);
  // Not so in f32.
  check(DType::F32, DType::F32, rowMajorCase(1, 4, 70, 100), false, 4,
        0x1p-68f);
}

TEST(Mm, NoDepthLeavesTheStart) {
  Case shape = rowMajorCase(1, 2, 3, 0);
  shape.a = {0, 1, 1};
  shape.b = {0, 1, 1};
  for (DType type : {DType::F32, DType::BF16}) {
    for (bool accumulate : {false, true}) {
      ProgramBuilder builder;
      builder.input(type, {8});
      builder.output(DType::F32, {2, 3});
      builder.matmul(arg(0, type, {2, 0}), arg(0, type, {3, 0}),
                     arg(1, DType::F32, {2, 3}), {0, 1, 1, 1}, accumulate);
      // Nothing is added to a subnormal start, so that it stays.
      const std::vector<float> start = {1, 2, 3, 4, 5, 0x1p-130f};
      std::vector<float> in(8), out = start;
      Result<Report> report = runProgram(builder, {in.data(), out.data()}, {});
      ASSERT_TRUE(bool(report)) << report.message();
      EXPECT_EQ(out, accumulate ? start : std::vector<float>(6));
    }
  }
}

TEST(Mm, ConvolutionByViews) {
  // Rows are output pixels (y, x), depth is (channel, dy, dx): windows of the
  // image, never copied.
  constexpr int64_t channels = 3, height = 9, width = 10, kernel = 3, outs = 5;
  constexpr int64_t oh = height - kernel + 1, ow = width - kernel + 1;
  std::vector<float> image(channels * height * width),
      weights(outs * channels * kernel * kernel), out(outs * oh * ow);
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  for (auto *list : {&image, &weights}) {
    for (float &value : *list) {
      value = normal(generator);
    }
  }
  ProgramBuilder builder;
  builder.input(DType::F32, {channels, height, width});
  builder.input(DType::F32, {outs, channels, kernel, kernel});
  builder.output(DType::F32, {outs, oh, ow});
  builder.matmul(arg(0, DType::F32, {oh, ow, channels, kernel, kernel},
                     {width, 1, height * width, width, 1}),
                 arg(1, DType::F32, {outs, channels, kernel, kernel}),
                 arg(2, DType::F32, {oh, ow, outs}, {ow, 1, oh * ow}),
                 {0, 2, 1, 3});
  expectRuns(builder, {image.data(), weights.data(), out.data()});
  for (int64_t o = 0; o < outs; ++o) {
    for (int64_t y = 0; y < oh; ++y) {
      for (int64_t x = 0; x < ow; ++x) {
        float sum = 0;
        for (int64_t c = 0; c < channels; ++c) {
          for (int64_t i = 0; i < kernel; ++i) {
            for (int64_t j = 0; j < kernel; ++j) {
              sum = std::fma(
                  image[(c * height + y + i) * width + x + j],
                  weights[((o * channels + c) * kernel + i) * kernel + j], sum);
            }
          }
        }
        EXPECT_EQ(out[(o * oh + y) * ow + x], sum);
      }
    }
  }
}

TEST(Mm, HeadsApart) {
  // A projection to heads that lie apart in the output, and back: columns, then
  // depth, are two dimensions in one view and one in the other.
  constexpr int64_t rows = 3, heads = 2, width = 8, depth = 16;
  std::vector<float> x(rows * depth), w(heads * width * depth),
      back(depth * heads * width), split(heads * rows * width),
      out(rows * depth);
  std::mt19937 generator(9);
  std::normal_distribution<float> normal;
  for (auto *list : {&x, &w, &back}) {
    for (float &value : *list) {
      value = normal(generator);
    }
  }
  ProgramBuilder builder;
  builder.input(DType::F32, {rows, depth});
  builder.input(DType::F32, {heads, width, depth});
  builder.input(DType::F32, {depth, heads, width});
  builder.output(DType::F32, {heads, rows, width});
  builder.output(DType::F32, {rows, depth});
  Shape apart = {width, rows * width, 1}; // (row, head, width).
  builder.matmul(arg(0, DType::F32, {rows, depth}),
                 arg(1, DType::F32, {heads, width, depth}),
                 arg(3, DType::F32, {rows, heads, width}, apart), {0, 1, 2, 1});
  builder.order(Unit::SXE, Unit::SMA, 0);
  builder.matmul(arg(3, DType::F32, {rows, heads, width}, apart),
                 arg(2, DType::F32, {depth, heads, width}),
                 arg(4, DType::F32, {rows, depth}), {0, 1, 1, 2});
  expectRuns(builder,
             {x.data(), w.data(), back.data(), split.data(), out.data()});
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<float> wide;
    for (int64_t j = 0; j < heads * width; ++j) {
      wide.push_back(chain({x.begin() + r * depth, x.begin() + (r + 1) * depth},
                           {w.begin() + j * depth, w.begin() + (j + 1) * depth},
                           0));
      EXPECT_EQ(split[(j / width * rows + r) * width + j % width], wide[j]);
    }
    for (int64_t j = 0; j < depth; ++j) {
      auto first = back.begin() + j * heads * width;
      EXPECT_EQ(out[r * depth + j],
                chain(wide, {first, first + heads * width}, 0));
    }
  }
}

TEST(Mm, OutputMayOverlapAnOperand) {
  std::vector<float> square = {1, 2, 3, 4}, weights = {0, 1, 1, 1};
  ProgramBuilder builder;
  builder.input(DType::F32, {2, 2});
  builder.input(DType::F32, {2, 2});
  builder.matmul(arg(0, DType::F32, {2, 2}), arg(1, DType::F32, {2, 2}),
                 arg(0, DType::F32, {2, 2}), {0, 1, 1, 1});
  Result<Report> report =
      runProgram(builder, {square.data(), weights.data()}, {});
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(square, (std::vector<float>{2, 3, 4, 7}));
}

/// What a run says whose path is not known at load, so that nothing of streams
/// has been checked before. `damage` gets the numbers of stream and mm.
std::string faultOf(const std::function<void(Program &, uint32_t)> &damage) {
  ProgramBuilder builder;
  builder.input(DType::F32, {5, 2});
  builder.input(DType::F32, {3, 2});
  builder.output(DType::F32, {5, 3});
  builder.emit(Opcode::Li, 0, 1, 2);
  builder.emit(Opcode::Branch, 0, 0, 2);
  View a = arg(0, DType::F32, {5, 2}), w = arg(1, DType::F32, {3, 2});
  a.dynamicDim = w.dynamicDim = 1;
  a.sizeRegister = w.sizeRegister = 1;
  uint32_t stream = static_cast<uint32_t>(builder.program.text.size());
  builder.matmul(a, w, arg(2, DType::F32, {5, 3}), {0, 1, 1, 1});
  damage(builder.program, stream);
  builder.program.locationOf.resize(builder.program.text.size(), 0xffffffffu);
  std::vector<float> left(10), right(6), out(15);
  Result<Report> report =
      runProgram(builder, {left.data(), right.data(), out.data()}, {});
  if (report) {
    return "ok";
  }
  EXPECT_EQ(report.kind(), ErrorKind::Runtime);
  return report.message();
}

TEST(Mm, StreamsMustFitAtRunTime) { // mm_f1, mm_f2
  EXPECT_EQ(faultOf([](Program &, uint32_t) {}), "ok");
  EXPECT_EQ(
      faultOf([](Program &p, uint32_t stream) { p.text[stream].b = 1; }),
      "the stream entry has 1 passes, expected 2 for 5 rows [instruction 3 "
      "(mm)]");
  EXPECT_EQ(faultOf([](Program &p, uint32_t stream) {
              p.views.push_back(p.views[p.text[stream].a]);
              p.text[stream].a = static_cast<uint32_t>(p.views.size() - 1);
            }),
            "the next stream entry is view 3, expected view 0 [instruction 3 "
            "(mm)]");
  EXPECT_EQ(faultOf([](Program &p, uint32_t stream) {
              p.text.insert(p.text.begin() + stream + 1,
                            {Opcode::Li, 0, 1, 1, 0, 0});
            }),
            "a size of the stream entry is not that of the other operands, "
            "expected its register unchanged since the stream [instruction 4 "
            "(mm)]");
}

// The same is found at load where the path is known.
TEST(Mm, PassesMustMatchRows) { // stream_c4
  ProgramBuilder builder;
  builder.input(DType::F32, {5, 2});
  builder.input(DType::F32, {3, 2});
  builder.output(DType::F32, {5, 3});
  builder.matmul(arg(0, DType::F32, {5, 2}), arg(1, DType::F32, {3, 2}),
                 arg(2, DType::F32, {5, 3}), {0, 1, 1, 1});
  builder.program.text[0].b = 1; // 5 rows of 4 a pass need 2.
  std::vector<float> a(10), b(6), c(15);
  Result<Report> report =
      runProgram(builder, {a.data(), b.data(), c.data()}, {});
  ASSERT_FALSE(bool(report));
  EXPECT_NE(report.message().find("1 passes, expected 2 for"),
            std::string::npos)
      << report.message();
}

} // namespace

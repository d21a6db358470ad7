//===- VecTest.cpp - Sections, reductions, tables -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a micro-program does as a whole. Reductions are compared bit for bit
// with a scalar reference that is written from the definition: 64 interleaved
// partial results, then a fixed tree. Shapes are chosen around the lengths of
// chunks and lanes, so that all ways of laying out lanes are met.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Kernels/Kernels.h"
#include "ProgramBuilder.h"

#include "lpu/Simulator/Numerics.h"

#include <cmath>
#include <functional>
#include <random>

using namespace lpu;
using namespace lpu::test;

namespace {

std::vector<float> randomFloats(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values) {
    // Wide exponents, so that the order of a sum shows.
    value = std::ldexp(normal(generator), int(generator() % 20) - 10);
  }
  return values;
}

/// The order of a reduction, in scalar code.
float reduceReference(const float *values, int64_t count, float identity,
                      const std::function<float(float, float)> &combine) {
  float partial[64];
  for (float &value : partial) {
    value = identity;
  }
  for (int64_t i = 0; i < count; ++i) {
    partial[i % 64] = combine(partial[i % 64], values[i]);
  }
  for (int s = 32; s > 0; s /= 2) {
    for (int i = 0; i < s; ++i) {
      partial[i] = combine(partial[i], partial[i + s]);
    }
  }
  return partial[0];
}

/// Runs on every kernel set with one and three threads.
void onAllHosts(const ProgramBuilder &builder,
                const std::vector<void *> &arguments,
                const std::function<void()> &check) {
  for (const KernelSet *const *set = availableKernels(); *set; ++set) {
    for (unsigned threads : {1u, 3u}) {
      SCOPED_TRACE((*set)->name);
      selectKernels(*set);
      RunOptions options;
      options.threads = threads;
      options.timing = false;
      Result<Report> report = runProgram(builder, arguments, options);
      ASSERT_TRUE(bool(report)) << report.message();
      check();
    }
  }
  selectKernels(nullptr);
}

void expectSameBits(const std::vector<float> &got,
                    const std::vector<float> &wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(numerics::bitsOf(got[i]), numerics::bitsOf(wanted[i]))
        << "element " << i << ": " << got[i] << " and " << wanted[i];
  }
}

const Shape rowCounts = {1, 3, 127, 600};
const Shape elementCounts = {0, 1, 5, 47, 48, 63, 64, 65, 130, 512, 513, 1300};

TEST(Vec, SumsInTheFixedOrder) { // num_reduce
  for (int64_t rows : rowCounts) {
    for (int64_t elements : elementCounts) {
      SCOPED_TRACE(testing::Message() << rows << " x " << elements);
      std::vector<float> in = randomFloats(rows * elements, 1), out(rows);
      ProgramBuilder builder;
      builder.input(DType::F32, {rows, elements});
      builder.output(DType::F32, {rows});
      MicroBuilder micro(2, 1);
      micro.elements();
      uint16_t sum = micro.reduce(micro.load(0), MicroCombine::AddF);
      micro.rows();
      micro.store(1, sum);
      builder.vec(micro, {arg(0, DType::F32, {rows, elements}),
                          arg(1, DType::F32, {rows, elements}, {1, 0})});
      std::vector<float> wanted(rows);
      for (int64_t r = 0; r < rows; ++r) {
        wanted[r] = reduceReference(in.data() + r * elements, elements, -0.0f,
                                    std::plus<float>());
      }
      onAllHosts(builder, {in.data(), out.data()},
                 [&] { expectSameBits(out, wanted); });
    }
  }
}

TEST(Vec, TheSumOfNothing) {
  // An input of no bytes, its element dimensions merged into one with stride 0.
  float in = 0, out = 7;
  ProgramBuilder builder;
  builder.input(DType::F32, {0, 3});
  builder.output(DType::F32, {});
  MicroBuilder micro(1, 0);
  micro.elements();
  uint16_t sum = micro.reduce(micro.load(0), MicroCombine::AddF);
  micro.rows();
  micro.store(1, sum);
  builder.vec(micro,
              {arg(0, DType::F32, {0}, {0}), arg(1, DType::F32, {0}, {0})});
  onAllHosts(builder, {&in, &out}, [&] { EXPECT_EQ(out, 0); });
}

TEST(Vec, ReducesSeveralDimensionsRowMajor) {
  // Rows are the middle dimension of memory; elements are (outer, inner).
  constexpr int64_t outer = 7, rows = 5, inner = 11;
  std::vector<float> in = randomFloats(outer * rows * inner, 2), out(rows);
  ProgramBuilder builder;
  builder.input(DType::F32, {outer, rows, inner});
  builder.output(DType::F32, {rows});
  MicroBuilder micro(3, 1);
  micro.elements();
  uint16_t sum = micro.reduce(micro.load(0), MicroCombine::AddF);
  micro.rows();
  micro.store(1, sum);
  Shape domain = {rows, outer, inner};
  builder.vec(micro, {arg(0, DType::F32, domain, {inner, rows * inner, 1}),
                      arg(1, DType::F32, domain, {1, 0, 0})});
  std::vector<float> wanted(rows);
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<float> row;
    for (int64_t i = 0; i < outer; ++i) {
      for (int64_t j = 0; j < inner; ++j) {
        row.push_back(in[(i * rows + r) * inner + j]);
      }
    }
    wanted[r] = reduceReference(row.data(), int64_t(row.size()), -0.0f,
                                std::plus<float>());
  }
  onAllHosts(builder, {in.data(), out.data()},
             [&] { expectSameBits(out, wanted); });
}

TEST(Vec, EveryCombine) {
  constexpr int64_t n = 100;
  const std::pair<MicroCombine, int64_t> cases[] = {
      {MicroCombine::AddI, 4950}, {MicroCombine::MulI, 0},
      {MicroCombine::MaxSI, 98},  {MicroCombine::MinSI, -1},
      {MicroCombine::MaxUI, -1},  {MicroCombine::MinUI, 0},
      {MicroCombine::AndI, 0},    {MicroCombine::OrI, -1},
      {MicroCombine::XorI, 0}};
  std::vector<int64_t> in(n), out(1);
  for (int64_t i = 0; i < n; ++i) {
    in[i] = i;
  }
  in[99] = -1;
  for (auto [combine, result] : cases) {
    SCOPED_TRACE(int(combine));
    ProgramBuilder builder;
    builder.input(DType::I64, {n});
    builder.output(DType::I64, {1});
    MicroBuilder micro(1, 0);
    micro.elements();
    uint16_t value = micro.load(0, MicroType::I64);
    uint16_t reduced = micro.reduce(value, combine, MicroType::I64);
    micro.rows();
    micro.store(1, reduced, MicroType::I64);
    builder.vec(micro, {arg(0, DType::I64, {n}), arg(1, DType::I64, {n}, {0})});
    int64_t wanted = result;
    if (combine == MicroCombine::AddI) {
      wanted = 4950 - 99 - 1;
    } else if (combine == MicroCombine::XorI) {
      wanted = 0;
      for (int64_t x : in) {
        wanted ^= x;
      }
    }
    onAllHosts(builder, {in.data(), out.data()},
               [&] { EXPECT_EQ(out[0], wanted); });
  }
  std::vector<float> floats = {3, -1, 2, NAN, 5}, result(1);
  const std::pair<MicroCombine, float> floatCases[] = {
      {MicroCombine::MulF, NAN},
      {MicroCombine::MaximumF, NAN},
      {MicroCombine::MinimumF, NAN},
      {MicroCombine::MaxNumF, 5},
      {MicroCombine::MinNumF, -1}};
  for (auto [combine, wanted] : floatCases) {
    ProgramBuilder builder;
    builder.input(DType::F32, {5});
    builder.output(DType::F32, {1});
    MicroBuilder micro(1, 0);
    micro.elements();
    uint16_t reduced = micro.reduce(micro.load(0), combine);
    micro.rows();
    micro.store(1, reduced);
    builder.vec(micro, {arg(0, DType::F32, {5}), arg(1, DType::F32, {5}, {0})});
    float expected = wanted;
    onAllHosts(builder, {floats.data(), result.data()}, [&] {
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(result[0])
                                       : result[0] == expected);
    });
  }
}

TEST(Vec, LaterSectionsSeeWhatWasReduced) {
  // out = (x - max) / sum(x - max): two reductions, a row value, three passes.
  for (int64_t rows : rowCounts) {
    for (int64_t elements : {1, 20, 64, 700}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << elements);
      std::vector<float> in = randomFloats(rows * elements, 3),
                         out(rows * elements), wanted(rows * elements);
      ProgramBuilder builder;
      Shape domain = {rows, elements};
      builder.input(DType::F32, domain);
      builder.output(DType::F32, domain);
      MicroBuilder micro(2, 1);
      micro.elements();
      uint16_t largest = micro.reduce(micro.load(0), MicroCombine::MaximumF);
      micro.elements();
      uint16_t shifted = micro.f(MicroOpcode::SubF, micro.load(0), largest);
      uint16_t sum = micro.reduce(shifted, MicroCombine::AddF);
      micro.rows();
      uint16_t one = micro.constant(MicroType::F32, 1.0f);
      uint16_t scale = micro.f(MicroOpcode::DivF, one, sum);
      micro.elements();
      uint16_t again = micro.f(MicroOpcode::SubF, micro.load(0), largest);
      micro.store(1, micro.f(MicroOpcode::MulF, again, scale));
      builder.vec(micro,
                  {arg(0, DType::F32, domain), arg(1, DType::F32, domain)});
      for (int64_t r = 0; r < rows; ++r) {
        const float *row = in.data() + r * elements;
        float top =
            reduceReference(row, elements, -INFINITY, numerics::maximum);
        std::vector<float> differences(elements);
        for (int64_t i = 0; i < elements; ++i) {
          differences[i] = row[i] - top;
        }
        float inverse = 1.0f / reduceReference(differences.data(), elements,
                                               -0.0f, std::plus<float>());
        for (int64_t i = 0; i < elements; ++i) {
          wanted[r * elements + i] = differences[i] * inverse;
        }
      }
      onAllHosts(builder, {in.data(), out.data()}, [&] {
        for (size_t i = 0; i < out.size(); ++i) {
          ASSERT_TRUE(out[i] == wanted[i] ||
                      (std::isnan(out[i]) && std::isnan(wanted[i])))
              << i << ": " << out[i] << " and " << wanted[i];
        }
      });
    }
  }
}

TEST(Vec, CarriesGoThroughElementsInOrder) {
  // The index of the first largest element.
  for (int64_t rows : rowCounts) {
    constexpr int64_t elements = 70;
    std::vector<float> in(rows * elements);
    for (size_t i = 0; i < in.size(); ++i) {
      in[i] = float(i * 7919 % 31);
    }
    std::vector<int64_t> out(rows);
    ProgramBuilder builder;
    Shape domain = {rows, elements};
    builder.input(DType::F32, domain);
    builder.output(DType::I64, {rows});
    MicroBuilder micro(2, 1);
    micro.rows();
    uint16_t low = micro.constant(MicroType::F32, -INFINITY);
    uint16_t none = micro.constant(MicroType::I64, 0);
    micro.elements();
    uint16_t best = micro.carry(low);
    uint16_t where = micro.carry(none, MicroType::I64);
    uint16_t x = micro.load(0);
    uint16_t index = micro.iota(1);
    uint16_t better = micro.op(MicroOpcode::CmpF, MicroType::F32, x, best,
                               uint16_t(MicroPredicateF::OGT));
    micro.next(best,
               micro.op(MicroOpcode::Select, MicroType::F32, better, x, best));
    micro.next(
        where,
        micro.op(MicroOpcode::Select, MicroType::I64, better, index, where),
        MicroType::I64);
    micro.rows();
    micro.store(1, where, MicroType::I64);
    builder.vec(micro, {arg(0, DType::F32, domain),
                        arg(1, DType::I64, domain, {1, 0})});
    onAllHosts(builder, {in.data(), out.data()}, [&] {
      for (int64_t r = 0; r < rows; ++r) {
        const float *row = in.data() + r * elements;
        EXPECT_EQ(out[r], std::max_element(row, row + elements) - row);
      }
    });
  }
}

TEST(Vec, CarriesAdvanceTogether) {
  // Fibonacci: (a, b) becomes (b, a + b), with b read after a was set.
  std::vector<int32_t> out(10);
  ProgramBuilder builder;
  builder.output(DType::I32, {10});
  MicroBuilder micro(1, 0);
  micro.rows();
  uint16_t zero = micro.constant(MicroType::I32, 0);
  uint16_t one = micro.constant(MicroType::I32, 1);
  micro.elements();
  uint16_t a = micro.carry(zero, MicroType::I32);
  uint16_t b = micro.carry(one, MicroType::I32);
  micro.store(0, a, MicroType::I32);
  uint16_t sum = micro.op(MicroOpcode::AddI, MicroType::I32, a, b);
  micro.next(b, sum, MicroType::I32);
  micro.next(a, b, MicroType::I32);
  builder.vec(micro, {arg(0, DType::I32, {10})});
  onAllHosts(builder, {out.data()}, [&] {
    EXPECT_EQ(out, (std::vector<int32_t>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34}));
  });
}

TEST(Vec, GathersAtComputedElements) { // micro_f1
  // An embedding: out[r, j] = table[index[r], j].
  constexpr int64_t vocabulary = 50, width = 33, rows = 4;
  std::vector<float> table = randomFloats(vocabulary * width, 4),
                     out(rows * width);
  std::vector<int64_t> index = {3, 49, 3, 0};
  ProgramBuilder builder;
  builder.input(DType::F32, {vocabulary, width});
  builder.input(DType::I64, {rows});
  builder.output(DType::F32, {rows, width});
  MicroBuilder micro(2, 2);
  micro.elements();
  uint16_t row = micro.load(1, MicroType::I64);
  uint16_t stride = micro.constant(MicroType::I64, width);
  uint16_t start = micro.op(MicroOpcode::MulI, MicroType::I64, row, stride);
  uint16_t element =
      micro.op(MicroOpcode::AddI, MicroType::I64, start, micro.iota(1));
  micro.store(2, micro.gather(0, element));
  Shape domain = {rows, width};
  builder.vec(micro,
              {arg(0, DType::F32, {vocabulary * width}),
               arg(1, DType::I64, domain, {1, 0}), arg(2, DType::F32, domain)});
  onAllHosts(builder, {table.data(), index.data(), out.data()}, [&] {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < width; ++j) {
        EXPECT_EQ(out[r * width + j], table[index[r] * width + j]);
      }
    }
  });
  // Only the rows that were gathered count, each once.
  Result<Report> report =
      runProgram(builder, {table.data(), index.data(), out.data()}, {});
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(report->compulsoryReadBytes, 3 * width * 4 + rows * 8);
  EXPECT_EQ(report->compulsoryWrittenBytes, rows * width * 4);

  index[2] = vocabulary;
  report = runProgram(builder, {table.data(), index.data(), out.data()}, {});
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.kind(), ErrorKind::Index);
  EXPECT_NE(report.message().find("element number 1650 of operand 0"),
            std::string::npos)
      << report.message();
}

TEST(Vec, ScattersDuplicatesInOrder) { // micro_order
  constexpr int64_t n = 6;
  std::vector<int64_t> index = {1, 3, 1, 1, 0, 3};
  std::vector<float> values = {1e8f, 2, 1, -1e8f, 5, 7};
  auto run = [&](MicroCombine combine) {
    std::vector<float> table = {0, 0, 0, 100};
    ProgramBuilder builder;
    builder.input(DType::I64, {n});
    builder.input(DType::F32, {n});
    builder.output(DType::F32, {4});
    MicroBuilder micro(1, 1);
    micro.elements();
    uint16_t at = micro.load(0, MicroType::I64);
    micro.scatter(2, at, micro.load(1), combine);
    builder.vec(micro, {arg(0, DType::I64, {n}), arg(1, DType::F32, {n}),
                        arg(2, DType::F32, {4})});
    Result<Report> report =
        runProgram(builder, {index.data(), values.data(), table.data()}, {});
    EXPECT_TRUE(bool(report)) << report.message();
    return table;
  };
  EXPECT_EQ(run(MicroCombine::Set), (std::vector<float>{5, -1e8f, 0, 7}));
  // 1e8 + 1 rounds to 1e8, so the order of the additions shows.
  EXPECT_EQ(run(MicroCombine::AddF), (std::vector<float>{5, 0, 0, 109}));
  EXPECT_EQ(run(MicroCombine::MaximumF), (std::vector<float>{5, 1e8f, 0, 100}));
}

TEST(Vec, ScattersStayInTheirTable) { // micro_f1
  for (int64_t element : {-1, 3}) {
    std::vector<float> table(3);
    ProgramBuilder builder;
    builder.output(DType::F32, {3});
    MicroBuilder micro(1, 1);
    micro.elements();
    uint16_t at = micro.constant(MicroType::I64, element);
    micro.scatter(0, at, micro.load(1), MicroCombine::Set);
    builder.vec(micro, {arg(0, DType::F32, {3}), arg(0, DType::F32, {1})});
    Result<Report> report = runProgram(builder, {table.data()}, {});
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.kind(), ErrorKind::Index);
    EXPECT_EQ(report.message(), "element number " + std::to_string(element) +
                                    " of operand 0 is out of range, expected "
                                    "[0, 3) [instruction 0 (vec)]");
  }
}

// A byte of a bool that is neither 0 nor 1 counts as 1 wherever it is read.
TEST(Vec, BoolsAreReadAsTruth) {
  std::vector<uint8_t> table = {2, 0, 4}, loaded(3), gathered(3);
  std::vector<uint8_t> zeros(3), sums = {2, 0, 4};
  ProgramBuilder builder;
  for (int i = 0; i < 5; ++i) {
    builder.output(DType::Bool, {3});
  }
  MicroBuilder micro(1, 1);
  micro.elements();
  uint16_t index = micro.iota(0);
  micro.store(1, micro.load(0, MicroType::I1), MicroType::I1);
  micro.store(2, micro.gather(3, index, MicroType::I1), MicroType::I1);
  uint16_t zero = micro.load(4, MicroType::I1);
  micro.scatter(5, index, zero, MicroCombine::OrI, MicroType::I1);
  View domain = arg(0, DType::Bool, {3});
  builder.vec(micro,
              {domain, arg(1, DType::Bool, {3}), arg(2, DType::Bool, {3}),
               domain, arg(3, DType::Bool, {3}), arg(4, DType::Bool, {3})});
  onAllHosts(
      builder,
      {table.data(), loaded.data(), gathered.data(), zeros.data(), sums.data()},
      [&] {
        std::vector<uint8_t> truth = {1, 0, 1};
        EXPECT_EQ(loaded, truth);
        EXPECT_EQ(gathered, truth);
        EXPECT_EQ(sums, truth);
      });
}

TEST(Vec, WalksAnyStrides) {
  // A transpose with a broadcast and the indices of both dimensions.
  constexpr int64_t rows = 37, columns = 53;
  std::vector<float> in = randomFloats(rows * columns, 5),
                     bias = randomFloats(columns, 6), out(rows * columns);
  ProgramBuilder builder;
  builder.input(DType::F32, {columns, rows});
  builder.input(DType::F32, {columns});
  builder.output(DType::F32, {rows, columns});
  MicroBuilder micro(2, 2);
  micro.elements();
  uint16_t sum = micro.f(MicroOpcode::AddF, micro.load(0), micro.load(1));
  uint16_t row = micro.op(MicroOpcode::SIToF, MicroType::F32, micro.iota(0), 0,
                          uint16_t(MicroType::I64));
  uint16_t column = micro.op(MicroOpcode::SIToF, MicroType::F32, micro.iota(1),
                             0, uint16_t(MicroType::I64));
  micro.store(2, micro.f(MicroOpcode::FmaF, row, column, sum));
  Shape domain = {rows, columns};
  builder.vec(micro,
              {arg(0, DType::F32, domain, {1, rows}),
               arg(1, DType::F32, domain, {0, 1}), arg(2, DType::F32, domain)});
  onAllHosts(builder, {in.data(), bias.data(), out.data()}, [&] {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        EXPECT_EQ(out[r * columns + c],
                  std::fma(float(r), float(c), in[c * rows + r] + bias[c]));
      }
    }
  });
}

TEST(Vec, ConvertsNarrowFloatsInMemory) {
  constexpr int64_t n = 300;
  std::vector<uint16_t> in(n), out(n);
  for (int64_t i = 0; i < n; ++i) {
    in[i] = numerics::f32ToBF16(float(i) / 7);
  }
  ProgramBuilder builder;
  builder.input(DType::BF16, {n});
  builder.output(DType::F16, {n});
  MicroBuilder micro(1, 1);
  micro.elements();
  micro.store(1, micro.load(0));
  builder.vec(micro, {arg(0, DType::BF16, {n}), arg(1, DType::F16, {n})});
  onAllHosts(builder, {in.data(), out.data()}, [&] {
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(out[i], numerics::f32ToF16(numerics::bf16ToF32(in[i])));
    }
  });
}

TEST(Vec, RankZeroIsOneElement) {
  float in = 3, out = 0;
  ProgramBuilder builder;
  builder.input(DType::F32, {});
  builder.output(DType::F32, {});
  MicroBuilder micro(0, 0);
  micro.elements();
  uint16_t x = micro.load(0);
  micro.store(1, micro.f(MicroOpcode::MulF, x, x));
  builder.vec(micro, {arg(0, DType::F32, {}), arg(1, DType::F32, {})});
  onAllHosts(builder, {&in, &out}, [&] { EXPECT_EQ(out, 9); });
}

TEST(Vec, RowsWithoutElementsStayInMemory) { // vec_c11
  // A rows section reads and writes reduced index 0, even of rows without
  // elements.
  for (bool isLoad : {true, false}) {
    ProgramBuilder builder;
    builder.output(DType::F32, {4});
    MicroBuilder micro(1, 0);
    micro.rows();
    if (isLoad) {
      micro.load(0);
    } else {
      micro.store(0, micro.constant(MicroType::F32, 1.0f));
    }
    View far = arg(0, DType::F32, {0});
    far.offset = int64_t(1) << 40;
    builder.vec(micro, {far});
    std::vector<float> out(4);
    Result<Report> report = runProgram(builder, {out.data()}, {});
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.message(),
              "instruction 0 (vec): operand 0: view 0: reaches bytes "
              "[1099511627776, 1099511627780) of arg 0, expected within [0, "
              "16)");
  }
}

TEST(Vec, AssertsFaultWithTheirMessage) { // micro_f2
  for (FaultKind kind : {FaultKind::Index, FaultKind::Runtime}) {
    std::vector<uint8_t> truth = {1, 1, 0};
    ProgramBuilder builder;
    builder.input(DType::Bool, {3});
    MicroBuilder micro(1, 1);
    micro.elements();
    micro.check(micro.load(0, MicroType::I1), kind,
                builder.string("expected a valid token"));
    builder.vec(micro, {arg(0, DType::Bool, {3})});
    Result<Report> report = runProgram(builder, {truth.data()}, {});
    ASSERT_FALSE(bool(report));
    EXPECT_EQ(report.kind(),
              kind == FaultKind::Index ? ErrorKind::Index : ErrorKind::Runtime);
    EXPECT_EQ(report.message(), "expected a valid token [instruction 0 (vec)]");
    truth[2] = 1;
    report = runProgram(builder, {truth.data()}, {});
    EXPECT_TRUE(bool(report)) << report.message();
  }
}

} // namespace

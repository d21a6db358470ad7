//===- SmaTest.cpp - Copy, gather and scatter -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data movement by views: transposes, windows, broadcasts, negative strides,
// overlap, and rows by index.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include <numeric>

using namespace lpu;
using namespace lpu::test;

namespace {

template <typename T>
std::vector<T> counting(int64_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

/// Copies a view of argument 0 to a view of argument 1, elementwise in scalar
/// code, and compares.
template <typename T>
void checkCopy(DType type, int64_t size, const View &to, const View &from) {
  std::vector<T> in = counting<T>(size), out(size, T(0)), wanted = out;
  std::vector<int64_t> index(to.rank, 0);
  int64_t count = 1;
  for (unsigned d = 0; d < to.rank; ++d) {
    count *= to.sizes[d];
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, target = to.offset / int64_t(sizeof(T)),
            source = from.offset / int64_t(sizeof(T));
    for (unsigned d = to.rank; d-- > 0;) {
      target += rest % to.sizes[d] * to.strides[d];
      source += rest % to.sizes[d] * from.strides[d];
      rest /= to.sizes[d];
    }
    wanted[target] = in[source];
  }
  ProgramBuilder builder;
  builder.input(type, {size});
  builder.output(type, {size});
  builder.copy(to, from);
  // Not all of the output is written.
  expectRuns(builder, {in.data(), out.data()}, Checks::Standard);
  EXPECT_EQ(out, wanted);
}

TEST(Sma, CopiesAnyStrides) {
  // Contiguous, transposed in two and three dimensions, a window, a broadcast,
  // and backwards.
  checkCopy<float>(DType::F32, 4000, arg(1, DType::F32, {4000}),
                   arg(0, DType::F32, {4000}));
  checkCopy<float>(DType::F32, 4000, arg(1, DType::F32, {50, 80}),
                   arg(0, DType::F32, {50, 80}, {1, 50}));
  checkCopy<uint16_t>(DType::BF16, 4000, arg(1, DType::BF16, {10, 20, 20}),
                      arg(0, DType::BF16, {10, 20, 20}, {1, 200, 10}));
  checkCopy<int64_t>(DType::I64, 4000, arg(1, DType::I64, {3, 5, 7}),
                     arg(0, DType::I64, {3, 5, 7}, {100, 10, 2}, 80));
  checkCopy<int8_t>(DType::I8, 4000, arg(1, DType::I8, {30, 40}),
                    arg(0, DType::I8, {30, 40}, {0, 1}));
  checkCopy<float>(DType::F32, 100, arg(1, DType::F32, {100}),
                   arg(0, DType::F32, {100}, {-1}, 396));
  checkCopy<float>(DType::F32, 100, arg(1, DType::F32, {}),
                   arg(0, DType::F32, {}));
}

TEST(Sma, CopyOntoItselfReadsFirst) {
  std::vector<int32_t> values = counting<int32_t>(10);
  ProgramBuilder builder;
  builder.input(DType::I32, {10});
  builder.copy(arg(0, DType::I32, {9}, {1}, 4), arg(0, DType::I32, {9}, {1}));
  Result<Report> report = runProgram(builder, {values.data()}, {});
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(values, (std::vector<int32_t>{0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

/// dst[:, i, :] = src[:, index[i], :] or the reverse.
ProgramBuilder indexed(Opcode opcode, uint8_t flags, DType indexType) {
  ProgramBuilder builder;
  builder.input(DType::I32, {2, 3, 2});
  builder.input(indexType, {4});
  builder.output(DType::I32, {2, 4, 2});
  View rows = arg(0, DType::I32, {2, 3, 2}), index = arg(1, indexType, {4}),
       picked = arg(2, DType::I32, {2, 4, 2});
  bool isGather = opcode == Opcode::Gather;
  uint32_t a = builder.add(isGather ? picked : rows),
           b = builder.add(isGather ? rows : picked), c = builder.add(index);
  builder.emit(opcode, flags, 1, a, b, c);
  return builder;
}

TEST(Sma, GathersRows) {
  std::vector<int32_t> in = counting<int32_t>(12), out(16);
  std::vector<int64_t> index = {2, 0, 2, 1};
  expectRuns(indexed(Opcode::Gather, 0, DType::I64),
             {in.data(), index.data(), out.data()});
  EXPECT_EQ(out, (std::vector<int32_t>{4, 5, 0, 1, 4, 5, 2, 3, 10, 11, 6, 7, 10,
                                       11, 8, 9}));
}

TEST(Sma, ScattersRowsInOrder) {
  std::vector<int32_t> rows(12, -1), values = counting<int32_t>(16);
  std::vector<int32_t> index = {2, 0, 2, 0};
  expectRuns(indexed(Opcode::Scatter, 0, DType::I32),
             {rows.data(), index.data(), values.data()},
             Checks::Standard); // It has an output for the values.
  // The last of two rows with one index stays.
  EXPECT_EQ(rows,
            (std::vector<int32_t>{6, 7, -1, -1, 4, 5, 14, 15, -1, -1, 12, 13}));
}

TEST(Sma, NegativeIndicesWrapOnlyIfAsked) { // gather_f1, scatter_f1
  std::vector<int32_t> in = counting<int32_t>(12), out(16);
  std::vector<int64_t> index = {-1, 0, -3, 1};
  std::vector<void *> arguments = {in.data(), index.data(), out.data()};
  expectRuns(indexed(Opcode::Gather, IndexWrapNegative, DType::I64), arguments);
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(out[4], 0);
  Result<Report> report =
      runProgram(indexed(Opcode::Gather, 0, DType::I64), arguments, {});
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.kind(), ErrorKind::Index);
  EXPECT_EQ(report.message(), "index -1 is out of bounds for dimension with "
                              "size 3 [instruction 0 (gather)]");
  index[0] = -4;
  EXPECT_EQ(runProgram(indexed(Opcode::Scatter, IndexWrapNegative, DType::I64),
                       arguments, {})
                .kind(),
            ErrorKind::Index);
}

TEST(Sma, OnlyGatheredRowsAreCompulsory) {
  std::vector<int32_t> in = counting<int32_t>(12), out(16);
  std::vector<int64_t> index = {2, 2, 2, 2};
  Result<Report> report = runProgram(indexed(Opcode::Gather, 0, DType::I64),
                                     {in.data(), index.data(), out.data()}, {});
  ASSERT_TRUE(bool(report)) << report.message();
  EXPECT_EQ(report->compulsoryReadBytes, 2 * 2 * 4 + 4 * 8);
  EXPECT_EQ(report->compulsoryWrittenBytes, 16 * 4);
}

} // namespace

//===- WrittenBytesTest.cpp - Tests of uses of memory without a value -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case for each way to use a byte that nothing has written (sync_c3), each
// beside the same program with the byte written first.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

using namespace lpu;
using namespace lpu::test;

namespace {
/// An input and an output of 8 x 8 f32, and an LMU in which `prepare` writes
/// rows before `first` with a copy.
struct Steps : ProgramBuilder {
  Steps() {
    in = input(DType::F32, {8, 8});
    out = output(DType::F32, {8, 8});
  }
  View block(int64_t offset) { return lmu(offset, DType::F32, {8, 8}); }
  /// Rows before `end` of the block at byte 0.
  void prepare(int64_t end) {
    copy(lmu(0, DType::F32, {end, 8}), arg(in, DType::F32, {end, 8}));
  }
  void store(const View &from) { copy(arg(out, DType::F32, {8, 8}), from); }

  unsigned in, out;
};
} // namespace

/// The message of a run with all checks, or "ok".
static std::string outcome(const ProgramBuilder &builder) {
  std::vector<float> in(64, 1.0f), out(64);
  std::string message;
  for (Dma dma : {Dma::Early, Dma::Late}) {
    RunOptions options;
    options.checks = Checks::All;
    options.threads = 1;
    options.dma = dma;
    Result<Report> report =
        runProgram(builder, {in.data(), out.data()}, options);
    std::string other = report ? "ok" : report.message();
    EXPECT_TRUE(message.empty() || message == other) << message << other;
    message = other;
  }
  return message;
}

// Rows before 7 are written: byte 7 * 32 is the first that is not.
TEST(WrittenBytes, NamesTheByte) {
  Steps steps;
  steps.prepare(7);
  steps.store(steps.block(0));
  EXPECT_EQ(outcome(steps),
            "uninitialised: uses byte 224 of lmu, which nothing has written "
            "(view 3, bytes [0, 256)) [instruction 1 (copy)]");
}

TEST(WrittenBytes, WhatIsWrittenMayBeUsed) {
  Steps steps;
  steps.prepare(8);
  steps.store(steps.block(0));
  EXPECT_EQ(outcome(steps), "ok");
}

// A transposed view of which one column is missing.
TEST(WrittenBytes, StridedViews) {
  for (int64_t columns : {8, 7}) {
    Steps steps;
    steps.copy(view(Space::LMU, 0, DType::F32, {columns, 8}, {1, 8}),
               arg(steps.in, DType::F32, {columns, 8}));
    steps.store(view(Space::LMU, 0, DType::F32, {8, 8}, {1, 8}));
    std::string message = outcome(steps);
    EXPECT_EQ(message.find("uses byte 28 of lmu") != std::string::npos,
              columns == 7)
        << message;
  }
}

// Padding travels with a copy, and counts where it is used.
TEST(WrittenBytes, CopiesMoveIt) {
  for (int64_t rows : {8, 7}) {
    Steps steps;
    steps.prepare(7);
    steps.copy(steps.block(256), steps.block(0)); // Fine.
    steps.copy(arg(steps.out, DType::F32, {7, 8}),
               lmu(256, DType::F32, {7, 8}));
    steps.copy(arg(steps.out, DType::F32, {rows - 6, 8}, {8, 1}, 6 * 32),
               lmu(256 + 6 * 32, DType::F32, {rows - 6, 8}));
    std::string message = outcome(steps);
    // With 7 rows only the output itself is not complete.
    EXPECT_NE(message.find(rows == 8
                               ? "uses byte 480 of lmu"
                               : "byte 224 of output 't1' (argument 1) is not "
                                 "written when the program ends"),
              std::string::npos)
        << message;
  }
}

TEST(WrittenBytes, MatrixOperands) {
  View row = lmu(0, DType::F32, {1, 8});
  View weight = lmu(64, DType::F32, {8, 8}),
       sums = lmu(512, DType::F32, {1, 8});
  struct Case {
    bool activations, streamed, output, accumulates;
    const char *message;
  };
  for (const Case &c : {Case{true, true, false, false, "ok"},
                        Case{true, true, true, true, "ok"},
                        Case{true, true, false, true, "uses byte 512 of lmu"},
                        Case{false, true, false, false, "uses byte 0 of lmu"},
                        Case{true, false, false, false, "(stream)"}}) {
    Steps steps;
    if (c.activations) {
      steps.copy(row, arg(steps.in, DType::F32, {1, 8}));
    }
    if (c.streamed) {
      steps.copy(weight, arg(steps.in, DType::F32, {8, 8}));
    }
    if (c.output) {
      steps.copy(sums, arg(steps.in, DType::F32, {1, 8}));
    }
    steps.order(Unit::SMA, Unit::SXE, 0);
    steps.matmul(row, weight, sums, {0, 1, 1, 1}, c.accumulates);
    steps.store(arg(steps.in, DType::F32, {8, 8}));
    EXPECT_NE(outcome(steps).find(c.message), std::string::npos)
        << outcome(steps);
  }
}

// Sections in order: what one stores, a later one may load, from the same view.
TEST(WrittenBytes, VectorOperands) {
  for (bool storesFirst : {true, false}) {
    Steps steps;
    MicroBuilder micro(2, 1);
    if (storesFirst) {
      micro.elements();
      micro.store(0, micro.load(1));
    }
    micro.elements();
    micro.store(2, micro.load(0));
    steps.vec(micro, {steps.block(0), arg(steps.in, DType::F32, {8, 8}),
                      arg(steps.out, DType::F32, {8, 8})});
    std::string message = outcome(steps);
    EXPECT_EQ(message == "ok", storesFirst) << message;
  }
}

// `rows` stores one element, which all of `elements` load; and the other way
// round, where `rows` loads the first of those that are stored.
TEST(WrittenBytes, SectionsOfTwoKinds) {
  for (bool rowsFirst : {true, false}) {
    Steps steps;
    MicroBuilder micro(2, 1);
    auto open = [&](bool isRows) { isRows ? micro.rows() : micro.elements(); };
    open(rowsFirst);
    micro.store(0, micro.constant(MicroType::F32, 0));
    open(!rowsFirst);
    micro.store(1, micro.load(0));
    View one = view(Space::LMU, 0, DType::F32, {8, 8}, {1, 0}, 0);
    steps.vec(micro, {rowsFirst ? one : steps.block(0), steps.block(512)});
    steps.store(arg(steps.in, DType::F32, {8, 8}));
    EXPECT_EQ(outcome(steps), "ok");
  }
}

// A table: only the elements that are gathered need a value.
TEST(WrittenBytes, Tables) {
  for (int64_t shift : {0, 1}) {
    Steps steps;
    steps.prepare(4); // 32 elements.
    steps.order(Unit::SMA, Unit::VXE, 0);
    MicroBuilder micro(1, 1);
    micro.elements();
    uint16_t element =
        micro.op(MicroOpcode::AddI, MicroType::I64, micro.iota(0),
                 micro.constant(MicroType::I64, shift));
    micro.store(1, micro.gather(0, element));
    steps.vec(micro, {lmu(0, DType::F32, {64}), lmu(512, DType::F32, {32})});
    steps.store(arg(steps.in, DType::F32, {8, 8}));
    std::string message = outcome(steps);
    EXPECT_EQ(message == "ok", shift == 0) << message;
    EXPECT_EQ(message.find("uses byte 128 of lmu") != std::string::npos,
              shift == 1)
        << message;
  }
}

TEST(WrittenBytes, IndicesAndRegisters) {
  for (bool isRegister : {true, false}) {
    Steps steps;
    steps.store(arg(steps.in, DType::F32, {8, 8}));
    if (isRegister) {
      steps.emit(Opcode::Ld, 0, 1, steps.add(lmu(0, DType::I32, {1})));
    } else {
      uint32_t to = steps.add(lmu(512, DType::F32, {2, 8})),
               from = steps.add(arg(steps.in, DType::F32, {8, 8})),
               index = steps.add(lmu(0, DType::I32, {2}));
      steps.emit(Opcode::Gather, 0, 0, to, from, index);
    }
    EXPECT_NE(outcome(steps).find("uses byte 0 of lmu"), std::string::npos)
        << outcome(steps);
  }
}

// Rows move with or without a value.
TEST(WrittenBytes, RowsMoveIt) {
  for (int64_t row : {3, 4}) {
    Steps steps;
    steps.prepare(4);
    std::vector<uint8_t> &constants = steps.program.rodata;
    constants.assign(8, 0);
    constants[0] = static_cast<uint8_t>(row);
    View index = view(Space::Constant, 0, DType::I64, {1}, {1});
    uint32_t a = steps.add(lmu(512, DType::F32, {1, 8})),
             b = steps.add(steps.block(0)), c = steps.add(index);
    steps.emit(Opcode::Gather, 0, 0, a, b, c);
    steps.store(view(Space::LMU, 0, DType::F32, {8, 8}, {0, 1}, 512));
    std::string message = outcome(steps);
    EXPECT_EQ(message == "ok", row == 3) << message;
  }
}

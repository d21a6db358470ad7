//===- ProgramBuilder.h - Small machine programs for tests ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes machine programs directly, without compiler or file: views are row-
// major unless strides are given, a micro-program is a list of one-line calls.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_UNIT_SIMULATOR_PROGRAMBUILDER_H
#define LPU_TEST_UNIT_SIMULATOR_PROGRAMBUILDER_H

#include "lpu/Simulator/Simulator.h"
#include "lpu/Target/MicroOps.h"
#include "lpu/Target/Program.h"

#include "gtest/gtest.h"

#include <cstring>
#include <vector>

namespace lpu::test {

using Shape = std::vector<int64_t>;

/// Number of elements of a shape.
inline int64_t volume(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  return count;
}

inline Shape rowMajor(const Shape &shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

/// A view without run-time parts.
inline View view(Space space, unsigned argument, DType type, const Shape &sizes,
                 const Shape &strides, int64_t offset = 0) {
  View result{};
  result.space = space;
  result.type = type;
  result.rank = static_cast<uint8_t>(sizes.size());
  result.dynamicDim = result.offsetRegister = result.sizeRegister = noneField;
  result.argument = static_cast<uint16_t>(argument);
  result.offset = offset;
  for (size_t d = 0; d < sizes.size(); ++d) {
    result.sizes[d] = static_cast<uint32_t>(sizes[d]);
    result.strides[d] = strides[d];
  }
  return result;
}
inline View arg(unsigned argument, DType type, const Shape &sizes) {
  return view(Space::Arg, argument, type, sizes, rowMajor(sizes));
}
inline View arg(unsigned argument, DType type, const Shape &sizes,
                const Shape &strides, int64_t offset = 0) {
  return view(Space::Arg, argument, type, sizes, strides, offset);
}
inline View lmu(int64_t offset, DType type, const Shape &sizes) {
  return view(Space::LMU, 0, type, sizes, rowMajor(sizes), offset);
}

inline uint64_t immediate(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline uint64_t immediate(int64_t value) {
  return static_cast<uint64_t>(value);
}
inline uint64_t immediate(int value) { return immediate(int64_t(value)); }

class MicroBuilder {
public:
  MicroBuilder(unsigned rank, unsigned parallel) {
    program.header.rank = static_cast<uint8_t>(rank);
    program.header.parallel = static_cast<uint8_t>(parallel);
  }

  void elements() { section(MicroOpcode::Elements); }
  void rows() { section(MicroOpcode::Rows); }

  template <typename T>
  uint16_t constant(MicroType type, T value) {
    MicroOp &op = add(MicroOpcode::Const, type);
    op.imm = immediate(value);
    return assign(op);
  }
  uint16_t load(unsigned operand, MicroType type = MicroType::F32) {
    MicroOp &op = add(MicroOpcode::Load, type);
    op.operand = use(operand);
    return assign(op);
  }
  void store(unsigned operand, uint16_t value,
             MicroType type = MicroType::F32) {
    MicroOp &op = add(MicroOpcode::Store, type);
    op.operand = use(operand);
    op.a = value;
  }
  uint16_t gather(unsigned operand, uint16_t element,
                  MicroType type = MicroType::F32) {
    MicroOp &op = add(MicroOpcode::Gather, type);
    op.operand = use(operand);
    op.a = element;
    return assign(op);
  }
  void scatter(unsigned operand, uint16_t element, uint16_t value,
               MicroCombine combine, MicroType type = MicroType::F32) {
    MicroOp &op = add(MicroOpcode::Scatter, type);
    op.operand = use(operand);
    op.a = element;
    op.b = value;
    op.c = static_cast<uint16_t>(combine);
  }
  uint16_t iota(unsigned dimension) {
    MicroOp &op = add(MicroOpcode::Iota, MicroType::I64);
    op.operand = dimension;
    return assign(op);
  }
  void check(uint16_t truth, FaultKind kind, uint32_t message) {
    MicroOp &op = add(MicroOpcode::Assert, MicroType{});
    op.a = truth;
    op.c = static_cast<uint16_t>(kind);
    op.operand = message;
  }
  uint16_t reduce(uint16_t value, MicroCombine combine,
                  MicroType type = MicroType::F32) {
    MicroOp &op = add(MicroOpcode::Reduce, type);
    op.a = value;
    op.c = static_cast<uint16_t>(combine);
    return assign(op);
  }
  uint16_t carry(uint16_t start, MicroType type = MicroType::F32) {
    MicroOp &op = add(MicroOpcode::Carry, type);
    op.a = start;
    return assign(op);
  }
  void next(uint16_t carried, uint16_t value, MicroType type = MicroType::F32) {
    MicroOp &op = add(MicroOpcode::Next, type);
    op.a = carried;
    op.b = value;
  }
  /// Any other operation.
  uint16_t op(MicroOpcode opcode, MicroType type, uint16_t a, uint16_t b = 0,
              uint16_t c = 0) {
    MicroOp &op = add(opcode, type);
    op.a = a;
    op.b = b;
    op.c = c;
    return assign(op);
  }
  uint16_t f(MicroOpcode opcode, uint16_t a, uint16_t b = 0, uint16_t c = 0) {
    return op(opcode, MicroType::F32, a, b, c);
  }

  MicroProgram program{};

private:
  MicroOp &add(MicroOpcode opcode, MicroType type) {
    MicroOp op{};
    op.opcode = opcode;
    op.type = type;
    program.ops.push_back(op);
    program.header.numOps = static_cast<uint32_t>(program.ops.size());
    return program.ops.back();
  }
  void section(MicroOpcode opcode) { add(opcode, MicroType{}); }
  uint16_t assign(MicroOp &op) {
    op.dst = program.header.numRegisters++;
    return op.dst;
  }
  uint32_t use(unsigned operand) {
    program.header.numOperands =
        std::max(program.header.numOperands, operand + 1);
    return operand;
  }
};

class ProgramBuilder {
public:
  ProgramBuilder() {
    program.name = "test";
    program.machine.rowsPerPass = 4;
    program.lmuBytes = 1 << 16;
    program.strtab.push_back(0);
  }

  /// Declares an argument. Inputs come before outputs.
  unsigned input(DType type, const Shape &sizes) {
    return declare(program.inputs, type, sizes);
  }
  unsigned output(DType type, const Shape &sizes) {
    unsigned number = declare(program.outputs, type, sizes);
    TensorSpec result = program.outputs.back();
    result.argument = number;
    program.results.push_back(result);
    return number;
  }

  uint32_t add(const View &view) {
    program.views.push_back(view);
    return static_cast<uint32_t>(program.views.size() - 1);
  }
  uint32_t string(const char *text) {
    uint32_t offset = static_cast<uint32_t>(program.strtab.size());
    program.strtab.insert(program.strtab.end(), text,
                          text + std::strlen(text) + 1);
    return offset;
  }

  uint32_t emit(Opcode opcode, uint8_t flags = 0, uint16_t aux = 0,
                uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    program.text.push_back({opcode, flags, aux, a, b, c});
    program.locationOf.push_back(0xffffffffu);
    return static_cast<uint32_t>(program.text.size() - 1);
  }
  void copy(const View &to, const View &from) {
    uint32_t a = add(to), b = add(from);
    emit(Opcode::Copy, 0, 0, a, b);
  }
  void stream(uint32_t viewNumber, uint32_t passes) {
    emit(Opcode::Stream, 0, 0, viewNumber, passes);
  }
  /// A stream and the mm that takes it.
  void matmul(const View &a, const View &b, const View &c, MmFields shape,
              bool accumulate = false) {
    uint32_t streamed = add(b);
    int64_t rows = 1;
    for (unsigned d = shape.batch; d < shape.batch + shape.rows; ++d) {
      rows *= a.sizes[d];
    }
    stream(streamed,
           static_cast<uint32_t>((rows + program.machine.rowsPerPass - 1) /
                                 program.machine.rowsPerPass));
    uint32_t first = add(a), second = add(c);
    emit(Opcode::Mm, accumulate ? MmAccumulate : 0, shape.pack(), first, second,
         streamed);
  }
  void vec(const MicroBuilder &micro, const std::vector<View> &operands) {
    uint32_t list = static_cast<uint32_t>(program.operands.size());
    for (const View &operand : operands) {
      program.operands.push_back(add(operand));
    }
    program.micro.push_back(micro.program);
    program.micro.back().header.numOperands =
        static_cast<uint32_t>(operands.size());
    emit(Opcode::Vec, 0,
         static_cast<uint16_t>(micro.program.header.rank |
                               micro.program.header.parallel << 8),
         static_cast<uint32_t>(program.micro.size() - 1), list,
         static_cast<uint32_t>(operands.size()));
  }
  void wait(Unit unit, unsigned semaphore, uint32_t count = 1) {
    emit(Opcode::Wait, static_cast<uint8_t>(unit),
         static_cast<uint16_t>(semaphore), count);
  }
  void post(Unit unit, unsigned semaphore, uint32_t count = 1) {
    emit(Opcode::Post, static_cast<uint8_t>(unit),
         static_cast<uint16_t>(semaphore), count);
  }
  /// Everything of `before` happens before anything of `after`.
  void order(Unit before, Unit after, unsigned semaphore) {
    post(before, semaphore);
    wait(after, semaphore);
  }

  Program program;

private:
  unsigned declare(std::vector<TensorSpec> &list, DType type,
                   const Shape &sizes) {
    TensorSpec spec;
    spec.name =
        "t" + std::to_string(program.inputs.size() + program.outputs.size());
    spec.type = type;
    spec.sizes = sizes;
    list.push_back(spec);
    return static_cast<unsigned>(program.inputs.size() +
                                 program.outputs.size() - 1);
  }
};

/// Ends the program and runs it once on the given buffers.
inline Result<Report> runProgram(ProgramBuilder builder,
                                 const std::vector<void *> &arguments,
                                 const RunOptions &options) {
  builder.emit(Opcode::Halt);
  Result<std::unique_ptr<Simulator>> simulator =
      Simulator::create(std::move(builder.program));
  if (!simulator) {
    return Error{simulator.message(), simulator.kind()};
  }
  return (*simulator)->run(arguments.data(), arguments.size(), options);
}

/// The same, expecting success, in several orders; the caller checks what the
/// last run left.
inline void expectRuns(const ProgramBuilder &builder,
                       const std::vector<void *> &arguments,
                       Checks checks = Checks::All) {
  RunOptions options;
  options.checks = checks;
  options.threads = 2;
  for (Dma dma : {Dma(Dma::Random, 1), Dma(Dma::Early), Dma(Dma::Late)}) {
    options.dma = dma;
    Result<Report> report = runProgram(builder, arguments, options);
    ASSERT_TRUE(bool(report)) << report.message();
  }
}

} // namespace lpu::test

#endif // LPU_TEST_UNIT_SIMULATOR_PROGRAMBUILDER_H

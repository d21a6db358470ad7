//===- CountCycles.h - Cycles of small programs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for the `tiny` machine, verified and run without values.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_UNIT_SIMULATOR_COUNTCYCLES_H
#define LPU_TEST_UNIT_SIMULATOR_COUNTCYCLES_H

#include "ProgramBuilder.h"

namespace lpu::test {

/// A program builder with instructions that the others spell out.
class Counted : public ProgramBuilder {
public:
  explicit Counted(const MachineModel &machine = *MachineModel::get("tiny")) {
    program.machine = machine;
    program.lmuBytes = static_cast<uint64_t>(machine.lmuBytes);
  }

  void li(uint16_t reg, uint32_t value) { emit(Opcode::Li, 0, reg, value); }
  void ld(uint16_t reg, const View &from) {
    emit(Opcode::Ld, 0, reg, add(from));
  }
  /// r[reg] += 1.
  void increment(uint16_t reg) {
    emit(Opcode::Alu, static_cast<uint8_t>(AluFunction::Add),
         AluFields{reg, reg, 0, true}.pack(), 1);
  }
  void indexed(Opcode opcode, const View &a, const View &b, const View &c) {
    uint32_t first = add(a), second = add(b), third = add(c);
    emit(opcode, 0, 0, first, second, third);
  }
  /// rows x depth times cols x depth.
  void product(const View &a, const View &w, const View &c,
               bool accumulate = false) {
    matmul(a, w, c, MmFields{0, 1, 1, 1}, accumulate);
  }
  /// out = in + 1.
  void addOne(const View &out, const View &in) {
    MicroBuilder micro(1, 1);
    micro.elements();
    uint16_t one = micro.constant(MicroType::F32, 1.0f);
    micro.store(1, micro.f(MicroOpcode::AddF, micro.load(0), one));
    vec(micro, {in, out});
  }

  /// Ends the program and times it. Arguments without data are unknown.
  Report report(std::vector<void *> arguments = {}) const {
    arguments.resize(program.numArguments());
    RunOptions options;
    options.values = false;
    Result<Report> result = runProgram(*this, arguments, options);
    EXPECT_TRUE(bool(result)) << result.message();
    if (!result) {
      return {};
    }
    int64_t path = 0;
    for (const PathRow &row : result->criticalPath) {
      path += row.cycles;
    }
    EXPECT_EQ(path, result->cycles);
    for (const UnitReport &unit : result->units) {
      EXPECT_EQ(unit.total(), result->cycles);
    }
    return *result;
  }
  int64_t cycles(std::vector<void *> arguments = {}) const {
    return report(std::move(arguments)).cycles;
  }
};

} // namespace lpu::test

#endif // LPU_TEST_UNIT_SIMULATOR_COUNTCYCLES_H

//===- ConservationTest.cpp - Accounts that do not add up -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One copy of 1024 bytes from HBM on `tiny` (64 bytes a cycle: 16 cycles), told
// to the books as it was, and then with one number wrong at a time.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Simulator/Conservation.h"
#include "ProgramBuilder.h"

#include "gtest/gtest.h"

using namespace lpu;
using namespace lpu::test;

namespace {
struct Books {
  Program program;
  RetiredInstruction copy;
  Report report;
  bool retires = true;

  Books() {
    program.machine = *MachineModel::get("tiny");
    program.text = {{Opcode::Copy, 0, 0, 0, 1, 0}};
    copy.opcode = Opcode::Copy;
    copy.unit = Unit::SMA;
    copy.endCycle = 136;
    copy.hbmRead = 1024;
    report.cycles = 136;
    for (UnitReport &unit : report.units) {
      unit.idle = report.cycles;
    }
    UnitReport &sma = unit();
    sma.instructions = 1;
    sma.busy = 32;
    sma.idle = report.cycles - sma.busy;
    sma.hbmRead = 1024;
  }

  UnitReport &unit() { return report.units[static_cast<unsigned>(Unit::SMA)]; }

  /// What the books say; nothing if they add up.
  std::string check() {
    Conservation conservation(program, nullptr);
    const ResolvedView views[] = {
        *ResolvedView::resolve(lmu(0, DType::F32, {256}), ControlState()),
        *ResolvedView::resolve(arg(0, DType::F32, {256}), ControlState())};
    conservation.request({0, program.text[0], views, 2, nullptr});
    conservation.willIssue(0, Unit::SMA, 0);
    if (retires) {
      conservation.didRetire(copy);
    }
    std::optional<Error> error = conservation.check(report);
    return error ? error->message : "";
  }
};
} // namespace

TEST(Conservation, ARunAddsUp) { EXPECT_EQ(Books().check(), ""); }

TEST(Conservation, EveryInstructionCompletes) {
  Books run;
  run.retires = false;
  EXPECT_EQ(run.check(), "conservation: completions that instruction 0 (copy) "
                         "lacks are 1, expected 0");
}

TEST(Conservation, TheHbmServesWhatIsAskedFor) {
  Books run;
  run.copy.hbmRead = 960;
  EXPECT_EQ(run.check(), "conservation: bytes of HBM read by sma are 960, "
                         "expected 1024");
  run.copy.hbmRead = 1024;
  run.unit().hbmWritten = 64;
  EXPECT_EQ(run.check(), "conservation: bytes of HBM written in the account of "
                         "sma are 64, expected 0");
}

TEST(Conservation, NoUnitTakesMoreTimeThanPasses) { // cost_report
  Books run;
  ++run.unit().busy;
  EXPECT_EQ(run.check(), "conservation: cycles in the account of sma are 137, "
                         "expected 136");
  --run.unit().busy;
  run.copy.endCycle = 140;
  EXPECT_EQ(run.check(),
            "conservation: cycles of the run are 136, expected 140");
}

// 15 cycles move 960 bytes.
TEST(Conservation, NoMemoryIsFasterThanItsPeak) { // cost_hbm
  Books run;
  run.copy.endCycle = run.report.cycles = 15;
  for (UnitReport &unit : run.report.units) {
    unit.idle = 15 - unit.busy;
  }
  EXPECT_EQ(run.check(), "conservation: bytes that the HBM moved are 1024, "
                         "expected 960");
}

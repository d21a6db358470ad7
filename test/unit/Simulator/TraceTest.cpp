//===- TraceTest.cpp - Tests of reports and traces ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people and tools read: JSON, the table and the Perfetto trace.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Trace.h"
#include "ProgramBuilder.h"
#include "lpu/Simulator/Report.h"

using namespace lpu;
using namespace lpu::test;

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Trace, NamesNodesAndPlaces) {
  Program program;
  program.name = "decode";
  program.machine = *MachineModel::get("tiny"); // 1 GHz: a cycle is 0.001 us.
  program.locations = {{"mm_1", "model.py", 7}, {"", "", 0}};
  program.locationOf = {0, UINT32_MAX, 1};
  Trace trace(program);
  trace.didRetire({0, Opcode::Mm, Unit::SXE, 1, 10, 50, 64, 0});
  trace.didRetire({1, Opcode::Vec, Unit::VXE, 2, 20, 30, 0, 0});
  trace.didRetire(
      {2, Opcode::Mm, Unit::SXE, 3, 40, 60, 0, 0}); // Overlaps the first.
  trace.didMark("token \"7\"", 55);
  EXPECT_EQ(trace.numEvents(), 4u);
  std::string json = trace.toJSON();
  EXPECT_TRUE(contains(json,
                       R"({"ph":"X","name":"mm_1","cat":"mm","pid":1,"tid":32,)"
                       R"("ts":0.01,"dur":0.04,"args":{"opcode":"mm",)"
                       R"("instruction":0,"location":"model.py:7",)"
                       R"("issue_cycle":1,"start_cycle":10,"end_cycle":50,)"
                       R"("hbm_read_bytes":64,"hbm_written_bytes":0}})"))
      << json;
  EXPECT_TRUE(contains(json, R"("name":"vec","cat":"vec","pid":1,"tid":48)"));
  EXPECT_TRUE(contains(json, R"("name":"mm","cat":"mm","pid":1,"tid":33)"));
  EXPECT_TRUE(contains(json, R"("name":"token \"7\"")"));
  EXPECT_TRUE(contains(json, "(overlap 1)"));
}

TEST(Trace, Empty) {
  Program program;
  EXPECT_TRUE(contains(Trace(program).toJSON(), R"("traceEvents":[])"));
}

static Report example() {
  Report report;
  report.program = "decode";
  report.machine = "tiny";
  report.clockGHz = 1;
  report.hbmGBps = 64;
  report.timed = true;
  report.cycles = 1000;
  report.units[1] = {500, 300, 0, 200, 3, 32000, 0};
  report.instructions[static_cast<unsigned>(Opcode::Copy)] = 3;
  report.instructions[static_cast<unsigned>(Opcode::Mm)] = 5;
  report.mmOperands[static_cast<unsigned>(DType::F32)] = 1;
  report.mmOperands[static_cast<unsigned>(DType::BF16)] = 4;
  report.lmuBytes = 4096;
  report.scratchBytes = 128;
  report.compulsoryReadBytes = 24000;
  report.compulsoryWrittenBytes = 8000;
  return report;
}

// 32000 bytes in 1 us at 64 GB/s peak are one half.
TEST(Report, Utilization) { // cost_report
  EXPECT_DOUBLE_EQ(example().utilization(), 0.5);
  EXPECT_DOUBLE_EQ(example().seconds(), 1e-6);
  EXPECT_EQ(example().units[1].total(), 1000);
  EXPECT_EQ(Report().utilization(), 0);
}

TEST(Report, JSON) {
  std::string json = example().toJSON();
  EXPECT_TRUE(contains(json,
                       R"({"program":"decode","machine":"tiny","timed":true,)"
                       R"("cycles":1000,"seconds":1e-06)"))
      << json;
  EXPECT_TRUE(contains(json, R"("sma":{"busy":500,"waiting_for_data":300,)"));
  EXPECT_TRUE(contains(json, R"("lmu_bytes":4096,"scratch_bytes":128)"));
  EXPECT_TRUE(contains(json, R"("instructions":{"copy":3,"mm":5},)"
                             R"("mm_operands":{"f32":1,"bf16":4}})"))
      << json;
}

TEST(Report, Table) {
  std::string table = example().toTable();
  EXPECT_TRUE(contains(
      table, "1000 cycles, 1.000 us, 50.0 % of peak (32.00 kB compulsory)"))
      << table;
  EXPECT_TRUE(contains(table, "memory: 4.10 kB of LMU, 128 B of scratch"));
  EXPECT_TRUE(contains(table, "8 instructions: copy 3, mm 5 (f32 1, bf16 4)"));
}

// 32 bytes of arguments on a machine with 16.
TEST(Report, CapacityWarning) {
  Program program;
  program.inputs = {{"x", DType::F32, {8}, -1, 0}};
  EXPECT_TRUE(capacityWarnings(program).empty());
  program.machine.hbmCapacityBytes = 16;
  Report report = example();
  report.warnings = capacityWarnings(program);
  const char *expected = "arguments, constants and scratch take 32 bytes, more "
                         "than the 16 of the machine's HBM";
  EXPECT_TRUE(contains(report.toTable(), expected)) << report.toTable();
  EXPECT_TRUE(contains(report.toJSON(), expected));
}

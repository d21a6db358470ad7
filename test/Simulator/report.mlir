// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: lpu-sim %t.lpubin --report %t.json --trace %t.trace | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: FileCheck %s --check-prefix=TRACE < %t.trace
// RUN: lpu-sim %t.lpubin --timing-only | FileCheck %s
// RUN: lpu-sim %t.lpubin --no-timing | FileCheck %s --check-prefix=UNTIMED
// RUN: lpu-sim %t.lpubin --signature | FileCheck %s --check-prefix=SIGNATURE

// Machine `tiny`: 1 GHz, 64 HBM bytes a cycle with latency 100, LMU ports of 64
// bytes in and 32 out with latency 10, issue 4.
//
// The first copy is issued at 4 and occupies the SMA for 256 / 32 = 8 cycles of
// the LMU's write port; it is complete at 12 + 100 = 112. The second one reads
// what it writes, so it starts then: 256 / 64 = 4 cycles and 10 of latency, 126.
// 512 compulsory bytes of 126 * 64 are 6.3 %.
// CHECK: main on tiny
// CHECK-NEXT: 126 cycles, 126.000 ns, 6.3 % of peak (512 B compulsory)
// CHECK-NEXT: HBM: 256 B read, 256 B written; stream buffer peak 0 B
// CHECK: sma 2 9.5% 87.3% 0.0% 3.2% 256 B 256 B
// All but the issue of the second copy is on the critical path: both copies
// move bytes through the LMU's ports, the first waits for the HBM's latency, the
// second for the LMU's.
// CHECK: critical path opcode unit reason cycles share
// CHECK-NEXT: clone model.py:7 copy sma hbm latency 100 79.4%
// CHECK-NEXT: report.mlir:{{[0-9]+}} copy sma pipeline 10 7.9%
// CHECK-NEXT: clone model.py:7 copy sma busy 8 6.3%
// CHECK-DAG: report.mlir:{{[0-9]+}} copy sma busy 4 3.2%
// CHECK-DAG: clone model.py:7 copy icp issue 4 3.2%
// CHECK: memory: 256 B of LMU, 0 B of scratch
// CHECK: 4 instructions: halt 1, trace 1, copy 2

// JSON: "cycles":126,
// JSON-SAME: "compulsory_bytes":512,
// JSON-SAME: "sma":{"busy":12,"waiting_for_data":110,"waiting_for_semaphore":0,"idle":4,

// JSON-SAME: "data_waits":{"bandwidth":0,"latency":10,"buffer_space":0,"overlap":100,"supply":0}
// JSON-SAME: "critical_path":[{"name":"clone","file":"model.py","line":7,"opcode":"copy","unit":"sma","reason":"hbm latency","cycles":100,"steps":1},
// JSON-SAME: "critical_path_rest":0

// A bar has the name of its FX node and its Python line.
// TRACE: "name":"clone","cat":"copy"
// TRACE-SAME: "ts":0.004,"dur":0.108
// TRACE-SAME: "location":"model.py:7"
// TRACE-SAME: "name":"layer 0"
// TRACE-SAME: "name":"hbm latency","cat":"critical path","pid":1,"tid":64,"ts":0.012,"dur":0.1
// TRACE-SAME: "node":"clone","opcode":"copy","instruction":0,"unit":"sma","started_by":"same step"

// UNTIMED: not timed; 512 B compulsory

// SIGNATURE: main for tiny
// SIGNATURE-NEXT: input 0: x f32 [8x8]
// SIGNATURE-NEXT: output 1: y f32 [8x8]
// SIGNATURE-NEXT: result 0: y f32 [8x8] in argument 1
module attributes {lpu.machine = #lpu.machine<{base = "tiny", name = "tiny"}>} {
lpuisa.program @main lmu 256 inputs [<"x", f32, [8, 8]>] results [<"y", f32, [8, 8], argument = 1>] outputs [<"y", f32, [8, 8]>] {
  lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0> loc("clone"("model.py":7:0))
  lpuisa.copy <arg[1], f32, [64], [1], 0> = <lmu, f32, [64], [1], 0>
  lpuisa.trace "layer 0"
  lpuisa.halt
}
}

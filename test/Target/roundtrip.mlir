// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: lpu-translate --lpubin-to-mlir %t.lpubin -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: lpu-translate --mlir-to-lpubin %t.mlir -o %t.again.lpubin
// RUN: cmp %t.lpubin %t.again.lpubin

// Every instruction and every part of one goes to the binary and back. The
// machine comes back with all its parameters.
// CHECK: module attributes {lpu.machine = #lpu.machine<{clock_ghz = 1.000000e-01 : f64, {{.*}}name = "custom"{{.*}}trees = 4 : i64{{.*}}}>} {
module attributes {lpu.machine = #lpu.machine<{base = "tiny", clock_ghz = 0.1}>} {
// CHECK-LABEL: lpuisa.program @main scratch 544 lmu 1024
// CHECK-NEXT:    inputs [<"x", f32, [4, 8]>,
// CHECK-NEXT:            <"n", i64, []>,
// CHECK-NEXT:            <"table", bf16, [16, 8]>]
// CHECK-NEXT:    results [<"table.new", bf16, [16, 8], alias = 2, argument = 2>,
// CHECK-NEXT:             <"y", f32, [4, 16], argument = 3>]
// CHECK-NEXT:    outputs [<"y", f32, [4, 16]>] rodata dense<[1, 0, 0, 0, 2, 0, 0, -1]> : tensor<8xi8> {
lpuisa.program @main scratch 544 lmu 1024
    inputs [<"x", f32, [4, 8]>, <"n", i64, []>, <"table", bf16, [16, 8]>]
    results [<"table.new", bf16, [16, 8], alias = 2, argument = 2>, <"y", f32, [4, 16], argument = 3>]
    outputs [<"y", f32, [4, 16]>]
    rodata dense<[1, 0, 0, 0, 2, 0, 0, -1]> : tensor<8xi8> {

  // CHECK-NEXT: lpuisa.trace "begin" loc(#[[NODE:.+]])
  lpuisa.trace "begin" loc("linear_1"("model.py":12:3))
  // CHECK-NEXT: lpuisa.li r0 = -1311768467463790320
  lpuisa.li r0 = -1311768467463790320
  // CHECK-NEXT: lpuisa.ld r1 = <arg[1], i64, [], [], 0>
  lpuisa.ld r1 = <arg[1], i64, [], [], 0>
  // CHECK-NEXT: lpuisa.alu min r31 = r0, r1
  lpuisa.alu min r31 = r0, r1
  // CHECK-NEXT: lpuisa.alu cmp_le r2 = r31, -7
  lpuisa.alu cmp_le r2 = r31, -7

  // A label is named by the index of its instruction.
  // CHECK-NEXT: lpuisa.branch not_zero r2, L7
  lpuisa.branch not_zero r2, go_on
  // CHECK-NEXT: lpuisa.fault runtime, "too many"
  lpuisa.fault runtime, "too many"
  // CHECK-NEXT: lpuisa.label L7
  lpuisa.label go_on

  // Loops nest; a branch stays within a body.
  // CHECK-NEXT: lpuisa.loop 2 {
  lpuisa.loop 2 {
    // CHECK-NEXT: lpuisa.loop r1 to 4 {
    lpuisa.loop r1 to 4 {
      // CHECK-NEXT: lpuisa.copy <lmu, f32, [8], [1], 0, loop_increments = [0, 32]> = <arg[0], f32, [8], [1], 0, loop_increments = [0, 32]>
      lpuisa.copy <lmu, f32, [8], [1], 0, loop_increments = [0, 32]> = <arg[0], f32, [8], [1], 0, loop_increments = [0, 32]>
      // CHECK-NEXT: lpuisa.branch always L11
      lpuisa.branch always last
      // CHECK-NEXT: lpuisa.label L11
      lpuisa.label last
      // CHECK-NEXT: lpuisa.trace "begin"
      lpuisa.trace "begin"
    // CHECK-NEXT: }
    }
  // CHECK-NEXT: }
  }
  // An empty body.
  // CHECK-NEXT: lpuisa.loop 0 {
  // CHECK-NEXT: }
  lpuisa.loop 0 {
  }

  // CHECK-NEXT: lpuisa.post sma, 63, 2
  lpuisa.post sma, 63, 2
  // CHECK-NEXT: lpuisa.wait vxe, 63, 2
  lpuisa.wait vxe, 63, 2
  // CHECK-NEXT: lpuisa.gather <scratch, bf16, [2, 8], [8, 1], 64> = <arg[2], bf16, [16, 8], [8, 1], 0>[<constant, i32, [2], [1], 0>] axis 0
  lpuisa.gather <scratch, bf16, [2, 8], [8, 1], 64> = <arg[2], bf16, [16, 8], [8, 1], 0>[<constant, i32, [2], [1], 0>] axis 0
  // CHECK-NEXT: lpuisa.scatter <arg[2], bf16, [8, 16], [1, 8], 0>[<constant, i32, [2], [1], 0>] = <scratch, bf16, [8, 2], [1, 8], 64> axis 1 wrap_negative
  lpuisa.scatter <arg[2], bf16, [8, 16], [1, 8], 0>[<constant, i32, [2], [1], 0>] = <scratch, bf16, [8, 2], [1, 8], 64> axis 1 wrap_negative

  // CHECK-NEXT: lpuisa.stream <scratch, f32, [16, 8], [-8, 1], 480, offset_register = r3, offset_bound = 32> passes 1
  lpuisa.stream <scratch, f32, [16, 8], [-8, 1], 480, offset_register = r3, offset_bound = 32> passes 1
  // CHECK-NEXT: lpuisa.mm <lmu, f32, [4, 16], [16, 1], 256> = <arg[0], f32, [4, 8], [8, 1], 0> * <scratch, f32, [16, 8], [-8, 1], 480, offset_register = r3, offset_bound = 32> batch 0 rows 1 cols 1 depth 1 accumulate
  lpuisa.mm <lmu, f32, [4, 16], [16, 1], 256> = <arg[0], f32, [4, 8], [8, 1], 0> * <scratch, f32, [16, 8], [-8, 1], 480, offset_register = r3, offset_bound = 32> batch 0 rows 1 cols 1 depth 1 accumulate

  // CHECK-NEXT: lpuisa.vec rank 2 parallel 1
  // CHECK-NEXT:     views [<lmu, f32, [4, 16], [16, 1], 256, dynamic_dim = 1, size_register = r4>,
  // CHECK-NEXT:            <arg[3], f32, [4, 16], [16, 1], 0, dynamic_dim = 1, size_register = r4>,
  // CHECK-NEXT:            <arg[2], bf16, [128], [1], 0>] {
  lpuisa.vec rank 2 parallel 1
      views [<lmu, f32, [4, 16], [16, 1], 256, dynamic_dim = 1, size_register = r4>,
             <arg[3], f32, [4, 16], [16, 1], 0, dynamic_dim = 1, size_register = r4>,
             <arg[2], bf16, [128], [1], 0>] {
    // CHECK-NEXT: lpuisa.rows
    lpuisa.rows
    // CHECK-NEXT: %[[NAN:.+]] = lpuisa.micro const 0xFFC00001 : f32
    %nan = lpuisa.micro const 0xFFC00001 : f32
    // CHECK-NEXT: %[[MINUS:.+]] = lpuisa.micro const -3 : i16
    %minus = lpuisa.micro const -3 : i16
    // CHECK-NEXT: %[[TRUE:.+]] = lpuisa.micro const true
    %true = lpuisa.micro const true
    // CHECK-NEXT: %[[INIT:.+]] = lpuisa.micro const 9223372036854775807 : i64
    %init = lpuisa.micro const 9223372036854775807 : i64
    // CHECK-NEXT: lpuisa.elements
    lpuisa.elements
    // CHECK-NEXT: %[[X:.+]] = lpuisa.micro load[0] : f32
    %x = lpuisa.micro load[0] : f32
    // CHECK-NEXT: %[[OK:.+]] = lpuisa.micro cmp_f<une>(%[[X]], %[[NAN]]) : (f32, f32) -> i1
    %ok = lpuisa.micro cmp_f<une>(%x, %nan) : (f32, f32) -> i1
    // CHECK-NEXT: lpuisa.micro assert<index>(%[[OK]]) "out of range" : (i1) -> ()
    lpuisa.micro assert<index>(%ok) "out of range" : (i1) -> ()
    // CHECK-NEXT: %[[J:.+]] = lpuisa.micro iota[1] : i64
    %j = lpuisa.micro iota[1] : i64
    // CHECK-NEXT: %[[G:.+]] = lpuisa.micro gather[2](%[[J]]) : (i64) -> f32
    %g = lpuisa.micro gather[2](%j) : (i64) -> f32
    // CHECK-NEXT: %[[F:.+]] = lpuisa.micro fma_f(%[[X]], %[[G]], %[[X]]) : (f32, f32, f32) -> f32
    %f = lpuisa.micro fma_f(%x, %g, %x) : (f32, f32, f32) -> f32
    // CHECK-NEXT: %[[W:.+]] = lpuisa.micro ext_s(%[[MINUS]]) : (i16) -> i64
    %w = lpuisa.micro ext_s(%minus) : (i16) -> i64
    // CHECK-NEXT: %[[U:.+]] = lpuisa.micro ui_to_f(%[[TRUE]]) : (i1) -> f32
    %u = lpuisa.micro ui_to_f(%true) : (i1) -> f32
    // CHECK-NEXT: %[[S:.+]] = lpuisa.micro select(%[[OK]], %[[F]], %[[U]]) : (i1, f32, f32) -> f32
    %s = lpuisa.micro select(%ok, %f, %u) : (i1, f32, f32) -> f32
    // CHECK-NEXT: lpuisa.micro scatter<max_num_f>[2](%[[J]], %[[S]]) : (i64, f32) -> ()
    lpuisa.micro scatter<max_num_f>[2](%j, %s) : (i64, f32) -> ()
    // CHECK-NEXT: %[[C:.+]] = lpuisa.micro carry(%[[INIT]]) : (i64) -> i64
    %c = lpuisa.micro carry(%init) : (i64) -> i64
    // CHECK-NEXT: %[[N:.+]] = lpuisa.micro min_si(%[[C]], %[[J]]) : (i64, i64) -> i64
    %n = lpuisa.micro min_si(%c, %j) : (i64, i64) -> i64
    // CHECK-NEXT: lpuisa.micro next(%[[C]], %[[N]]) : (i64, i64) -> ()
    lpuisa.micro next(%c, %n) : (i64, i64) -> ()
    // CHECK-NEXT: %[[SUM:.+]] = lpuisa.micro reduce<add_f>(%[[S]]) : (f32) -> f32
    %sum = lpuisa.micro reduce<add_f>(%s) : (f32) -> f32
    // CHECK-NEXT: lpuisa.elements
    lpuisa.elements
    // CHECK-NEXT: lpuisa.micro store[1](%[[SUM]]) : (f32) -> ()
    lpuisa.micro store[1](%sum) : (f32) -> ()
  }
  // CHECK: lpuisa.halt
  lpuisa.halt
}
}
// The FX node, and the line of the Python file; columns are not kept.
// CHECK-DAG: #[[FILE:.+]] = loc("model.py":12:0)
// CHECK-DAG: #[[NODE]] = loc("linear_1"(#[[FILE]]))

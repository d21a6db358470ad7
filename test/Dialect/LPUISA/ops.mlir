// RUN: lpu-opt %s --verify-roundtrip | FileCheck %s

// The smallest program: it stops.
// CHECK-LABEL: lpuisa.program @halt {
lpuisa.program @halt {
  // CHECK-NEXT: lpuisa.halt
  lpuisa.halt
}

// A signature: the cache is an input that gets a new value, `y` has a buffer of its own.
// CHECK-LABEL: lpuisa.program @signature scratch 64 lmu 128
// CHECK-NEXT:    inputs [<"x", f32, [4, 8]>,
// CHECK-NEXT:            <"cache", bf16, [2, 128]>]
// CHECK-NEXT:    results [<"", bf16, [2, 128], alias = 1, argument = 1>,
// CHECK-NEXT:             <"y", bool, [], argument = 2>]
// CHECK-NEXT:    outputs [<"y", bool, []>] rodata dense<[1, 2, -1]> : tensor<3xi8> {
lpuisa.program @signature scratch 64 lmu 128
    inputs [<"x", f32, [4, 8]>, <"cache", bf16, [2, 128]>]
    results [<"", bf16, [2, 128], alias = 1, argument = 1>, <"y", bool, [], argument = 2>]
    outputs [<"y", bool, []>]
    rodata dense<[1, 2, -1]> : tensor<3xi8> {
  lpuisa.halt
}

// Registers, branches and loops.
// CHECK-LABEL: lpuisa.program @control
// CHECK-NEXT:    inputs [<"n", i64, []>] {
lpuisa.program @control inputs [<"n", i64, []>] {
  // CHECK-NEXT: lpuisa.li r0 = -5
  lpuisa.li r0 = -5
  // CHECK-NEXT: lpuisa.ld r31 = <arg[0], i64, [], [], 0>
  lpuisa.ld r31 = <arg[0], i64, [], [], 0>
  // CHECK-NEXT: lpuisa.alu add r1 = r0, r31
  lpuisa.alu add r1 = r0, r31
  // CHECK-NEXT: lpuisa.alu cmp_lt r2 = r1, -128
  lpuisa.alu cmp_lt r2 = r1, -128
  // CHECK-NEXT: lpuisa.branch zero r2, L4
  lpuisa.branch zero r2, L4
  // CHECK-NEXT: lpuisa.fault index, "n is negative"
  lpuisa.fault index, "n is negative"
  // CHECK-NEXT: lpuisa.label L4
  lpuisa.label L4
  // CHECK-NEXT: lpuisa.loop 3 {
  lpuisa.loop 3 {
    // CHECK-NEXT: lpuisa.loop r1 to 100 {
    lpuisa.loop r1 to 100 {
      // CHECK-NEXT: lpuisa.trace "inner"
      lpuisa.trace "inner"
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: lpuisa.branch always "the end"
    lpuisa.branch always "the end"
    // CHECK-NEXT: lpuisa.label "the end"
    lpuisa.label "the end"
    // CHECK-NEXT: lpuisa.trace "end"
    lpuisa.trace "end"
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: lpuisa.post sma, 63, 2
  lpuisa.post sma, 63, 2
  // CHECK-NEXT: lpuisa.wait vxe, 63, 2
  lpuisa.wait vxe, 63, 2
  lpuisa.halt
}

// Every part of a view.
// CHECK-LABEL: lpuisa.program @views
lpuisa.program @views {
  // CHECK-NEXT: lpuisa.stream <constant, i8, [2, 0], [-1, 0], 64> passes 1
  lpuisa.stream <constant, i8, [2, 0], [-1, 0], 64> passes 1
  // CHECK-NEXT: lpuisa.stream <arg[7], f16, [2, 9], [1, 2], 0, offset_register = r1, offset_bound = 256, dynamic_dim = 1, size_register = r2, loop_increments = [0, 64]> passes 4
  lpuisa.stream <arg[7], f16, [2, 9], [1, 2], 0, offset_register = r1, offset_bound = 256, dynamic_dim = 1, size_register = r2, loop_increments = [0, 64]> passes 4
  lpuisa.halt
}

// CHECK-LABEL: lpuisa.program @memory
lpuisa.program @memory {
  // CHECK-NEXT: lpuisa.copy <lmu, f32, [4, 8], [8, 1], 0> = <scratch, f32, [4, 8], [1, 4], 0>
  lpuisa.copy <lmu, f32, [4, 8], [8, 1], 0> = <scratch, f32, [4, 8], [1, 4], 0>
  // CHECK-NEXT: lpuisa.gather <lmu, f32, [4, 8], [8, 1], 0> = <scratch, f32, [9, 8], [8, 1], 0>[<constant, i64, [4], [1], 0>] axis 0 wrap_negative
  lpuisa.gather <lmu, f32, [4, 8], [8, 1], 0> = <scratch, f32, [9, 8], [8, 1], 0>[<constant, i64, [4], [1], 0>] axis 0 wrap_negative
  // CHECK-NEXT: lpuisa.scatter <scratch, f32, [9, 8], [8, 1], 0>[<constant, i32, [3], [1], 0>] = <lmu, f32, [9, 3], [3, 1], 0> axis 1
  lpuisa.scatter <scratch, f32, [9, 8], [8, 1], 0>[<constant, i32, [3], [1], 0>] = <lmu, f32, [9, 3], [3, 1], 0> axis 1
  lpuisa.halt
}

// CHECK-LABEL: lpuisa.program @matrix
lpuisa.program @matrix {
  // CHECK-NEXT: lpuisa.mm <lmu, f32, [2, 4, 16], [64, 16, 1], 0> = <lmu, bf16, [2, 4, 64], [256, 64, 1], 512> * <scratch, bf16, [2, 16, 64], [1024, 64, 1], 0> batch 1 rows 1 cols 1 depth 1
  lpuisa.mm <lmu, f32, [2, 4, 16], [64, 16, 1], 0> = <lmu, bf16, [2, 4, 64], [256, 64, 1], 512> * <scratch, bf16, [2, 16, 64], [1024, 64, 1], 0> batch 1 rows 1 cols 1 depth 1
  // CHECK-NEXT: lpuisa.mm <lmu, i32, [], [], 0> = <lmu, i8, [3], [1], 512> * <lmu, i8, [3], [0], 0> batch 0 rows 0 cols 0 depth 1 accumulate
  lpuisa.mm <lmu, i32, [], [], 0> = <lmu, i8, [3], [1], 512> * <lmu, i8, [3], [0], 0> batch 0 rows 0 cols 0 depth 1 accumulate
  lpuisa.halt
}

// A softmax-like program: two reductions, each seen by the next section.
// CHECK-LABEL: lpuisa.program @sections
lpuisa.program @sections {
  // CHECK-NEXT: lpuisa.vec rank 2 parallel 1
  // CHECK-NEXT:     views [<lmu, f32, [4, 8], [8, 1], 0>,
  // CHECK-NEXT:            <lmu, f32, [4, 8], [8, 1], 128>] {
  lpuisa.vec rank 2 parallel 1 views [<lmu, f32, [4, 8], [8, 1], 0>, <lmu, f32, [4, 8], [8, 1], 128>] {
    // CHECK-NEXT: lpuisa.elements
    lpuisa.elements
    // CHECK-NEXT: %[[X:.+]] = lpuisa.micro load[0] : f32
    %x = lpuisa.micro load[0] : f32
    // CHECK-NEXT: %[[MAX:.+]] = lpuisa.micro reduce<maximum_f>(%[[X]]) : (f32) -> f32
    %max = lpuisa.micro reduce<maximum_f>(%x) : (f32) -> f32
    lpuisa.elements
    %x2 = lpuisa.micro load[0] : f32
    // CHECK: lpuisa.micro sub_f(%{{.+}}, %[[MAX]]) : (f32, f32) -> f32
    %d = lpuisa.micro sub_f(%x2, %max) : (f32, f32) -> f32
    %e = lpuisa.micro exp_f(%d) : (f32) -> f32
    %sum = lpuisa.micro reduce<add_f>(%e) : (f32) -> f32
    // CHECK: lpuisa.rows
    lpuisa.rows
    // CHECK-NEXT: %[[ONE:.+]] = lpuisa.micro const 1.000000e+00 : f32
    %one = lpuisa.micro const 1.0 : f32
    %r = lpuisa.micro div_f(%one, %sum) : (f32, f32) -> f32
    lpuisa.elements
    %x3 = lpuisa.micro load[0] : f32
    %d3 = lpuisa.micro sub_f(%x3, %max) : (f32, f32) -> f32
    %e3 = lpuisa.micro exp_f(%d3) : (f32) -> f32
    %y = lpuisa.micro mul_f(%e3, %r) : (f32, f32) -> f32
    // CHECK: lpuisa.micro store[1](%{{.+}}) : (f32) -> ()
    lpuisa.micro store[1](%y) : (f32) -> ()
  }
  lpuisa.halt
}

// The forms of micro-operations that are not arithmetic: an embedding row with
// a bounds check, conversions, and a sequential fold.
// CHECK-LABEL: lpuisa.program @micro
lpuisa.program @micro {
  lpuisa.vec rank 2 parallel 1
      views [<lmu, i64, [4, 8], [1, 0], 0>, <scratch, bf16, [80], [1], 0>, <lmu, i16, [4, 8], [8, 1], 128>] {
    lpuisa.rows
    %zero = lpuisa.micro const 0 : i64
    %false = lpuisa.micro const false
    lpuisa.elements
    %row = lpuisa.micro load[0] : i64
    // CHECK: %[[OK:.+]] = lpuisa.micro cmp_i<sge>(%{{.+}}, %{{.+}}) : (i64, i64) -> i1
    %ok = lpuisa.micro cmp_i<sge>(%row, %zero) : (i64, i64) -> i1
    // CHECK-NEXT: lpuisa.micro assert<index>(%[[OK]]) "index out of range" : (i1) -> ()
    lpuisa.micro assert<index>(%ok) "index out of range" : (i1) -> ()
    // CHECK-NEXT: %[[J:.+]] = lpuisa.micro iota[1] : i64
    %j = lpuisa.micro iota[1] : i64
    %e = lpuisa.micro add_i(%row, %j) : (i64, i64) -> i64
    // CHECK: %[[G:.+]] = lpuisa.micro gather[1](%{{.+}}) : (i64) -> f32
    %g = lpuisa.micro gather[1](%e) : (i64) -> f32
    // CHECK-NEXT: lpuisa.micro scatter<add_f>[1](%{{.+}}, %[[G]]) : (i64, f32) -> ()
    lpuisa.micro scatter<add_f>[1](%e, %g) : (i64, f32) -> ()
    // CHECK-NEXT: %[[I:.+]] = lpuisa.micro f_to_si(%[[G]]) : (f32) -> i16
    %i = lpuisa.micro f_to_si(%g) : (f32) -> i16
    // CHECK-NEXT: lpuisa.micro ext_u(%[[OK]]) : (i1) -> i16
    %x = lpuisa.micro ext_u(%ok) : (i1) -> i16
    // CHECK-NEXT: lpuisa.micro select(%[[OK]], %[[I]], %{{.+}}) : (i1, i16, i16) -> i16
    %s = lpuisa.micro select(%ok, %i, %x) : (i1, i16, i16) -> i16
    lpuisa.micro store[2](%s) : (i16) -> ()
    // CHECK: %[[C:.+]] = lpuisa.micro carry(%{{.+}}) : (i64) -> i64
    %c = lpuisa.micro carry(%zero) : (i64) -> i64
    %n = lpuisa.micro max_si(%c, %row) : (i64, i64) -> i64
    // CHECK: lpuisa.micro next(%[[C]], %{{.+}}) : (i64, i64) -> ()
    lpuisa.micro next(%c, %n) : (i64, i64) -> ()
  }
  lpuisa.halt
}

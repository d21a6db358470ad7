// RUN: lpu-opt %s --pass-pipeline='builtin.module(lpuisa.program(lpuisa-schedule))' | FileCheck %s

// Of machine 'tiny': 64 bytes a cycle from the HBM, 100 cycles of latency, a
// stream buffer of 16384 bytes, 4 trees of 8 multiplies.
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {

// What the second vec adds is loaded before the stream: behind it, the load
// would wait for 32768 bytes and their product.
// CHECK-LABEL: lpuisa.program @load_before_stream
// CHECK: lpuisa.copy <lmu, f32, [64], [1], 0>
// CHECK: lpuisa.copy <lmu, f32, [128], [1], 1024>
// CHECK: lpuisa.stream
// CHECK: micro exp_f
// CHECK: lpuisa.mm
lpuisa.program @load_before_stream lmu 4096
    inputs [<"x", f32, [64]>, <"w", f32, [128, 64]>, <"b", f32, [128]>] results [] outputs [] {
  lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
  lpuisa.stream <arg[1], f32, [128, 64], [64, 1], 0> passes 1
  lpuisa.mm <lmu, f32, [128], [1], 512> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [128, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
  lpuisa.copy <lmu, f32, [128], [1], 1024> = <arg[2], f32, [128], [1], 0>
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [128], [1], 1024>, <lmu, f32, [128], [1], 1536>] {
    lpuisa.elements
    %0 = lpuisa.micro load[0] : f32
    %1 = lpuisa.micro exp_f(%0) : (f32) -> f32
    lpuisa.micro store[1](%1) : (f32) -> ()
  }
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [128], [1], 512>, <lmu, f32, [128], [1], 1536>, <lmu, f32, [128], [1], 2048>] {
    lpuisa.elements
    %0 = lpuisa.micro load[0] : f32
    %1 = lpuisa.micro load[1] : f32
    %2 = lpuisa.micro add_f(%0, %1) : (f32, f32) -> f32
    lpuisa.micro store[2](%2) : (f32) -> ()
  }
  lpuisa.halt
}

// A store of the first result does not hold up the second stream, which has
// room beside the first, but one of the bytes that the third stream reads.
// CHECK-LABEL: lpuisa.program @store_behind_stream
// CHECK: lpuisa.stream <arg[1], f32, [32, 64], [64, 1], 0>
// CHECK: lpuisa.stream <arg[1], f32, [32, 64], [64, 1], 8192>
// CHECK: lpuisa.copy <arg[2], f32, [32], [1], 0> = <lmu, f32, [32], [1], 1024>
// CHECK: lpuisa.stream <arg[2], f32, [1, 32], [32, 1], 0>
lpuisa.program @store_behind_stream lmu 4096
    inputs [<"x", f32, [64]>, <"w", f32, [64, 64]>, <"y", f32, [32]>] results [] outputs [] {
  lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
  lpuisa.stream <arg[1], f32, [32, 64], [64, 1], 0> passes 1
  lpuisa.mm <lmu, f32, [32], [1], 256> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [32, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [32], [1], 256>, <lmu, f32, [32], [1], 1024>] {
    lpuisa.elements
    %0 = lpuisa.micro load[0] : f32
    %1 = lpuisa.micro exp_f(%0) : (f32) -> f32
    %2 = lpuisa.micro exp_f(%1) : (f32) -> f32
    lpuisa.micro store[1](%2) : (f32) -> ()
  }
  lpuisa.copy <arg[2], f32, [32], [1], 0> = <lmu, f32, [32], [1], 1024>
  lpuisa.stream <arg[1], f32, [32, 64], [64, 1], 8192> passes 1
  lpuisa.mm <lmu, f32, [32], [1], 512> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [32, 64], [64, 1], 8192> batch 0 rows 0 cols 1 depth 1
  lpuisa.stream <arg[2], f32, [1, 32], [32, 1], 0> passes 1
  lpuisa.mm <lmu, f32, [1], [1], 768> = <lmu, f32, [32], [1], 512> * <arg[2], f32, [1, 32], [32, 1], 0> batch 0 rows 0 cols 1 depth 1
  lpuisa.halt
}

// A second stream of 32768 bytes, twice the buffer, whose product needs what is
// stored and loaded before it: no room without that.
// CHECK-LABEL: lpuisa.program @no_deadlock
// CHECK: lpuisa.stream <arg[1], f32, [64, 64], [64, 1], 0>
// CHECK: lpuisa.copy <arg[2], f32, [64], [1], 0> = <lmu, f32, [64], [1], 256>
// CHECK: lpuisa.copy <lmu, f32, [64], [1], 1024> = <arg[2], f32, [64], [1], 0>
// CHECK: lpuisa.stream <arg[1], f32, [128, 64], [64, 1], 16384>
lpuisa.program @no_deadlock lmu 4096
    inputs [<"x", f32, [64]>, <"w", f32, [192, 64]>, <"y", f32, [64]>] results [] outputs [] {
  lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
  lpuisa.stream <arg[1], f32, [64, 64], [64, 1], 0> passes 1
  lpuisa.mm <lmu, f32, [64], [1], 256> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [64, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
  lpuisa.copy <arg[2], f32, [64], [1], 0> = <lmu, f32, [64], [1], 256>
  lpuisa.copy <lmu, f32, [64], [1], 1024> = <arg[2], f32, [64], [1], 0>
  lpuisa.stream <arg[1], f32, [128, 64], [64, 1], 16384> passes 1
  lpuisa.mm <lmu, f32, [128], [1], 512> = <lmu, f32, [64], [1], 1024> * <arg[1], f32, [128, 64], [64, 1], 16384> batch 0 rows 0 cols 1 depth 1
  lpuisa.halt
}

// The ICP's load of a length stays before the view that ends there, and the
// register keeps it until that view was issued.
// CHECK-LABEL: lpuisa.program @registers
// CHECK: lpuisa.ld r1 = <arg[1], i64, [], [], 0>
// CHECK: size_register = r1
// CHECK: lpuisa.ld r1 = <arg[1], i64, [], [], 8>
// CHECK: size_register = r1
lpuisa.program @registers lmu 8192
    inputs [<"x", f32, [1024]>, <"n", i64, [2]>] results [] outputs [] {
  lpuisa.ld r1 = <arg[1], i64, [], [], 0>
  lpuisa.copy <lmu, f32, [1024], [1], 0, dynamic_dim = 0, size_register = r1> = <arg[0], f32, [1024], [1], 0, dynamic_dim = 0, size_register = r1>
  lpuisa.ld r1 = <arg[1], i64, [], [], 8>
  lpuisa.copy <lmu, f32, [1024], [1], 4096, dynamic_dim = 0, size_register = r1> = <arg[0], f32, [1024], [1], 0, dynamic_dim = 0, size_register = r1>
  lpuisa.halt
}

// Nothing moves into a loop or out of it; within the body, loads go first.
// CHECK-LABEL: lpuisa.program @loop
// CHECK: lpuisa.copy <lmu, f32, [64], [1], 0>
// CHECK: lpuisa.loop 3
// CHECK: lpuisa.copy <lmu, f32, [128], [1], 1024>
// CHECK: lpuisa.stream
// CHECK: lpuisa.mm
// CHECK: }
// CHECK: lpuisa.copy <lmu, f32, [64], [1], 3072>
lpuisa.program @loop lmu 4096
    inputs [<"x", f32, [64]>, <"w", f32, [128, 64]>, <"b", f32, [128]>] results [] outputs [] {
  lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
  lpuisa.loop 3 {
    lpuisa.stream <arg[1], f32, [128, 64], [64, 1], 0> passes 1
    lpuisa.mm <lmu, f32, [128], [1], 512> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [128, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
    lpuisa.copy <lmu, f32, [128], [1], 1024> = <arg[2], f32, [128], [1], 0>
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [128], [1], 1024>, <lmu, f32, [128], [1], 1536>] {
      lpuisa.elements
      %0 = lpuisa.micro load[0] : f32
      %1 = lpuisa.micro exp_f(%0) : (f32) -> f32
      lpuisa.micro store[1](%1) : (f32) -> ()
    }
  }
  lpuisa.copy <lmu, f32, [64], [1], 3072> = <arg[0], f32, [64], [1], 0>
  lpuisa.halt
}

}

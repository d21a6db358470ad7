// RUN: lpu-opt %s -lpuisa-verify | FileCheck %s

module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {

// A program that the verifier accepts: views touch the last byte of their
// memories, a loop steps through all rows, ten rows take three passes.
// CHECK-LABEL: lpuisa.program @main
lpuisa.program @main lmu 1024 inputs [<"x", f32, [10, 8]>, <"w", f32, [8, 8]>] rodata dense<0> : tensor<4xi8> {
  lpuisa.loop 10 {
    lpuisa.copy <lmu, f32, [8], [1], 0, loop_increments = [32]> = <arg[0], f32, [8], [1], 0, loop_increments = [32]>
  }
  lpuisa.copy <lmu, f32, [], [], 1020> = <constant, f32, [], [], 0>
  lpuisa.post sma, 0, 2
  lpuisa.wait sxe, 0, 1
  lpuisa.wait sxe, 0, 1
  lpuisa.stream <arg[1], f32, [8, 8], [-8, 1], 224> passes 3
  lpuisa.mm <lmu, f32, [10, 8], [8, 1], 320> = <lmu, f32, [10, 8], [8, 1], 0> * <arg[1], f32, [8, 8], [-8, 1], 224> batch 0 rows 1 cols 1 depth 1
  lpuisa.halt
}

// Nothing is known of the balance of a program with branches.
// CHECK-LABEL: lpuisa.program @branches
lpuisa.program @branches {
  lpuisa.branch zero r0, L2
  lpuisa.post sma, 0, 1
  lpuisa.label L2
  lpuisa.branch zero r0, L4
  lpuisa.wait vxe, 0, 1
  lpuisa.label L4
  lpuisa.halt
}

// The copy behind the stream is in time, for half of the buffer's 16384 bytes
// hold all that the stream pushes.
lpuisa.program @room lmu 1024 inputs [<"x", f32, [64]>, <"w", f32, [32, 64]>] {
  lpuisa.stream <arg[1], f32, [32, 64], [64, 1], 0> passes 1
  lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
  lpuisa.post sma, 4, 1
  lpuisa.wait sxe, 4, 1
  lpuisa.mm <lmu, f32, [32], [1], 512> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [32, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
  lpuisa.halt
}

}

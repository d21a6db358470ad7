// RUN: lpu-opt %s -lpuisa-insert-semaphores -lpuisa-verify | lpu-translate --mlir-to-lpubin -o %t.lpubin
// RUN: mkdir -p %t.early %t.late
// RUN: lpu-sim %t.lpubin --check all --dma early --out %t.early
// RUN: lpu-sim %t.lpubin --check all --dma late --out %t.late
// RUN: cmp %t.early/y.npy %t.late/y.npy
// RUN: tail -c 16 %t.late/y.npy | od -A n -t fF | FileCheck %s

// A program by hand, from text to values: relu(x w'), with x = [1 -2; 3 4] and
// w = [1 1; 2 -1] in the constants. The products are [-1 4; 7 2]. Without
// semaphores the last copy would store x, over which nothing is computed yet.
// CHECK: 0 4 7 2
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
lpuisa.program @main lmu 32 results [<"y", f32, [2, 2], argument = 0>] outputs [<"y", f32, [2, 2]>]
    rodata dense<"0x0000803F000000C000004040000080400000803F0000803F00000040000080BF"> : tensor<32xi8> {
  lpuisa.copy <lmu, f32, [2, 2], [2, 1], 0> = <constant, f32, [2, 2], [2, 1], 0>
  lpuisa.stream <constant, f32, [2, 2], [2, 1], 16> passes 1
  lpuisa.mm <lmu, f32, [2, 2], [2, 1], 16> = <lmu, f32, [2, 2], [2, 1], 0> * <constant, f32, [2, 2], [2, 1], 16> batch 0 rows 1 cols 1 depth 1
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [4], [1], 16>, <lmu, f32, [4], [1], 0>] {
    lpuisa.rows
    %zero = lpuisa.micro const 0.0 : f32
    %x = lpuisa.micro load[0] : f32
    %y = lpuisa.micro maximum_f(%x, %zero) : (f32, f32) -> f32
    lpuisa.micro store[1](%y) : (f32) -> ()
  }
  lpuisa.copy <arg[0], f32, [4], [1], 0> = <lmu, f32, [4], [1], 0>
  lpuisa.halt
}
}

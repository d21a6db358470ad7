// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: lpu-sim %t.lpubin | FileCheck %s
// RUN: sh -c 'lpu-sim %t.lpubin --check standard; test $? -eq 4' 2>&1 | FileCheck %s --check-prefix=RACE

// The store may pass the vector instruction, since nothing orders the two. A run
// can have luck; the race checker has not.
// CHECK: 3 instructions: halt 1, copy 1, vec 1

// RACE: race: reads bytes [0, 16) of lmu, some of which instruction 0 (vec) of relu
// RACE-SAME: writes, expected a semaphore that orders the two [instruction 1 (copy) of store
lpuisa.program @main lmu 16 results [<"y", f32, [4], argument = 0>] outputs [<"y", f32, [4]>] {
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.rows
    %zero = lpuisa.micro const 0.0 : f32
    lpuisa.micro store[0](%zero) : (f32) -> ()
  } loc("relu")
  lpuisa.copy <arg[0], f32, [4], [1], 0> = <lmu, f32, [4], [1], 0> loc("store")
  lpuisa.halt
}

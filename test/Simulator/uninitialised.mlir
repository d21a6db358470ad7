// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: lpu-sim %t.lpubin --check standard | FileCheck %s
// RUN: sh -c 'lpu-sim %t.lpubin --check all; test $? -eq 4' 2>&1 | FileCheck %s --check-prefix=ALL

// The store takes four elements, of which the vector instruction wrote two.
// CHECK: instructions

// ALL: uninitialised: uses byte 8 of lmu, which nothing has written (view {{[0-9]+}}, bytes [0, 16))
// ALL-SAME: [instruction 3 (copy) of store at model.py:9]
lpuisa.program @main lmu 16 results [<"y", f32, [4], argument = 0>] outputs [<"y", f32, [4]>] {
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [2], [1], 0>] {
    lpuisa.rows
    %zero = lpuisa.micro const 0.0 : f32
    lpuisa.micro store[0](%zero) : (f32) -> ()
  } loc("relu"("model.py":8:1))
  lpuisa.post vxe, 0, 1
  lpuisa.wait sma, 0, 1
  lpuisa.copy <arg[0], f32, [4], [1], 0> = <lmu, f32, [4], [1], 0> loc("store"("model.py":9:1))
  lpuisa.halt
}

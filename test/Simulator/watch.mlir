// REQUIRES: python
// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.arange(1, 5, dtype=np.float32))"
// RUN: lpu-sim %t.lpubin --arg %t.npy --watch arg0:1:2 --watch=arg1:0x8:8 --watch lmu:4 --trace %t.trace | FileCheck %s
// RUN: FileCheck %s --check-prefix=TRACE < %t.trace
// RUN: sh -c 'lpu-sim %t.lpubin --watch lmu; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: sh -c 'lpu-sim %t.lpubin --watch hbm:0; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: sh -c 'lpu-sim %t.lpubin --watch arg2:0; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: sh -c 'lpu-sim %t.lpubin --watch lmu:-4; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: sh -c 'lpu-sim %t.lpubin --watch lmu:0:0; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: sh -c 'lpu-sim %t.lpubin --watch lmu:0x1d; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: sh -c 'lpu-sim %t.lpubin --watch lmu:0 --timing-only; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=TIMING

// Reads and writes of the watched bytes alone: the second copy leaves out the
// element in the middle of what it spans. A part of an element shows as bytes.
// CHECK: watch arg0:0x1:2: instruction 0 (copy) of load at model.py:3 reads 00 80{{$}}
// CHECK-NEXT: watch lmu:0x4:4: instruction 0 (copy) of load at model.py:3 writes 00 00 00 00 (0) -> 00 00 00 40 (2)
// CHECK-NEXT: watch arg1:0x8:8: instruction 2 (copy) of store writes 00 00 00 00 00 00 00 00 (0 0) -> 00 00 40 40 00 00 80 40 (3 4)
// CHECK-NEXT: watch lmu:0x4:4: instruction 2 (copy) of store reads 00 00 00 40 (2)
// CHECK-NEXT: main on tiny
// TRACE: "name":"load"

// FORM: lpu-sim: --watch lmu: expected SPACE:OFFSET[:BYTES], such as lmu:0x100:4
// MEMORY: lpu-sim: --watch hbm:0: 'hbm' is no memory, expected lmu, scratch, constant or argN
// ARGUMENT: lpu-sim: --watch arg2:0: there is no argument 2, the program has 2
// OFFSET: lpu-sim: --watch lmu:-4: offset '-4', expected a number
// SIZE: lpu-sim: --watch lmu:0:0: size '0', expected a number of bytes
// BOUNDS: lpu-sim: --watch lmu:0x1d: 4 bytes at 0x1d, expected to be inside of lmu, which has 32 bytes
// TIMING: lpu-sim: --timing-only computes no values for --watch
module attributes {lpu.machine = #lpu.machine<{base = "tiny", name = "tiny"}>} {
lpuisa.program @main lmu 32 inputs [<"x", f32, [4]>] results [<"y", f32, [4], argument = 1>] outputs [<"y", f32, [4]>] {
  lpuisa.copy <lmu, f32, [4], [1], 0> = <arg[0], f32, [4], [1], 0> loc("load"("model.py":3:0))
  lpuisa.copy <lmu, f32, [2], [1], 16> = <lmu, f32, [2], [2], 0> loc("every other")
  lpuisa.copy <arg[1], f32, [4], [1], 0> = <lmu, f32, [4], [1], 0> loc("store")
  lpuisa.halt
}
}

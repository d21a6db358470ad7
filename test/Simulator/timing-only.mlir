// ASan needs address space that the limit takes away.
// UNSUPPORTED: sanitized
// REQUIRES: python
// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: sh -c 'ulimit -v 4000000; lpu-sim %t.lpubin --timing-only' | FileCheck %s
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.array([3]))"
// RUN: sh -c 'ulimit -v 4000000; lpu-sim %t.lpubin --timing-only --arg - --arg %t.npy' | FileCheck %s --check-prefix=GIVEN
// RUN: sh -c 'ulimit -v 4000000; lpu-sim %t.lpubin; test $? -eq 7' 2>&1 | FileCheck %s --check-prefix=VALUES

// 50 GB of weights, of which three rows are read if nobody says how many: the
// bound of the loop. No memory is needed for them.
// CHECK: 7 instructions: halt 1
// CHECK-SAME: copy 4
// A scalar that is given counts in a run without values too.
// GIVEN: copy 3
// VALUES: lpu-sim: argument 0 ('weights') has 50000000000 bytes, more than this host can give; --timing-only needs none
module attributes {lpu.machine = #lpu.machine<{base = "lpu-hbm3", name = "lpu-hbm3"}>} {
lpuisa.program @main lmu 500000 inputs [<"weights", f32, [100000, 125000]>, <"count", i64, [1]>] results [] outputs [] {
  lpuisa.ld r1 = <arg[1], i64, [], [], 0>
  lpuisa.loop r1 to 4 {
    lpuisa.copy <lmu, f32, [125000], [1], 0> = <arg[0], f32, [125000], [1], 0>
  }
  lpuisa.halt
}
}

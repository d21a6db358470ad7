// REQUIRES: python
// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %python -c "import numpy as np; np.save(r'%t.d/x.npy', np.arange(1, 5, dtype=np.float32))"
// RUN: sh -c 'lpu-sim %t.lpubin --arg %t.d/x.npy --stop-at 1 --dump-lmu %t.d/lmu.npy:16:4:f32; test $? -eq 5' | FileCheck %s --check-prefix=NUMBER
// RUN: %python -c "import numpy as np; print(np.load(r'%t.d/lmu.npy').tolist())" | FileCheck %s --check-prefix=BEFORE
// RUN: sh -c 'lpu-sim %t.lpubin --arg %t.d/x.npy --stop-at copy_1 --dump-lmu %t.d/lmu.npy:0x10:2x2:f32 --dump-lmu=%t.d/all.npy; test $? -eq 5' | FileCheck %s --check-prefix=NODE
// RUN: %python -c "import numpy as np; print(np.load(r'%t.d/lmu.npy').tolist())" | FileCheck %s --check-prefix=AFTER
// RUN: %python -c "import numpy as np; a = np.load(r'%t.d/all.npy'); print(a.dtype, a.shape, a[18:20].tolist())" | FileCheck %s --check-prefix=BYTES
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at model.py:7; test $? -eq 5' | FileCheck %s --check-prefix=NODE
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at src/model.py:7 --timing-only; test $? -eq 5' | FileCheck %s --check-prefix=NODE
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at 2 --interleave fixed; test $? -eq 5' | FileCheck %s --check-prefix=CYCLE
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at cycle:5; test $? -eq 5' | FileCheck %s --check-prefix=CYCLE
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at cycle:1000000; test $? -eq 6' 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at cycle:1000000 --stop-at=cycle:2000000; test $? -eq 6' 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at 7; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at odel.py:7; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at cycle:soon; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=NOCYCLE
// RUN: sh -c 'lpu-sim %t.lpubin --stop-at cycle:1 --no-timing; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=UNTIMED

// Stopped before an instruction, all before it have taken effect, and neither
// it nor one behind it.
// NUMBER: stopped before instruction 1 (copy) of copy_0, at cycle 4
// BEFORE: [0.0, 0.0, 0.0, 0.0]

// NODE: stopped before instruction 2 (copy) of copy_1 at src/model.py:7, at cycle
// AFTER: {{\[\[}}1.0, 2.0], [3.0, 4.0]]
// BYTES: uint8 (32,) [128, 63]

// The ICP issues instruction k of a straight line at 4 k.
// CYCLE: stopped before instruction 2 (copy) of copy_1 at src/model.py:7, at cycle 8

// NEVER: lpu-sim: --stop-at cycle:1000000: the program ended before it got there
// NEITHER: lpu-sim: --stop-at cycle:1000000, --stop-at cycle:2000000: the program ended before it got there

// NONE: lpu-sim: --stop-at 7: there is no instruction 7, the program has 6
// NOWHERE: lpu-sim: --stop-at odel.py:7: no instruction comes from there, expected the number of an instruction, an FX node, FILE:LINE or cycle:N
// NOCYCLE: lpu-sim: --stop-at cycle:soon: expected a number after cycle:
// UNTIMED: lpu-sim: --stop-at cycle:1: a run with --no-timing has no cycles
module attributes {lpu.machine = #lpu.machine<{base = "tiny", name = "tiny"}>} {
lpuisa.program @main lmu 32 inputs [<"x", f32, [4]>] results [<"y", f32, [4], argument = 1>] outputs [<"y", f32, [4]>] {
  lpuisa.copy <lmu, f32, [4], [1], 0> = <arg[0], f32, [4], [1], 0>
  lpuisa.copy <lmu, f32, [4], [1], 16> = <lmu, f32, [4], [1], 0> loc("copy_0")
  lpuisa.copy <arg[1], f32, [4], [1], 0> = <lmu, f32, [4], [1], 16> loc("copy_1"("src/model.py":7:0))
  lpuisa.li r1 = 0
  lpuisa.li r2 = 5
  lpuisa.halt
}
}

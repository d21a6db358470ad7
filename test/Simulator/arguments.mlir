// REQUIRES: python
// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %python -c "import numpy as np; np.save(r'%t.d/x.npy', np.arange(6, dtype=np.float32).reshape(2, 3))"
// RUN: lpu-sim %t.lpubin --arg %t.d/x.npy --out %t.d
// RUN: %python -c "import numpy as np; print(np.load(r'%t.d/y.npy').tolist())" | FileCheck %s
// RUN: %python -c "import numpy as np; np.save(r'%t.d/x.npy', np.zeros(6, np.float32))"
// RUN: sh -c 'lpu-sim %t.lpubin --arg %t.d/x.npy; test $? -eq 7' 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: sh -c 'lpu-sim %t.lpubin --arg a --arg b --arg c; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=MANY

// A transpose, from a NumPy file to another.
// CHECK: {{\[\[}}0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]

// SHAPE: x.npy: type '<f4' and shape (6,), expected '<f4' and (2, 3) for 'x'
// MANY: 3 arguments given, expected at most 2
lpuisa.program @main inputs [<"x", f32, [2, 3]>] results [<"y", f32, [3, 2], argument = 1>] outputs [<"y", f32, [3, 2]>] {
  lpuisa.copy <arg[1], f32, [3, 2], [2, 1], 0> = <arg[0], f32, [3, 2], [1, 3], 0>
  lpuisa.halt
}

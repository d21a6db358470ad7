// REQUIRES: python
// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %python -c "import numpy as np, os; os.chdir(r'%t.d'); x = np.zeros((2, 3), np.float32); np.save('double', x.astype(float)); np.save('flat', x.ravel()); np.save('fortran', np.asfortranarray(x)); np.lib.format.write_array(open('version.npy', 'wb'), x, (2, 0)); np.save('good', x); b = open('good.npy', 'rb').read(); open('short.npy', 'wb').write(b[:-1]); open('header.npy', 'wb').write(b[:40]); open('text.npy', 'w').write('1 2 3'); np.save('big', x.astype('>f4'))"
// RUN: lpu-sim %t.lpubin --arg %t.d/good.npy --out %t.d --report %t.d/r --trace %t.d/t | FileCheck %s

// RUN: sh -c 'for f in double flat fortran version short header text big none; do lpu-sim %t.lpubin --arg %t.d/$f.npy; test $? -eq 7 || echo wrong status; done' 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: sh -c 'lpu-sim %t.lpubin --out %t.d/no; test $? -eq 7' 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: sh -c 'lpu-sim %t.lpubin --report %t.d/no/r; test $? -eq 7' 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: sh -c 'lpu-sim %t.lpubin --trace %t.d; test $? -eq 7' 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: sh -c 'lpu-sim %t.lpubin --dump-lmu %t.d/no/l.npy; test $? -eq 7' 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: sh -c 'for d in x.npy:0:4 x.npy:zero:4:f32 x.npy:0:4:f31 x.npy:0:4x0:f32 x.npy:8:7:f32 x.npy:0:9999999999x9999999999:i64; do lpu-sim %t.lpubin --dump-lmu $d; test $? -eq 1 || echo wrong status; done' 2>&1 | FileCheck %s --check-prefix=FORM

// Each file and path that cannot be used: what was found, what was expected.
// CHECK: main on

// FILE: double.npy: type '<f8' and shape (2, 3), expected '<f4' and (2, 3) for 'x'
// FILE-NEXT: flat.npy: type '<f4' and shape (6,), expected '<f4' and (2, 3) for 'x'
// FILE-NEXT: fortran.npy: Fortran order, expected C order
// FILE-NEXT: version.npy: version 2.0, expected a .npy file of version 1.0
// FILE-NEXT: short.npy: 23 bytes of data, expected 24
// FILE-NEXT: header.npy: the file ends inside of its header
// FILE-NEXT: text.npy: no .npy file, expected a .npy file of version 1.0
// FILE-NEXT: big.npy: type '>f4' and shape (2, 3), expected '<f4'
// FILE-NEXT: none.npy: cannot be read
// FILE-NOT: wrong status

// OUT: lpu-sim: {{.*}}no/y.npy: cannot be written
// REPORT: lpu-sim: {{.*}}no/r: cannot be written
// TRACE: lpu-sim: {{.*}}.d: cannot be written
// DUMP: lpu-sim: {{.*}}no/l.npy: cannot be written

// FORM: lpu-sim: --dump-lmu x.npy:0:4: expected FILE.npy or FILE.npy:OFFSET:SIZES:DTYPE
// FORM-NEXT: lpu-sim: --dump-lmu x.npy:zero:4:f32: offset 'zero', expected a number
// FORM-NEXT: lpu-sim: --dump-lmu x.npy:0:4:f31: type 'f31', expected f32, bf16,
// FORM-NEXT: lpu-sim: --dump-lmu x.npy:0:4x0:f32: sizes '4x0', expected sizes such as 8x64
// FORM-NEXT: lpu-sim: --dump-lmu x.npy:8:7:f32: the array does not fit into the LMU at 0x8, which has 32 bytes
// FORM-NEXT: lpu-sim: --dump-lmu x.npy:0:9999999999x9999999999:i64: the array does not fit into the LMU
// FORM-NOT: wrong status
lpuisa.program @main lmu 32 inputs [<"x", f32, [2, 3]>] results [<"y", f32, [2, 3], argument = 1>] outputs [<"y", f32, [2, 3]>] {
  lpuisa.copy <arg[1], f32, [6], [1], 0> = <arg[0], f32, [6], [1], 0>
  lpuisa.halt
}

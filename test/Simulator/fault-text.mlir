// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: sh -c 'lpu-sim %t.lpubin; test $? -eq 2' 2>&1 | FileCheck %s

// What a program says of itself is no finding of a check.
// CHECK: lpu-sim: race: lost [instruction 0 (fault) at
lpuisa.program @main {
  lpuisa.fault runtime, "race: lost"
}

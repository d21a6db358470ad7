// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: sh -c 'lpu-sim %t.lpubin; test $? -eq 2' 2>&1 | FileCheck %s

// A fault of the program ends the run with status 2 and says where it comes from.
// CHECK: lpu-sim: index 7 is out of range
// CHECK-SAME: instruction 0 (fault) of select at model.py:3
lpuisa.program @main {
  lpuisa.fault index, "index 7 is out of range" loc("select"("model.py":3:0))
}

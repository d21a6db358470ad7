// RUN: lpu-opt %s --verify-roundtrip | FileCheck %s

// The smallest program: it stops.
// CHECK-LABEL: func.func @halt
func.func @halt() {
  // CHECK: lpuisa.halt
  lpuisa.halt
  return
}

// RUN: lpu-opt %s --lpu-expand-math -split-input-file | FileCheck %s
// RUN: lpu-opt %s --lpu-expand-math -split-input-file -mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATISTICS

// x^5 = x * (x^2)^2
// CHECK-LABEL: func.func @power
// CHECK: %[[X2:.+]] = arith.mulf %arg0, %arg0
// CHECK: %[[X4:.+]] = arith.mulf %[[X2]], %[[X2]]
// CHECK: arith.mulf %arg0, %[[X4]]
func.func @power(%x: f32) -> f32 {
  %n = arith.constant 5 : i64
  %r = math.fpowi %x, %n : f32, i64
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @inverse
// CHECK: %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK: arith.divf %[[ONE]], %arg0
func.func @inverse(%x: f32) -> f32 {
  %n = arith.constant -1 : i64
  %r = math.fpowi %x, %n : f32, i64
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @variable
// CHECK: %[[F:.+]] = arith.sitofp %arg1 : i64 to f32
// CHECK: math.powf %arg0, %[[F]] : f32
func.func @variable(%x: f32, %n: i64) -> f32 {
  %r = math.fpowi %x, %n : f32, i64
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @classes
// CHECK: arith.cmpf uno, %arg0, %arg0 : f32
// CHECK: %[[A:.+]] = math.absf %arg0 : f32
// CHECK: arith.cmpf oeq, %[[A]], %{{.*}} : f32
func.func @classes(%x: f32) -> (i1, i1) {
  %0 = math.isnan %x : f32
  %1 = math.isinf %x : f32
  return %0, %1 : i1, i1
}

// -----

// CHECK-LABEL: func.func @absolute
// CHECK: %[[N:.+]] = arith.subi %{{.*}}, %arg0 : i32
// CHECK: arith.maxsi %arg0, %[[N]] : i32
func.func @absolute(%x: i32) -> i32 {
  %0 = math.absi %x : i32
  return %0 : i32
}

// -----

// x^100 = (x^4 * x^32) * x^64, and x^0 = 1.
// CHECK-LABEL: func.func @integer_power
// CHECK: %[[ONE:.+]] = arith.constant 1 : i32
// CHECK: %[[X2:.+]] = arith.muli %arg0, %arg0
// CHECK: %[[X4:.+]] = arith.muli %[[X2]], %[[X2]]
// CHECK: %[[X8:.+]] = arith.muli %[[X4]], %[[X4]]
// CHECK: %[[X16:.+]] = arith.muli %[[X8]], %[[X8]]
// CHECK: %[[X32:.+]] = arith.muli %[[X16]], %[[X16]]
// CHECK: %[[X36:.+]] = arith.muli %[[X4]], %[[X32]]
// CHECK: %[[X64:.+]] = arith.muli %[[X32]], %[[X32]]
// CHECK: %[[X100:.+]] = arith.muli %[[X36]], %[[X64]]
// CHECK: return %[[X100]], %[[ONE]]
func.func @integer_power(%x: i32) -> (i32, i32) {
  %hundred = arith.constant 100 : i32
  %zero = arith.constant 0 : i32
  %0 = math.ipowi %x, %hundred : i32
  %1 = math.ipowi %x, %zero : i32
  return %0, %1 : i32, i32
}

// -----

// What folds on the way is not counted.
// STATISTICS: 0 operations-expanded
// CHECK-LABEL: func.func @folded
// CHECK-NEXT: %[[R:.+]] = math.absf %arg0
// CHECK-NEXT: return %[[R]]
func.func @folded(%x: f32) -> f32 {
  %zero = arith.constant -0.0 : f32
  %s = arith.addf %x, %zero : f32
  %r = math.absf %s : f32
  return %r : f32
}

// RUN: lpu-opt %s --lpu-fold-f64 --canonicalize -split-input-file | FileCheck %s

// A constant that is rounded at once: the epsilon of a norm.
// CHECK-LABEL: func.func @epsilon
func.func @epsilon(%x: f32) -> f32 {
  // CHECK: %[[E:.+]] = arith.constant 9.99999997E-7 : f32
  // CHECK: arith.addf %arg0, %[[E]] : f32
  %c = arith.constant 9.9999999999999995E-7 : f64
  %e = arith.truncf %c : f64 to f32
  %r = arith.addf %x, %e : f32
  return %r : f32
}

// -----

// 2.0 is an f32, so the product of widened values may be taken in f32.
// CHECK-LABEL: func.func @product
// CHECK-NOT: f64
// CHECK: arith.mulf %arg0, %{{.*}} : f32
func.func @product(%x: f32) -> f32 {
  %c = arith.constant 2.0 : f64
  %w = arith.extf %x : f32 to f64
  %m = arith.mulf %w, %c : f64
  %r = arith.truncf %m : f64 to f32
  return %r : f32
}

// -----

// 0.1 is not: the product stays.
// CHECK-LABEL: func.func @inexact
// CHECK: arith.mulf %{{.*}} : f64
func.func @inexact(%x: f32) -> f32 {
  %c = arith.constant 0.1 : f64
  %w = arith.extf %x : f32 to f64
  %m = arith.mulf %w, %c : f64
  %r = arith.truncf %m : f64 to f32
  return %r : f32
}

// -----

// Rounding commutes with maximum and minimum, whatever the bounds: a clamp.
// CHECK-LABEL: func.func @clamp
// CHECK-NOT: f64
// CHECK: %[[M:.+]] = arith.maximumf %arg0, %{{.*}} : f32
// CHECK: arith.minimumf %[[M]], %{{.*}} : f32
func.func @clamp(%x: f32) -> f32 {
  %low = arith.constant -0.1 : f64
  %high = arith.constant 0.1 : f64
  %w = arith.extf %x : f32 to f64
  %a = arith.maximumf %w, %low : f64
  %b = arith.minimumf %a, %high : f64
  %r = arith.truncf %b : f64 to f32
  return %r : f32
}

// -----

// The f32 neighbours of 0.1 are 0.099999994 and 0.100000001: greater than 0.1
// means at least the upper one, less means at most the lower one.
// CHECK-LABEL: func.func @compare
// CHECK-DAG: %[[LOW:.+]] = arith.constant 0.099999994 : f32
// CHECK-DAG: %[[HIGH:.+]] = arith.constant 1.000000e-01 : f32
// CHECK: arith.cmpf oge, %arg0, %[[HIGH]] : f32
// CHECK: arith.cmpf ule, %arg0, %[[LOW]] : f32
func.func @compare(%x: f32) -> (i1, i1) {
  %c = arith.constant 0.1 : f64
  %w = arith.extf %x : f32 to f64
  %a = arith.cmpf ogt, %w, %c : f64
  %b = arith.cmpf ult, %w, %c : f64
  return %a, %b : i1, i1
}

// -----

// An integer above 2.5 is above 2; none equals 2.5.
// CHECK-LABEL: func.func @compare_integer
// CHECK-DAG: %[[TWO:.+]] = arith.constant 2 : i64
// CHECK-DAG: %[[FALSE:.+]] = arith.constant false
// CHECK: %[[GT:.+]] = arith.cmpi sgt, %arg0, %[[TWO]] : i64
// CHECK: return %[[GT]], %[[FALSE]]
func.func @compare_integer(%x: i64) -> (i1, i1) {
  %c = arith.constant 2.5 : f64
  %w = arith.sitofp %x : i64 to f64
  %a = arith.cmpf ogt, %w, %c : f64
  %b = arith.cmpf oeq, %w, %c : f64
  return %a, %b : i1, i1
}

// -----

// CHECK-LABEL: func.func @integer_quotient
// CHECK: %[[Q:.+]] = arith.floordivsi %arg0, %arg1 : i64
// CHECK-NEXT: return %[[Q]]
func.func @integer_quotient(%x: i64, %y: i64) -> i64 {
  %a = arith.sitofp %x : i64 to f64
  %b = arith.sitofp %y : i64 to f64
  %d = arith.divf %a, %b : f64
  %f = math.floor %d : f64
  %r = arith.fptosi %f : f64 to i64
  return %r : i64
}

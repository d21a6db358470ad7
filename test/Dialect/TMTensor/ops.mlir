// RUN: lpu-opt %s --verify-roundtrip | FileCheck %s

// The forms are those that torch-mlir prints.

// CHECK-LABEL: func.func @all
func.func @all(%x: tensor<8x100xf32>, %z: tensor<8xf32>, %u: tensor<3x1x1xf32>, %i: tensor<3x2xi64>,
               %s: tensor<8xf32>, %p: tensor<8xi64>, %v: tensor<3xf32>, %vp: tensor<3xi64>,
               %q: tensor<4x1x16xf32>, %k: tensor<4x32x16xf32>) {
  // CHECK: tm_tensor.scan dimension(1) inclusive(true) ins(%{{.*}} : tensor<8x100xf32>) outs(%{{.*}}, %{{.*}} : tensor<8x100xf32>, tensor<8xf32>) {
  %0:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<8x100xf32>) outs(%x, %z : tensor<8x100xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    // CHECK: tm_tensor.yield %{{.*}} : f32
    tm_tensor.yield %c : f32
  } -> tensor<8x100xf32>, tensor<8xf32>
  // CHECK: tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true) ins(
  %1 = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true)
    ins(%u, %i : tensor<3x1x1xf32>, tensor<3x2xi64>) outs(%x : tensor<8x100xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8x100xf32>
  // CHECK: tm_tensor.sort dimension(0) outs(
  %2:2 = tm_tensor.sort dimension(0) outs(%s, %p : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %e = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %e : i1
  } -> tensor<8xf32>, tensor<8xi64>
  // CHECK: tm_tensor.topk dimension(0) ins(
  %3:2 = tm_tensor.topk dimension(0) ins(%s : tensor<8xf32>) outs(%v, %vp : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%a: f32, %b: f32):
    %e = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %e : i1
  } -> tensor<3xf32>, tensor<3xi64>
  // CHECK: tm_tensor.attention {scale = 2.500000e-01 : f64} ins(
  %4 = tm_tensor.attention {scale = 2.5e-1 : f64} ins(%q, %k, %k : tensor<4x1x16xf32>, tensor<4x32x16xf32>, tensor<4x32x16xf32>)
    outs(%q : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
  return
}

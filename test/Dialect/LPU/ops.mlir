// RUN: lpu-opt %s --verify-roundtrip -split-input-file | FileCheck %s

// Each operation on tensors and on memrefs.

// CHECK-LABEL: func.func @contract
func.func @contract(%x: tensor<1x64xf32>, %w: tensor<128x64xf32>, %e: tensor<1x128xf32>,
                    %mx: memref<1x64xf32, #lpu.space<lmu>>, %mw: memref<128x64xf32, #lpu.space<arg>>,
                    %mo: memref<1x128xf32, #lpu.space<lmu>>) -> tensor<1x128xf32> {
  // CHECK: lpu.contract {indexing_maps = [{{.*}}], iterator_types = ["parallel", "parallel", "reduction"], zero_init} ins(%{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<128x64xf32>) outs(%{{.*}} : tensor<1x128xf32>) -> tensor<1x128xf32>
  %r = lpu.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<1x64xf32>, tensor<128x64xf32>) outs(%e : tensor<1x128xf32>) -> tensor<1x128xf32>
  // CHECK: lpu.contract {{.*}} outs(%{{.*}} : memref<1x128xf32, #lpu.space<lmu>>)
  lpu.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%mx, %mw : memref<1x64xf32, #lpu.space<lmu>>, memref<128x64xf32, #lpu.space<arg>>)
    outs(%mo : memref<1x128xf32, #lpu.space<lmu>>)
  return %r : tensor<1x128xf32>
}

// -----

// A strided window: a convolution in one dimension, padded beforehand.
// CHECK-LABEL: func.func @window
func.func @window(%x: tensor<4x17xbf16>, %w: tensor<8x4x3xbf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: lpu.contract
  %r = lpu.contract {
      indexing_maps = [affine_map<(o, f, c, k) -> (c, o * 2 + k)>, affine_map<(o, f, c, k) -> (f, c, k)>,
                       affine_map<(o, f, c, k) -> (f, o)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%x, %w : tensor<4x17xbf16>, tensor<8x4x3xbf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @vector
func.func @vector(%x: memref<8x100xf32, #lpu.space<lmu>>, %s: memref<8xf32, #lpu.space<lmu>>) {
  // CHECK: lpu.vector ins(%{{.*}} : memref<8x100xf32, #lpu.space<lmu>>) outs(%{{.*}} : memref<8xf32, #lpu.space<lmu>>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<8x100xf32>, %{{.*}}: tensor<8xf32>):
  lpu.vector ins(%x : memref<8x100xf32, #lpu.space<lmu>>) outs(%s : memref<8xf32, #lpu.space<lmu>>) {
  ^bb0(%a: tensor<8x100xf32>, %o: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %init = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x100xf32>) outs(%init : tensor<8xf32>) {
    ^bb1(%e: f32, %acc: f32):
      %t = arith.addf %e, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    // CHECK: lpu.yield %{{.*}} : tensor<8xf32>
    lpu.yield %r : tensor<8xf32>
  }
  return
}

// -----

// No inputs, and rank 0.
// CHECK-LABEL: func.func @scalar
func.func @scalar(%e: tensor<i64>) -> tensor<i64> {
  // CHECK: lpu.vector outs(%{{.*}} : tensor<i64>) {
  %r = lpu.vector outs(%e : tensor<i64>) {
  ^bb0(%o: tensor<i64>):
    %c = arith.constant 7 : i64
    %f = linalg.fill ins(%c : i64) outs(%o : tensor<i64>) -> tensor<i64>
    lpu.yield %f : tensor<i64>
  // CHECK: } -> tensor<i64>
  } -> tensor<i64>
  return %r : tensor<i64>
}

// -----

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<1x4x1x64xf32>, %k: tensor<1x2x32x64xf32>, %v: tensor<1x2x32x48xf32>,
                     %mask: tensor<1x1x1x32xi1>, %e: tensor<1x4x1x48xf32>) -> tensor<1x4x1x48xf32> {
  // CHECK: lpu.attention {scale = 1.250000e-01 : f32} ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}, tensor<1x1x1x32xi1>) outs(
  %0 = lpu.attention {scale = 0.125 : f32}
    ins(%q, %k, %v, %mask : tensor<1x4x1x64xf32>, tensor<1x2x32x64xf32>, tensor<1x2x32x48xf32>, tensor<1x1x1x32xi1>)
    outs(%e : tensor<1x4x1x48xf32>) -> tensor<1x4x1x48xf32>
  // CHECK: lpu.attention {causal, scale = 1.250000e-01 : f32} ins(%{{.*}}, %{{.*}}, %{{.*}} :
  %1 = lpu.attention {scale = 0.125 : f32, causal}
    ins(%q, %k, %v : tensor<1x4x1x64xf32>, tensor<1x2x32x64xf32>, tensor<1x2x32x48xf32>)
    outs(%0 : tensor<1x4x1x48xf32>) -> tensor<1x4x1x48xf32>
  return %1 : tensor<1x4x1x48xf32>
}

// -----

// The keys behind a length are not read; a length needs no mask.

// CHECK-LABEL: func.func @length
func.func @length(%q: tensor<1x4x1x64xf32>, %k: tensor<1x2x32x64xf32>, %mask: tensor<1x1x1x32xi1>,
                  %n: tensor<i64>, %m: tensor<1xi64>, %e: tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32> {
  // CHECK: , tensor<1x1x1x32xi1>) length(%{{.*}} : tensor<i64>) outs(
  %0 = lpu.attention {scale = 0.125 : f32}
    ins(%q, %k, %k, %mask : tensor<1x4x1x64xf32>, tensor<1x2x32x64xf32>, tensor<1x2x32x64xf32>, tensor<1x1x1x32xi1>)
    length(%n : tensor<i64>) outs(%e : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  // CHECK: , tensor<1x2x32x64xf32>) length(%{{.*}} : tensor<1xi64>) outs(
  %1 = lpu.attention {scale = 0.125 : f32}
    ins(%q, %k, %k : tensor<1x4x1x64xf32>, tensor<1x2x32x64xf32>, tensor<1x2x32x64xf32>)
    length(%m : tensor<1xi64>) outs(%0 : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  return %1 : tensor<1x4x1x64xf32>
}

// -----

// CHECK-LABEL: func.func @temporary
func.func @temporary(%q: memref<1x4x1x64xf32>, %k: memref<1x2x32x64xf32>, %v: memref<1x2x32x64xf32>,
                     %o: memref<1x4x1x64xf32>, %t: memref<512xi8>) {
  // CHECK: outs(%{{.*}} : memref<1x4x1x64xf32>) temporary(%{{.*}} : memref<512xi8>)
  lpu.attention {scale = 0.125 : f32}
    ins(%q, %k, %v : memref<1x4x1x64xf32>, memref<1x2x32x64xf32>, memref<1x2x32x64xf32>)
    outs(%o : memref<1x4x1x64xf32>) temporary(%t : memref<512xi8>)
  return
}

// -----

// CHECK-LABEL: func.func @memory
func.func @memory(%table: tensor<100x64xf32>, %ids: tensor<3xi64>, %rows: tensor<3x64xf32>) -> tensor<100x64xf32> {
  // CHECK: lpu.gather {axis = 0 : i64} ins(
  %0 = lpu.gather {axis = 0 : i64} ins(%table, %ids : tensor<100x64xf32>, tensor<3xi64>)
    outs(%rows : tensor<3x64xf32>) -> tensor<3x64xf32>
  // CHECK: lpu.scatter {axis = 0 : i64, wrap_negative} ins(
  %1 = lpu.scatter {axis = 0 : i64, wrap_negative} ins(%0, %ids : tensor<3x64xf32>, tensor<3xi64>)
    outs(%table : tensor<100x64xf32>) -> tensor<100x64xf32>
  %e = tensor.empty() : tensor<100x64xf32>
  // CHECK: lpu.copy ins(
  %2 = lpu.copy ins(%1 : tensor<100x64xf32>) outs(%e : tensor<100x64xf32>) -> tensor<100x64xf32>
  return %2 : tensor<100x64xf32>
}

// -----

// CHECK: module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>}
module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {}

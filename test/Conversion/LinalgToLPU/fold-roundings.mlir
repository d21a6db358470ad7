// RUN: lpu-opt %s --lpu-fold-roundings -split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>

// The sums are rounded by the contraction; where the rounding moved elements,
// that stays.
// CHECK-LABEL: func.func @simple
// CHECK-SAME: (%[[X:.+]]: tensor<2x4xbf16>, %[[W:.+]]: tensor<4x3xbf16>)
func.func @simple(%x: tensor<2x4xbf16>, %w: tensor<4x3xbf16>) -> tensor<3x2xbf16> {
  // CHECK: %[[Z:.+]] = linalg.fill {{.*}} -> tensor<2x3xbf16>
  // CHECK: %[[C:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[Z]] : tensor<2x3xbf16>)
  // CHECK: %[[T:.+]] = linalg.generic {{.*}} ins(%[[C]] : tensor<2x3xbf16>)
  // CHECK-NOT: arith.truncf
  // CHECK: return %[[T]]
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%z : tensor<2x3xf32>) {
  ^bb0(%i: bf16, %j: bf16, %o: f32):
    %p = arith.extf %i : bf16 to f32
    %q = arith.extf %j : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  %f = tensor.empty() : tensor<3x2xbf16>
  %r = linalg.generic {indexing_maps = [#tr, #id], iterator_types = ["parallel", "parallel"]}
    ins(%c : tensor<2x3xf32>) outs(%f : tensor<3x2xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %t = arith.truncf %i : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x2xbf16>
  return %r : tensor<3x2xbf16>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// Sums in f32 that others read, or that start from a value, stay in f32.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-2: arith.truncf
func.func @stays(%x: tensor<2x4xbf16>, %w: tensor<4x3xbf16>, %s: tensor<2x3xf32>)
    -> (tensor<2x3xbf16>, tensor<2x3xf32>, tensor<2x3xbf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%z : tensor<2x3xf32>) {
  ^bb0(%i: bf16, %j: bf16, %o: f32):
    %p = arith.extf %i : bf16 to f32
    %q = arith.extf %j : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x3xf32>
  %d = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xbf16>, tensor<4x3xbf16>) outs(%s : tensor<2x3xf32>) {
  ^bb0(%i: bf16, %j: bf16, %o: f32):
    %p = arith.extf %i : bf16 to f32
    %q = arith.extf %j : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %a = arith.addf %o, %m : f32
    linalg.yield %a : f32
  } -> tensor<2x3xf32>
  %f = tensor.empty() : tensor<2x3xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%c : tensor<2x3xf32>) outs(%f : tensor<2x3xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %t = arith.truncf %i : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x3xbf16>
  %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%d : tensor<2x3xf32>) outs(%f : tensor<2x3xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %t = arith.truncf %i : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x3xbf16>
  return %r, %c, %v : tensor<2x3xbf16>, tensor<2x3xf32>, tensor<2x3xbf16>
}

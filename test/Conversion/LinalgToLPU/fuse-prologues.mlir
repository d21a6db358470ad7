// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-fuse-prologues))' -split-input-file | FileCheck %s

// A weight that autocast rounds to bf16.

// CHECK-LABEL: func.func @rounded
func.func @rounded(%x: tensor<2x16xbf16>, %w: tensor<8x16xf32>) -> tensor<2x8xbf16> {
  // CHECK: lpu.contract {{.*}} ins(%arg0, %arg1 : tensor<2x16xbf16>, tensor<8x16xf32>)
  // CHECK-SAME: prologue {
  // CHECK-NEXT: ^bb0(%[[RAW:.+]]: tensor<8x16xf32>):
  // CHECK: linalg.generic {{.*}} ins(%[[RAW]] :
  // CHECK: lpu.yield %{{.*}} : tensor<8x16xbf16>
  // CHECK-NOT: lpu.vector
  %e0 = tensor.empty() : tensor<8x16xbf16>
  %e1 = tensor.empty() : tensor<2x8xbf16>
  %b = lpu.vector ins(%w : tensor<8x16xf32>) outs(%e0 : tensor<8x16xbf16>) {
  ^bb0(%a: tensor<8x16xf32>, %o: tensor<8x16xbf16>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x16xf32>) outs(%o : tensor<8x16xbf16>) {
    ^bb1(%p: f32, %u: bf16):
      %t = arith.truncf %p : f32 to bf16
      linalg.yield %t : bf16
    } -> tensor<8x16xbf16>
    lpu.yield %s : tensor<8x16xbf16>
  } -> tensor<8x16xbf16>
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %b : tensor<2x16xbf16>, tensor<8x16xbf16>) outs(%e1 : tensor<2x8xbf16>) -> tensor<2x8xbf16>
  return %r : tensor<2x8xbf16>
}

// -----

// Integers with a scale a row.

// CHECK-LABEL: func.func @scaled
// CHECK: lpu.contract {{.*}} ins(%arg0, %arg2 : {{.*}} prologue(%arg1 : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<8x16xi8>, %{{.*}}: tensor<8xf32>):
func.func @scaled(%x: tensor<2x16xf32>, %scale: tensor<8xf32>, %w: tensor<8x16xi8>) -> tensor<2x8xf32> {
  %e0 = tensor.empty() : tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<2x8xf32>
  %b = lpu.vector ins(%scale, %w : tensor<8xf32>, tensor<8x16xi8>) outs(%e0 : tensor<8x16xf32>) {
  ^bb0(%d: tensor<8xf32>, %a: tensor<8x16xi8>, %o: tensor<8x16xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %d : tensor<8x16xi8>, tensor<8xf32>) outs(%o : tensor<8x16xf32>) {
    ^bb1(%p: i8, %q: f32, %u: f32):
      %t = arith.sitofp %p : i8 to f32
      %v = arith.mulf %t, %q : f32
      linalg.yield %v : f32
    } -> tensor<8x16xf32>
    lpu.yield %s : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %b : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

// A weight that two contractions stream is made once, as a whole; a sum of two
// weights is not one weight and a little more.

// CHECK-LABEL: func.func @stays
// CHECK-NOT: prologue
func.func @stays(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x16xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %e0 = tensor.empty() : tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<2x8xf32>
  %b = lpu.vector ins(%w : tensor<8x16xf32>) outs(%e0 : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %o: tensor<8x16xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x16xf32>) outs(%o : tensor<8x16xf32>) {
    ^bb1(%p: f32, %u: f32):
      %t = arith.negf %p : f32
      linalg.yield %t : f32
    } -> tensor<8x16xf32>
    lpu.yield %s : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %c = lpu.vector ins(%w, %v : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e0 : tensor<8x16xf32>) {
  ^bb0(%a: tensor<8x16xf32>, %d: tensor<8x16xf32>, %o: tensor<8x16xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %d : tensor<8x16xf32>, tensor<8x16xf32>) outs(%o : tensor<8x16xf32>) {
    ^bb1(%p: f32, %q: f32, %u: f32):
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<8x16xf32>
    lpu.yield %s : tensor<8x16xf32>
  } -> tensor<8x16xf32>
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %b : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %q = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %b : tensor<2x16xf32>, tensor<8x16xf32>) outs(%r : tensor<2x8xf32>) -> tensor<2x8xf32>
  %z = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %c : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %r, %q, %z : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}

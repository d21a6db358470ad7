// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-fuse-epilogues))' -split-input-file | FileCheck %s

// A bias and an activation behind a projection.

// CHECK-LABEL: func.func @bias
func.func @bias(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %bias: tensor<8xf32>) -> tensor<2x8xbf16> {
  // CHECK: %[[E:.+]] = tensor.empty() : tensor<2x8xbf16>
  // CHECK: %[[R:.+]] = lpu.contract {{.*}} ins(%arg0, %arg1 : {{.*}}) outs(%[[E]] : tensor<2x8xbf16>)
  // CHECK-SAME: epilogue(%arg2 : tensor<8xf32>) {
  // CHECK-NEXT: ^bb0(%[[SUM:.+]]: tensor<2x8xf32>, %[[BIAS:.+]]: tensor<8xf32>):
  // CHECK: %[[INSIDE:.+]] = tensor.empty() : tensor<2x8xbf16>
  // CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[BIAS]] : {{.*}}) outs(%[[INSIDE]] : tensor<2x8xbf16>)
  // CHECK-NOT: lpu.vector
  // CHECK: return %[[R]]
  %e0 = tensor.empty() : tensor<2x8xf32>
  %e1 = tensor.empty() : tensor<2x8xbf16>
  %c = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = lpu.vector ins(%bias, %c : tensor<8xf32>, tensor<2x8xf32>) outs(%e1 : tensor<2x8xbf16>) {
  ^bb0(%d: tensor<8xf32>, %a: tensor<2x8xf32>, %o: tensor<2x8xbf16>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %d : tensor<2x8xf32>, tensor<8xf32>) outs(%o : tensor<2x8xbf16>) {
    ^bb1(%e: f32, %f: f32, %u: bf16):
      %t = arith.addf %e, %f : f32
      %v = math.tanh %t : f32
      %q = arith.truncf %v : f32 to bf16
      linalg.yield %q : bf16
    } -> tensor<2x8xbf16>
    lpu.yield %s : tensor<2x8xbf16>
  } -> tensor<2x8xbf16>
  return %r : tensor<2x8xbf16>
}

// -----

// A product of two projections: the last one takes it and stays where it is.

// CHECK-LABEL: func.func @two
func.func @two(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %v: tensor<8x16xf32>) -> tensor<2x8xf32> {
  // CHECK: %[[GATE:.+]] = lpu.contract {{.*}} ins(%arg0, %arg1 : {{[^{]*}} -> tensor<2x8xf32>
  // CHECK: lpu.contract {{.*}} ins(%arg0, %arg2 : {{.*}} epilogue(%[[GATE]] : tensor<2x8xf32>) {
  // CHECK-NOT: lpu.vector
  %e = tensor.empty() : tensor<2x8xf32>
  %c = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %v : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = lpu.vector ins(%c, %d : tensor<2x8xf32>, tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) {
  ^bb0(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>, %o: tensor<2x8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<2x8xf32>, tensor<2x8xf32>) outs(%o : tensor<2x8xf32>) {
    ^bb1(%p: f32, %q: f32, %u: f32):
      %t = arith.mulf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<2x8xf32>
    lpu.yield %s : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

// What others need as well stays a tensor.

// CHECK-LABEL: func.func @two_users
// CHECK: lpu.contract
// CHECK-NOT: epilogue
// CHECK: lpu.vector
func.func @two_users(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %e = tensor.empty() : tensor<2x8xf32>
  %c = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = lpu.vector ins(%c : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) {
  ^bb0(%a: tensor<2x8xf32>, %o: tensor<2x8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2x8xf32>) outs(%o : tensor<2x8xf32>) {
    ^bb1(%p: f32, %u: f32):
      %t = arith.negf %p : f32
      linalg.yield %t : f32
    } -> tensor<2x8xf32>
    lpu.yield %s : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return %c, %r : tensor<2x8xf32>, tensor<2x8xf32>
}

// -----

// A sum over the columns needs all of them.

// CHECK-LABEL: func.func @reduction
// CHECK: lpu.contract
// CHECK-NOT: epilogue
// CHECK: lpu.vector
func.func @reduction(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %z: tensor<2xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2x8xf32>
  %c = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = lpu.vector ins(%c : tensor<2x8xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%a: tensor<2x8xf32>, %o: tensor<2xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x8xf32>) outs(%o : tensor<2xf32>) {
    ^bb1(%p: f32, %u: f32):
      %t = arith.addf %p, %u : f32
      linalg.yield %t : f32
    } -> tensor<2xf32>
    lpu.yield %s : tensor<2xf32>
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// Sums onto a value keep it as their destination; a transposition cannot be
// written over them.

// CHECK-LABEL: func.func @onto
// CHECK: lpu.contract {{.*}} outs(%arg2 : tensor<2x8xf32>) epilogue {
// CHECK: lpu.contract
// CHECK-NOT: epilogue
// CHECK: lpu.vector
func.func @onto(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %c0: tensor<2x8xf32>, %y: tensor<8x16xf32>, %c1: tensor<8x8xf32>)
    -> (tensor<2x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<2x8xf32>
  %e1 = tensor.empty() : tensor<8x8xf32>
  %c = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = lpu.vector ins(%c : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) {
  ^bb0(%a: tensor<2x8xf32>, %o: tensor<2x8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2x8xf32>) outs(%o : tensor<2x8xf32>) {
    ^bb1(%p: f32, %u: f32):
      %t = arith.negf %p : f32
      linalg.yield %t : f32
    } -> tensor<2x8xf32>
    lpu.yield %s : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  %d = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%y, %w : tensor<8x16xf32>, tensor<8x16xf32>) outs(%c1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = lpu.vector ins(%d : tensor<8x8xf32>) outs(%e1 : tensor<8x8xf32>) {
  ^bb0(%a: tensor<8x8xf32>, %o: tensor<8x8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
    ^bb1(%p: f32, %u: f32):
      %t = arith.negf %p : f32
      linalg.yield %t : f32
    } -> tensor<8x8xf32>
    lpu.yield %s : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %r, %q : tensor<2x8xf32>, tensor<8x8xf32>
}

// RUN: lpu-opt %s --convert-linalg-to-lpu --canonicalize -split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// Sums start from a fill with +0: no old value. Both operands are arguments, and
// streaming the weight takes fewer bytes.
// CHECK-LABEL: func.func @matmul
func.func @matmul(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> {
  // CHECK-NOT: linalg.fill
  // CHECK: %[[E:.+]] = tensor.empty() : tensor<2x3xf32>
  // CHECK: lpu.contract {{.*}} zero_init} ins(%arg0, %arg1 : tensor<2x4xf32>, tensor<3x4xf32>) outs(%[[E]] : tensor<2x3xf32>)
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xf32>, tensor<3x4xf32>) outs(%z : tensor<2x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>

// The weight stands first: operands change places, so that it is streamed. An
// init that is not zero is accumulated to. Narrow operands are widened exactly.
// CHECK-DAG: #[[$M:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$N:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @weight_first
func.func @weight_first(%w: tensor<3x4xbf16>, %x: tensor<2x4xbf16>, %bias: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // CHECK: %[[V:.+]] = lpu.vector
  // CHECK: lpu.contract {indexing_maps = [#[[$N]], #[[$M]], #{{.*}}], iterator_types = [{{.*}}]} ins(%[[V]], %arg0 : tensor<2x4xbf16>, tensor<3x4xbf16>) outs(%arg2 : tensor<3x2xf32>)
  %e = tensor.empty() : tensor<2x4xbf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x4xbf16>) outs(%e : tensor<2x4xbf16>) {
  ^bb0(%i: bf16, %o: bf16):
    %0 = arith.negf %i : bf16
    linalg.yield %0 : bf16
  } -> tensor<2x4xbf16>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%w, %n : tensor<3x4xbf16>, tensor<2x4xbf16>) outs(%bias : tensor<3x2xf32>) {
  ^bb0(%i: bf16, %j: bf16, %o: f32):
    %wi = arith.extf %i : bf16 to f32
    %wj = arith.extf %j : bf16 to f32
    %m = arith.mulf %wi, %wj : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// The matrix unit has no i64: the general road.
// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<2x4xi64>, %w: tensor<3x4xi64>, %z: tensor<2x3xi64>) -> tensor<2x3xi64> {
  // CHECK: lpu.vector ins(%arg0, %arg1 : tensor<2x4xi64>, tensor<3x4xi64>) outs(%arg2 : tensor<2x3xi64>)
  // CHECK: linalg.generic
  // CHECK: lpu.yield
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xi64>, tensor<3x4xi64>) outs(%z : tensor<2x3xi64>) {
  ^bb0(%i: i64, %j: i64, %o: i64):
    %m = arith.muli %i, %j : i64
    %s = arith.addi %o, %m : i64
    linalg.yield %s : i64
  } -> tensor<2x3xi64>
  return %r : tensor<2x3xi64>
}

// -----

#id = affine_map<(i) -> (i)>

// Tables come in as inputs; a destination that is not read is an empty one.
// CHECK-LABEL: func.func @table
func.func @table(%t: tensor<100xf32>, %i: tensor<3xi64>, %o: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: %[[E:.+]] = tensor.empty() : tensor<3xf32>
  // CHECK: lpu.vector ins(%arg1, %arg0 : tensor<3xi64>, tensor<100xf32>) outs(%[[E]] : tensor<3xf32>)
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<3xi64>, %[[T:.+]]: tensor<100xf32>, %{{.*}}: tensor<3xf32>):
  // CHECK: tensor.extract %[[T]]
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%i : tensor<3xi64>) outs(%o : tensor<3xf32>) {
  ^bb0(%k: i64, %u: f32):
    %n = arith.index_cast %k : i64 to index
    %e = tensor.extract %t[%n] : tensor<100xf32>
    linalg.yield %e : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Calls that stand for an operation. The cache is the destination.
// CHECK-LABEL: func.func @calls
func.func @calls(%q: tensor<1x4x1x16xf32>, %k: tensor<1x2x32x16xf32>, %v: tensor<1x2x32x16xf32>, %m: tensor<1x1x1x32xi1>,
                 %row: tensor<1x2x1x16xf32>, %at: tensor<1xi64>) -> (tensor<1x2x32x16xf32>, tensor<1x4x1x16xf32>) {
  // CHECK: %[[C:.+]] = lpu.scatter {axis = 2 : i64, wrap_negative} ins(%arg4, %arg5 : {{.*}}) outs(%arg1 : tensor<1x2x32x16xf32>)
  // CHECK: lpu.attention {scale = 2.500000e-01 : f32} ins(%arg0, %[[C]], %arg2, %arg3 :
  %c = call @lpu.scatter_0(%k, %at, %row) : (tensor<1x2x32x16xf32>, tensor<1xi64>, tensor<1x2x1x16xf32>) -> tensor<1x2x32x16xf32>
  %o = call @lpu.attention_0(%q, %c, %v, %m) : (tensor<1x4x1x16xf32>, tensor<1x2x32x16xf32>, tensor<1x2x32x16xf32>, tensor<1x1x1x32xi1>) -> tensor<1x4x1x16xf32>
  return %c, %o : tensor<1x2x32x16xf32>, tensor<1x4x1x16xf32>
}
// CHECK-NOT: private
func.func private @lpu.scatter_0(tensor<1x2x32x16xf32>, tensor<1xi64>, tensor<1x2x1x16xf32>) -> tensor<1x2x32x16xf32>
  attributes {lpu.op = "scatter", lpu.axis = 2 : i64, lpu.wrap_negative}
func.func private @lpu.attention_0(tensor<1x4x1x16xf32>, tensor<1x2x32x16xf32>, tensor<1x2x32x16xf32>, tensor<1x1x1x32xi1>) -> tensor<1x4x1x16xf32>
  attributes {lpu.op = "attention", lpu.scale = 0.25 : f64, lpu.causal = false}

// -----

// CHECK-LABEL: func.func @tm_tensor_attention
func.func @tm_tensor_attention(%q: tensor<4x1x16xf32>, %k: tensor<4x32x16xf32>) -> tensor<4x1x16xf32> {
  // CHECK: lpu.attention {scale = 2.500000e-01 : f32} ins({{.*}} : tensor<4x1x1x16xf32>, tensor<4x1x32x16xf32>, tensor<4x1x32x16xf32>)
  // CHECK: tensor.collapse_shape
  %e = tensor.empty() : tensor<4x1x16xf32>
  %r = tm_tensor.attention {scale = 2.5e-1 : f64} ins(%q, %k, %k : tensor<4x1x16xf32>, tensor<4x32x16xf32>, tensor<4x32x16xf32>)
    outs(%e : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
  return %r : tensor<4x1x16xf32>
}

// -----

// A sort reads all of its operands before it writes: they are inputs.
// CHECK-LABEL: func.func @sort
func.func @sort(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: lpu.vector ins(%arg0 : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<8xf32>, %{{.*}}: tensor<8xf32>):
  // CHECK-NEXT: tm_tensor.sort dimension(0) outs(%[[A]] : tensor<8xf32>)
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#a = affine_map<(u, m, n, k) -> (u, m, k)>
#b = affine_map<(u, m, n, k) -> (n, k)>
#c = affine_map<(u, m, n, k) -> (m, u, n)>

// A loop of one trip is no dimension of a contraction, wherever it stands.
// CHECK-DAG: #[[$A:.+]] = affine_map<(d0, d1, d2) -> (0, d0, d2)>
// CHECK-DAG: #[[$C:.+]] = affine_map<(d0, d1, d2) -> (d0, 0, d1)>
// CHECK-LABEL: func.func @unit_loop
func.func @unit_loop(%x: tensor<1x2x4xf32>, %w: tensor<3x4xf32>, %z: tensor<2x1x3xf32>) -> tensor<2x1x3xf32> {
  // CHECK: lpu.contract {indexing_maps = [#[[$A]], #{{.*}}, #[[$C]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x2x4xf32>, tensor<3x4xf32>) outs(%z : tensor<2x1x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x1x3xf32>
  return %r : tensor<2x1x3xf32>
}

// -----

// CHECK-LABEL: func.func @concat
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<2x7xf32> {
  // CHECK: %[[E:.+]] = tensor.empty() : tensor<2x7xf32>
  // CHECK: %[[A:.+]] = tensor.insert_slice %arg0 into %[[E]][0, 0] [2, 3] [1, 1]
  // CHECK: tensor.insert_slice %arg1 into %[[A]][0, 3] [2, 4] [1, 1]
  %c = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  return %c : tensor<2x7xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// An argument of a layer is a weight if it is one in every call: the first
// operand changes from layer to layer and is not streamed, though it is larger.
// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<64x4xf32>, %w: tensor<4x4xf32>) -> tensor<64x4xf32> {
  %0 = call @layer(%x, %w) : (tensor<64x4xf32>, tensor<4x4xf32>) -> tensor<64x4xf32>
  %1 = call @layer(%0, %w) : (tensor<64x4xf32>, tensor<4x4xf32>) -> tensor<64x4xf32>
  return %1 : tensor<64x4xf32>
}
// CHECK-LABEL: func.func private @layer
func.func private @layer(%x: tensor<64x4xf32>, %w: tensor<4x4xf32>) -> tensor<64x4xf32> {
  // CHECK: lpu.contract {{.*}} ins(%arg0, %arg1 : tensor<64x4xf32>, tensor<4x4xf32>)
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<64x4xf32>, tensor<4x4xf32>) outs(%z : tensor<64x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<64x4xf32>
  return %r : tensor<64x4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What only checks positions at which nothing is read any more is gone.
// CHECK-LABEL: func.func @onlyChecks
func.func @onlyChecks(%x: tensor<2xi64>) -> tensor<2xi64> {
  // CHECK-NEXT: return %arg0
  %three = arith.constant 3 : i64
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} ins(%x : tensor<2xi64>) {
  ^bb0(%i: i64):
    %inside = arith.cmpi slt, %i, %three : i64
    cf.assert %inside, "index must be smaller than dim size"
    linalg.yield
  }
  return %x : tensor<2xi64>
}

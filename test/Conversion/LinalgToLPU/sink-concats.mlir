// RUN: lpu-opt %s --lpu-sink-concats -split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>

// Each part is read where it is; the other operand is sliced.
// CHECK-LABEL: func.func @simple
// CHECK-SAME: (%[[A:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<2xf32>, %[[S:.+]]: tensor<6xf32>)
func.func @simple(%a: tensor<4xf32>, %b: tensor<2xf32>, %s: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: %[[S0:.+]] = tensor.extract_slice %[[S]][0] [4] [1]
  // CHECK: %[[R0:.+]] = linalg.generic {{.*}} ins(%[[A]], %[[S0]] : tensor<4xf32>, tensor<4xf32>)
  // CHECK: %[[S1:.+]] = tensor.extract_slice %[[S]][4] [2] [1]
  // CHECK: %[[R1:.+]] = linalg.generic {{.*}} ins(%[[B]], %[[S1]] : tensor<2xf32>, tensor<2xf32>)
  // CHECK: %[[R:.+]] = tensor.concat dim(0) %[[R0]], %[[R1]]
  // CHECK: return %[[R]]
  %c = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  %e = tensor.empty() : tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
    ins(%c, %s : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    linalg.yield %m : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The rotation of halves: what is sliced already is sliced once, and what is
// twice the same is read twice.
// CHECK-LABEL: func.func @rotate_half
// CHECK-SAME: (%[[X:.+]]: tensor<8xf32>, %[[F:.+]]: tensor<4xf32>)
func.func @rotate_half(%x: tensor<8xf32>, %f: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK: %[[X0:.+]] = tensor.extract_slice %[[X]][0] [4] [1]
  // CHECK: %[[X1:.+]] = tensor.extract_slice %[[X]][4] [4] [1]
  // CHECK-NOT: tensor.concat
  // CHECK: linalg.generic {{.*}} ins(%[[X1]], %[[F]], %[[X0]]
  // CHECK: linalg.generic {{.*}} ins(%[[X0]], %[[F]], %[[X1]]
  // CHECK: tensor.concat dim(0)
  %x0 = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %x1 = tensor.extract_slice %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %h = tensor.concat dim(0) %x1, %x0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %ff = tensor.concat dim(0) %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %y = tensor.concat dim(0) %x0, %x1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
    ins(%h, %ff, %y : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %a = arith.addf %m, %k : f32
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#map = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// The user transposes: the result is concatenated along another dimension. An
// operand that does not vary along it stays whole, and positions count on.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%{{.+}}: tensor<2x3xi64>, %{{.+}}: tensor<2x3xi64>, %[[B:.+]]: tensor<3xi64>)
func.func @transposed(%x: tensor<2x3xi64>, %y: tensor<2x3xi64>, %b: tensor<3xi64>) -> tensor<3x4xi64> {
  // CHECK: linalg.generic {{.*}} ins(%arg0, %[[B]]
  // CHECK: linalg.index 1
  // CHECK-NOT: arith.addi %{{.*}} : index
  // CHECK: linalg.generic {{.*}} ins(%arg1, %[[B]]
  // CHECK: %[[I:.+]] = linalg.index 1
  // CHECK: arith.addi %[[I]], %c2{{.*}} : index
  // CHECK: tensor.concat dim(1) {{.*}} : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x4xi64>
  %c = tensor.concat dim(0) %x, %y : (tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<4x3xi64>
  %e = tensor.empty() : tensor<3x4xi64>
  %r = linalg.generic {indexing_maps = [#tr, #row, #map], iterator_types = ["parallel", "parallel"]}
    ins(%c, %b : tensor<4x3xi64>, tensor<3xi64>) outs(%e : tensor<3x4xi64>) {
  ^bb0(%i: i64, %j: i64, %o: i64):
    %at = linalg.index 1 : index
    %n = arith.index_cast %at : index to i64
    %m = arith.muli %i, %n : i64
    %s = arith.addi %m, %j : i64
    linalg.yield %s : i64
  } -> tensor<3x4xi64>
  return %r : tensor<3x4xi64>
}

// -----

#id = affine_map<(i) -> (i)>

// Slices take the concatenation of the results apart again.
// CHECK-LABEL: func.func @slices
func.func @slices(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  // CHECK-NOT: tensor.concat
  // CHECK: %[[R0:.+]] = linalg.generic {{.*}} ins(%arg0
  // CHECK: %[[R1:.+]] = linalg.generic {{.*}} ins(%arg1
  // CHECK-DAG: tensor.extract_slice %[[R0]][1] [3] [1]
  // CHECK-DAG: tensor.extract_slice %[[R1]][0] [2] [3]
  %c = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%c : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = math.exp %i : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %s = tensor.extract_slice %r[1] [3] [1] : tensor<8xf32> to tensor<3xf32>
  %t = tensor.extract_slice %r[4] [2] [3] : tensor<8xf32> to tensor<2xf32>
  return %s, %t : tensor<3xf32>, tensor<2xf32>
}

// -----

// A concatenation inside another one along the same dimension is part of it.
// CHECK-LABEL: func.func @flatten
func.func @flatten(%a: tensor<4xf32>, %b: tensor<2xf32>) -> tensor<10xf32> {
  // CHECK-NEXT: %[[C:.+]] = tensor.concat dim(0) %arg0, %arg1, %arg0
  // CHECK-NEXT: return %[[C]]
  %c = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  %d = tensor.concat dim(0) %c, %a : (tensor<6xf32>, tensor<4xf32>) -> tensor<10xf32>
  return %d : tensor<10xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// A sum reads it whole, so it is made anyway: nothing is split.
// CHECK-LABEL: func.func @reduced
func.func @reduced(%a: tensor<4xf32>, %b: tensor<4xf32>, %z: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  // CHECK: %[[C:.+]] = tensor.concat
  // CHECK: linalg.generic {{.*}} ins(%[[C]] :
  // CHECK: linalg.generic {{.*}} ins(%[[C]] :
  // CHECK-NOT: linalg.generic
  %c = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%c : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = math.exp %i : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]}
    ins(%c : tensor<8xf32>) outs(%z : tensor<f32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.addf %i, %o : f32
    linalg.yield %m : f32
  } -> tensor<f32>
  return %r, %s : tensor<8xf32>, tensor<f32>
}

// -----

#id = affine_map<(i) -> (i)>
#back = affine_map<(i) -> (7 - i)>

// An operand that is read backwards has no slice for a part.
// CHECK-LABEL: func.func @backwards
func.func @backwards(%a: tensor<4xf32>, %b: tensor<4xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: tensor.concat
  // CHECK: linalg.generic
  // CHECK-NOT: linalg.generic
  %c = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #back, #id], iterator_types = ["parallel"]}
    ins(%c, %s : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What reads it beside an operand of unknown size stays whole: its parts have no sizes to slice by.
// CHECK-LABEL: func.func @unknown_size
func.func @unknown_size(%a: tensor<4xf32>, %b: tensor<4xf32>, %s: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: tensor.concat
  // CHECK: linalg.generic
  // CHECK-NOT: linalg.generic
  %c = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
    ins(%c, %s : tensor<8xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

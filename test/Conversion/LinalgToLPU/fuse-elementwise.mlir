// RUN: lpu-opt %s --lpu-fuse-elementwise --cse -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#tr = affine_map<(i, j) -> (j, i)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A weight's transposition becomes a map of the contraction.
// CHECK-DAG: #[[$B:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func @weight
func.func @weight(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>, %init: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$B]], #{{.*}}], {{.*}}} ins(%arg0, %arg1 : tensor<2x4xf32>, tensor<3x4xf32>)
  // CHECK-NOT: linalg.generic
  %e = tensor.empty() : tensor<4x3xf32>
  %t = linalg.generic {indexing_maps = [#tr, #id], iterator_types = ["parallel", "parallel"]}
    ins(%w : tensor<3x4xf32>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4x3xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %t : tensor<2x4xf32>, tensor<4x3xf32>) outs(%init : tensor<2x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A computation does not go into a contraction, which would no longer be one.
// CHECK-LABEL: func.func @contraction
func.func @contraction(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>, %init: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: linalg.generic
  // CHECK-NOT: math.exp
  %e = tensor.empty() : tensor<2x4xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = math.exp %i : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%t, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%init : tensor<2x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// An elementwise operation goes into the reduction that uses it.
// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: tensor<2x4xf32>, %init: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK: arith.addf
  // CHECK-NOT: linalg.generic
  %e = tensor.empty() : tensor<2x4xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %y = math.exp %i : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%t : tensor<2x4xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %i, %o : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>

// Two exponentials of a row do not become eight of its elements.
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%x: tensor<2xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: math.exp
  // CHECK: linalg.yield
  // CHECK: arith.mulf
  %e = tensor.empty() : tensor<2xf32>
  %t = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
    ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %z = math.exp %i : f32
    linalg.yield %z : f32
  } -> tensor<2xf32>
  %f = tensor.empty() : tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%y, %t : tensor<2x4xf32>, tensor<2xf32>) outs(%f : tensor<2x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    linalg.yield %m : f32
  } -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A contraction writes its result transposed.
// CHECK-DAG: #[[$C:.+]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func.func @result
func.func @result(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<3x2xf32> {
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[$C]]]
  // CHECK-NOT: linalg.generic
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%init : tensor<2x3xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  %f = tensor.empty() : tensor<3x2xf32>
  %t = linalg.generic {indexing_maps = [#tr, #id], iterator_types = ["parallel", "parallel"]}
    ins(%r : tensor<2x3xf32>) outs(%f : tensor<3x2xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<3x2xf32>
  return %t : tensor<3x2xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#keep = affine_map<(i, j) -> (i, 0)>

// A kept dimension of size 1 is no operand of its own shape: both programs read
// and write rows.
// CHECK-DAG: #[[$R:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @unit
func.func @unit(%x: tensor<8x4xf32>, %m: tensor<8xf32>) -> tensor<8x4xf32> {
  // CHECK-NOT: tensor.expand_shape
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$R]], #{{.*}}], {{.*}}} ins(%arg0, %arg1 : tensor<8x4xf32>, tensor<8xf32>)
  %k = tensor.expand_shape %m [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #keep, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %k : tensor<8x4xf32>, tensor<8x1xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.subf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A sum of products that are rounded does not become a contraction, where they
// are not.
// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-COUNT-2: linalg.generic
  %e = tensor.empty() : tensor<8x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    linalg.yield %m : f32
  } -> tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
    ins(%p : tensor<8x4xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %i, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What is read at a fixed position is an operand; a computed position, or one
// that lies outside, is not.
// CHECK-LABEL: func.func @extract
// CHECK-SAME: (%[[T:.+]]: tensor<i64>, %[[M:.+]]: tensor<3x8xi64>, %[[X:.+]]: tensor<8xi64>)
func.func @extract(%t: tensor<i64>, %m: tensor<3x8xi64>, %x: tensor<8xi64>) -> tensor<8xi64> {
  // CHECK: linalg.generic {{.*}} ins(%[[X]], %[[T]], %[[M]] : tensor<8xi64>, tensor<i64>, tensor<3x8xi64>)
  // CHECK-NEXT: ^bb0(%[[I:.+]]: i64, %[[A:.+]]: i64, %[[B:.+]]: i64, %{{.+}}: i64):
  // CHECK: tensor.extract %[[M]][%c3, %{{.+}}]
  // CHECK: tensor.extract %[[M]][%{{.+}}, %{{.+}}]
  // CHECK-NOT: tensor.extract
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<8xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%i: i64, %o: i64):
    %at = linalg.index 0 : index
    %a = tensor.extract %t[] : tensor<i64>
    %b = tensor.extract %m[%c2, %at] : tensor<3x8xi64>
    %c = tensor.extract %m[%c3, %at] : tensor<3x8xi64>
    %n = arith.index_cast %i : i64 to index
    %d = tensor.extract %m[%c2, %n] : tensor<3x8xi64>
    %0 = arith.addi %i, %a : i64
    %1 = arith.addi %0, %b : i64
    %2 = arith.addi %1, %c : i64
    %3 = arith.addi %2, %d : i64
    linalg.yield %3 : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// -----

#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
#heads = affine_map<(a, b, c, d) -> (a, c, b, d)>
#one = affine_map<(a) -> (a)>
#none = affine_map<(a) -> ()>

// One row is transposed by reading it in another shape; several are not. A
// scalar becomes a vector of one likewise.
// CHECK-LABEL: func.func @units
func.func @units(%x: tensor<1x1x4x16xf32>, %y: tensor<1x2x4x16xf32>, %t: tensor<i64>)
    -> (tensor<1x4x1x16xf32>, tensor<1x4x2x16xf32>, tensor<1xi64>) {
  // CHECK-DAG: %[[C:.+]] = tensor.collapse_shape %arg0 {{.*}} into tensor<4x16xf32>
  // CHECK-DAG: %[[X:.+]] = tensor.expand_shape %[[C]] {{.*}} into tensor<1x4x1x16xf32>
  // CHECK-DAG: %[[T:.+]] = tensor.expand_shape %arg2 [] output_shape [1]
  // CHECK-DAG: %[[Y:.+]] = linalg.generic {{.*}} ins(%arg1
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[X]], %[[Y]], %[[T]]
  %e = tensor.empty() : tensor<1x4x1x16xf32>
  %0 = linalg.generic {indexing_maps = [#heads, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x : tensor<1x1x4x16xf32>) outs(%e : tensor<1x4x1x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<1x4x1x16xf32>
  %f = tensor.empty() : tensor<1x4x2x16xf32>
  %1 = linalg.generic {indexing_maps = [#heads, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%y : tensor<1x2x4x16xf32>) outs(%f : tensor<1x4x2x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<1x4x2x16xf32>
  %g = tensor.empty() : tensor<1xi64>
  %2 = linalg.generic {indexing_maps = [#none, #one], iterator_types = ["parallel"]}
    ins(%t : tensor<i64>) outs(%g : tensor<1xi64>) {
  ^bb0(%i: i64, %o: i64):
    linalg.yield %i : i64
  } -> tensor<1xi64>
  return %0, %1, %2 : tensor<1x4x1x16xf32>, tensor<1x4x2x16xf32>, tensor<1xi64>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Of two operands that bring dimensions of size 1, one is taken in: a residual
// stream would double them from layer to layer.
// CHECK-LABEL: func.func @unit_operands
func.func @unit_operands(%x: tensor<8x1x4xf32>, %y: tensor<8x4x1xf32>) -> tensor<8x4xf32> {
  // CHECK: iterator_types = ["parallel", "parallel", "parallel"]}
  // CHECK-NOT: linalg.generic
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<8x1x4xf32> into tensor<8x4xf32>
  %b = tensor.collapse_shape %y [[0], [1, 2]] : tensor<8x4x1xf32> into tensor<8x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.subf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// A check makes more of a copy than a movement of data: it stays with its result.

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1, d2) -> (d1, d2)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func @keeps_a_check
// CHECK:         %[[CHECKED:.*]] = linalg.generic
// CHECK:           cf.assert
// CHECK:           linalg.yield
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[CHECKED]]
// CHECK:           arith.addf
func.func @keeps_a_check(%x: tensor<2x4x8xf32>, %table: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %rows = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %inside = arith.cmpi slt, %i, %c4 : index
    cf.assert %inside, "index must be smaller than dim size"
    %value = tensor.extract %table[%i, %j] : tensor<4x8xf32>
    linalg.yield %value : f32
  } -> tensor<4x8xf32>
  %e3 = tensor.empty() : tensor<2x4x8xf32>
  %sum = linalg.generic {indexing_maps = [#id3, #rows, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %rows : tensor<2x4x8xf32>, tensor<4x8xf32>) outs(%e3 : tensor<2x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<2x4x8xf32>
  return %sum : tensor<2x4x8xf32>
}

// -----

#window = affine_map<(i, j) -> (2 * i + j)>
#id = affine_map<(i, j) -> (i, j)>
#first = affine_map<(j) -> (0, j)>
#vector = affine_map<(j) -> (j)>

// Of several places the first alone is read: 4 of 9 elements, which no loop
// over all of them says. The windows stay.
// CHECK-LABEL: func.func @firstPlace
func.func @firstPlace(%x: tensor<9xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<9xf32>)
  // CHECK: linalg.generic
  %e = tensor.empty() : tensor<3x4xf32>
  %w = linalg.generic {indexing_maps = [#window, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<9xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<3x4xf32>
  %f = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#first, #vector], iterator_types = ["parallel"]}
    ins(%w : tensor<3x4xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %n = arith.negf %i : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

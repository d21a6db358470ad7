// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-fuse-vectors))' -split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A root mean square: the sum of squares of a row, and the row divided by it,
// are one program of two phases.
// CHECK-LABEL: func.func @phases
func.func @phases(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // CHECK: lpu.vector ins(%arg0 : tensor<8x64xf32>) outs(%{{.*}} : tensor<8x64xf32>) {
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<8x64xf32>, %{{.*}}: tensor<8x64xf32>):
  // CHECK: %[[S:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[A]] :
  // CHECK: linalg.generic {{.*}} ins(%[[A]], %[[S]] :
  // CHECK-NOT: lpu.vector
  %e = tensor.empty() : tensor<8xf32>
  %s = lpu.vector ins(%x : tensor<8x64xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %o: tensor<8xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
    ^bb1(%i: f32, %acc: f32):
      %m = arith.mulf %i, %i : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    lpu.yield %r : tensor<8xf32>
  } -> tensor<8xf32>
  %g = tensor.empty() : tensor<8x64xf32>
  %d = lpu.vector ins(%x, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%g : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %b: tensor<8xf32>, %o: tensor<8x64xf32>):
    %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<8x64xf32>, tensor<8xf32>) outs(%o : tensor<8x64xf32>) {
    ^bb1(%i: f32, %j: f32, %u: f32):
      %t = arith.divf %i, %j : f32
      linalg.yield %t : f32
    } -> tensor<8x64xf32>
    lpu.yield %r : tensor<8x64xf32>
  } -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// A sum that is used later as well becomes one more result.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK: %[[R:.+]]:2 = lpu.vector ins(%arg0, %arg1 : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64xf32>)
  // CHECK: return %[[R]]#1, %[[R]]#0
  %e = tensor.empty() : tensor<64xf32>
  %s = lpu.vector ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>, %o: tensor<64xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%o : tensor<64xf32>) {
    ^bb1(%i: f32, %j: f32, %u: f32):
      %t = arith.addf %i, %j : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    lpu.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  %d = lpu.vector ins(%s : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: tensor<64xf32>, %o: tensor<64xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%o : tensor<64xf32>) {
    ^bb1(%i: f32, %u: f32):
      %t = math.exp %i : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    lpu.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %s, %d : tensor<64xf32>, tensor<64xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>

// 1024 exponentials are not computed once more for each of 256 rows.
// CHECK-LABEL: func.func @repeated
func.func @repeated(%x: tensor<1024xf32>, %y: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  // CHECK-COUNT-2: lpu.vector
  %e = tensor.empty() : tensor<1024xf32>
  %s = lpu.vector ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: tensor<1024xf32>, %o: tensor<1024xf32>):
    %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%a : tensor<1024xf32>) outs(%o : tensor<1024xf32>) {
    ^bb1(%i: f32, %u: f32):
      %t = math.exp %i : f32
      linalg.yield %t : f32
    } -> tensor<1024xf32>
    lpu.yield %r : tensor<1024xf32>
  } -> tensor<1024xf32>
  %g = tensor.empty() : tensor<256x1024xf32>
  %d = lpu.vector ins(%y, %s : tensor<256x1024xf32>, tensor<1024xf32>) outs(%g : tensor<256x1024xf32>) {
  ^bb0(%a: tensor<256x1024xf32>, %b: tensor<1024xf32>, %o: tensor<256x1024xf32>):
    %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<256x1024xf32>, tensor<1024xf32>) outs(%o : tensor<256x1024xf32>) {
    ^bb1(%i: f32, %j: f32, %u: f32):
      %t = arith.mulf %i, %j : f32
      linalg.yield %t : f32
    } -> tensor<256x1024xf32>
    lpu.yield %r : tensor<256x1024xf32>
  } -> tensor<256x1024xf32>
  return %d : tensor<256x1024xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// A value read at computed positions has to be in memory.
// CHECK-LABEL: func.func @table
func.func @table(%x: tensor<64xf32>, %at: tensor<64xi64>) -> tensor<64xf32> {
  // CHECK-COUNT-2: lpu.vector
  %e = tensor.empty() : tensor<64xf32>
  %s = lpu.vector ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: tensor<64xf32>, %o: tensor<64xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%o : tensor<64xf32>) {
    ^bb1(%i: f32, %u: f32):
      %t = arith.negf %i : f32
      linalg.yield %t : f32
    } -> tensor<64xf32>
    lpu.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  %d = lpu.vector ins(%at, %s : tensor<64xi64>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: tensor<64xi64>, %t: tensor<64xf32>, %o: tensor<64xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<64xi64>) outs(%o : tensor<64xf32>) {
    ^bb1(%i: i64, %u: f32):
      %n = arith.index_cast %i : i64 to index
      %v = tensor.extract %t[%n] : tensor<64xf32>
      linalg.yield %v : f32
    } -> tensor<64xf32>
    lpu.yield %r : tensor<64xf32>
  } -> tensor<64xf32>
  return %d : tensor<64xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>

// A sum that starts from a value still does so inside of its user.
// CHECK-LABEL: func.func @start
func.func @start(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lpu.vector ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<4xf32>)
  // CHECK-NEXT: ^bb0(%[[X:.+]]: tensor<4x8xf32>, %[[INIT:.+]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>):
  // CHECK: ins(%[[X]] : tensor<4x8xf32>) outs(%[[INIT]] : tensor<4xf32>)
  // CHECK-NOT: lpu.vector
  %s = lpu.vector ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4xf32>):
    %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%i: f32, %acc: f32):
      %t = arith.addf %i, %acc : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %d = lpu.vector ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%i: f32, %u: f32):
      %t = math.exp %i : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %d : tensor<4xf32>
}

// -----

#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ikj = affine_map<(i, j, k) -> (i, k, j)>
#i = affine_map<(i, j, k) -> (i)>

// Two sums of one operand in different orders: in one program, one of them
// would be added up in the other's order, and so rounded otherwise.
// CHECK-LABEL: func.func @orders
func.func @orders(%x: tensor<2x5x7xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK-COUNT-2: lpu.vector
  %e = tensor.empty() : tensor<2xf32>
  %s = lpu.vector ins(%x : tensor<2x5x7xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: tensor<2x5x7xf32>, %o: tensor<2xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<2xf32>) -> tensor<2xf32>
    %r = linalg.generic {indexing_maps = [#ijk, #i], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a : tensor<2x5x7xf32>) outs(%f : tensor<2xf32>) {
    ^bb1(%v: f32, %acc: f32):
      %t = arith.addf %v, %acc : f32
      linalg.yield %t : f32
    } -> tensor<2xf32>
    lpu.yield %r : tensor<2xf32>
  } -> tensor<2xf32>
  %d = lpu.vector ins(%x : tensor<2x5x7xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: tensor<2x5x7xf32>, %o: tensor<2xf32>):
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%o : tensor<2xf32>) -> tensor<2xf32>
    %r = linalg.generic {indexing_maps = [#ikj, #i], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a : tensor<2x5x7xf32>) outs(%f : tensor<2xf32>) {
    ^bb1(%v: f32, %acc: f32):
      %m = arith.mulf %v, %v : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<2xf32>
    lpu.yield %r : tensor<2xf32>
  } -> tensor<2xf32>
  return %s, %d : tensor<2xf32>, tensor<2xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>

// Two programs that read the same operands walk them together, over 12
// elements and not over 144.
// CHECK-LABEL: func.func @siblings
// CHECK-COUNT-1: lpu.vector
// CHECK-NOT: lpu.vector
func.func @siblings(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %s = lpu.vector ins(%x, %y : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %o: tensor<3x4xf32>):
    %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3x4xf32>, tensor<3x4xf32>) outs(%o : tensor<3x4xf32>) {
    ^bb1(%v: f32, %w: f32, %u: f32):
      %t = arith.subf %v, %w : f32
      linalg.yield %t : f32
    } -> tensor<3x4xf32>
    lpu.yield %r : tensor<3x4xf32>
  } -> tensor<3x4xf32>
  %d = lpu.vector ins(%y, %x : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %o: tensor<3x4xf32>):
    %r = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3x4xf32>, tensor<3x4xf32>) outs(%o : tensor<3x4xf32>) {
    ^bb1(%v: f32, %w: f32, %u: f32):
      %t = arith.addf %v, %w : f32
      linalg.yield %t : f32
    } -> tensor<3x4xf32>
    lpu.yield %r : tensor<3x4xf32>
  } -> tensor<3x4xf32>
  return %s, %d : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>

// A view of the first result, which the end of the function uses, does not stand
// in the way of the program that moves down.
// CHECK-LABEL: func.func @view_between
// CHECK: %[[R:.+]]:2 = lpu.vector
// CHECK-NOT: lpu.vector
// CHECK: tensor.collapse_shape %[[R]]#1
func.func @view_between(%x: tensor<3x4xf32>) -> (tensor<12xf32>, tensor<3x4xf32>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %s = lpu.vector ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: tensor<3x4xf32>, %o: tensor<3x4xf32>):
    %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x4xf32>) outs(%o : tensor<3x4xf32>) {
    ^bb1(%v: f32, %u: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<3x4xf32>
    lpu.yield %r : tensor<3x4xf32>
  } -> tensor<3x4xf32>
  %view = tensor.collapse_shape %s [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  %d = lpu.vector ins(%s : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%a: tensor<3x4xf32>, %o: tensor<3x4xf32>):
    %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x4xf32>) outs(%o : tensor<3x4xf32>) {
    ^bb1(%v: f32, %u: f32):
      %t = arith.mulf %v, %v : f32
      linalg.yield %t : f32
    } -> tensor<3x4xf32>
    lpu.yield %r : tensor<3x4xf32>
  } -> tensor<3x4xf32>
  return %view, %d : tensor<12xf32>, tensor<3x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Four sums, each of what the one before it gave, take all phases of a program.
// What only they read is computed in all four.
// CHECK-LABEL: func.func @four_phases
func.func @four_phases(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  // CHECK: lpu.vector ins(%arg0
  // CHECK-NOT: lpu.vector
  %e0 = tensor.empty() : tensor<8x64xf32>
  %d = lpu.vector ins(%x : tensor<8x64xf32>) outs(%e0 : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %o: tensor<8x64xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x64xf32>) outs(%o : tensor<8x64xf32>) {
    ^bb1(%i: f32, %u: f32):
      %t = arith.addf %i, %i : f32
      linalg.yield %t : f32
    } -> tensor<8x64xf32>
    lpu.yield %r : tensor<8x64xf32>
  } -> tensor<8x64xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %s = lpu.vector ins(%d : tensor<8x64xf32>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %o: tensor<8xf32>):
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %s0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %acc: f32):
      %t = arith.addf %i, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    %s1 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %s0 : tensor<8x64xf32>, tensor<8xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %j: f32, %acc: f32):
      %m = arith.mulf %i, %j : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    %s2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %s1 : tensor<8x64xf32>, tensor<8xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %j: f32, %acc: f32):
      %m = arith.mulf %i, %j : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    %s3 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %s2 : tensor<8x64xf32>, tensor<8xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %j: f32, %acc: f32):
      %m = arith.mulf %i, %j : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    lpu.yield %s3 : tensor<8xf32>
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Elements are stored behind the last sum, and there is no phase left for that.
// CHECK-LABEL: func.func @no_phase_to_store
func.func @no_phase_to_store(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  // CHECK: %[[D:.+]] = lpu.vector ins(%arg0
  // CHECK: %[[S:.+]] = lpu.vector ins(%[[D]]
  // CHECK: return %[[D]], %[[S]]
  %e0 = tensor.empty() : tensor<8x64xf32>
  %d = lpu.vector ins(%x : tensor<8x64xf32>) outs(%e0 : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %o: tensor<8x64xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x64xf32>) outs(%o : tensor<8x64xf32>) {
    ^bb1(%i: f32, %u: f32):
      %t = arith.addf %i, %i : f32
      linalg.yield %t : f32
    } -> tensor<8x64xf32>
    lpu.yield %r : tensor<8x64xf32>
  } -> tensor<8x64xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %s = lpu.vector ins(%d : tensor<8x64xf32>) outs(%e1 : tensor<8xf32>) {
  ^bb0(%a: tensor<8x64xf32>, %o: tensor<8xf32>):
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %s0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %acc: f32):
      %t = arith.addf %i, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    %s1 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %s0 : tensor<8x64xf32>, tensor<8xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %j: f32, %acc: f32):
      %m = arith.mulf %i, %j : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    %s2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %s1 : tensor<8x64xf32>, tensor<8xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %j: f32, %acc: f32):
      %m = arith.mulf %i, %j : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    %s3 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %s2 : tensor<8x64xf32>, tensor<8xf32>) outs(%zero : tensor<8xf32>) {
    ^bb1(%i: f32, %j: f32, %acc: f32):
      %m = arith.mulf %i, %j : f32
      %t = arith.addf %m, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    lpu.yield %s3 : tensor<8xf32>
  } -> tensor<8xf32>
  return %d, %s : tensor<8x64xf32>, tensor<8xf32>
}

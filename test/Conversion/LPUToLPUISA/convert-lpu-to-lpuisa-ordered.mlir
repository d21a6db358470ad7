// RUN: lpu-opt %s --convert-lpu-to-lpuisa --split-input-file | FileCheck %s

#lmu = #lpu.space<lmu>

// A running sum of columns: the accumulator is carried down each of them, and
// the first value is the first element.

// CHECK-LABEL: lpuisa.program @scan
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK-NEXT:      views [<lmu, f32, [8, 4], [1, 0], 256>,
// CHECK-NEXT:             <lmu, f32, [8, 4], [1, 8], 0>,
// CHECK:           %[[A:.+]] = lpuisa.micro carry
// CHECK:           %[[X:.+]] = lpuisa.micro load[1] : f32
// CHECK:           %[[S:.+]] = lpuisa.micro add_f(%[[A]], %[[X]])
// CHECK:           %[[Y:.+]] = lpuisa.micro select(%{{.+}}, %[[X]], %[[S]])
// CHECK-NEXT:      lpuisa.micro store[{{[0-9]}}](%[[Y]])
// CHECK-NEXT:      lpuisa.micro next(%[[A]], %[[Y]])
func.func @scan() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x8xf32, #lmu>
  %y = memref.alloc() {lpu.address = 128 : i64} : memref<4x8xf32, #lmu>
  %l = memref.alloc() {lpu.address = 256 : i64} : memref<8xf32, #lmu>
  lpu.vector ins(%x : memref<4x8xf32, #lmu>) outs(%y, %l : memref<4x8xf32, #lmu>, memref<8xf32, #lmu>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>, %last: tensor<8xf32>):
    %r:2 = tm_tensor.scan dimension(0) inclusive(true)
        ins(%a : tensor<4x8xf32>) outs(%o, %last : tensor<4x8xf32>, tensor<8xf32>) {
    ^bb1(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tm_tensor.yield %s : f32
    } -> tensor<4x8xf32>, tensor<8xf32>
    lpu.yield %r#0, %r#1 : tensor<4x8xf32>, tensor<8xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// Additions at computed positions, in order.

// CHECK-LABEL: lpuisa.program @scatter
// CHECK:         lpuisa.vec rank 1 parallel 0
// CHECK:           lpuisa.micro assert<index>(%{{.+}}) "index is out of bounds for dimension 0 with size 8"
// CHECK:           lpuisa.micro scatter<add_f>
func.func @scatter() {
  %u = memref.alloc() {lpu.address = 0 : i64} : memref<3xf32, #lmu>
  %i = memref.alloc() {lpu.address = 64 : i64} : memref<3x1xi32, #lmu>
  %y = memref.alloc() {lpu.address = 128 : i64} : memref<8xf32, #lmu>
  lpu.vector ins(%u, %i : memref<3xf32, #lmu>, memref<3x1xi32, #lmu>) outs(%y : memref<8xf32, #lmu>) {
  ^bb0(%a: tensor<3xf32>, %at: tensor<3x1xi32>, %o: tensor<8xf32>):
    %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
        ins(%a, %at : tensor<3xf32>, tensor<3x1xi32>) outs(%o : tensor<8xf32>) {
    ^bb1(%new: f32, %old: f32):
      %s = arith.addf %new, %old : f32
      tm_tensor.yield %s : f32
    } -> tensor<8xf32>
    lpu.yield %r : tensor<8xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// A sort counts for each element those before it, and puts it there.

// CHECK-LABEL: lpuisa.program @sort
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK:           %[[N:.+]] = lpuisa.micro ext_u(%{{.+}}) : (i1) -> i64
// CHECK-NEXT:      %[[P:.+]] = lpuisa.micro reduce<add_i>(%[[N]])
// CHECK:           lpuisa.rows
// CHECK:           lpuisa.micro scatter<set>
func.func @sort() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<8xf32, #lmu>
  %y = memref.alloc() {lpu.address = 64 : i64} : memref<8xf32, #lmu>
  lpu.vector ins(%x : memref<8xf32, #lmu>) outs(%y : memref<8xf32, #lmu>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %r = tm_tensor.sort dimension(0) outs(%a : tensor<8xf32>) {
    ^bb1(%p: f32, %q: f32):
      %c = arith.cmpf ole, %p, %q : f32
      tm_tensor.yield %c : i1
    } -> tensor<8xf32>
    lpu.yield %r : tensor<8xf32>
  }
  return
}

// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-stage-operands))' -split-input-file | FileCheck %s

// Activations come on chip and results leave it; the weight is streamed.
// CHECK-LABEL: func.func @contract
func.func @contract(%x: memref<1x64xf32, #lpu.space<arg>>, %w: memref<128x64xf32, #lpu.space<arg>>,
                    %y: memref<1x128xf32, #lpu.space<arg>>) {
  // CHECK: %[[X:.+]] = memref.alloc() : memref<1x64xf32, #lpu.space<lmu>>
  // CHECK: lpu.copy ins(%arg0 : {{.*}}) outs(%[[X]] :
  // CHECK: %[[Y:.+]] = memref.alloc() : memref<1x128xf32, #lpu.space<lmu>>
  // CHECK-NOT: lpu.copy
  // CHECK: lpu.contract {{.*}} ins(%[[X]], %arg1 : {{.*}}) outs(%[[Y]] :
  // CHECK: lpu.copy ins(%[[Y]] : {{.*}}) outs(%arg2 :
  lpu.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : memref<1x64xf32, #lpu.space<arg>>, memref<128x64xf32, #lpu.space<arg>>)
    outs(%y : memref<1x128xf32, #lpu.space<arg>>)
  return
}

// -----

// A result that is accumulated to is loaded first.
// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%x: memref<1x64xf32, #lpu.space<lmu>>, %w: memref<128x64xf32, #lpu.space<arg>>,
                      %y: memref<1x128xf32, #lpu.space<arg>>) {
  // CHECK: lpu.copy ins(%arg2 : {{.*}}) outs(%[[Y:.+]] :
  // CHECK: lpu.contract {{.*}} outs(%[[Y]] :
  // CHECK: lpu.copy ins(%[[Y]] : {{.*}}) outs(%arg2 :
  lpu.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : memref<1x64xf32, #lpu.space<lmu>>, memref<128x64xf32, #lpu.space<arg>>)
    outs(%y : memref<1x128xf32, #lpu.space<arg>>)
  return
}

// -----

// A table stays in HBM: of an embedding only some rows are read.
// CHECK-LABEL: func.func @table
func.func @table(%t: memref<100xf32, #lpu.space<arg>>, %i: memref<3xi64, #lpu.space<lmu>>, %o: memref<3xf32, #lpu.space<lmu>>) {
  // CHECK-NOT: lpu.copy
  // CHECK: lpu.vector ins(%arg1, %arg0
  lpu.vector ins(%i, %t : memref<3xi64, #lpu.space<lmu>>, memref<100xf32, #lpu.space<arg>>) outs(%o : memref<3xf32, #lpu.space<lmu>>) {
  ^bb0(%a: tensor<3xi64>, %b: tensor<100xf32>, %c: tensor<3xf32>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<3xi64>) outs(%c : tensor<3xf32>) {
    ^bb0(%k: i64, %u: f32):
      %n = arith.index_cast %k : i64 to index
      %e = tensor.extract %b[%n] : tensor<100xf32>
      linalg.yield %e : f32
    } -> tensor<3xf32>
    lpu.yield %r : tensor<3xf32>
  }
  return
}

// -----

// What would fill more than a quarter of the chip stays in HBM as well.
module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: func.func @large
  func.func @large(%x: memref<512xf32, #lpu.space<arg>>, %o: memref<512xf32, #lpu.space<arg>>) {
    // CHECK-NEXT: lpu.vector ins(%arg0 : {{.*}}) outs(%arg1 :
    lpu.vector ins(%x : memref<512xf32, #lpu.space<arg>>) outs(%o : memref<512xf32, #lpu.space<arg>>) {
    ^bb0(%a: tensor<512xf32>, %c: tensor<512xf32>):
      lpu.yield %a : tensor<512xf32>
    }
    return
  }
}

// -----

// Where rows are written stands on chip, the rows and their table stay.
// CHECK-LABEL: func.func @scatter
func.func @scatter(%rows: memref<1x64xf32, #lpu.space<arg>>, %at: memref<1xi64, #lpu.space<arg>>,
                   %table: memref<8x64xf32, #lpu.space<arg>>) {
  // CHECK: %[[AT:.+]] = memref.alloc() : memref<1xi64, #lpu.space<lmu>>
  // CHECK: lpu.copy ins(%arg1 : {{.*}}) outs(%[[AT]] :
  // CHECK-NOT: lpu.copy
  // CHECK: lpu.scatter {{.*}} ins(%arg0, %[[AT]] : {{.*}}) outs(%arg2 :
  lpu.scatter {axis = 0 : i64} ins(%rows, %at : memref<1x64xf32, #lpu.space<arg>>, memref<1xi64, #lpu.space<arg>>)
    outs(%table : memref<8x64xf32, #lpu.space<arg>>)
  return
}

// RUN: lpu-opt %s --lpu-tile-contractions --lpu-materialize-temporaries -split-input-file | FileCheck %s

// An epilogue long enough to be worth cutting: 64 columns of 64 take the memory
// unit 64 * 64 * 4 / 64 = 256 cycles, exp(tanh) takes the vector unit
// 64 * (4 + 4 + 1) / 8 = 72. The sums lie in the destination.

// CHECK-LABEL: func.func @epilogue
// CHECK-NOT: memref.alloc
// CHECK: lpu.contract {{.*}}tiling = #lpu.tiling<dim = 1, size = {{[0-9]+}}>
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @epilogue(%x: memref<1x64xf32, #lpu.space<lmu>>, %w: memref<64x64xf32, #lpu.space<arg>>, %y: memref<1x64xf32, #lpu.space<lmu>>) {
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : memref<1x64xf32, #lpu.space<lmu>>, memref<64x64xf32, #lpu.space<arg>>) outs(%y : memref<1x64xf32, #lpu.space<lmu>>)
    epilogue {
  ^bb0(%a: tensor<1x64xf32>):
    %o0 = tensor.empty() : tensor<1x64xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<1x64xf32>) outs(%o0 : tensor<1x64xf32>) {
    ^bb1(%p: f32, %u: f32):
      %t = math.tanh %p : f32
      %v = math.exp %t : f32
      linalg.yield %v : f32
    } -> tensor<1x64xf32>
    lpu.yield %s : tensor<1x64xf32>
  }
  return
}
}

// -----

// Alone, and for one pass, a product is one piece.

// CHECK-LABEL: func.func @alone
// CHECK-NOT: tiling
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @alone(%x: memref<1x64xf32, #lpu.space<lmu>>, %w: memref<64x64xf32, #lpu.space<arg>>, %y: memref<1x64xf32, #lpu.space<lmu>>) {
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : memref<1x64xf32, #lpu.space<lmu>>, memref<64x64xf32, #lpu.space<arg>>) outs(%y : memref<1x64xf32, #lpu.space<lmu>>)
  return
}
}

// -----

// Four passes over 16384 bytes at 8 bytes a cycle are 8192 cycles; once, 2048. A
// quarter of the on-chip memory holds three tiles.

// CHECK-LABEL: func.func @rows
// CHECK: %[[T:.+]] = memref.alloc() : memref<{{[0-9]+}}xi8, #lpu.space<lmu>>
// CHECK: lpu.contract {{.*}}tiling = #lpu.tiling<dim = 1, size = {{[0-9]+}}, staged = true>
// CHECK-SAME: temporary(%[[T]] :
module attributes {lpu.machine = #lpu.machine<{base = "tiny", hbm_gbps = 8.0}>} {
func.func @rows(%x: memref<16x64xf32, #lpu.space<lmu>>, %w: memref<64x64xf32, #lpu.space<arg>>, %y: memref<16x64xf32, #lpu.space<lmu>>) {
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : memref<16x64xf32, #lpu.space<lmu>>, memref<64x64xf32, #lpu.space<arg>>) outs(%y : memref<16x64xf32, #lpu.space<lmu>>)
  return
}
}

// -----

// Columns that are windows on the streamed operand cannot be brought in tiles.

// CHECK-LABEL: func.func @windows
// CHECK-NOT: staged
module attributes {lpu.machine = #lpu.machine<{base = "tiny", hbm_gbps = 8.0}>} {
func.func @windows(%f: memref<16x3xf32, #lpu.space<lmu>>, %x: memref<34xf32, #lpu.space<arg>>, %y: memref<16x32xf32, #lpu.space<lmu>>) {
  lpu.contract {indexing_maps = [affine_map<(o, i, k) -> (o, k)>, affine_map<(o, i, k) -> (i + k)>, affine_map<(o, i, k) -> (o, i)>],
                iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%f, %x : memref<16x3xf32, #lpu.space<lmu>>, memref<34xf32, #lpu.space<arg>>) outs(%y : memref<16x32xf32, #lpu.space<lmu>>)
  return
}
}

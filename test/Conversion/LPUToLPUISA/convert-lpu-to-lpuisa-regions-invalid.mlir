// RUN: lpu-opt %s --convert-lpu-to-lpuisa -split-input-file -verify-diagnostics

// What of contractions with regions becomes no instructions.

module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @no_temporary(%w: memref<16x32xf32, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<2x16xf32, #lpu.space<lmu>>
  %b = memref.alloc() {lpu.address = 128 : i64} : memref<16xf32, #lpu.space<lmu>>
  %x = memref.alloc() {lpu.address = 192 : i64} : memref<2x32xf32, #lpu.space<lmu>>
  // expected-error @below {{has no temporary; expected one of 128 bytes (run lpu-materialize-temporaries)}}
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 8, own_sums = true>}
    ins(%x, %w : memref<2x32xf32, #lpu.space<lmu>>, memref<16x32xf32, #lpu.space<arg>>) outs(%y : memref<2x16xf32, #lpu.space<lmu>>)
    epilogue(%b : memref<16xf32, #lpu.space<lmu>>) {
  ^bb0(%a: tensor<2x16xf32>, %d: tensor<16xf32>):
    %o0 = tensor.empty() : tensor<2x16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %d : tensor<2x16xf32>, tensor<16xf32>) outs(%o0 : tensor<2x16xf32>) {
    ^bb1(%e: f32, %f: f32, %u: f32):
      %t = arith.addf %e, %f : f32
      %v = math.tanh %t : f32
      linalg.yield %v : f32
    } -> tensor<2x16xf32>
    lpu.yield %s : tensor<2x16xf32>
  }
  return
}
}

// -----

module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @small_temporary(%w: memref<16x32xf32, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<2x16xf32, #lpu.space<lmu>>
  %b = memref.alloc() {lpu.address = 128 : i64} : memref<16xf32, #lpu.space<lmu>>
  %x = memref.alloc() {lpu.address = 192 : i64} : memref<2x32xf32, #lpu.space<lmu>>
  %room = memref.alloc() {lpu.address = 512 : i64} : memref<64xi8, #lpu.space<lmu>>
  // expected-error @below {{has a temporary of 64 bytes; expected at least 128}}
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 8, own_sums = true>}
    ins(%x, %w : memref<2x32xf32, #lpu.space<lmu>>, memref<16x32xf32, #lpu.space<arg>>) outs(%y : memref<2x16xf32, #lpu.space<lmu>>)
    temporary(%room : memref<64xi8, #lpu.space<lmu>>) epilogue(%b : memref<16xf32, #lpu.space<lmu>>) {
  ^bb0(%a: tensor<2x16xf32>, %d: tensor<16xf32>):
    %o0 = tensor.empty() : tensor<2x16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %d : tensor<2x16xf32>, tensor<16xf32>) outs(%o0 : tensor<2x16xf32>) {
    ^bb1(%e: f32, %f: f32, %u: f32):
      %t = arith.addf %e, %f : f32
      %v = math.tanh %t : f32
      linalg.yield %v : f32
    } -> tensor<2x16xf32>
    lpu.yield %s : tensor<2x16xf32>
  }
  return
}
}

// -----

// The epilogue passes its sums through: there is no program that could be cut.
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @no_cut(%w: memref<16x32xf32, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<1x16xf32, #lpu.space<lmu>>
  %x = memref.alloc() {lpu.address = 128 : i64} : memref<1x32xf32, #lpu.space<lmu>>
  // expected-error @below {{cannot be cut at dimension 1}}
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 8>}
    ins(%x, %w : memref<1x32xf32, #lpu.space<lmu>>, memref<16x32xf32, #lpu.space<arg>>) outs(%y : memref<1x16xf32, #lpu.space<lmu>>)
    epilogue {
  ^bb0(%a: tensor<1x16xf32>):
    lpu.yield %a : tensor<1x16xf32>
  }
  return
}
}

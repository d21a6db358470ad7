// RUN: lpu-opt %s --convert-lpu-to-lpuisa -split-input-file | FileCheck %s

// How contractions with regions become tiles of instructions.

// One row of 16 columns in two tiles of 8. The sums of the first are finished
// where they are, in the destination, before the second is asked for.

// CHECK-LABEL: lpuisa.program @in_place
// CHECK:      lpuisa.stream <arg[0], f32, [8, 32], [32, 1], 0> passes 1
// CHECK-NEXT: lpuisa.mm <lmu, f32, [8], [1], 0> =
// CHECK-NEXT: lpuisa.vec
// CHECK-NEXT: views [<lmu, f32, [8], [1], 0>,
// CHECK-NEXT:        <lmu, f32, [8], [1], 64>] {
// CHECK:        tanh_f
// CHECK:      lpuisa.stream <arg[0], f32, [8, 32], [32, 1], 1024> passes 1
// CHECK-NEXT: lpuisa.mm <lmu, f32, [8], [1], 32> =
// CHECK-NEXT: lpuisa.vec
// CHECK-NEXT: views [<lmu, f32, [8], [1], 32>,
// CHECK-NEXT:        <lmu, f32, [8], [1], 96>] {
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @in_place(%w: memref<16x32xf32, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<1x16xf32, #lpu.space<lmu>>
  %b = memref.alloc() {lpu.address = 64 : i64} : memref<16xf32, #lpu.space<lmu>>
  %x = memref.alloc() {lpu.address = 128 : i64} : memref<1x32xf32, #lpu.space<lmu>>
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 8>}
    ins(%x, %w : memref<1x32xf32, #lpu.space<lmu>>, memref<16x32xf32, #lpu.space<arg>>) outs(%y : memref<1x16xf32, #lpu.space<lmu>>)
    epilogue(%b : memref<16xf32, #lpu.space<lmu>>) {
  ^bb0(%a: tensor<1x16xf32>, %d: tensor<16xf32>):
    %o0 = tensor.empty() : tensor<1x16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a, %d : tensor<1x16xf32>, tensor<16xf32>) outs(%o0 : tensor<1x16xf32>) {
    ^bb1(%e: f32, %f: f32, %u: f32):
      %t = arith.addf %e, %f : f32
      %v = math.tanh %t : f32
      linalg.yield %v : f32
    } -> tensor<1x16xf32>
    lpu.yield %s : tensor<1x16xf32>
  }
  return
}
}

// -----

// Two rows: sums of their own, 2 x 8 numbers a tile in the halves of the
// temporary, 64 bytes each.

// CHECK-LABEL: lpuisa.program @own_sums
// CHECK:      lpuisa.mm <lmu, f32, [2, 8], [8, 1], 512> =
// CHECK-NEXT: lpuisa.vec
// CHECK-NEXT: views [<lmu, f32, [2, 8], [8, 1], 512>,
// CHECK-NEXT:        <lmu, f32, [2, 8], [0, 1], 128>,
// CHECK-NEXT:        <lmu, f32, [2, 8], [16, 1], 0>] {
// CHECK:      lpuisa.mm <lmu, f32, [2, 8], [8, 1], 576> =
// CHECK-NEXT: lpuisa.vec
// CHECK-NEXT: views [<lmu, f32, [2, 8], [8, 1], 576>,
// CHECK-NEXT:        <lmu, f32, [2, 8], [0, 1], 160>,
// CHECK-NEXT:        <lmu, f32, [2, 8], [16, 1], 32>] {
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @own_sums(%w: memref<16x32xf32, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<2x16xf32, #lpu.space<lmu>>
  %b = memref.alloc() {lpu.address = 128 : i64} : memref<16xf32, #lpu.space<lmu>>
  %x = memref.alloc() {lpu.address = 192 : i64} : memref<2x32xf32, #lpu.space<lmu>>
  %room = memref.alloc() {lpu.address = 512 : i64} : memref<128xi8, #lpu.space<lmu>>
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 8, own_sums = true>}
    ins(%x, %w : memref<2x32xf32, #lpu.space<lmu>>, memref<16x32xf32, #lpu.space<arg>>) outs(%y : memref<2x16xf32, #lpu.space<lmu>>)
    temporary(%room : memref<128xi8, #lpu.space<lmu>>) epilogue(%b : memref<16xf32, #lpu.space<lmu>>) {
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

// Six rows take two passes of four. Tiles of 4 columns of 32, 512 bytes each,
// take turns in three places of the temporary; tile 2 is brought when tile 0 is
// on its way, tile 3 to where tile 0 was.

// CHECK-LABEL: lpuisa.program @staged
// CHECK:      lpuisa.copy <lmu, f32, [128], [1], 2048> = <arg[0], f32, [128], [1], 0>
// CHECK-NEXT: lpuisa.copy <lmu, f32, [128], [1], 2560> = <arg[0], f32, [128], [1], 512>
// CHECK-NEXT: lpuisa.stream <lmu, f32, [4, 32], [32, 1], 2048> passes 2
// CHECK-NEXT: lpuisa.mm <lmu, f32, [6, 4], [16, 1], 0> =
// CHECK-NEXT: lpuisa.copy <lmu, f32, [128], [1], 3072> = <arg[0], f32, [128], [1], 1024>
// CHECK-NEXT: lpuisa.stream <lmu, f32, [4, 32], [32, 1], 2560> passes 2
// CHECK-NEXT: lpuisa.mm <lmu, f32, [6, 4], [16, 1], 16> =
// CHECK-NEXT: lpuisa.copy <lmu, f32, [128], [1], 2048> = <arg[0], f32, [128], [1], 1536>
// CHECK-NEXT: lpuisa.stream <lmu, f32, [4, 32], [32, 1], 3072> passes 2
// CHECK-NEXT: lpuisa.mm
// CHECK-NEXT: lpuisa.stream <lmu, f32, [4, 32], [32, 1], 2048> passes 2
// CHECK-NEXT: lpuisa.mm
// CHECK-NEXT: lpuisa.halt
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @staged(%w: memref<16x32xf32, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<6x16xf32, #lpu.space<lmu>>
  %x = memref.alloc() {lpu.address = 1024 : i64} : memref<6x32xf32, #lpu.space<lmu>>
  %room = memref.alloc() {lpu.address = 2048 : i64} : memref<1536xi8, #lpu.space<lmu>>
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 4, staged = true>}
    ins(%x, %w : memref<6x32xf32, #lpu.space<lmu>>, memref<16x32xf32, #lpu.space<arg>>) outs(%y : memref<6x16xf32, #lpu.space<lmu>>)
    temporary(%room : memref<1536xi8, #lpu.space<lmu>>)
  return
}
}

// -----

// A weight rounded to bf16: the vector unit reads tiles in HBM and puts them into
// the temporary, 8 x 32 x 2 = 512 bytes each, from where they are streamed.

// CHECK-LABEL: lpuisa.program @prologue
// CHECK:      lpuisa.vec
// CHECK-NEXT: views [<arg[0], f32, [256], [1], 0>,
// CHECK-NEXT:        <lmu, bf16, [256], [1], 2048>] {
// CHECK:      lpuisa.vec
// CHECK-NEXT: views [<arg[0], f32, [256], [1], 1024>,
// CHECK-NEXT:        <lmu, bf16, [256], [1], 2560>] {
// CHECK:      lpuisa.stream <lmu, bf16, [8, 32], [32, 1], 2048> passes 1
// CHECK-NEXT: lpuisa.mm <lmu, bf16, [2, 8], [16, 1], 0> =
// CHECK-NEXT: lpuisa.stream <lmu, bf16, [8, 32], [32, 1], 2560> passes 1
// CHECK-NEXT: lpuisa.mm <lmu, bf16, [2, 8], [16, 1], 16> =
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
func.func @prologue(%w: memref<16x32xf32, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<2x16xbf16, #lpu.space<lmu>>
  %x = memref.alloc() {lpu.address = 64 : i64} : memref<2x32xbf16, #lpu.space<lmu>>
  %room = memref.alloc() {lpu.address = 2048 : i64} : memref<1024xi8, #lpu.space<lmu>>
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 8>}
    ins(%x, %w : memref<2x32xbf16, #lpu.space<lmu>>, memref<16x32xf32, #lpu.space<arg>>) outs(%y : memref<2x16xbf16, #lpu.space<lmu>>)
    temporary(%room : memref<1024xi8, #lpu.space<lmu>>) prologue {
  ^bb0(%a: tensor<16x32xf32>):
    %o0 = tensor.empty() : tensor<16x32xbf16>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x32xf32>) outs(%o0 : tensor<16x32xbf16>) {
    ^bb1(%p: f32, %u: bf16):
      %t = arith.truncf %p : f32 to bf16
      linalg.yield %t : bf16
    } -> tensor<16x32xbf16>
    lpu.yield %s : tensor<16x32xbf16>
  }
  return
}
}

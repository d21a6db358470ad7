// RUN: lpu-opt %s --convert-lpu-to-lpuisa --split-input-file | FileCheck %s

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// A linear layer: weights [n, k] are streamed from where they are. Eight rows
// fit one pass of the default machine, nine take two.

// CHECK-LABEL: lpuisa.program @linear
// CHECK:         lpuisa.stream <arg[0], f32, [128, 64], [64, 1], 0> passes 1
// CHECK-NEXT:    lpuisa.mm <lmu, f32, [8, 128], [128, 1], 4096>
// CHECK-SAME:      = <lmu, f32, [8, 64], [64, 1], 0>
// CHECK-SAME:      * <arg[0], f32, [128, 64], [64, 1], 0> batch 0 rows 1 cols 1 depth 1
// CHECK-NOT:       accumulate
// CHECK:         lpuisa.stream <arg[0], f32, [128, 64], [64, 1], 0> passes 2
// CHECK-NEXT:    lpuisa.mm {{.*}} batch 0 rows 1 cols 1 depth 1 accumulate
func.func @linear(%w: memref<128x64xf32, #arg>) {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<8x64xf32, #lmu>
  %y = memref.alloc() {lpu.address = 4096 : i64} : memref<8x128xf32, #lmu>
  %a = memref.alloc() {lpu.address = 8192 : i64} : memref<9x64xf32, #lmu>
  %b = memref.alloc() {lpu.address = 16384 : i64} : memref<9x128xf32, #lmu>
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : memref<8x64xf32, #lmu>, memref<128x64xf32, #arg>) outs(%y : memref<8x128xf32, #lmu>)
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %w : memref<9x64xf32, #lmu>, memref<128x64xf32, #arg>) outs(%b : memref<9x128xf32, #lmu>)
  return
}

// -----

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// A transposed weight [k, n] and a batch: strides say so, nothing is moved.

// CHECK-LABEL: lpuisa.program @transposed
// CHECK:         lpuisa.stream <arg[0], bf16, [2, 16, 32], [512, 1, 16], 0> passes 1
// CHECK-NEXT:    lpuisa.mm <lmu, bf16, [2, 4, 16], [64, 16, 1], 1024>
// CHECK-SAME:      = <lmu, bf16, [2, 4, 32], [128, 32, 1], 0>
// CHECK-SAME:      batch 1 rows 1 cols 1 depth 1
func.func @transposed(%w: memref<2x32x16xbf16, #arg>) {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<2x4x32xbf16, #lmu>
  %y = memref.alloc() {lpu.address = 1024 : i64} : memref<2x4x16xbf16, #lmu>
  lpu.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
                iterator_types = ["parallel", "parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : memref<2x4x32xbf16, #lmu>, memref<2x32x16xbf16, #arg>) outs(%y : memref<2x4x16xbf16, #lmu>)
  return
}

// -----

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// A convolution of stride 2: rows are places, depth is channel and window. The
// weight walks its depth as one, the image does not.

// CHECK-LABEL: lpuisa.program @convolution
// CHECK:         lpuisa.stream <arg[0], f32, [4, 3, 3, 3], [27, 9, 3, 1], 0> passes 2
// CHECK-NEXT:    lpuisa.mm <lmu, f32, [4, 4, 4], [4, 1, 16], 1024>
// CHECK-SAME:      = <lmu, f32, [4, 4, 3, 3, 3], [18, 2, 81, 9, 1], 0>
// CHECK-SAME:      batch 0 rows 2 cols 1 depth 3
func.func @convolution(%w: memref<4x3x3x3xf32, #arg>) {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<1x3x9x9xf32, #lmu>
  %y = memref.alloc() {lpu.address = 1024 : i64} : memref<1x4x4x4xf32, #lmu>
  lpu.contract {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h * 2 + i, w * 2 + j)>,
                                 affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>,
                                 affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
                iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"], zero_init}
    ins(%x, %w : memref<1x3x9x9xf32, #lmu>, memref<4x3x3x3xf32, #arg>) outs(%y : memref<1x4x4x4xf32, #lmu>)
  return
}

// -----

#lmu = #lpu.space<lmu>

// Without depth there is nothing to sum: zeros.

// CHECK-LABEL: lpuisa.program @empty
// CHECK-NOT:     lpuisa.mm
// CHECK:         %[[Z:.+]] = lpuisa.micro const 0.000000e+00 : f32
// CHECK-NEXT:    lpuisa.micro store[0](%[[Z]])
func.func @empty() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x0xf32, #lmu>
  %w = memref.alloc() {lpu.address = 0 : i64} : memref<8x0xf32, #lmu>
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<4x8xf32, #lmu>
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : memref<4x0xf32, #lmu>, memref<8x0xf32, #lmu>) outs(%y : memref<4x8xf32, #lmu>)
  return
}

// -----

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// Nine dimensions of an image (group, place, channel and window in 3-d): the
// group becomes a hardware loop. Bytes a group: 2 * 64 * 4 = 512 of the image,
// 3 * 2 * 8 * 4 = 192 of the weight, 3 * 27 * 4 = 324 of the result.

// CHECK-LABEL: lpuisa.program @loop
// CHECK:         lpuisa.loop 2 {
// CHECK-NEXT:      lpuisa.stream <arg[0], f32, [3, 2, 2, 2, 2], [16, 8, 4, 2, 1], 0, loop_increments = [192]>
// CHECK-NEXT:      lpuisa.mm <lmu, f32, [2, 3, 3, 3, 3], [162, 9, 3, 1, 27], 4096, loop_increments = [324]>
// CHECK-SAME:        = <lmu, f32, [2, 3, 3, 3, 2, 2, 2, 2], [256, 16, 4, 1, 64, 16, 4, 1], 0, loop_increments = [512]>
// CHECK-SAME:        batch 0 rows 4 cols 1 depth 4
func.func @loop(%w: memref<2x3x2x2x2x2xf32, #arg>) {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<2x2x2x4x4x4xf32, #lmu>
  %y = memref.alloc() {lpu.address = 4096 : i64} : memref<2x2x3x3x3x3xf32, #lmu>
  lpu.contract {indexing_maps = [affine_map<(n, g, f, d, h, w, c, i, j, k) -> (n, g, c, d + i, h + j, w + k)>,
                                 affine_map<(n, g, f, d, h, w, c, i, j, k) -> (g, f, c, i, j, k)>,
                                 affine_map<(n, g, f, d, h, w, c, i, j, k) -> (n, g, f, d, h, w)>],
                iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel",
                                  "reduction", "reduction", "reduction", "reduction"], zero_init}
    ins(%x, %w : memref<2x2x2x4x4x4xf32, #lmu>, memref<2x3x2x2x2x2xf32, #arg>) outs(%y : memref<2x2x3x3x3x3xf32, #lmu>)
  return
}

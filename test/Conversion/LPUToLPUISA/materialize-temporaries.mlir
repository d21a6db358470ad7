// RUN: lpu-opt %s --lpu-materialize-temporaries --split-input-file | FileCheck %s

// Four query heads of one row, 32 keys: 4 rows of 2 * 32 * (4 + 4) bytes of
// scores and weights (512 each), 4 * 16 * 4 = 256 of sums, and three times 4
// numbers, each rounded up to 64: 4 * 512 + 256 + 3 * 64 = 2496.

// CHECK-LABEL: func.func @decode
// CHECK:         %[[T:.+]] = memref.alloc() : memref<2496xi8, #lpu.space<lmu>>
// CHECK-NEXT:    lpu.attention
// CHECK-SAME:      temporary(%[[T]] : memref<2496xi8, #lpu.space<lmu>>)
func.func @decode(%q: memref<1x4x1x16xf32>, %k: memref<1x2x32x16xf32>,
                  %v: memref<1x2x32x16xf32>, %o: memref<1x4x1x16xf32>) {
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %k, %v : memref<1x4x1x16xf32>, memref<1x2x32x16xf32>, memref<1x2x32x16xf32>)
    outs(%o : memref<1x4x1x16xf32>)
  return
}

// -----

// A quarter of 64 KiB holds 16384 / (2 * 256 * (4 + 2) + 16 * 4 + 12) = 5 rows
// of one head, which is no multiple of 8: a tile has 5 rows.
// 2 * 5 * 256 * 4 + 2 * 5 * 256 * 2 + 5 * 16 * 4 + 3 * 64 = 15872.

// CHECK-LABEL: func.func @tiled
// CHECK:         memref.alloc() : memref<15872xi8, #lpu.space<lmu>>
module attributes {lpu.machine = #lpu.machine<{lmu_bytes = 65536 : i64}>} {
  func.func @tiled(%q: memref<1x1x64x16xbf16>, %k: memref<1x1x512x16xbf16>,
                   %v: memref<1x1x512x16xbf16>, %o: memref<1x1x64x16xbf16>) {
    lpu.attention {scale = 0.25 : f32}
      ins(%q, %k, %v : memref<1x1x64x16xbf16>, memref<1x1x512x16xbf16>, memref<1x1x512x16xbf16>)
      outs(%o : memref<1x1x64x16xbf16>)
    return
  }
}

// -----

// On tensors there is nothing to allocate yet.

// CHECK-LABEL: func.func @tensors
// CHECK-NOT:     memref.alloc
func.func @tensors(%q: tensor<1x4x1x16xf32>, %k: tensor<1x2x32x16xf32>,
                   %o: tensor<1x4x1x16xf32>) -> tensor<1x4x1x16xf32> {
  %r = lpu.attention {scale = 0.25 : f32}
    ins(%q, %k, %k : tensor<1x4x1x16xf32>, tensor<1x2x32x16xf32>, tensor<1x2x32x16xf32>)
    outs(%o : tensor<1x4x1x16xf32>) -> tensor<1x4x1x16xf32>
  return %r : tensor<1x4x1x16xf32>
}

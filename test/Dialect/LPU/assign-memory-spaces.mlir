// RUN: lpu-opt %s --lpu-assign-memory-spaces | FileCheck %s

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK: memref.global "private" constant @c : memref<2xf32, #lpu.space<constant>>
  memref.global "private" constant @c : memref<2xf32> = dense<[1.0, 2.0]>
  // CHECK-LABEL: func.func @main
  // CHECK-SAME: memref<8xf32, #lpu.space<arg>>
  func.func @main(%x: memref<8xf32>) {
    // CHECK: memref.get_global @c : memref<2xf32, #lpu.space<constant>>
    %c = memref.get_global @c : memref<2xf32>
    // Fits on chip; its view follows.
    // CHECK: %[[A:.+]] = memref.alloc() : memref<8xf32, #lpu.space<lmu>>
    // CHECK: memref.expand_shape %[[A]] {{.*}} into memref<2x4xf32, #lpu.space<lmu>>
    %a = memref.alloc() : memref<8xf32>
    %v = memref.expand_shape %a [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
    // Does not: 8192 bytes.
    // CHECK: memref.alloc() : memref<2048xf32, #lpu.space<scratch>>
    %b = memref.alloc() : memref<2048xf32>
    return
  }
}

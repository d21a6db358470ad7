// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-allocate-memory{rest=0}))' -split-input-file | FileCheck %s
// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-allocate-memory))' -split-input-file | FileCheck %s --check-prefix=REST

!arg = memref<32xf32, #lpu.space<arg>>
!lmu = memref<32xf32, #lpu.space<lmu>>

// 128 bytes each. The third lives after the first, and takes its place.
//
//          0    128   256
//   copy 0 | a  |
//   copy 1 | a  | b  |
//   copy 2 | c  | b  |
//   copy 3 | c  |
//
// With room to rest, it takes bytes of its own.
//
// CHECK-LABEL: func.func @share
// CHECK-SAME: lpu.lmu_bytes = 256 : i64, lpu.lmu_live_bytes = 256 : i64
// CHECK-SAME: lpu.scratch_bytes = 0 : i64, lpu.scratch_live_bytes = 0 : i64
// REST-LABEL: func.func @share
// REST-SAME: lpu.lmu_bytes = 384 : i64, lpu.lmu_live_bytes = 256 : i64
func.func @share(%x: !arg) {
  // CHECK: memref.alloc() {lpu.address = 0 : i64}
  // CHECK: memref.alloc() {lpu.address = 128 : i64}
  // CHECK: memref.alloc() {lpu.address = 0 : i64}
  %a = memref.alloc() : !lmu
  %b = memref.alloc() : !lmu
  %c = memref.alloc() : !lmu
  lpu.copy ins(%x : !arg) outs(%a : !lmu)
  lpu.copy ins(%a : !lmu) outs(%b : !lmu)
  lpu.copy ins(%b : !lmu) outs(%c : !lmu)
  lpu.copy ins(%c : !lmu) outs(%x : !arg)
  return
}

// -----

!lmu = memref<32xf32, #lpu.space<lmu>>

// A view keeps its buffer alive.
// CHECK-LABEL: func.func @view
// CHECK-SAME: lpu.lmu_bytes = 256 : i64
func.func @view(%x: memref<16xf32, #lpu.space<arg>>, %y: memref<32xf32, #lpu.space<arg>>) {
  %a = memref.alloc() : !lmu
  %v = memref.subview %a[0] [16] [1] : !lmu to memref<16xf32, strided<[1]>, #lpu.space<lmu>>
  lpu.copy ins(%y : memref<32xf32, #lpu.space<arg>>) outs(%a : !lmu)
  %b = memref.alloc() : !lmu
  lpu.copy ins(%y : memref<32xf32, #lpu.space<arg>>) outs(%b : !lmu)
  lpu.copy ins(%v : memref<16xf32, strided<[1]>, #lpu.space<lmu>>) outs(%x : memref<16xf32, #lpu.space<arg>>)
  return
}

// -----

// 3072 + 2048 bytes do not fit 4096: the larger one moves to scratch.
module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: func.func @demote
  // CHECK-SAME: lpu.lmu_bytes = 2048 : i64, lpu.lmu_live_bytes = 2048 : i64, lpu.scratch_bytes = 3072 : i64
  func.func @demote(%x: memref<768xf32, #lpu.space<arg>>, %y: memref<512xf32, #lpu.space<arg>>) {
    // CHECK: memref.alloc() {lpu.address = 0 : i64} : memref<768xf32, #lpu.space<scratch>>
    // CHECK: memref.alloc() {lpu.address = 0 : i64} : memref<512xf32, #lpu.space<lmu>>
    %a = memref.alloc() : memref<768xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    lpu.copy ins(%x : memref<768xf32, #lpu.space<arg>>) outs(%a : memref<768xf32, #lpu.space<lmu>>)
    lpu.copy ins(%y : memref<512xf32, #lpu.space<arg>>) outs(%b : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%a : memref<768xf32, #lpu.space<lmu>>) outs(%x : memref<768xf32, #lpu.space<arg>>)
    return
  }
}

// -----

// 2048 + 1024 bytes live at once, and 1024 more would rest; they do not fit, so
// the third buffer follows the first at once rather than leave the chip.
module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 3072 : i64}>} {
  // REST-LABEL: func.func @no_room_to_rest
  // REST-SAME: lpu.lmu_bytes = 3072 : i64, lpu.lmu_live_bytes = 3072 : i64
  func.func @no_room_to_rest(%x: memref<256xf32, #lpu.space<arg>>, %y: memref<512xf32, #lpu.space<arg>>) {
    // REST: memref.alloc() {lpu.address = 2048 : i64} : memref<256xf32, #lpu.space<lmu>>
    // REST: memref.alloc() {lpu.address = 0 : i64} : memref<512xf32, #lpu.space<lmu>>
    // REST: memref.alloc() {lpu.address = 2048 : i64} : memref<256xf32, #lpu.space<lmu>>
    %a = memref.alloc() : memref<256xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    %c = memref.alloc() : memref<256xf32, #lpu.space<lmu>>
    lpu.copy ins(%y : memref<512xf32, #lpu.space<arg>>) outs(%b : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%x : memref<256xf32, #lpu.space<arg>>) outs(%a : memref<256xf32, #lpu.space<lmu>>)
    lpu.copy ins(%a : memref<256xf32, #lpu.space<lmu>>) outs(%x : memref<256xf32, #lpu.space<arg>>)
    lpu.copy ins(%x : memref<256xf32, #lpu.space<arg>>) outs(%c : memref<256xf32, #lpu.space<lmu>>)
    lpu.copy ins(%c : memref<256xf32, #lpu.space<lmu>>) outs(%x : memref<256xf32, #lpu.space<arg>>)
    lpu.copy ins(%b : memref<512xf32, #lpu.space<lmu>>) outs(%y : memref<512xf32, #lpu.space<arg>>)
    return
  }
}

// -----

// Nothing, and an empty buffer.
// CHECK-LABEL: func.func @empty
// CHECK-SAME: lpu.lmu_bytes = 0 : i64
func.func @empty() {
  // CHECK: memref.alloc() {lpu.address = 0 : i64}
  %a = memref.alloc() : memref<0xf32, #lpu.space<lmu>>
  return
}

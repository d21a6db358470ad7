// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-demote-buffers))' -split-input-file | FileCheck %s

// The memory on chip has 4096 bytes.
module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // One after the other, 3072 and 2048 bytes fit.
  // CHECK-LABEL: func.func @apart
  // CHECK-NOT: scratch
  func.func @apart(%x: memref<768xf32, #lpu.space<arg>>, %y: memref<512xf32, #lpu.space<arg>>) {
    %a = memref.alloc() : memref<768xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    lpu.copy ins(%x : memref<768xf32, #lpu.space<arg>>) outs(%a : memref<768xf32, #lpu.space<lmu>>)
    lpu.copy ins(%a : memref<768xf32, #lpu.space<lmu>>) outs(%x : memref<768xf32, #lpu.space<arg>>)
    lpu.copy ins(%y : memref<512xf32, #lpu.space<arg>>) outs(%b : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%b : memref<512xf32, #lpu.space<lmu>>) outs(%y : memref<512xf32, #lpu.space<arg>>)
    return
  }

  // 3072 + 2048 bytes live at once and do not fit: the one that occupies
  // more, 3072 bytes for three operations, moves to scratch.
  // CHECK-LABEL: func.func @larger
  func.func @larger(%x: memref<768xf32, #lpu.space<arg>>, %y: memref<512xf32, #lpu.space<arg>>) {
    // CHECK: memref.alloc() : memref<768xf32, #lpu.space<scratch>>
    // CHECK: memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    %a = memref.alloc() : memref<768xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    lpu.copy ins(%x : memref<768xf32, #lpu.space<arg>>) outs(%a : memref<768xf32, #lpu.space<lmu>>)
    lpu.copy ins(%y : memref<512xf32, #lpu.space<arg>>) outs(%b : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%a : memref<768xf32, #lpu.space<lmu>>) outs(%x : memref<768xf32, #lpu.space<arg>>)
    return
  }

  // Of equal sizes, the one that lives for longest moves.
  // CHECK-LABEL: func.func @longer
  func.func @longer(%x: memref<512xf32, #lpu.space<arg>>, %y: memref<512xf32, #lpu.space<arg>>) {
    // CHECK: memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    // CHECK: memref.alloc() : memref<512xf32, #lpu.space<scratch>>
    // CHECK: memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    %a = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    %c = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    lpu.copy ins(%x : memref<512xf32, #lpu.space<arg>>) outs(%b : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%x : memref<512xf32, #lpu.space<arg>>) outs(%a : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%a : memref<512xf32, #lpu.space<lmu>>) outs(%c : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%c : memref<512xf32, #lpu.space<lmu>>) outs(%y : memref<512xf32, #lpu.space<arg>>)
    lpu.copy ins(%b : memref<512xf32, #lpu.space<lmu>>) outs(%x : memref<512xf32, #lpu.space<arg>>)
    return
  }

  // A buffer lives as long as its views, and they move with it.
  // CHECK-LABEL: func.func @viewed
  func.func @viewed(%x: memref<24x32xf32, #lpu.space<arg>>, %y: memref<512xf32, #lpu.space<arg>>) {
    // CHECK: %[[A:.+]] = memref.alloc() : memref<24x32xf32, #lpu.space<scratch>>
    // CHECK: memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    // CHECK: memref.subview %[[A]][8, 0] [16, 32] [1, 1] : memref<24x32xf32, #lpu.space<scratch>> to memref<16x32xf32, strided<[32, 1], offset: 256>, #lpu.space<scratch>>
    %a = memref.alloc() : memref<24x32xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<512xf32, #lpu.space<lmu>>
    %v = memref.subview %a[8, 0] [16, 32] [1, 1] : memref<24x32xf32, #lpu.space<lmu>> to memref<16x32xf32, strided<[32, 1], offset: 256>, #lpu.space<lmu>>
    %w = memref.subview %x[8, 0] [16, 32] [1, 1] : memref<24x32xf32, #lpu.space<arg>> to memref<16x32xf32, strided<[32, 1], offset: 256>, #lpu.space<arg>>
    lpu.copy ins(%x : memref<24x32xf32, #lpu.space<arg>>) outs(%a : memref<24x32xf32, #lpu.space<lmu>>)
    lpu.copy ins(%y : memref<512xf32, #lpu.space<arg>>) outs(%b : memref<512xf32, #lpu.space<lmu>>)
    lpu.copy ins(%b : memref<512xf32, #lpu.space<lmu>>) outs(%y : memref<512xf32, #lpu.space<arg>>)
    lpu.copy ins(%v : memref<16x32xf32, strided<[32, 1], offset: 256>, #lpu.space<lmu>>) outs(%w : memref<16x32xf32, strided<[32, 1], offset: 256>, #lpu.space<arg>>)
    return
  }

  // One that exceeds the memory moves though nothing lives beside it; one of
  // exactly its size stays.
  // CHECK-LABEL: func.func @alone
  func.func @alone(%x: memref<1025xf32, #lpu.space<arg>>, %y: memref<1024xf32, #lpu.space<arg>>) {
    // CHECK: memref.alloc() : memref<1025xf32, #lpu.space<scratch>>
    // CHECK: memref.alloc() : memref<1024xf32, #lpu.space<lmu>>
    %a = memref.alloc() : memref<1025xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<1024xf32, #lpu.space<lmu>>
    lpu.copy ins(%x : memref<1025xf32, #lpu.space<arg>>) outs(%a : memref<1025xf32, #lpu.space<lmu>>)
    lpu.copy ins(%a : memref<1025xf32, #lpu.space<lmu>>) outs(%x : memref<1025xf32, #lpu.space<arg>>)
    lpu.copy ins(%y : memref<1024xf32, #lpu.space<arg>>) outs(%b : memref<1024xf32, #lpu.space<lmu>>)
    lpu.copy ins(%b : memref<1024xf32, #lpu.space<lmu>>) outs(%y : memref<1024xf32, #lpu.space<arg>>)
    return
  }

  // 2004 + 2084 bytes would fit; in whole units of 64, as they are placed, they
  // are 2048 + 2112.
  // CHECK-LABEL: func.func @aligned
  func.func @aligned(%x: memref<501xf32, #lpu.space<arg>>, %y: memref<521xf32, #lpu.space<arg>>) {
    // CHECK: memref.alloc() : memref<501xf32, #lpu.space<lmu>>
    // CHECK: memref.alloc() : memref<521xf32, #lpu.space<scratch>>
    %a = memref.alloc() : memref<501xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<521xf32, #lpu.space<lmu>>
    lpu.copy ins(%x : memref<501xf32, #lpu.space<arg>>) outs(%a : memref<501xf32, #lpu.space<lmu>>)
    lpu.copy ins(%y : memref<521xf32, #lpu.space<arg>>) outs(%b : memref<521xf32, #lpu.space<lmu>>)
    lpu.copy ins(%a : memref<501xf32, #lpu.space<lmu>>) outs(%x : memref<501xf32, #lpu.space<arg>>)
    lpu.copy ins(%b : memref<521xf32, #lpu.space<lmu>>) outs(%y : memref<521xf32, #lpu.space<arg>>)
    return
  }

  // Nobody uses it, and it lives for one moment all the same. What is in scratch
  // already, and what another function has, is of no matter.
  // CHECK-LABEL: func.func @unused
  func.func @unused() {
    // CHECK: memref.alloc() : memref<1024xf32, #lpu.space<lmu>>
    // CHECK: memref.alloc() : memref<4096xf32, #lpu.space<scratch>>
    %a = memref.alloc() : memref<1024xf32, #lpu.space<lmu>>
    %b = memref.alloc() : memref<4096xf32, #lpu.space<scratch>>
    return
  }
  // CHECK: func.func private @declared
  func.func private @declared(memref<2048xf32, #lpu.space<lmu>>)
}

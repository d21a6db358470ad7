// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-demote-buffers))' -split-input-file | FileCheck %s

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // 3072 + 2048 bytes live at once and do not fit 4096: the one that occupies
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

  // One after the other they fit.
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
}

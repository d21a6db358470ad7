// RUN: lpu-opt %s --convert-lpu-to-lpuisa --split-input-file | FileCheck %s

// The signature: names, an input that gets a new value, an output of its own.

// CHECK-LABEL: lpuisa.program @signature scratch 128 lmu 64
// CHECK-NEXT:    inputs [<"x", f32, [16]>,
// CHECK-NEXT:            <"arg1", bf16, [2, 4]>]
// CHECK-NEXT:    results [<"result0", bf16, [2, 4], alias = 1, argument = 1>,
// CHECK-NEXT:             <"y", i64, [], argument = 2>]
// CHECK-NEXT:    outputs [<"result0", i64, []>]
// CHECK-NEXT:    lpuisa.halt
func.func @signature(%x: memref<16xf32, #lpu.space<arg>> {lpu.name = "x"},
                     %c: memref<2x4xbf16, #lpu.space<arg>>,
                     %y: memref<i64, #lpu.space<arg>> {lpu.output})
    attributes {lpu.lmu_bytes = 64 : i64, lpu.scratch_bytes = 128 : i64,
                lpu.results = [{argument = 1 : i64}, {argument = 2 : i64, name = "y"}]} {
  return
}

// -----

// A contiguous copy is one dimension. Addresses are those of the allocations.

// CHECK-LABEL: lpuisa.program @copy
// CHECK:         lpuisa.copy <lmu, f32, [32], [1], 256> = <arg[0], f32, [32], [1], 0>
func.func @copy(%x: memref<4x8xf32, #lpu.space<arg>>) {
  %a = memref.alloc() {lpu.address = 256 : i64} : memref<4x8xf32, #lpu.space<lmu>>
  lpu.copy ins(%x : memref<4x8xf32, #lpu.space<arg>>) outs(%a : memref<4x8xf32, #lpu.space<lmu>>)
  return
}

// -----

// Views: a window of every second column, transposed. Bytes of the offset:
// (1 * 8 + 2) * 4 = 40.

// CHECK-LABEL: lpuisa.program @views
// CHECK:         lpuisa.copy <scratch, f32, [3, 2], [2, 1], 64> = <arg[0], f32, [3, 2], [2, 8], 40>
func.func @views(%x: memref<4x8xf32, #lpu.space<arg>>) {
  %a = memref.alloc() {lpu.address = 64 : i64} : memref<3x2xf32, #lpu.space<scratch>>
  %w = memref.subview %x[1, 2] [2, 3] [1, 2]
      : memref<4x8xf32, #lpu.space<arg>> to memref<2x3xf32, strided<[8, 2], offset: 10>, #lpu.space<arg>>
  %t = memref.transpose %w (i, j) -> (j, i)
      : memref<2x3xf32, strided<[8, 2], offset: 10>, #lpu.space<arg>>
      to memref<3x2xf32, strided<[2, 8], offset: 10>, #lpu.space<arg>>
  memref.copy %t, %a
      : memref<3x2xf32, strided<[2, 8], offset: 10>, #lpu.space<arg>> to memref<3x2xf32, #lpu.space<scratch>>
  return
}

// -----

// Constants: each once, at multiples of 64 bytes; a splat is written out.

// CHECK-LABEL: lpuisa.program @constants
// CHECK-SAME:    rodata dense<[1, 0, {{.*}}, 0, 2, 0, 0, 0, 2, 0, 0, 0]> : tensor<72xi8>
// CHECK:         lpuisa.copy <lmu, i64, [], [], 0> = <constant, i64, [], [], 0>
// CHECK:         lpuisa.copy <lmu, i32, [2], [1], 64> = <constant, i32, [2], [1], 64>
// CHECK:         lpuisa.copy <lmu, i32, [2], [1], 128> = <constant, i32, [2], [1], 64>
memref.global "private" constant @one : memref<i64, #lpu.space<constant>> = dense<1>
memref.global "private" constant @twos : memref<2xi32, #lpu.space<constant>> = dense<2>
memref.global "private" constant @same : memref<2xi32, #lpu.space<constant>> = dense<2>
func.func @constants() {
  %a = memref.alloc() {lpu.address = 0 : i64} : memref<i64, #lpu.space<lmu>>
  %b = memref.alloc() {lpu.address = 64 : i64} : memref<2xi32, #lpu.space<lmu>>
  %c = memref.alloc() {lpu.address = 128 : i64} : memref<2xi32, #lpu.space<lmu>>
  %one = memref.get_global @one : memref<i64, #lpu.space<constant>>
  %twos = memref.get_global @twos : memref<2xi32, #lpu.space<constant>>
  %same = memref.get_global @same : memref<2xi32, #lpu.space<constant>>
  memref.copy %one, %a : memref<i64, #lpu.space<constant>> to memref<i64, #lpu.space<lmu>>
  memref.copy %twos, %b : memref<2xi32, #lpu.space<constant>> to memref<2xi32, #lpu.space<lmu>>
  memref.copy %same, %c : memref<2xi32, #lpu.space<constant>> to memref<2xi32, #lpu.space<lmu>>
  return
}

// -----

// Gather and scatter keep their axis; what is before and after it is merged.

// CHECK-LABEL: lpuisa.program @indexed
// CHECK:         lpuisa.gather <lmu, f32, [3, 64], [64, 1], 0>
// CHECK-SAME:      = <arg[0], f32, [100, 64], [64, 1], 0>[<arg[1], i64, [3], [1], 0>] axis 0
// CHECK:         lpuisa.scatter <arg[2], f32, [2, 32, 16], [512, 16, 1], 0>[<arg[1], i64, [3], [1], 0>]
// CHECK-SAME:      = <lmu, f32, [2, 3, 16], [48, 16, 1], 768> axis 1 wrap_negative
func.func @indexed(%table: memref<100x64xf32, #lpu.space<arg>>,
                   %at: memref<3xi64, #lpu.space<arg>>,
                   %cache: memref<1x2x32x16xf32, #lpu.space<arg>>) {
  %a = memref.alloc() {lpu.address = 0 : i64} : memref<3x64xf32, #lpu.space<lmu>>
  %b = memref.alloc() {lpu.address = 768 : i64} : memref<1x2x3x16xf32, #lpu.space<lmu>>
  lpu.gather {axis = 0 : i64}
    ins(%table, %at : memref<100x64xf32, #lpu.space<arg>>, memref<3xi64, #lpu.space<arg>>)
    outs(%a : memref<3x64xf32, #lpu.space<lmu>>)
  lpu.scatter {axis = 2 : i64, wrap_negative}
    ins(%b, %at : memref<1x2x3x16xf32, #lpu.space<lmu>>, memref<3xi64, #lpu.space<arg>>)
    outs(%cache : memref<1x2x32x16xf32, #lpu.space<arg>>)
  return
}

// -----

// Nothing is to be done for no elements, nor for a copy onto itself.

// CHECK-LABEL: lpuisa.program @nothing
// CHECK-NEXT:    inputs
// CHECK-NEXT:    lpuisa.halt
func.func @nothing(%x: memref<4x0xf32, #lpu.space<arg>>) {
  %a = memref.alloc() {lpu.address = 0 : i64} : memref<4x0xf32, #lpu.space<lmu>>
  %b = memref.alloc() {lpu.address = 0 : i64} : memref<8xf32, #lpu.space<lmu>>
  lpu.copy ins(%x : memref<4x0xf32, #lpu.space<arg>>) outs(%a : memref<4x0xf32, #lpu.space<lmu>>)
  lpu.copy ins(%b : memref<8xf32, #lpu.space<lmu>>) outs(%b : memref<8xf32, #lpu.space<lmu>>)
  return
}

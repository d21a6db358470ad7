// RUN: lpu-opt %s --lpu-tie-results -split-input-file -verify-diagnostics

// expected-error @below {{several results are the new value of argument 0}}
func.func @twice(%x: memref<8xf32>, %y: memref<8xf32>)
    -> (memref<8xf32> {lpu.alias = 0 : i64}, memref<8xf32> {lpu.alias = 0 : i64}) {
  return %y, %x : memref<8xf32>, memref<8xf32>
}

// -----

// expected-error @below {{result 0 is the new value of argument 3, which does not exist}}
func.func @absent(%x: memref<8xf32>) -> (memref<8xf32> {lpu.alias = 3 : i64}) {
  return %x : memref<8xf32>
}

// -----

// expected-error @below {{result 0 of 'memref<4xf32>' is the new value of argument 0 of 'memref<8xf32>'}}
func.func @shape(%x: memref<8xf32>, %y: memref<4xf32>) -> (memref<4xf32> {lpu.alias = 0 : i64}) {
  return %y : memref<4xf32>
}

// -----

// expected-error @below {{result 1 is 'i64'; expected a tensor}}
func.func @scalar(%x: memref<8xf32>, %n: i64) -> (memref<8xf32>, i64) {
  return %x, %n : memref<8xf32>, i64
}

// -----

// expected-error @below {{has several blocks; expected straight-line code at stage 'buffer'}}
func.func @branches(%x: memref<8xf32>) -> memref<8xf32> {
  cf.br ^end
^end:
  return %x : memref<8xf32>
}

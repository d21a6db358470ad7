// RUN: lpu-opt %s --lpu-verify-buffer -split-input-file -verify-diagnostics

// expected-error @below {{'func.func' is illegal at stage 'buffer': it has results; expected that they are written to arguments}}
func.func @results(%x: memref<4xf32, #lpu.space<arg>>) -> memref<4xf32, #lpu.space<arg>> {
  return %x : memref<4xf32, #lpu.space<arg>>
}

// -----

func.func @no_space() {
  // expected-error @below {{'memref.alloc' is illegal at stage 'buffer': 'memref<4xf32>' is in no memory space}}
  %a = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func @tensor() {
  // expected-error @below {{'tensor.empty' is illegal at stage 'buffer': expected lpu operations, allocations, globals and views}}
  %a = tensor.empty() : tensor<4xf32>
  return
}

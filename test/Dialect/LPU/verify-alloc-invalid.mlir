// RUN: lpu-opt %s --lpu-verify-alloc -split-input-file -verify-diagnostics

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // expected-error @below {{expected 'lpu.lmu_bytes' of at most 4096 and 'lpu.scratch_bytes'}}
  func.func @bytes() attributes {lpu.lmu_bytes = 8192 : i64, lpu.scratch_bytes = 0 : i64} {
    return
  }
}

// -----

func.func @address() attributes {lpu.lmu_bytes = 64 : i64, lpu.scratch_bytes = 0 : i64} {
  // expected-error @below {{'memref.alloc' is illegal at stage 'alloc': expected 'lpu.address' within the 64 bytes of the LMU that its function uses}}
  %a = memref.alloc() {lpu.address = 64 : i64} : memref<4xf32, #lpu.space<lmu>>
  return
}

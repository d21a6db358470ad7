// RUN: lpu-opt %s --verify-roundtrip -split-input-file | FileCheck %s
// RUN: lpu-opt %s --canonicalize -split-input-file | FileCheck %s --check-prefix=CANONICAL
// RUN: lpu-opt %s --lpu-bufferize -split-input-file | FileCheck %s --check-prefix=BUFFER

// Regions of the vector unit before and behind a contraction: a weight of i8 is
// scaled to bf16, products are summed in f32, a bias is added, the result rounded.

// CHECK-LABEL: func.func @both
func.func @both(%x: tensor<2x16xbf16>, %w: tensor<8x16xi8>, %scale: tensor<8xbf16>, %bias: tensor<8xf32>,
                %c: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
  // CHECK: lpu.contract {{{.*}}zero_init} ins(%arg0, %arg1 : tensor<2x16xbf16>, tensor<8x16xi8>) outs(%arg4 : tensor<2x8xbf16>)
  // CHECK-SAME: prologue(%arg2 : tensor<8xbf16>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<8x16xi8>, %{{.*}}: tensor<8xbf16>):
  // CHECK: lpu.yield %{{.*}} : tensor<8x16xbf16>
  // CHECK: } epilogue(%arg3 : tensor<8xf32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<2x8xf32>, %{{.*}}: tensor<8xf32>):
  // CHECK: lpu.yield %{{.*}} : tensor<2x8xbf16>
  // CHECK-NEXT: } -> tensor<2x8xbf16>

  // The regions move along as they are; the operands become buffers.
  // BUFFER-LABEL: func.func @both
  // BUFFER: lpu.contract {{.*}} ins(%arg0, %arg1 : memref<2x16xbf16>, memref<8x16xi8>)
  // BUFFER-SAME: prologue(%arg2 : memref<8xbf16>) {
  // BUFFER-NEXT: ^bb0(%{{.*}}: tensor<8x16xi8>, %{{.*}}: tensor<8xbf16>):
  // BUFFER: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x16xi8>, tensor<8xbf16>)
  // BUFFER: epilogue(%arg3 : memref<8xf32>) {
  // BUFFER-NEXT: ^bb0(%{{.*}}: tensor<2x8xf32>, %{{.*}}: tensor<8xf32>):
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xbf16>, tensor<8x16xi8>) outs(%c : tensor<2x8xbf16>)
    prologue(%scale : tensor<8xbf16>) {
  ^bb0(%raw: tensor<8x16xi8>, %p: tensor<8xbf16>):
    %0 = tensor.empty() : tensor<8x16xbf16>
    %s = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n, k)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%raw, %p : tensor<8x16xi8>, tensor<8xbf16>) outs(%0 : tensor<8x16xbf16>) {
    ^bb1(%e: i8, %f: bf16, %o: bf16):
      %t = arith.sitofp %e : i8 to bf16
      %u = arith.mulf %t, %f : bf16
      linalg.yield %u : bf16
    } -> tensor<8x16xbf16>
    lpu.yield %s : tensor<8x16xbf16>
  } epilogue(%bias : tensor<8xf32>) {
  ^bb0(%sum: tensor<2x8xf32>, %d: tensor<8xf32>):
    %0 = tensor.empty() : tensor<2x8xbf16>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%sum, %d : tensor<2x8xf32>, tensor<8xf32>) outs(%0 : tensor<2x8xbf16>) {
    ^bb1(%e: f32, %f: f32, %o: bf16):
      %t = arith.addf %e, %f : f32
      %u = arith.truncf %t : f32 to bf16
      linalg.yield %u : bf16
    } -> tensor<2x8xbf16>
    lpu.yield %s : tensor<2x8xbf16>
  } -> tensor<2x8xbf16>
  return %r : tensor<2x8xbf16>
}

// -----

// Without operands of its own, on buffers, with room for what is in flight.

// CHECK-LABEL: func.func @temporary
func.func @temporary(%x: memref<2x16xf32, #lpu.space<lmu>>, %w: memref<8x16xf32, #lpu.space<arg>>,
                     %c: memref<2x8xf32, #lpu.space<lmu>>, %t: memref<64xi8, #lpu.space<lmu>>) {
  // CHECK: lpu.contract {{{.*}}tiling = #lpu.tiling<dim = 1, size = 4, staged = true>, zero_init}
  // CHECK-SAME: outs(%arg2 : memref<2x8xf32, #lpu.space<lmu>>) temporary(%arg3 : memref<64xi8, #lpu.space<lmu>>) epilogue {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<2x8xf32>):
  lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init,
                     tiling = #lpu.tiling<dim = 1, size = 4, staged = true>}
    ins(%x, %w : memref<2x16xf32, #lpu.space<lmu>>, memref<8x16xf32, #lpu.space<arg>>)
    outs(%c : memref<2x8xf32, #lpu.space<lmu>>) temporary(%t : memref<64xi8, #lpu.space<lmu>>)
    epilogue {
  ^bb0(%s: tensor<2x8xf32>):
    lpu.yield %s : tensor<2x8xf32>
  }
  return
}

// -----

// Operands that a region does not use, or uses twice, are dropped.

// CANONICAL-LABEL: func.func @inputs
func.func @inputs(%x: tensor<2x16xbf16>, %w: tensor<8x16xi8>, %scale: tensor<8xbf16>, %bias: tensor<8xf32>,
                  %c: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
  // CANONICAL: prologue(%arg2 : tensor<8xbf16>) {
  // CANONICAL: epilogue(%arg3 : tensor<8xf32>) {
  // CANONICAL-NEXT: ^bb0(%[[C:.+]]: tensor<2x8xf32>, %[[D:.+]]: tensor<8xf32>):
  // CANONICAL: ins(%[[C]], %[[D]], %[[D]] :
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xbf16>, tensor<8x16xi8>) outs(%c : tensor<2x8xbf16>)
    prologue(%bias, %scale : tensor<8xf32>, tensor<8xbf16>) {
  ^bb0(%raw: tensor<8x16xi8>, %q: tensor<8xf32>, %p: tensor<8xbf16>):
    %0 = tensor.empty() : tensor<8x16xbf16>
    %s = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>, affine_map<(n, k) -> (n, k)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%raw, %p : tensor<8x16xi8>, tensor<8xbf16>) outs(%0 : tensor<8x16xbf16>) {
    ^bb1(%e: i8, %f: bf16, %o: bf16):
      %t = arith.sitofp %e : i8 to bf16
      %u = arith.mulf %t, %f : bf16
      linalg.yield %u : bf16
    } -> tensor<8x16xbf16>
    lpu.yield %s : tensor<8x16xbf16>
  } epilogue(%bias, %bias : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%sum: tensor<2x8xf32>, %d: tensor<8xf32>, %g: tensor<8xf32>):
    %0 = tensor.empty() : tensor<2x8xbf16>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%sum, %d, %g : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<2x8xbf16>) {
    ^bb1(%e: f32, %f: f32, %h: f32, %o: bf16):
      %t = arith.addf %e, %f : f32
      %v = arith.addf %t, %h : f32
      %u = arith.truncf %v : f32 to bf16
      linalg.yield %u : bf16
    } -> tensor<2x8xbf16>
    lpu.yield %s : tensor<2x8xbf16>
  } -> tensor<2x8xbf16>
  return %r : tensor<2x8xbf16>
}

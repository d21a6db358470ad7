// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-tile),canonicalize,cse)' -split-input-file | FileCheck %s

// What fits is not touched, also if it does not fit together with what lives
// elsewhere in the function.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: @fits
  // CHECK-NOT: exceeds_lmu
  // CHECK: lpu.vector ins(%arg0 : tensor<8x48xf32>) outs(%{{.*}} : tensor<8x48xf32>)
  // CHECK: lpu.vector ins(%arg1 : tensor<8x48xf32>) outs(%{{.*}} : tensor<8x48xf32>)
  func.func @fits(%x: tensor<8x48xf32>, %y: tensor<8x48xf32>) -> (tensor<8x48xf32>, tensor<8x48xf32>) {
    %e = tensor.empty() : tensor<8x48xf32>
    %r = lpu.vector ins(%x : tensor<8x48xf32>) outs(%e : tensor<8x48xf32>) {
    ^bb0(%a: tensor<8x48xf32>, %o: tensor<8x48xf32>):
      lpu.yield %a : tensor<8x48xf32>
    } -> tensor<8x48xf32>
    %s = lpu.vector ins(%y : tensor<8x48xf32>) outs(%e : tensor<8x48xf32>) {
    ^bb0(%a: tensor<8x48xf32>, %o: tensor<8x48xf32>):
      lpu.yield %a : tensor<8x48xf32>
    } -> tensor<8x48xf32>
    return %r, %s : tensor<8x48xf32>, tensor<8x48xf32>
  }
}

// -----

// Two operations and 4096 bytes between them: 24 rows of 64 + 64 bytes take
// three quarters of the memory, and 8 of the next tile beside them; rows come
// in passes of 4. The tile of the result is computed in its place in the whole.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: @chain
  // CHECK-SAME: (%[[X:.+]]: tensor<64x16xf32>, %[[W:.+]]: tensor<16x16xf32>)
  // CHECK: %[[D:.+]] = bufferization.alloc_tensor() : tensor<64x16xf32>
  // CHECK: %[[X0:.+]] = tensor.extract_slice %[[X]][0, 0] [12, 16] [1, 1]
  // CHECK: %[[H0:.+]] = lpu.contract {{.*}} ins(%[[X0]], %[[W]] : tensor<12x16xf32>, tensor<16x16xf32>)
  // The next tile begins before this one has ended.
  // CHECK: %[[X1:.+]] = tensor.extract_slice %[[X]][12, 0] [12, 16] [1, 1]
  // CHECK: %[[H1:.+]] = lpu.contract {{.*}} ins(%[[X1]], %[[W]]
  // CHECK: %[[D0:.+]] = tensor.extract_slice %[[D]][0, 0] [12, 16] [1, 1]
  // CHECK: %[[R0:.+]] = lpu.vector ins(%[[H0]] : tensor<12x16xf32>) outs(%[[D0]] : tensor<12x16xf32>)
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<12x16xf32>) outs(%{{.*}} : tensor<12x16xf32>)
  // CHECK: %[[P0:.+]] = tensor.insert_slice %[[R0]] into %[[D]][0, 0] [12, 16] [1, 1]
  // CHECK: tensor.extract_slice %[[X]][24, 0] [12, 16]
  // CHECK: lpu.contract
  // CHECK: %[[D1:.+]] = tensor.extract_slice %[[P0]][12, 0] [12, 16]
  // CHECK: lpu.vector ins(%[[H1]] : tensor<12x16xf32>) outs(%[[D1]] : tensor<12x16xf32>)
  // The last tile is smaller.
  // CHECK: tensor.extract_slice %[[X]][60, 0] [4, 16]
  // CHECK: %[[R:.+]] = tensor.insert_slice %{{.*}} into %{{.*}}[60, 0] [4, 16] [1, 1]
  // CHECK: return %[[R]]
  func.func @chain(%x: tensor<64x16xf32>, %w: tensor<16x16xf32>) -> tensor<64x16xf32> {
    %e = tensor.empty() : tensor<64x16xf32>
    %h = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], zero_init}
      ins(%x, %w : tensor<64x16xf32>, tensor<16x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
    %r = lpu.vector ins(%h : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
    ^bb0(%a: tensor<64x16xf32>, %o: tensor<64x16xf32>):
      %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x16xf32>) outs(%o : tensor<64x16xf32>) {
      ^bb1(%v: f32, %u: f32):
        %m = math.tanh %v : f32
        linalg.yield %m : f32
      } -> tensor<64x16xf32>
      lpu.yield %t : tensor<64x16xf32>
    } -> tensor<64x16xf32>
    return %r : tensor<64x16xf32>
  }
}

// -----

// Columns are summed, so that only rows can be tiled; four of them fill
// a pass of the matrix unit, and the memory. An index of the tiled dimension counts from the start of the whole.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 16384 : i64}>} {
  // CHECK-LABEL: @index
  // CHECK: lpu.vector ins(%{{.*}} : tensor<4x512xf32>) outs(%{{.*}} : tensor<4x512xf32>)
  // CHECK: %[[I:.+]] = linalg.index 0
  // CHECK: arith.index_cast %[[I]]
  // CHECK: lpu.contract {{.*}} ins(%{{.*}} : tensor<4x512xf32>, tensor<512x8xf32>)
  // CHECK: lpu.vector ins(%{{.*}} : tensor<4x512xf32>) outs(%{{.*}} : tensor<4x512xf32>)
  // CHECK: %[[I1:.+]] = linalg.index 0
  // CHECK: %[[M:.+]] = arith.addi %[[I1]], %c4
  // CHECK: arith.index_cast %[[M]]
  func.func @index(%x: tensor<12x512xf32>, %w: tensor<512x8xf32>) -> tensor<12x8xf32> {
    %e = tensor.empty() : tensor<12x512xf32>
    %h = lpu.vector ins(%x : tensor<12x512xf32>) outs(%e : tensor<12x512xf32>) {
    ^bb0(%a: tensor<12x512xf32>, %o: tensor<12x512xf32>):
      %zero = arith.constant 0.0 : f32
      %s0 = tensor.empty() : tensor<12xf32>
      %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<12xf32>) -> tensor<12xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<12x512xf32>) outs(%s1 : tensor<12xf32>) {
      ^bb1(%v: f32, %u: f32):
        %m = arith.addf %v, %u : f32
        linalg.yield %m : f32
      } -> tensor<12xf32>
      %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<12x512xf32>, tensor<12xf32>) outs(%o : tensor<12x512xf32>) {
      ^bb1(%v: f32, %w1: f32, %u: f32):
        %i = linalg.index 0 : index
        %c = arith.index_cast %i : index to i64
        %f = arith.sitofp %c : i64 to f32
        %g = arith.addf %f, %w1 : f32
        %m = arith.addf %v, %g : f32
        linalg.yield %m : f32
      } -> tensor<12x512xf32>
      lpu.yield %t : tensor<12x512xf32>
    } -> tensor<12x512xf32>
    %f = tensor.empty() : tensor<12x8xf32>
    %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], zero_init}
      ins(%h, %w : tensor<12x512xf32>, tensor<512x8xf32>) outs(%f : tensor<12x8xf32>) -> tensor<12x8xf32>
    return %r : tensor<12x8xf32>
  }
}

// -----

// A value that leaves the chain and is used in it is kept on chip, and copied
// out: the whole is too large to lie there. A reshape in the middle moves along.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: @leaves
  // CHECK-DAG: %[[H:.+]] = bufferization.alloc_tensor() {memory_space = #lpu.space<scratch>} : tensor<64x16xf32>
  // CHECK-DAG: %[[R:.+]] = bufferization.alloc_tensor() : tensor<1x64x16xf32>
  // CHECK: %[[E0:.+]] = tensor.empty() : tensor<[[T:.+]]x16xf32>
  // CHECK: %[[H0:.+]] = lpu.contract {{.*}} outs(%[[E0]] : tensor<[[T]]x16xf32>)
  // CHECK: %[[P0:.+]] = tensor.extract_slice %[[H]][0, 0] [[[T]], 16]
  // CHECK: %[[C0:.+]] = lpu.copy ins(%[[H0]] : tensor<[[T]]x16xf32>) outs(%[[P0]]
  // CHECK: tensor.insert_slice %[[C0]] into %[[H]][0, 0]
  // CHECK: %[[V0:.+]] = tensor.expand_shape %[[H0]] {{\[}}[0, 1], [2]] output_shape [1, [[T]], 16]
  // CHECK: lpu.vector ins(%[[V0]] : tensor<1x[[T]]x16xf32>)
  func.func @leaves(%x: tensor<64x16xf32>, %w: tensor<16x16xf32>) -> (tensor<64x16xf32>, tensor<1x64x16xf32>) {
    %e = tensor.empty() : tensor<64x16xf32>
    %h = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], zero_init}
      ins(%x, %w : tensor<64x16xf32>, tensor<16x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
    %v = tensor.expand_shape %h [[0, 1], [2]] output_shape [1, 64, 16] : tensor<64x16xf32> into tensor<1x64x16xf32>
    %f = tensor.empty() : tensor<1x64x16xf32>
    %r = lpu.vector ins(%v : tensor<1x64x16xf32>) outs(%f : tensor<1x64x16xf32>) {
    ^bb0(%a: tensor<1x64x16xf32>, %o: tensor<1x64x16xf32>):
      lpu.yield %a : tensor<1x64x16xf32>
    } -> tensor<1x64x16xf32>
    return %h, %r : tensor<64x16xf32>, tensor<1x64x16xf32>
  }
}

// -----

// A row of 16384 bytes does not fit, and a reduction is not tiled: marked with
// the bytes by which it exceeds 4096.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: @long_row
  // CHECK: lpu.vector {lpu.exceeds_lmu = 4100 : i64} ins(%arg0 : tensor<1x2048xf32>)
  func.func @long_row(%x: tensor<1x2048xf32>) -> tensor<1xf32> {
    %e = tensor.empty() : tensor<1xf32>
    %r = lpu.vector ins(%x : tensor<1x2048xf32>) outs(%e : tensor<1xf32>) {
    ^bb0(%a: tensor<1x2048xf32>, %o: tensor<1xf32>):
      %zero = arith.constant 0.0 : f32
      %s = linalg.fill ins(%zero : f32) outs(%o : tensor<1xf32>) -> tensor<1xf32>
      %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<1x2048xf32>) outs(%s : tensor<1xf32>) {
      ^bb1(%v: f32, %u: f32):
        %m = arith.addf %v, %u : f32
        linalg.yield %m : f32
      } -> tensor<1xf32>
      lpu.yield %t : tensor<1xf32>
    } -> tensor<1xf32>
    return %r : tensor<1xf32>
  }
}

// -----

// A tile of the rows of an image needs two more rows of its input, the windows
// of neighbours overlap.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 8192 : i64}>} {
  // CHECK-LABEL: @convolution
  // CHECK: %[[X0:.+]] = tensor.extract_slice %arg0[0, 0, 0] [1, 4, 34]
  // CHECK: lpu.contract {{.*}} ins(%[[X0]], %arg1 : tensor<1x4x34xf32>, tensor<4x1x3x3xf32>) outs(%{{.*}} : tensor<4x2x32xf32>)
  // CHECK: %[[X1:.+]] = tensor.extract_slice %arg0[0, 2, 0] [1, 4, 34]
  // CHECK: lpu.contract {{.*}} ins(%[[X1]], %arg1
  func.func @convolution(%x: tensor<1x34x34xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<4x32x32xf32> {
    %e = tensor.empty() : tensor<4x32x32xf32>
    %h = lpu.contract {indexing_maps = [affine_map<(f, y, x, c, i, j) -> (c, y + i, x + j)>, affine_map<(f, y, x, c, i, j) -> (f, c, i, j)>, affine_map<(f, y, x, c, i, j) -> (f, y, x)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"], zero_init}
      ins(%x, %w : tensor<1x34x34xf32>, tensor<4x1x3x3xf32>) outs(%e : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
    %r = lpu.vector ins(%h : tensor<4x32x32xf32>) outs(%e : tensor<4x32x32xf32>) {
    ^bb0(%a: tensor<4x32x32xf32>, %o: tensor<4x32x32xf32>):
      lpu.yield %a : tensor<4x32x32xf32>
    } -> tensor<4x32x32xf32>
    return %r : tensor<4x32x32xf32>
  }
}

// -----

// The regions of a contraction shrink with it: the epilogue gets the sums of a
// tile and its part of what it adds, the prologue a tile of columns.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: @regions
  // CHECK: %[[Y0:.+]] = tensor.extract_slice %arg2[0, 0] [[[T:[0-9]+]], 16]
  // CHECK: lpu.contract {{.*}} ins(%{{.*}}, %arg1 : tensor<[[T]]x16xf32>, tensor<16x16xbf16>)
  // CHECK-SAME: outs(%{{.*}} : tensor<[[T]]x16xf32>)
  // CHECK-SAME: prologue
  // CHECK: arith.extf
  // CHECK: epilogue(%[[Y0]] : tensor<[[T]]x16xf32>)
  // CHECK: ^bb0(%{{.*}}: tensor<[[T]]x16xf32>, %{{.*}}: tensor<[[T]]x16xf32>)
  func.func @regions(%x: tensor<64x16xf32>, %w: tensor<16x16xbf16>, %y: tensor<64x16xf32>) -> tensor<64x16xf32> {
    %e = tensor.empty() : tensor<64x16xf32>
    %h = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], zero_init}
      ins(%x, %w : tensor<64x16xf32>, tensor<16x16xbf16>) outs(%e : tensor<64x16xf32>)
      prologue {
      ^bb0(%b: tensor<16x16xbf16>):
        %0 = tensor.empty() : tensor<16x16xf32>
        %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%b : tensor<16x16xbf16>) outs(%0 : tensor<16x16xf32>) {
        ^bb1(%v: bf16, %u: f32):
          %t = arith.extf %v : bf16 to f32
          linalg.yield %t : f32
        } -> tensor<16x16xf32>
        lpu.yield %1 : tensor<16x16xf32>
      }
      epilogue(%y : tensor<64x16xf32>) {
      ^bb0(%c: tensor<64x16xf32>, %d: tensor<64x16xf32>):
        %0 = tensor.empty() : tensor<64x16xf32>
        %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%c, %d : tensor<64x16xf32>, tensor<64x16xf32>) outs(%0 : tensor<64x16xf32>) {
        ^bb1(%v: f32, %w1: f32, %u: f32):
          %t = arith.addf %v, %w1 : f32
          linalg.yield %t : f32
        } -> tensor<64x16xf32>
        lpu.yield %1 : tensor<64x16xf32>
      } -> tensor<64x16xf32>
    %f = tensor.empty() : tensor<64x16xf32>
    %r = lpu.vector ins(%h : tensor<64x16xf32>) outs(%f : tensor<64x16xf32>) {
    ^bb0(%a: tensor<64x16xf32>, %o: tensor<64x16xf32>):
      lpu.yield %a : tensor<64x16xf32>
    } -> tensor<64x16xf32>
    return %r : tensor<64x16xf32>
  }
}

// RUN: lpu-opt %s -split-input-file -verify-diagnostics

// What the regions of a contraction may not be.

func.func @arguments(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{has 1 arguments of its epilogue for 1 operands; expected one more}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    epilogue(%d : tensor<8xf32>) {
  ^bb0(%s: tensor<2x8xf32>):
    lpu.yield %s : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @argument_type(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{region argument 1 is 'tensor<4xf32>'; expected 'tensor<8xf32>'}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    epilogue(%d : tensor<8xf32>) {
  ^bb0(%s: tensor<2x8xf32>, %b: tensor<4xf32>):
    lpu.yield %s : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @raw_type(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{region argument 0 is 'tensor<8x16xbf16>'; expected 'tensor<8x16xf32>'}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    prologue {
  ^bb0(%s: tensor<8x16xbf16>):
    lpu.yield %s : tensor<8x16xbf16>
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @yields_nothing(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{expects its epilogue to be from one tensor of static shape to one}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    epilogue {
  ^bb0(%s: tensor<2x8xf32>):
    lpu.yield
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @yields_other(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{has an epilogue that yields 'tensor<2x4xf32>' for a destination of 'tensor<2x8xf32>'}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    epilogue {
  ^bb0(%s: tensor<2x8xf32>):
    %0 = tensor.empty() : tensor<2x4xf32>
    lpu.yield %0 : tensor<2x4xf32>
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @sums_onto(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xbf16>) -> tensor<2x8xbf16> {
  // expected-error @below {{sums up onto a destination of 'tensor<2x8xbf16>', but its epilogue gets sums of 'tensor<2x8xf32>'}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xbf16>)
    epilogue {
  ^bb0(%s: tensor<2x8xf32>):
    %0 = tensor.empty() : tensor<2x8xbf16>
    lpu.yield %0 : tensor<2x8xbf16>
  } -> tensor<2x8xbf16>
  return %r : tensor<2x8xbf16>
}

// -----

func.func @sum_type(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{has element types 'f32', 'f32' and 'f16'}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    epilogue {
  ^bb0(%s: tensor<2x8xf16>):
    %0 = tensor.empty() : tensor<2x8xf32>
    lpu.yield %0 : tensor<2x8xf32>
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @streamed_shape(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{map of b has 2 results, but the operand has rank 1}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    prologue {
  ^bb0(%s: tensor<8x16xf32>):
    %0 = tensor.empty() : tensor<128xf32>
    lpu.yield %0 : tensor<128xf32>
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @temporary(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{has a temporary that is no memref}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>)
    temporary(%d : tensor<8xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @cut_rows(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{cuts dimension 0; expected one of columns or batches}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 0, size = 1>}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @tile_size(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{has tiles of 9; expected 1 to 8}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init, tiling = #lpu.tiling<dim = 1, size = 9>}
    ins(%x, %w : tensor<2x16xf32>, tensor<8x16xf32>) outs(%c : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @no_region(%x: tensor<2x16xf32>, %w: tensor<8x16xf32>, %d: tensor<8xf32>, %c: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // expected-error @below {{has operands of its epilogue, but no region}}
  %r = "lpu.contract"(%x, %w, %d, %c) <{
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], zero_init, operandSegmentSizes = array<i32: 1, 1, 0, 1, 1, 0>}> ({}, {})
    : (tensor<2x16xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

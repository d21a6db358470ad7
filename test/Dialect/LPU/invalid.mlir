// RUN: lpu-opt %s -split-input-file -verify-diagnostics

func.func @map_count(%x: tensor<2x4xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{has 2 indexing maps; expected 3 (a, b, c)}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %x : tensor<2x4xf32>, tensor<2x4xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @iterator(%x: tensor<2x4xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{has iterator type "window"; expected "parallel" or "reduction"}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "window"]}
    ins(%x, %x : tensor<2x4xf32>, tensor<2x4xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @map_rank(%x: tensor<2x4xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{map of a has 1 results, but the operand has rank 2}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %x : tensor<2x4xf32>, tensor<2x4xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @map_dims(%x: tensor<2x4xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{map of b has 2 dimensions, but there are 3 iterators}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %x : tensor<2x4xf32>, tensor<2x4xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @not_linear(%x: tensor<2x4xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{map of a is not linear}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k mod 2)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %x : tensor<2x4xf32>, tensor<2x4xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @result_map(%x: tensor<2x4xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{map of c is not a projection}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n * 2)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %x : tensor<2x4xf32>, tensor<2x4xf32>) outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

func.func @reduction_in_one(%x: tensor<2x4xf32>, %y: tensor<2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{dimension 2 is reduced and must be in both operands, not in the result}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %y : tensor<2x4xf32>, tensor<2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @types(%x: tensor<2x4xi64>, %c: tensor<2x2xi64>) -> tensor<2x2xi64> {
  // expected-error @below {{has element types 'i64', 'i64' and 'i64'; expected operands of one type f32, f16 or bf16}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %x : tensor<2x4xi64>, tensor<2x4xi64>) outs(%c : tensor<2x2xi64>) -> tensor<2x2xi64>
  return %r : tensor<2x2xi64>
}

// -----

func.func @sizes(%x: tensor<2x4xf32>, %w: tensor<2x5xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{map of a leaves dimension 1 of size 4}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xf32>, tensor<2x5xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{has an operand of type 'tensor<?xf32>'; shapes are static}}
  %r = lpu.copy ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @copy(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{copies 'tensor<2xf32>' to 'tensor<3xf32>'}}
  %r = lpu.copy ins(%x : tensor<2xf32>) outs(%y : tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @gather_rows(%t: tensor<100x64xf32>, %i: tensor<3xi64>, %o: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-error @below {{has rows of 'tensor<4x64xf32>'; expected shape 3, 64 of 'f32'}}
  %r = lpu.gather {axis = 0 : i64} ins(%t, %i : tensor<100x64xf32>, tensor<3xi64>) outs(%o : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

func.func @scatter_axis(%t: tensor<8xf32>, %i: tensor<3xi64>, %s: tensor<3xf32>) -> tensor<8xf32> {
  // expected-error @below {{has axis 1; expected one below rank 1}}
  %r = lpu.scatter {axis = 1 : i64} ins(%s, %i : tensor<3xf32>, tensor<3xi64>) outs(%t : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @index_type(%t: tensor<8xf32>, %i: tensor<3xf32>, %s: tensor<3xf32>) -> tensor<8xf32> {
  // expected-error @below {{has index of 'tensor<3xf32>'; expected a vector of integers}}
  %r = lpu.scatter {axis = 0 : i64} ins(%s, %i : tensor<3xf32>, tensor<3xf32>) outs(%t : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @heads(%q: tensor<1x3x1x8xf32>, %k: tensor<1x2x4x8xf32>) -> tensor<1x3x1x8xf32> {
  // expected-error @below {{has 3 query heads, no multiple of 2 key heads}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %k, %k : tensor<1x3x1x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
    outs(%q : tensor<1x3x1x8xf32>) -> tensor<1x3x1x8xf32>
  return %r : tensor<1x3x1x8xf32>
}

// -----

func.func @mask(%q: tensor<1x2x1x8xf32>, %k: tensor<1x2x4x8xf32>, %m: tensor<1x1x1x5xf32>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{mask 'tensor<1x1x1x5xf32>' does not broadcast to 1, 2, 1, 4}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %k, %k, %m : tensor<1x2x1x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x1x1x5xf32>)
    outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @region_argument(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{region argument 0 is 'tensor<4xf32>'; expected 'tensor<8xf32>'}}
  %r = lpu.vector ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<8xf32>):
    lpu.yield %o : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @yield_count(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has 1 destinations, but yields 0 values}}
  %r = lpu.vector ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    lpu.yield
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// expected-error @below {{lmu_byte}}
module attributes {lpu.machine = #lpu.machine<{lmu_byte = 4096 : i64}>} {}

// -----

// expected-error @below {{machine parameter 'lmu_bytes' is neither a string, a number nor a boolean}}
module attributes {lpu.machine = #lpu.machine<{lmu_bytes = [1]}>} {}

// -----

func.func @parallel_in_none(%x: tensor<4xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{dimension 0 is parallel and must be in the result and an operand}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
                     iterator_types = ["parallel", "reduction"]}
    ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// The depth k only occurs in sums, so nothing tells how far it runs.
func.func @unknown_size(%x: tensor<4xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{dimension 1 stands alone in no map, so its size is unknown}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, k) -> (m + k)>, affine_map<(m, k) -> (2 * k)>, affine_map<(m, k) -> (m)>],
                     iterator_types = ["parallel", "reduction"]}
    ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%c : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

func.func @two_sizes(%x: tensor<2x4xf32>, %w: tensor<2x3xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{dimension 2 has size 3 in one operand and 4 in a}}
  %r = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<2x4xf32>, tensor<2x3xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @attention_length_type(%q: tensor<1x2x1x8xf32>, %n: tensor<i32>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{has a length of 'tensor<i32>'; expected one i64}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %q, %q : tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>)
    length(%n : tensor<i32>) outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @attention_lengths(%q: tensor<1x2x1x8xf32>, %n: tensor<2xi64>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{has a length of 'tensor<2xi64>'; expected one i64}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %q, %q : tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>)
    length(%n : tensor<2xi64>) outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @attention_temporary(%q: tensor<1x2x1x8xf32>, %t: tensor<64xi8>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{has a temporary that is no memref}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %q, %q : tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>)
    outs(%q : tensor<1x2x1x8xf32>) temporary(%t : tensor<64xi8>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @attention_rank(%q: tensor<2x1x8xf32>) -> tensor<2x1x8xf32> {
  // expected-error @below {{has an operand of rank 3; expected [batch, heads, length, size]}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %q, %q : tensor<2x1x8xf32>, tensor<2x1x8xf32>, tensor<2x1x8xf32>)
    outs(%q : tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  return %r : tensor<2x1x8xf32>
}

// -----

func.func @attention_types(%q: tensor<1x2x1x8xf32>, %k: tensor<1x2x1x8xbf16>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{has an operand of 'bf16'; expected one type f32, f16 or bf16 for q, k, v and result}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %k, %k : tensor<1x2x1x8xf32>, tensor<1x2x1x8xbf16>, tensor<1x2x1x8xbf16>)
    outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @attention_keys(%q: tensor<1x2x1x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x5x8xf32>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{shapes of q, k and v do not agree: 'tensor<1x2x1x8xf32>', 'tensor<1x2x4x8xf32>', 'tensor<1x2x5x8xf32>'}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %k, %v : tensor<1x2x1x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x5x8xf32>)
    outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @attention_result(%q: tensor<1x2x1x8xf32>, %v: tensor<1x2x1x6xf32>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{result is 'tensor<1x2x1x8xf32>'; expected shape 1, 2, 1, 6}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %q, %v : tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x2x1x6xf32>)
    outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @mask_type(%q: tensor<1x2x1x8xf32>, %m: tensor<1x1xi32>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{has a mask of 'i32'; expected i1, f32, f16 or bf16}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %q, %q, %m : tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x1xi32>)
    outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @mask_rank(%q: tensor<1x2x1x8xf32>, %m: tensor<1x1x1x1x1xi1>) -> tensor<1x2x1x8xf32> {
  // expected-error @below {{has a mask of rank 5}}
  %r = lpu.attention {scale = 1.0 : f32} ins(%q, %q, %q, %m : tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>, tensor<1x1x1x1x1xi1>)
    outs(%q : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
  return %r : tensor<1x2x1x8xf32>
}

// -----

func.func @no_destination(%x: tensor<8xf32>) {
  // expected-error @below {{has no destination}}
  "lpu.vector"(%x) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<8xf32>):
    lpu.yield
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @region_arguments(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has 2 operands, but its region has 1 arguments}}
  %r = lpu.vector ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    lpu.yield %a : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @yield_type(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{yields 'tensor<4xf32>' for a destination of 'tensor<8xf32>'}}
  %r = lpu.vector ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<8xf32>):
    lpu.yield %a : tensor<4xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

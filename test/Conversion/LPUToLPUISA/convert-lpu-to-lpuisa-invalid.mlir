// RUN: lpu-opt %s --convert-lpu-to-lpuisa --split-input-file --verify-diagnostics

func.func @no_address(%x: memref<4xf32, #lpu.space<arg>>) {
  // expected-error @below {{has no address; expected attribute 'lpu.address' and a memory space #lpu.space<lmu> or #lpu.space<scratch>}}
  %a = memref.alloc() : memref<4xf32, #lpu.space<lmu>>
  lpu.copy ins(%x : memref<4xf32, #lpu.space<arg>>) outs(%a : memref<4xf32, #lpu.space<lmu>>)
  return
}

// -----

// expected-error @below {{has results; expected all of them in arguments (run lpu-tie-results)}}
func.func @results(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// expected-error @below {{has an input, argument 1, behind an output; expected inputs first}}
func.func @order(%y: memref<4xf32> {lpu.output}, %x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{has the type 'memref<4xf64>'; the signature of a program has static shapes of f32, bf16, f16, i64, i32, i16, i8 or i1}}
func.func @f64(%x: memref<4xf64>) {
  return
}

// -----

// expected-error @below {{has no argument for result 0 in 'lpu.results'}}
func.func @no_argument(%x: memref<4xf32>) attributes {lpu.results = [{argument = 3 : i64}]} {
  return
}

// -----

func.func @unknown(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{has no instruction; expected an operation of the lpu dialect on buffers, a copy, or a view on a buffer}}
  %v = memref.load %x[%c0] : memref<4xf32>
  return
}

// -----

func.func @no_temporary(%q: memref<1x1x1x16xf32>, %o: memref<1x1x1x16xf32>) {
  // expected-error @below {{has no temporary; expected one of 512 bytes (run lpu-materialize-temporaries)}}
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %q, %q : memref<1x1x1x16xf32>, memref<1x1x1x16xf32>, memref<1x1x1x16xf32>)
    outs(%o : memref<1x1x1x16xf32>)
  return
}

// -----

func.func @no_micro_operation(%x: memref<4xi32>, %y: memref<4xi32> {lpu.output}) {
  lpu.vector ins(%x : memref<4xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%a: tensor<4xi32>, %o: tensor<4xi32>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%a : tensor<4xi32>) outs(%o : tensor<4xi32>) {
    ^bb1(%in: i32, %out: i32):
      // expected-error @below {{has no micro-operation}}
      %t = math.ctpop %in : i32
      linalg.yield %t : i32
    } -> tensor<4xi32>
    lpu.yield %r : tensor<4xi32>
  }
  return
}

// -----

func.func @wide_float(%x: memref<4xf32>, %y: memref<4xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%in: f32, %out: f32):
      // expected-error @below {{has a value of type 'f64', which no register of the vector unit holds}}
      %w = arith.extf %in : f32 to f64
      %t = arith.truncf %w : f64 to f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

// A transposed value of the same program would have to be kept whole.
func.func @other_index(%x: memref<4x4xf32>, %y: memref<4x4xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>):
    %e = tensor.empty() : tensor<4x4xf32>
    // expected-error @below {{walks one dimension of the program in two loops}}
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb1(%in: f32, %out: f32):
      %t = math.exp %in : f32
      linalg.yield %t : f32
    } -> tensor<4x4xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%r, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
    ^bb1(%p: f32, %q: f32, %out: f32):
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<4x4xf32>
    lpu.yield %s : tensor<4x4xf32>
  }
  return
}

// -----

func.func @in_place_sort(%x: memref<4xf32>) {
  lpu.vector outs(%x : memref<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{sorts in place; expected its operands among the inputs of the vector program}}
    %r = tm_tensor.sort dimension(0) outs(%a : tensor<4xf32>) {
    ^bb1(%p: f32, %q: f32):
      %c = arith.cmpf ole, %p, %q : f32
      tm_tensor.yield %c : i1
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

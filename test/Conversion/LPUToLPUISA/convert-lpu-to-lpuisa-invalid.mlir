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

// -----

func.func @short_temporary(%q: memref<1x1x1x16xf32>, %o: memref<1x1x1x16xf32>) {
  %t = memref.alloc() {lpu.address = 0 : i64} : memref<8xi8, #lpu.space<lmu>>
  // expected-error @below {{has a temporary of 8 bytes; expected at least 512}}
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %q, %q : memref<1x1x1x16xf32>, memref<1x1x1x16xf32>, memref<1x1x1x16xf32>)
    outs(%o : memref<1x1x1x16xf32>) temporary(%t : memref<8xi8, #lpu.space<lmu>>)
  return
}

// -----

// expected-error @below {{has argument 0 of type 'index'; expected a memref}}
func.func @scalar_argument(%n: index) {
  return
}

// -----

// expected-error @below {{the layout of 'memref<4xf32, strided<[?]>>' is not known before the run; expected static sizes, strides and offset}}
func.func @layout(%x: memref<4xf32, strided<[?]>>, %y: memref<4xf32> {lpu.output}) {
  lpu.copy ins(%x : memref<4xf32, strided<[?]>>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @f64_buffer(%x: memref<4xf32>) {
  // expected-error @below {{the machine has no memory of type 'f64'; expected f32, bf16, f16, i64, i32, i16, i8 or i1}}
  %a = memref.alloc() {lpu.address = 0 : i64} : memref<4xf64, #lpu.space<lmu>>
  lpu.copy ins(%a : memref<4xf64, #lpu.space<lmu>>) outs(%a : memref<4xf64, #lpu.space<lmu>>)
  return
}

// -----

memref.global "private" @g : memref<4xf32, #lpu.space<constant>>
func.func @no_value(%y: memref<4xf32> {lpu.output}) {
  // expected-error @below {{names no global with a value}}
  %g = memref.get_global @g : memref<4xf32, #lpu.space<constant>>
  lpu.copy ins(%g : memref<4xf32, #lpu.space<constant>>) outs(%y : memref<4xf32>)
  return
}

// -----

// Nine dimensions with gaps between them, so that none continues another.
func.func @rank(%x: memref<2x2x2x2x2x2x2x2x2xf32, strided<[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1]>>,
                %y: memref<2x2x2x2x2x2x2x2x2xf32> {lpu.output}) {
  // expected-error @below {{moves a buffer of 9 dimensions that do not merge; the machine's views have 8}}
  lpu.copy ins(%x : memref<2x2x2x2x2x2x2x2x2xf32, strided<[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1]>>)
    outs(%y : memref<2x2x2x2x2x2x2x2x2xf32>)
  return
}

// -----

func.func @bits_of_f16(%x: memref<4xf16>, %y: memref<4xi16> {lpu.output}) {
  lpu.vector ins(%x : memref<4xf16>) outs(%y : memref<4xi16>) {
  ^bb0(%a: tensor<4xf16>, %o: tensor<4xi16>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%a : tensor<4xf16>) outs(%o : tensor<4xi16>) {
    ^bb1(%in: f16, %out: i16):
      // expected-error @below {{has no micro-operation: the machine cannot take the bits of an f16}}
      %t = arith.bitcast %in : f16 to i16
      linalg.yield %t : i16
    } -> tensor<4xi16>
    lpu.yield %r : tensor<4xi16>
  }
  return
}

// -----

func.func @f64_constant(%y: memref<4xf32> {lpu.output}) {
  lpu.vector outs(%y : memref<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    // expected-error @below {{a constant of type 'f64' is used, which no register of the vector unit holds}}
    %c = arith.constant 0.1 : f64
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        outs(%o : tensor<4xf32>) {
    ^bb1(%out: f32):
      %t = arith.truncf %c : f64 to f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @f64_elements(%y: memref<4xf32> {lpu.output}) {
  %a = memref.alloc() {lpu.address = 0 : i64} : memref<4xf64, #lpu.space<lmu>>
  lpu.vector ins(%a : memref<4xf64, #lpu.space<lmu>>) outs(%y : memref<4xf32>) {
  ^bb0(%x: tensor<4xf64>, %o: tensor<4xf32>):
    // expected-error @below {{reads elements of type 'f64', which no register of the vector unit holds}}
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%x : tensor<4xf64>) outs(%o : tensor<4xf32>) {
    ^bb1(%in: f64, %out: f32):
      %t = arith.truncf %in : f64 to f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @nowhere(%y: memref<4xf32> {lpu.output}) {
  lpu.vector outs(%y : memref<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    // expected-error @below {{a vector program reads a tensor of type 'tensor<4xf32>' that is neither an operand, nor a constant, nor the result of a linalg operation of the program}}
    %e = tensor.cast %o : tensor<4xf32> to tensor<4xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%e : tensor<4xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @sort_of_nothing(%y: memref<4xf32> {lpu.output}) {
  lpu.vector outs(%y : memref<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    // expected-error @below {{is neither an operand of the vector program nor a constant}}
    %e = tensor.empty() : tensor<4xf32>
    %r = tm_tensor.sort dimension(0) outs(%e : tensor<4xf32>) {
    ^bb1(%p: f32, %q: f32):
      %c = arith.cmpf ole, %p, %q : f32
      tm_tensor.yield %c : i1
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

// The second operation reads one element further than the first has just made.
func.func @shifted(%x: memref<5xf32>, %y: memref<4xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<5xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<5xf32>, %o: tensor<4xf32>):
    %e = tensor.empty() : tensor<5xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) {
    ^bb1(%in: f32, %out: f32):
      %t = math.exp %in : f32
      linalg.yield %t : f32
    } -> tensor<5xf32>
    // expected-error @below {{reads a value of the same program at another index than it is computed at}}
    %s = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%r : tensor<5xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    lpu.yield %s : tensor<4xf32>
  }
  return
}

// -----

// Five sums, each of what the one before it gave; a program has four phases.
#row = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (i)>
func.func @phases(%x: memref<2x4xf32>, %y: memref<2xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<2x4xf32>) outs(%y : memref<2xf32>) {
  ^bb0(%a: tensor<2x4xf32>, %o: tensor<2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2xf32>
    %s0 = linalg.generic {indexing_maps = [#row, #sum, #sum], iterator_types = ["parallel", "reduction"]}
        ins(%a, %zero : tensor<2x4xf32>, tensor<2xf32>) outs(%zero : tensor<2xf32>) {
    ^bb1(%in: f32, %last: f32, %sum: f32):
      %t = arith.mulf %in, %last : f32
      %u = arith.addf %t, %sum : f32
      linalg.yield %u : f32
    } -> tensor<2xf32>
    %s1 = linalg.generic {indexing_maps = [#row, #sum, #sum], iterator_types = ["parallel", "reduction"]}
        ins(%a, %s0 : tensor<2x4xf32>, tensor<2xf32>) outs(%zero : tensor<2xf32>) {
    ^bb1(%in: f32, %last: f32, %sum: f32):
      %t = arith.mulf %in, %last : f32
      %u = arith.addf %t, %sum : f32
      linalg.yield %u : f32
    } -> tensor<2xf32>
    %s2 = linalg.generic {indexing_maps = [#row, #sum, #sum], iterator_types = ["parallel", "reduction"]}
        ins(%a, %s1 : tensor<2x4xf32>, tensor<2xf32>) outs(%zero : tensor<2xf32>) {
    ^bb1(%in: f32, %last: f32, %sum: f32):
      %t = arith.mulf %in, %last : f32
      %u = arith.addf %t, %sum : f32
      linalg.yield %u : f32
    } -> tensor<2xf32>
    %s3 = linalg.generic {indexing_maps = [#row, #sum, #sum], iterator_types = ["parallel", "reduction"]}
        ins(%a, %s2 : tensor<2x4xf32>, tensor<2xf32>) outs(%zero : tensor<2xf32>) {
    ^bb1(%in: f32, %last: f32, %sum: f32):
      %t = arith.mulf %in, %last : f32
      %u = arith.addf %t, %sum : f32
      linalg.yield %u : f32
    } -> tensor<2xf32>
    // expected-error @below {{depends on more reductions than a micro-program has phases}}
    %s4 = linalg.generic {indexing_maps = [#row, #sum, #sum], iterator_types = ["parallel", "reduction"]}
        ins(%a, %s3 : tensor<2x4xf32>, tensor<2xf32>) outs(%zero : tensor<2xf32>) {
    ^bb1(%in: f32, %last: f32, %sum: f32):
      %t = arith.mulf %in, %last : f32
      %u = arith.addf %t, %sum : f32
      linalg.yield %u : f32
    } -> tensor<2xf32>
    lpu.yield %s4 : tensor<2xf32>
  }
  return
}

// -----

// Nine dimensions of depth that do not merge; loops can take none of them, since
// the sum has to run through all.
func.func @deep(%x: memref<2x2x2x2x2x2x2x2x2xf32, strided<[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1]>>, %y: memref<f32> {lpu.output}) {
  // expected-error @below {{contracts operands of 9, 9 and 0 dimensions; the machine's views have 8}}
  lpu.contract {indexing_maps = [affine_map<(a, b, c, d, e, f, g, h, i) -> (a, b, c, d, e, f, g, h, i)>, affine_map<(a, b, c, d, e, f, g, h, i) -> (a, b, c, d, e, f, g, h, i)>, affine_map<(a, b, c, d, e, f, g, h, i) -> ()>],
                iterator_types = ["reduction", "reduction", "reduction", "reduction", "reduction", "reduction", "reduction", "reduction", "reduction"], zero_init}
    ins(%x, %x : memref<2x2x2x2x2x2x2x2x2xf32, strided<[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1]>>, memref<2x2x2x2x2x2x2x2x2xf32, strided<[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1]>>) outs(%y : memref<f32>)
  return
}

// -----

// A hardware loop takes the outermost dimension, whose index is no longer the program's.
func.func @index_of_a_loop(%x: memref<2x2x2x2x2x2x2x2x2xf32, strided<[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1]>>, %y: memref<2x2x2x2x2x2x2x2x2xf32> {lpu.output}) {
  // expected-error @below {{needs a domain of 9 dimensions and the index or the size of an outer one; the machine has 8}}
  lpu.vector ins(%x : memref<2x2x2x2x2x2x2x2x2xf32, strided<[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1]>>) outs(%y : memref<2x2x2x2x2x2x2x2x2xf32>) {
  ^bb0(%in: tensor<2x2x2x2x2x2x2x2x2xf32>, %o: tensor<2x2x2x2x2x2x2x2x2xf32>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(a, b, c, d, e, f, g, h, i) -> (a, b, c, d, e, f, g, h, i)>, affine_map<(a, b, c, d, e, f, g, h, i) -> (a, b, c, d, e, f, g, h, i)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%in : tensor<2x2x2x2x2x2x2x2x2xf32>) outs(%o : tensor<2x2x2x2x2x2x2x2x2xf32>) {
    ^bb1(%p: f32, %q: f32):
      %n = linalg.index 0 : index
      %m = arith.index_cast %n : index to i32
      %s = arith.sitofp %m : i32 to f32
      %t = arith.addf %p, %s : f32
      linalg.yield %t : f32
    } -> tensor<2x2x2x2x2x2x2x2x2xf32>
    lpu.yield %r : tensor<2x2x2x2x2x2x2x2x2xf32>
  }
  return
}

// -----

func.func @f64_constant_sorted(%y: memref<2xf32> {lpu.output}) {
  lpu.vector outs(%y : memref<2xf32>) {
  ^bb0(%o: tensor<2xf32>):
    // expected-error @below {{the machine has no memory of type 'f64'; expected f32, bf16, f16, i64, i32, i16, i8 or i1}}
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
    %r = tm_tensor.sort dimension(0) outs(%c : tensor<2xf64>) {
    ^bb1(%p: f64, %q: f64):
      %b = arith.cmpf ole, %p, %q : f64
      tm_tensor.yield %b : i1
    } -> tensor<2xf64>
    lpu.yield %o : tensor<2xf32>
  }
  return
}

// -----

// One sum runs along rows, the other along columns: each rounds in its own order.
func.func @two_orders(%x: memref<4x8xf32>, %y: memref<f32> {lpu.output}, %z: memref<f32> {lpu.output}) {
  lpu.vector ins(%x : memref<4x8xf32>) outs(%y, %z : memref<f32>, memref<f32>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<f32>, %p: tensor<f32>):
    %e = tensor.empty() : tensor<4x8xf32>
    %t = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb1(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      linalg.yield %n : f32
    } -> tensor<4x8xf32>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]} ins(%t : tensor<4x8xf32>) outs(%o : tensor<f32>) {
    ^bb1(%in: f32, %sum: f32):
      %n = arith.addf %in, %sum : f32
      linalg.yield %n : f32
    } -> tensor<f32>
    // expected-error @below {{reduces in another order of dimensions than the rest of the program}}
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]} ins(%t : tensor<4x8xf32>) outs(%p : tensor<f32>) {
    ^bb1(%in: f32, %sum: f32):
      %n = arith.addf %in, %sum : f32
      linalg.yield %n : f32
    } -> tensor<f32>
    lpu.yield %r, %s : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// expected-error @below {{has control flow; expected one block}}
func.func @two_blocks(%x: memref<4xf32>) {
  cf.br ^bb1
^bb1:
  return
}

// -----

func.func @scattered_difference(%u: memref<2xf32>, %i: memref<2x1xi32>, %y: memref<4xf32> {lpu.output}) {
  lpu.vector ins(%u, %i : memref<2xf32>, memref<2x1xi32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2x1xi32>, %o: tensor<4xf32>):
    // expected-error @below {{combines in a way that the machine has not; expected the update itself, a sum, a product, a minimum, a maximum or bitwise logic}}
    %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
        ins(%a, %b : tensor<2xf32>, tensor<2x1xi32>) outs(%o : tensor<4xf32>) {
    ^bb1(%new: f32, %old: f32):
      %t = arith.subf %old, %new : f32
      tm_tensor.yield %t : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @size_of_an_operand(%x: memref<4xi64>, %y: memref<4xi64> {lpu.output}) {
  lpu.vector ins(%x : memref<4xi64>) outs(%y : memref<4xi64>) {
  // expected-error @below {{a vector program computes with 'tensor<4xi64>' as a whole; expected its elements}}
  ^bb0(%a: tensor<4xi64>, %o: tensor<4xi64>):
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<4xi64>
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<4xi64>) {
    ^bb1(%out: i64):
      %t = arith.index_cast %n : index to i64
      linalg.yield %t : i64
    } -> tensor<4xi64>
    lpu.yield %r : tensor<4xi64>
  }
  return
}

// -----

// What decides the order is computed from the two elements alone.
func.func @sorted_by_another(%x: memref<4xf32>, %y: memref<4xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    %c0 = arith.constant 0 : index
    %first = tensor.extract %a[%c0] : tensor<4xf32>
    %r = tm_tensor.sort dimension(0) outs(%a : tensor<4xf32>) {
    ^bb1(%p: f32, %q: f32):
      // expected-error @below {{uses a value that no register holds}}
      %d = arith.mulf %p, %first : f32
      %c = arith.cmpf ole, %d, %q : f32
      tm_tensor.yield %c : i1
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

func.func @unknown_trips(%x: memref<4xf32>, %y: memref<f32> {lpu.output}) {
  lpu.vector ins(%x : memref<4xf32>) outs(%y : memref<f32>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<f32>):
    %d = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
    // expected-error @below {{has a loop whose trip count is not known before the run; expected static shapes}}
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
        iterator_types = ["reduction"]} ins(%d : tensor<?xf32>) outs(%o : tensor<f32>) {
    ^bb1(%in: f32, %out: f32):
      %t = arith.addf %in, %out : f32
      linalg.yield %t : f32
    } -> tensor<f32>
    lpu.yield %r : tensor<f32>
  }
  return
}

// -----

// A section of rows stands behind all elements of a row, not behind some.
func.func @sum_of_sums(%x: memref<2x4x8xf32>, %y: memref<2xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<2x4x8xf32>) outs(%y : memref<2xf32>) {
  ^bb0(%a: tensor<2x4x8xf32>, %o: tensor<2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x4xf32>
    // expected-error @below {{reduces some of the dimensions that the program reduces; expected all}}
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]} ins(%a : tensor<2x4x8xf32>) outs(%zero : tensor<2x4xf32>) {
    ^bb1(%in: f32, %out: f32):
      %t = arith.addf %in, %out : f32
      linalg.yield %t : f32
    } -> tensor<2x4xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]} ins(%r : tensor<2x4xf32>) outs(%o : tensor<2xf32>) {
    ^bb1(%in: f32, %out: f32):
      %t = arith.addf %in, %out : f32
      linalg.yield %t : f32
    } -> tensor<2xf32>
    lpu.yield %s : tensor<2xf32>
  }
  return
}

// -----

#id = affine_map<(i) -> (i)>
// Types of unknown sizes hide that five elements are computed and four are read.
func.func @two_lengths(%x: memref<5xf32>, %y: memref<4xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<5xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<5xf32>, %o: tensor<4xf32>):
    %d = tensor.cast %a : tensor<5xf32> to tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<5xf32>) outs(%d : tensor<?xf32>) {
    ^bb1(%in: f32, %out: f32):
      %t = math.exp %in : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    // expected-error @below {{has a loop of another length than the rest of the program}}
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%o, %r : tensor<4xf32>, tensor<?xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%p: f32, %q: f32, %out: f32):
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    lpu.yield %s : tensor<4xf32>
  }
  return
}

// -----

func.func @not_linear(%x: memref<8xf32>, %y: memref<4xf32> {lpu.output}) {
  lpu.vector ins(%x : memref<8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<4xf32>):
    // expected-error @below {{writes its result through a map that is not linear}}
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i floordiv 2)>], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

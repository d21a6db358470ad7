// RUN: lpu-opt %s --convert-lpu-to-lpuisa --split-input-file | FileCheck %s

#lmu = #lpu.space<lmu>

// Elementwise, in place: all dimensions are rows, contiguous ones merge.

// CHECK-LABEL: lpuisa.program @elementwise
// CHECK:         lpuisa.vec rank 1 parallel 1
// CHECK-NEXT:      views [<lmu, f32, [32], [1], 0>] {
// CHECK-NEXT:      lpuisa.elements
// CHECK-NEXT:      %[[X:.+]] = lpuisa.micro load[0] : f32
// CHECK-NEXT:      %[[HALF:.+]] = lpuisa.micro const 5.000000e-01 : f32
// CHECK-NEXT:      %[[Y:.+]] = lpuisa.micro mul_f(%[[X]], %[[HALF]])
// CHECK-NEXT:      lpuisa.micro store[0](%[[Y]])
func.func @elementwise() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x8xf32, #lmu>
  lpu.vector outs(%x : memref<4x8xf32, #lmu>) {
  ^bb0(%o: tensor<4x8xf32>):
    %half = arith.constant 0.5 : f32
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} outs(%o : tensor<4x8xf32>) {
    ^bb1(%e: f32):
      %t = arith.mulf %e, %half : f32
      linalg.yield %t : f32
    } -> tensor<4x8xf32>
    lpu.yield %r : tensor<4x8xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// A bf16 sum rounds; a negation has nothing to round; extf is free.

// CHECK-LABEL: lpuisa.program @rounding
// CHECK:         %[[X:.+]] = lpuisa.micro load[0] : f32
// CHECK-NEXT:    %[[S:.+]] = lpuisa.micro add_f(%[[X]], %[[X]])
// CHECK-NEXT:    %[[R:.+]] = lpuisa.micro round_bf16(%[[S]])
// CHECK-NEXT:    %[[N:.+]] = lpuisa.micro neg_f(%[[R]])
// CHECK-NEXT:    %[[E:.+]] = lpuisa.micro exp_f(%[[N]])
// CHECK-NEXT:    %[[T:.+]] = lpuisa.micro round_f16(%[[E]])
// CHECK-NEXT:    lpuisa.micro store[1](%[[T]])
func.func @rounding() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<8xbf16, #lmu>
  %y = memref.alloc() {lpu.address = 64 : i64} : memref<8xf16, #lmu>
  lpu.vector ins(%x : memref<8xbf16, #lmu>) outs(%y : memref<8xf16, #lmu>) {
  ^bb0(%a: tensor<8xbf16>, %o: tensor<8xf16>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%a : tensor<8xbf16>) outs(%o : tensor<8xf16>) {
    ^bb1(%e: bf16, %out: f16):
      %s = arith.addf %e, %e : bf16
      %n = arith.negf %s : bf16
      %w = arith.extf %n : bf16 to f32
      %x1 = math.exp %w : f32
      %t = arith.truncf %x1 : f32 to f16
      linalg.yield %t : f16
    } -> tensor<8xf16>
    lpu.yield %r : tensor<8xf16>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// A transposed and broadcast sum of columns: the row is column j, what is
// reduced are the lines. The old value is combined at the end.

// CHECK-LABEL: lpuisa.program @columns
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK-NEXT:      views [<lmu, f32, [8, 4], [1, 8], 0>,
// CHECK-NEXT:             <lmu, f32, [8, 4], [1, 0], 128>] {
// CHECK-NEXT:      lpuisa.rows
// CHECK-NEXT:      %[[OLD:.+]] = lpuisa.micro load[1] : f32
// CHECK-NEXT:      lpuisa.elements
// CHECK-NEXT:      %[[X:.+]] = lpuisa.micro load[0] : f32
// CHECK-NEXT:      %[[S:.+]] = lpuisa.micro reduce<add_f>(%[[X]])
// CHECK-NEXT:      lpuisa.rows
// CHECK-NEXT:      %[[R:.+]] = lpuisa.micro add_f(%[[OLD]], %[[S]])
// CHECK-NEXT:      lpuisa.micro store[1](%[[R]])
func.func @columns() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x8xf32, #lmu>
  %s = memref.alloc() {lpu.address = 128 : i64} : memref<8xf32, #lmu>
  lpu.vector ins(%x : memref<4x8xf32, #lmu>) outs(%s : memref<8xf32, #lmu>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<8xf32>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
        iterator_types = ["reduction", "parallel"]}
        ins(%a : tensor<4x8xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%e: f32, %acc: f32):
      %t = arith.addf %e, %acc : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    lpu.yield %r : tensor<8xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// The last element of a row: what stood in memory before is overwritten unread,
// so it is not loaded, for nothing may have been written there.

// CHECK-LABEL: lpuisa.program @last
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK-NEXT:      views
// CHECK-NEXT:             <lmu, f32, [4, 8], [1, 0], 128>
// CHECK-NOT:       load[1]
// CHECK:           %[[START:.+]] = lpuisa.micro const 0.000000e+00 : f32
// CHECK:           lpuisa.elements
// CHECK:           %[[LAST:.+]] = lpuisa.micro carry(%[[START]]) : (f32) -> f32
// CHECK:           %[[X:.+]] = lpuisa.micro load[0] : f32
// CHECK:           lpuisa.micro next(%[[LAST]], %[[X]])
// CHECK:           lpuisa.rows
// CHECK-NEXT:      lpuisa.micro store[1](%[[LAST]])
func.func @last() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x8xf32, #lmu>
  %s = memref.alloc() {lpu.address = 128 : i64} : memref<4xf32, #lmu>
  lpu.vector ins(%x : memref<4x8xf32, #lmu>) outs(%s : memref<4xf32, #lmu>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4xf32>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x8xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%e: f32, %old: f32):
      linalg.yield %e : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// Of no elements none is the last: what stood in memory stays.

// CHECK-LABEL: lpuisa.program @last_of_none
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK-NEXT:      views [<lmu, f32, [4, 0], [1, 0], 128>,
// CHECK:           %[[START:.+]] = lpuisa.micro load[0] : f32
// CHECK:           lpuisa.elements
// CHECK:           %[[LAST:.+]] = lpuisa.micro carry(%[[START]]) : (f32) -> f32
// CHECK:           lpuisa.rows
// CHECK-NEXT:      lpuisa.micro store[0](%[[LAST]])
func.func @last_of_none() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x0xf32, #lmu>
  %s = memref.alloc() {lpu.address = 128 : i64} : memref<4xf32, #lmu>
  lpu.vector ins(%x : memref<4x0xf32, #lmu>) outs(%s : memref<4xf32, #lmu>) {
  ^bb0(%a: tensor<4x0xf32>, %o: tensor<4xf32>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x0xf32>) outs(%o : tensor<4xf32>) {
    ^bb1(%e: f32, %old: f32):
      linalg.yield %e : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// The place of the maximum is a fold in order: both running values are carried.

// CHECK-LABEL: lpuisa.program @argmax
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK:           lpuisa.rows
// CHECK:           lpuisa.elements
// CHECK-DAG:       %[[M:.+]] = lpuisa.micro carry(%{{.+}}) : (f32) -> f32
// CHECK-DAG:       %[[P:.+]] = lpuisa.micro carry(%{{.+}}) : (i64) -> i64
// CHECK-DAG:       %[[J:.+]] = lpuisa.micro iota[1] : i64
// CHECK-DAG:       %[[C:.+]] = lpuisa.micro cmp_f<ogt>(%[[X:.+]], %[[M]])
// CHECK-DAG:       %[[NP:.+]] = lpuisa.micro select(%[[C]], %[[J]], %[[P]])
// CHECK-DAG:       %[[NM:.+]] = lpuisa.micro maximum_f(%[[X]], %[[M]])
// CHECK-DAG:       lpuisa.micro next(%[[P]], %[[NP]])
// CHECK-DAG:       lpuisa.micro next(%[[M]], %[[NM]])
// CHECK:           lpuisa.rows
// CHECK-NEXT:      lpuisa.micro store[1](%[[P]])
func.func @argmax() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x8xf32, #lmu>
  %s = memref.alloc() {lpu.address = 128 : i64} : memref<4xi64, #lmu>
  lpu.vector ins(%x : memref<4x8xf32, #lmu>) outs(%s : memref<4xi64, #lmu>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4xi64>):
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    %e = tensor.empty() : tensor<4xf32>
    %m = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %z = linalg.fill ins(%zero : i64) outs(%o : tensor<4xi64>) -> tensor<4xi64>
    %r:2 = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x8xf32>) outs(%m, %z : tensor<4xf32>, tensor<4xi64>) {
    ^bb1(%in: f32, %max: f32, %at: i64):
      %j = linalg.index 1 : index
      %p = arith.index_cast %j : index to i64
      %n = arith.maximumf %in, %max : f32
      %c = arith.cmpf ogt, %in, %max : f32
      %q = arith.select %c, %p, %at : i64
      linalg.yield %n, %q : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    lpu.yield %r#1 : tensor<4xi64>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// Rows of a table in the HBM at computed positions. The code checks its index
// itself, so nothing is added.

// CHECK-LABEL: lpuisa.program @embedding
// CHECK:         views [<arg[1], i64, [3, 64], [1, 0], 0>,
// CHECK-NEXT:           <arg[0], f32, [6400], [1], 0>,
// CHECK-NEXT:           <lmu, f32, [3, 64], [64, 1], 0>] {
// CHECK:           %[[I:.+]] = lpuisa.micro load[0] : i64
// CHECK:           %[[N:.+]] = lpuisa.micro const 100 : i64
// CHECK:           %[[C:.+]] = lpuisa.micro cmp_i<slt>(%[[I]], %[[N]])
// CHECK-NEXT:      lpuisa.micro assert<index>(%[[C]]) "index must be smaller than dim size"
// CHECK:           lpuisa.micro cmp_i<sge>
// CHECK-NEXT:      lpuisa.micro assert<index>
// CHECK-NOT:       assert
// CHECK:           %[[G:.+]] = lpuisa.micro gather[1](%{{.+}})
// CHECK-NEXT:      lpuisa.micro store[2](%[[G]])
func.func @embedding(%t: memref<100x64xf32, #lpu.space<arg>>, %ids: memref<3xi64, #lpu.space<arg>>) {
  %y = memref.alloc() {lpu.address = 0 : i64} : memref<3x64xf32, #lmu>
  lpu.vector ins(%t, %ids : memref<100x64xf32, #lpu.space<arg>>, memref<3xi64, #lpu.space<arg>>)
      outs(%y : memref<3x64xf32, #lmu>) {
  ^bb0(%table: tensor<100x64xf32>, %a: tensor<3xi64>, %o: tensor<3x64xf32>):
    %c100 = arith.constant 100 : index
    %c0 = arith.constant 0 : i64
    %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<3xi64>) outs(%o : tensor<3x64xf32>) {
    ^bb1(%in: i64, %out: f32):
      %i = arith.index_cast %in : i64 to index
      %j = linalg.index 1 : index
      %c = arith.cmpi slt, %i, %c100 : index
      cf.assert %c, "index must be smaller than dim size"
      %d = arith.cmpi sge, %in, %c0 : i64
      cf.assert %d, "index must be larger or equal to 0"
      %e = tensor.extract %table[%i, %j] : tensor<100x64xf32>
      linalg.yield %e : f32
    } -> tensor<3x64xf32>
    lpu.yield %r : tensor<3x64xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// Positions that are linear in the loops are a view; others in two dimensions
// are each checked, but for the last one, which is in range.

// CHECK-LABEL: lpuisa.program @positions
// CHECK:         <lmu, f32, [4], [-1], 12>
// CHECK:         lpuisa.micro cmp_i<ult>
// CHECK-NEXT:    lpuisa.micro assert<index>(%{{.+}}) "index is out of bounds for dimension 0 with size 5"
// CHECK:         lpuisa.micro gather
func.func @positions() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4xf32, #lmu>
  %t = memref.alloc() {lpu.address = 64 : i64} : memref<5x4xf32, #lmu>
  %i = memref.alloc() {lpu.address = 192 : i64} : memref<4xi32, #lmu>
  %y = memref.alloc() {lpu.address = 256 : i64} : memref<4xf32, #lmu>
  lpu.vector ins(%x, %t, %i : memref<4xf32, #lmu>, memref<5x4xf32, #lmu>, memref<4xi32, #lmu>)
      outs(%y : memref<4xf32, #lmu>) {
  ^bb0(%a: tensor<4xf32>, %table: tensor<5x4xf32>, %at: tensor<4xi32>, %o: tensor<4xf32>):
    %c3 = arith.constant 3 : index
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%at : tensor<4xi32>) outs(%o : tensor<4xf32>) {
    ^bb1(%in: i32, %out: f32):
      %n = linalg.index 0 : index
      %back = arith.subi %c3, %n : index
      %e = tensor.extract %a[%back] : tensor<4xf32>
      %row = arith.index_cast %in : i32 to index
      %f = tensor.extract %table[%row, %n] : tensor<5x4xf32>
      %s = arith.addf %e, %f : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    lpu.yield %r : tensor<4xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// Code under a condition runs on both sides; a load on the side not taken goes
// to element 0.

// CHECK-LABEL: lpuisa.program @conditional
// CHECK:         %[[C:.+]] = lpuisa.micro cmp_i<slt>
// CHECK:         %[[K:.+]] = lpuisa.micro select(%[[C]],
// CHECK:         %[[G:.+]] = lpuisa.micro gather[0](%[[K]])
// CHECK:         lpuisa.micro select(%[[C]], %[[G]],
func.func @conditional() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4xf32, #lmu>
  %y = memref.alloc() {lpu.address = 64 : i64} : memref<6xf32, #lmu>
  lpu.vector ins(%x : memref<4xf32, #lmu>) outs(%y : memref<6xf32, #lmu>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<6xf32>):
    %c4 = arith.constant 4 : index
    %pad = arith.constant 7.0 : f32
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} outs(%o : tensor<6xf32>) {
    ^bb1(%out: f32):
      %n = linalg.index 0 : index
      %c = arith.cmpi slt, %n, %c4 : index
      %v = scf.if %c -> f32 {
        %e = tensor.extract %a[%n] : tensor<4xf32>
        scf.yield %e : f32
      } else {
        scf.yield %pad : f32
      }
      linalg.yield %v : f32
    } -> tensor<6xf32>
    lpu.yield %r : tensor<6xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// A root-mean-square norm is one program: what the first phase reduces is a
// value of the row in the second.

// CHECK-LABEL: lpuisa.program @norm
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK:           lpuisa.rows
// CHECK:           lpuisa.elements
// CHECK:           %[[SS:.+]] = lpuisa.micro reduce<add_f>
// CHECK:           lpuisa.rows
// CHECK:           %[[S:.+]] = lpuisa.micro add_f(%{{.+}}, %[[SS]])
// CHECK:           %[[R:.+]] = lpuisa.micro rsqrt_f
// CHECK:           lpuisa.elements
// CHECK:           %[[Y:.+]] = lpuisa.micro mul_f(%{{.+}}, %[[R]])
// CHECK-NEXT:      lpuisa.micro store[{{[0-9]}}](%[[Y]])
func.func @norm() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4x8xf32, #lmu>
  lpu.vector ins(%x : memref<4x8xf32, #lmu>) outs(%x : memref<4x8xf32, #lmu>) {
  ^bb0(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>):
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 8.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x8xf32>) outs(%z : tensor<4xf32>) {
    ^bb1(%in: f32, %acc: f32):
      %q = arith.mulf %in, %in : f32
      %t = arith.addf %acc, %q : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    %m = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb1(%in: f32, %out: f32):
      %t = arith.divf %in, %n : f32
      %u = math.rsqrt %t : f32
      linalg.yield %u : f32
    } -> tensor<4xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%a, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>) {
    ^bb1(%in: f32, %f: f32, %out: f32):
      %t = arith.mulf %in, %f : f32
      linalg.yield %t : f32
    } -> tensor<4x8xf32>
    lpu.yield %y : tensor<4x8xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// A maximum pooling: windows are a view, the operand that only gives their size
// is not read. Channels and lines of the result are walked as one.

// CHECK-LABEL: lpuisa.program @pooling
// CHECK:         lpuisa.vec rank 4 parallel 2
// CHECK-NEXT:      views [<lmu, f32, [12, 4, 2, 2], [16, 2, 8, 1], 0>,
// CHECK-NEXT:             <lmu, f32, [12, 4, 2, 2], [4, 1, 0, 0], 768>] {
// CHECK:           lpuisa.micro reduce<maximum_f>
func.func @pooling() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<1x3x8x8xf32, #lmu>
  %w = memref.alloc() {lpu.address = 960 : i64} : memref<2x2xf32, #lmu>
  %y = memref.alloc() {lpu.address = 768 : i64} : memref<1x3x4x4xf32, #lmu>
  lpu.vector ins(%x, %w : memref<1x3x8x8xf32, #lmu>, memref<2x2xf32, #lmu>)
      outs(%y : memref<1x3x4x4xf32, #lmu>) {
  ^bb0(%a: tensor<1x3x8x8xf32>, %b: tensor<2x2xf32>, %o: tensor<1x3x4x4xf32>):
    %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
        ins(%a, %b : tensor<1x3x8x8xf32>, tensor<2x2xf32>) outs(%o : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    lpu.yield %r : tensor<1x3x4x4xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// An operand read through a map that is not linear is gathered.

// CHECK-LABEL: lpuisa.program @shuffle
// CHECK-DAG:     %[[I:.+]] = lpuisa.micro iota[0] : i64
// CHECK-DAG:     %[[TWO:.+]] = lpuisa.micro const 2 : i64
// CHECK:         lpuisa.micro floor_div_si(%[[I]], %[[TWO]])
// CHECK:         lpuisa.micro gather
func.func @shuffle() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<4xf32, #lmu>
  %y = memref.alloc() {lpu.address = 64 : i64} : memref<8xf32, #lmu>
  lpu.vector ins(%x : memref<4xf32, #lmu>) outs(%y : memref<8xf32, #lmu>) {
  ^bb0(%a: tensor<4xf32>, %o: tensor<8xf32>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8xf32>
    lpu.yield %r : tensor<8xf32>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>

// Truth values have no sign: as signed one-bit numbers true is the least.

// CHECK-LABEL: lpuisa.program @truth
// CHECK:         %[[A:.+]] = lpuisa.micro load[0] : i1
// CHECK-DAG:     lpuisa.micro ext_u(%[[A]]) : (i1) -> i64
// CHECK-DAG:     %[[B:.+]] = lpuisa.micro load[1] : i1
// CHECK-DAG:     lpuisa.micro and_i(%[[A]], %[[B]])
// CHECK-DAG:     lpuisa.micro cmp_i<ugt>(%[[A]], %[[B]])
func.func @truth() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<8xi1, #lmu>
  %z = memref.alloc() {lpu.address = 64 : i64} : memref<8xi1, #lmu>
  %y = memref.alloc() {lpu.address = 128 : i64} : memref<8xi64, #lmu>
  lpu.vector ins(%x, %z : memref<8xi1, #lmu>, memref<8xi1, #lmu>) outs(%y : memref<8xi64, #lmu>) {
  ^bb0(%a: tensor<8xi1>, %b: tensor<8xi1>, %o: tensor<8xi64>):
    %r = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%a, %b : tensor<8xi1>, tensor<8xi1>) outs(%o : tensor<8xi64>) {
    ^bb1(%p: i1, %q: i1, %out: i64):
      %m = arith.maxsi %p, %q : i1
      %l = arith.cmpi slt, %p, %q : i1
      %x1 = arith.xori %m, %l : i1
      %e = arith.extui %p : i1 to i64
      %f = arith.extui %x1 : i1 to i64
      %s = arith.addi %e, %f : i64
      linalg.yield %s : i64
    } -> tensor<8xi64>
    lpu.yield %r : tensor<8xi64>
  }
  return
}

// -----

#lmu = #lpu.space<lmu>
#m = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

// Two sums that begin with the same zeros: what one of them gives is read along
// the columns of the other, which goes along its rows.
// CHECK-LABEL: lpuisa.program @sharedFill
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK-NEXT:        views [<lmu, f32, [2, 2], [2, 1], 64>,
// CHECK-NEXT:               <lmu, f32, [2, 2], [0, 1], 0>,
// CHECK-NEXT:               <lmu, f32, [2, 2], [1, 0], 128>]
// CHECK:         lpuisa.rows
// CHECK-NEXT:    %[[ZERO:.*]] = lpuisa.micro const 0.0
// CHECK-NEXT:    lpuisa.elements
// CHECK:         %[[W:.*]] = lpuisa.micro load[0]
// CHECK:         %[[Q:.*]] = lpuisa.micro add_f(%[[W]],
// CHECK:         %[[X:.*]] = lpuisa.micro load[1]
// CHECK:         %[[S:.*]] = lpuisa.micro add_f(%[[X]],
// CHECK:         %[[P:.*]] = lpuisa.micro mul_f(%[[Q]], %[[S]])
// CHECK:         %[[R:.*]] = lpuisa.micro reduce<add_f>(%[[P]])
// CHECK-NEXT:    lpuisa.rows
// CHECK-NEXT:    %[[Y:.*]] = lpuisa.micro add_f(%[[ZERO]], %[[R]])
// CHECK-NEXT:    lpuisa.micro store[2](%[[Y]])
func.func @sharedFill() {
  %x = memref.alloc() {lpu.address = 0 : i64} : memref<2x1xf32, #lmu>
  %w = memref.alloc() {lpu.address = 64 : i64} : memref<2x2xf32, #lmu>
  %y = memref.alloc() {lpu.address = 128 : i64} : memref<2xf32, #lmu>
  lpu.vector ins(%x, %w : memref<2x1xf32, #lmu>, memref<2x2xf32, #lmu>) outs(%y : memref<2xf32, #lmu>) {
  ^bb0(%a: tensor<2x1xf32>, %b: tensor<2x2xf32>, %o: tensor<2xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %s = linalg.generic {indexing_maps = [#m, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<2x1xf32>) outs(%z : tensor<2xf32>) {
    ^bb0(%i: f32, %acc: f32):
      %n = arith.addf %i, %acc : f32
      linalg.yield %n : f32
    } -> tensor<2xf32>
    %f = tensor.empty() : tensor<2x2xf32>
    %zz = linalg.fill ins(%zero : f32) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
    %q = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<2x2xf32>) outs(%zz : tensor<2x2xf32>) {
    ^bb0(%i: f32, %acc: f32):
      %n = arith.addf %i, %acc : f32
      linalg.yield %n : f32
    } -> tensor<2x2xf32>
    %r = linalg.generic {indexing_maps = [#m, #col, #row], iterator_types = ["parallel", "reduction"]} ins(%q, %s : tensor<2x2xf32>, tensor<2xf32>) outs(%z : tensor<2xf32>) {
    ^bb0(%i: f32, %j: f32, %acc: f32):
      %p = arith.mulf %i, %j : f32
      %n = arith.addf %p, %acc : f32
      linalg.yield %n : f32
    } -> tensor<2xf32>
    lpu.yield %r : tensor<2xf32>
  }
  return
}

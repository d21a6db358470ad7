// RUN: lpu-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

lpuisa.program @space {
  // expected-error @+1 {{found 'hbm', expected one of arg, scratch, constant, lmu}}
  lpuisa.stream <hbm, f32, [1], [1], 0> passes 1
}

// -----

lpuisa.program @type {
  // expected-error @+1 {{found 'f64', expected one of f32, bf16, f16, i64, i32, i16, i8, u8, bool}}
  lpuisa.stream <lmu, f64, [1], [1], 0> passes 1
}

// -----

lpuisa.program @part {
  // expected-error @+1 {{found 'bound', expected one of offset_register, offset_bound, dynamic_dim, size_register, loop_increments}}
  lpuisa.stream <lmu, f32, [1], [1], 0, bound = 3> passes 1
}

// -----

lpuisa.program @unsigned {
  // expected-error @+1 {{found element type u8, expected i8: signedness lies in the operation}}
  lpuisa.stream <lmu, u8, [1], [1], 0> passes 1
}

// -----

lpuisa.program @rank {
  // expected-error @+1 {{found rank 9, expected at most 8}}
  lpuisa.stream <lmu, f32, [1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1], 0> passes 1
}

// -----

lpuisa.program @strides {
  // expected-error @+1 {{found 1 strides, expected 2 as there are sizes}}
  lpuisa.stream <lmu, f32, [4, 4], [1], 0> passes 1
}

// -----

lpuisa.program @size {
  // expected-error @+1 {{found size -1, expected at least 0 and less than 2^32}}
  lpuisa.stream <lmu, f32, [-1], [1], 0> passes 1
}

// -----

lpuisa.program @offset {
  // expected-error @+1 {{found offset -4, expected at least 0}}
  lpuisa.stream <lmu, f32, [1], [1], -4> passes 1
}

// -----

lpuisa.program @argument {
  // expected-error @+1 {{found argument 65536, expected at most 65535}}
  lpuisa.stream <arg[65536], f32, [1], [1], 0> passes 1
}

// -----

lpuisa.program @register {
  // expected-error @+1 {{found register r32, expected r0 to r31}}
  lpuisa.stream <lmu, f32, [1], [1], 0, offset_register = r32> passes 1
}

// -----

lpuisa.program @register_spelling {
  // expected-error @+1 {{expected a register, r0 to r31}}
  lpuisa.stream <lmu, f32, [1], [1], 0, offset_register = x1> passes 1
}

// -----

lpuisa.program @bound {
  // expected-error @+1 {{found offset_bound 16, expected at least 0, and 0 without an offset_register}}
  lpuisa.stream <lmu, f32, [1], [1], 0, offset_bound = 16> passes 1
}

// -----

lpuisa.program @dynamic {
  // expected-error @+1 {{found one of dynamic_dim and size_register, expected both or none}}
  lpuisa.stream <lmu, f32, [1], [1], 0, dynamic_dim = 0> passes 1
}

// -----

lpuisa.program @dynamic_dim {
  // expected-error @+1 {{found dynamic_dim 1, expected less than the rank 1}}
  lpuisa.stream <lmu, f32, [1], [1], 0, dynamic_dim = 1, size_register = r0> passes 1
}

// -----

lpuisa.program @increments {
  // expected-error @+1 {{found 5 loop_increments, expected at most 4}}
  lpuisa.stream <lmu, f32, [1], [1], 0, loop_increments = [0, 0, 0, 0, 4]> passes 1
}

// -----

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

// expected-error @+1 {{found 'index', expected one of alias, argument}}
lpuisa.program @key inputs [<"x", f32, [4], index = 0>] {
}

// -----

// expected-error @+1 {{found size -4, expected at least 0}}
lpuisa.program @tensor_size inputs [<"x", f32, [-4]>] {
}

// -----

// expected-error @+1 {{found alias 0 and argument 1, expected the same number}}
lpuisa.program @alias inputs [<"x", f32, [4]>, <"y", f32, [4]>] results [<"z", f32, [4], alias = 0, argument = 1>] {
}

// -----

// expected-error @+1 {{found alias or argument on #lpuisa.tensor<"x", f32, [4], argument = 1>, expected them on results only}}
lpuisa.program @input inputs [<"x", f32, [4], argument = 1>] {
}

// -----

// expected-error @+1 {{found result in argument 1, expected one of the 1 arguments}}
lpuisa.program @result_argument inputs [<"x", f32, [4]>] results [<"z", f32, [4], argument = 1>] {
}

// -----

// expected-error @+1 {{found result #lpuisa.tensor<"z", f32, [4]> in an input, expected an alias on results in inputs, and only there}}
lpuisa.program @no_alias inputs [<"x", f32, [4]>] results [<"z", f32, [4]>] {
}

// -----

// expected-error @+1 {{in argument #lpuisa.tensor<"x", f32, [4]>, expected the same element type and sizes}}
lpuisa.program @result_type inputs [<"x", f32, [4]>] results [<"z", f32, [5], alias = 0>] {
}

// -----

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

lpuisa.program @li {
  // expected-error @+1 {{expected a register, r0 to r31}}
  lpuisa.li r32 = 1
}

// -----

lpuisa.program @ld {
  // expected-error @+1 {{found source #lpuisa.view<lmu, f32, [], [], 0>, expected one element of an integer type or bool}}
  lpuisa.ld r0 = <lmu, f32, [], [], 0>
}

// -----

lpuisa.program @alu {
  // expected-error @+1 {{found none of rt and immediate, expected one}}
  "lpuisa.alu"() <{function = #lpuisa.alu_function<add>, rd = 0 : i32, rs = 0 : i32}> : () -> ()
}

// -----

lpuisa.program @condition {
  lpuisa.label L0
  // expected-error @+1 {{found no register, expected one to test with condition zero}}
  lpuisa.branch zero L0
  lpuisa.halt
}

// -----

lpuisa.program @unconditional {
  lpuisa.label L0
  // expected-error @+1 {{found a register, expected none with condition always}}
  lpuisa.branch always r0, L0
  lpuisa.halt
}

// -----

// A label of another block is none.
lpuisa.program @label {
  lpuisa.label L0
  lpuisa.loop 2 {
    // expected-error @+1 {{found no label 'L0', expected one in the block of the branch}}
    lpuisa.branch always L0
  }
  lpuisa.halt
}

// -----

lpuisa.program @labels {
  lpuisa.label L0
  lpuisa.label L0
  // expected-error @+1 {{found label 'L0' twice, expected once in the block}}
  lpuisa.branch always L0
}

// -----

lpuisa.program @label_at_the_end {
  // expected-error @+1 {{found label 'L1' at the end of the block, expected an instruction after it}}
  lpuisa.branch always L1
  lpuisa.label L1
}

// -----

lpuisa.program @depth {
  lpuisa.loop 1 {
    lpuisa.loop 1 {
      lpuisa.loop 1 {
        lpuisa.loop 1 {
          // expected-error @+1 {{found loop at depth 5, expected at most 4}}
          lpuisa.loop 1 {
          }
        }
      }
    }
  }
}

// -----

lpuisa.program @semaphore {
  // expected-error @+1 {{attribute 'semaphore' failed to satisfy constraint}}
  lpuisa.wait sma, 64, 1
}

// -----

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

lpuisa.program @copy_type {
  // expected-error @+1 {{found destination of type bf16 and source of type f32, expected the same}}
  lpuisa.copy <lmu, bf16, [4], [1], 0> = <lmu, f32, [4], [1], 64>
}

// -----

lpuisa.program @copy_sizes {
  // expected-error @+1 {{expected the same sizes}}
  lpuisa.copy <lmu, f32, [4], [1], 0> = <lmu, f32, [4, 1], [1, 1], 64>
}

// -----

// Equal bounds are not enough: both sizes come from one register.
lpuisa.program @copy_dynamic {
  // expected-error @+1 {{expected the same sizes}}
  lpuisa.copy <lmu, f32, [4], [1], 0, dynamic_dim = 0, size_register = r0> = <lmu, f32, [4], [1], 64>
}

// -----

lpuisa.program @index {
  // expected-error @+1 {{found index #lpuisa.view<lmu, f32, [4], [1], 0>, expected an integer type and rank 1}}
  lpuisa.gather <lmu, f32, [4], [1], 0> = <lmu, f32, [9], [1], 64>[<lmu, f32, [4], [1], 0>] axis 0
}

// -----

lpuisa.program @axis {
  // expected-error @+1 {{found ranks 1 and 1 and axis 1, expected equal ranks and an axis below them}}
  lpuisa.gather <lmu, f32, [4], [1], 0> = <lmu, f32, [9], [1], 64>[<lmu, i64, [4], [1], 0>] axis 1
}

// -----

lpuisa.program @scatter_sizes {
  // expected-error @+1 {{expected the size of the index at the axis and equal sizes elsewhere}}
  lpuisa.scatter <lmu, f32, [9], [1], 0>[<lmu, i64, [4], [1], 0>] = <lmu, f32, [5], [1], 64> axis 0
}

// -----

lpuisa.program @stream_type {
  // expected-error @+1 {{found a source of type i64, expected f32, bf16, f16 or i8}}
  lpuisa.stream <lmu, i64, [4], [1], 0> passes 1
}

// -----

//===----------------------------------------------------------------------===//
// Matrix
//===----------------------------------------------------------------------===//

lpuisa.program @mm_rank {
  // expected-error @+1 {{found streamed of rank 1, expected 2}}
  lpuisa.mm <lmu, f32, [4], [1], 0> = <lmu, f32, [8], [1], 64> * <lmu, f32, [4], [1], 128> batch 0 rows 0 cols 1 depth 1
}

// -----

lpuisa.program @mm_sizes {
  // expected-error @+1 {{found dimension 0 of lhs and dimension 1 of streamed with different sizes, expected the same}}
  lpuisa.mm <lmu, f32, [4], [1], 0> = <lmu, f32, [8], [1], 64> * <lmu, f32, [4, 9], [9, 1], 128> batch 0 rows 0 cols 1 depth 1
}

// -----

lpuisa.program @mm_types {
  // expected-error @+1 {{found lhs of type f16 and streamed of type bf16, expected the same}}
  lpuisa.mm <lmu, f32, [], [], 0> = <lmu, f16, [8], [1], 64> * <lmu, bf16, [8], [1], 128> batch 0 rows 0 cols 0 depth 1
}

// -----

lpuisa.program @mm_output {
  // expected-error @+1 {{found bf16 operands and f16 output, expected floats with f32 or the operands' type, or i8 with i32}}
  lpuisa.mm <lmu, f16, [], [], 0> = <lmu, bf16, [8], [1], 64> * <lmu, bf16, [8], [1], 128> batch 0 rows 0 cols 0 depth 1
}

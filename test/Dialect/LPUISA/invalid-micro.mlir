// RUN: lpu-opt %s -split-input-file -verify-diagnostics
//
// Micro-programs that are not well formed.

lpuisa.program @opcode {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    // expected-error @+1 {{found 'frobnicate', expected the name of a micro-operation}}
    %x = lpuisa.micro frobnicate : f32
  }
}

// -----

lpuisa.program @marker {
  lpuisa.vec rank 0 parallel 0 {
    // expected-error @+1 {{found opcode 2, expected a micro-operation that is no section}}
    lpuisa.micro rows : () -> ()
  }
}

// -----

lpuisa.program @selector {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    // expected-error @+1 {{found a selector, expected none on iota}}
    %x = lpuisa.micro iota<add_f>[0] : i64
  }
}

// -----

lpuisa.program @selector_name {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    // expected-error @+1 {{found 'olt', expected one of set, add_f, mul_f}}
    %y = lpuisa.micro reduce<olt>(%x) : (f32) -> f32
  }
}

// -----

lpuisa.program @no_selector {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    // expected-error @+1 {{reduce: found no selector, expected one}}
    %y = lpuisa.micro reduce(%x) : (f32) -> f32
  }
}

// -----

lpuisa.program @wrong_selector {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    // expected-error @+1 {{reduce: found selector add_i, expected one for type f32}}
    %y = lpuisa.micro reduce<add_i>(%x) : (f32) -> f32
  }
}

// -----

// A truth value has no sign.
lpuisa.program @signed_compare {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const true
    // expected-error @+1 {{cmp_i: found selector slt, expected one for type i1}}
    %y = lpuisa.micro cmp_i<slt>(%x, %x) : (i1, i1) -> i1
  }
}

// -----

lpuisa.program @number {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    // expected-error @+1 {{load: found no operand number, expected one}}
    %x = lpuisa.micro load : f32
  }
}

// -----

lpuisa.program @message {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const true
    // expected-error @+1 {{assert: found no message, expected one}}
    lpuisa.micro assert<index>(%x) : (i1) -> ()
  }
}

// -----

lpuisa.program @immediate {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    // expected-error @+1 {{const: found no immediate, expected one}}
    %x = lpuisa.micro const : f32
  }
}

// -----

lpuisa.program @immediate_type {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    // expected-error @+1 {{expected a number with its type}}
    %x = lpuisa.micro const unit
  }
}

// -----

lpuisa.program @result {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1.0 : f32
    // expected-error @+1 {{neg_f: found no result, expected one}}
    lpuisa.micro neg_f(%x) : (f32) -> ()
  }
}

// -----

lpuisa.program @inputs {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1.0 : f32
    // expected-error @+1 {{add_f: found 1 inputs, expected 2}}
    %y = lpuisa.micro add_f(%x) : (f32) -> f32
  }
}

// -----

lpuisa.program @compare_result {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1.0 : f32
    // expected-error @+1 {{cmp_f: found a result of type 'f32', expected i1}}
    %y = lpuisa.micro cmp_f<oeq>(%x, %x) : (f32, f32) -> f32
  }
}

// -----

lpuisa.program @type {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1 : i32
    // expected-error @+1 {{add_f: found type i32, which this operation does not have}}
    %y = lpuisa.micro add_f(%x, %x) : (i32, i32) -> i32
  }
}

// -----

lpuisa.program @input_type {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1 : i32
    %y = lpuisa.micro const 1 : i64
    // expected-error @+1 {{add_i: found input 1 of type i32, expected i64}}
    %z = lpuisa.micro add_i(%y, %x) : (i64, i32) -> i64
  }
}

// -----

lpuisa.program @extension {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1 : i32
    // expected-error @+1 {{ext_s: found input 0 of type i32, expected an integer narrower than i16}}
    %y = lpuisa.micro ext_s(%x) : (i32) -> i16
  }
}

// -----

lpuisa.program @truncation {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1 : i16
    // expected-error @+1 {{trunc_i: found input 0 of type i16, expected an integer wider than i16}}
    %y = lpuisa.micro trunc_i(%x) : (i16) -> i16
  }
}

// -----

lpuisa.program @element_number {
  lpuisa.vec rank 0 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.rows
    %x = lpuisa.micro const 1 : i32
    // expected-error @+1 {{gather: found input 0 of type i32, expected i64}}
    %y = lpuisa.micro gather[0](%x) : (i32) -> f32
  }
}

// -----

//===----------------------------------------------------------------------===//
// Programs as a whole
//===----------------------------------------------------------------------===//

lpuisa.program @parallel {
  // expected-error @+1 {{found 2 parallel dimensions, expected at most the rank 1}}
  lpuisa.vec rank 1 parallel 2 views [<lmu, f32, [4], [1], 0>] {
  }
}

// -----

lpuisa.program @foreign {
  lpuisa.vec rank 0 parallel 0 {
    // expected-error @+1 {{found 'builtin.unrealized_conversion_cast' in a micro-program, expected sections and micro-operations}}
    %x = builtin.unrealized_conversion_cast to f32
  }
}

// -----

lpuisa.program @no_section {
  lpuisa.vec rank 0 parallel 0 {
    // expected-error @+1 {{const: found before any section, expected elements or rows first}}
    %x = lpuisa.micro const 1.0 : f32
  }
}

// -----

lpuisa.program @reduce_of_row {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.rows
    %x = lpuisa.micro const 1.0 : f32
    // expected-error @+1 {{reduce: found in a rows section, expected in an elements section}}
    %y = lpuisa.micro reduce<add_f>(%x) : (f32) -> f32
  }
}

// -----

lpuisa.program @phases {
  lpuisa.vec rank 0 parallel 0 {
    lpuisa.elements
    lpuisa.elements
    lpuisa.elements
    lpuisa.elements
    // expected-error @+1 {{found 5 elements sections, expected at most 4}}
    lpuisa.elements
  }
}

// -----

// An element's value is gone when its section is.
lpuisa.program @visible {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    // expected-note @+1 {{assigned here}}
    %x = lpuisa.micro load[0] : f32
    lpuisa.elements
    // expected-error @+1 {{neg_f: found the result of load of another section, expected a value of this section, of a rows section, or the result of a reduce or carry}}
    %y = lpuisa.micro neg_f(%x) : (f32) -> f32
  }
}

// -----

// A reduction is known only when all elements have been seen.
lpuisa.program @reduce_visible {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    // expected-note @+1 {{assigned here}}
    %sum = lpuisa.micro reduce<add_f>(%x) : (f32) -> f32
    // expected-error @+1 {{sub_f: found the result of reduce of the same section, expected the result of a reduce in later sections only}}
    %y = lpuisa.micro sub_f(%x, %sum) : (f32, f32) -> f32
  }
}

// -----

lpuisa.program @carry_of_element {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    // expected-note @+1 {{assigned here}}
    %x = lpuisa.micro load[0] : f32
    // expected-error @+1 {{carry: found the result of load of the same section, expected a value of the row}}
    %c = lpuisa.micro carry(%x) : (f32) -> f32
  }
}

// -----

lpuisa.program @next_of_no_carry {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    // expected-note @+1 {{assigned here}}
    %x = lpuisa.micro load[0] : f32
    // expected-error @+1 {{next: found the result of load of the same section, expected a carry of the same section}}
    lpuisa.micro next(%x, %x) : (f32, f32) -> ()
  }
}

// -----

lpuisa.program @two_nexts {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %zero = lpuisa.micro const 0.0 : f32
    %c = lpuisa.micro carry(%zero) : (f32) -> f32
    lpuisa.micro next(%c, %zero) : (f32, f32) -> ()
    // expected-error @+1 {{next: found a second next of this carry, expected one}}
    lpuisa.micro next(%c, %zero) : (f32, f32) -> ()
  }
}

// -----

lpuisa.program @no_next {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %zero = lpuisa.micro const 0.0 : f32
    // expected-error @+1 {{carry: found no next of it in its section, expected one}}
    %c = lpuisa.micro carry(%zero) : (f32) -> f32
    lpuisa.rows
  }
}

// -----

lpuisa.program @iota {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.rows
    // expected-error @+1 {{iota: found dimension 0, expected less than 0 in a rows section}}
    %i = lpuisa.micro iota[0] : i64
  }
}

// -----

lpuisa.program @view_number {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    // expected-error @+1 {{load: found view number 1, expected less than the number of views 1}}
    %x = lpuisa.micro load[1] : f32
  }
}

// -----

// A bf16 in memory is an f32 in a micro-register.
lpuisa.program @view_type {
  lpuisa.vec rank 1 parallel 0 views [<lmu, bf16, [4], [1], 0>] {
    lpuisa.elements
    // expected-error @+1 {{load: found type i16, expected f32 for view #lpuisa.view<lmu, bf16, [4], [1], 0>}}
    %x = lpuisa.micro load[0] : i16
  }
}

// -----

lpuisa.program @table_rank {
  lpuisa.vec rank 2 parallel 0 views [<lmu, f32, [4, 4], [4, 1], 0>] {
    lpuisa.elements
    %i = lpuisa.micro iota[0] : i64
    // expected-error @+1 {{gather: found view #lpuisa.view<lmu, f32, [4, 4], [4, 1], 0>, expected rank 1}}
    %x = lpuisa.micro gather[0](%i) : (i64) -> f32
  }
}

// -----

lpuisa.program @table_and_domain {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %i = lpuisa.micro iota[0] : i64
    %x = lpuisa.micro gather[0](%i) : (i64) -> f32
    // expected-error @+1 {{store: found view number 0 used by element number and by index, expected one of them}}
    lpuisa.micro store[0](%x) : (f32) -> ()
  }
}

// -----

lpuisa.program @domain_rank {
  // expected-error @+1 {{found view #lpuisa.view<lmu, f32, [4], [1], 0>, expected the rank of the domain 2}}
  lpuisa.vec rank 2 parallel 0 views [<lmu, f32, [4], [1], 0>] {
  }
}

// -----

lpuisa.program @domain_sizes {
  // expected-error @+1 {{found view #lpuisa.view<lmu, f32, [5], [1], 0>, expected the sizes of the domain as in #lpuisa.view<lmu, f32, [4], [1], 0>}}
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>, <lmu, f32, [5], [1], 0>] {
  }
}

// -----

lpuisa.program @no_domain {
  // expected-error @+1 {{found no view but tables, expected one with the sizes of the domain}}
  lpuisa.vec rank 1 parallel 0 {
  }
}

// -----

lpuisa.program @results {
  lpuisa.vec rank 1 parallel 0 views [<lmu, f32, [4], [1], 0>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    // expected-error @+1 {{found 2 results, expected at most one}}
    %y:2 = lpuisa.micro neg_f(%x) : (f32) -> (f32, f32)
  }
}

// RUN: lpu-opt %s -lpuisa-verify -split-input-file -verify-diagnostics

// expected-error @+1 {{found no instruction, expected at least lpuisa.halt}}
lpuisa.program @nothing {
}

// -----

lpuisa.program @endless {
  // expected-error @+1 {{'lpuisa.li' op found as the last one, expected lpuisa.halt}}
  lpuisa.li r0 = 1
}

// -----

module attributes {lpu.machine = #lpu.machine<{base = "tiny", name = "mine", lmu_bytes = 4096}>} {
// expected-error @+1 {{found 4160 bytes of LMU, expected at most the 4096 of machine 'mine'}}
lpuisa.program @large lmu 4160 {
  lpuisa.halt
}
}

// -----

lpuisa.program @argument lmu 64 inputs [<"x", f32, [16]>] {
  // expected-error @+1 {{found view #lpuisa.view<arg[1], f32, [16], [1], 0>, expected one of the 1 arguments}}
  lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[1], f32, [16], [1], 0>
  lpuisa.halt
}

// -----

lpuisa.program @past_the_end lmu 64 inputs [<"x", f32, [16]>] {
  // expected-error @+1 {{found view #lpuisa.view<arg[0], f32, [16], [1], 4> that reaches bytes [4, 68), expected within the 64 bytes of its memory}}
  lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 4>
  lpuisa.halt
}

// -----

// A negative stride that starts at the first element.
lpuisa.program @before_the_start lmu 64 inputs [<"x", f32, [16]>] {
  // expected-error @+1 {{that reaches bytes [-60, 4), expected within the 64 bytes of its memory}}
  lpuisa.copy <lmu, f32, [16], [-1], 0> = <arg[0], f32, [16], [1], 0>
  lpuisa.halt
}

// -----

// The bound of a register counts, whatever the register holds.
lpuisa.program @bound lmu 64 inputs [<"x", f32, [16]>] {
  // expected-error @+1 {{that reaches bytes [0, 68), expected within the 64 bytes of its memory}}
  lpuisa.copy <lmu, f32, [1], [1], 0> = <arg[0], f32, [1], [1], 0, offset_register = r0, offset_bound = 64>
  lpuisa.halt
}

// -----

// So does the last iteration: 4 + 4 * 16 bytes.
lpuisa.program @iteration lmu 64 {
  lpuisa.loop 5 {
    // expected-error @+1 {{that reaches bytes [0, 68), expected within the 64 bytes of its memory}}
    lpuisa.copy <lmu, f32, [], [], 0, loop_increments = [16]> = <lmu, f32, [], [], 0>
  }
  lpuisa.halt
}

// -----

lpuisa.program @no_loop lmu 64 {
  // expected-error @+1 {{found an increment for loop level 1 in view #lpuisa.view<lmu, f32, [], [], 0, loop_increments = [0, 16]>, expected none with 0 loops around it}}
  lpuisa.copy <lmu, f32, [], [], 0, loop_increments = [0, 16]> = <lmu, f32, [], [], 0>
  lpuisa.halt
}

// -----

lpuisa.program @alignment lmu 64 {
  // expected-error @+1 {{expected offset, bound and increments in multiples of the 4 bytes of an element}}
  lpuisa.copy <lmu, f32, [], [], 2> = <lmu, f32, [], [], 0>
  lpuisa.halt
}

// -----

lpuisa.program @constant lmu 64 rodata dense<0> : tensor<4xi8> {
  // expected-error @+1 {{found a write to #lpuisa.view<constant, f32, [], [], 0>, expected constants to be read only}}
  lpuisa.copy <constant, f32, [], [], 0> = <lmu, f32, [], [], 0>
  lpuisa.halt
}

// -----

lpuisa.program @no_stream lmu 64 {
  // expected-error @+1 {{found no stream for it, expected one before it in the same straight-line code}}
  lpuisa.mm <lmu, f32, [], [], 0> = <lmu, f32, [4], [1], 16> * <lmu, f32, [4], [1], 32> batch 0 rows 0 cols 0 depth 1
  lpuisa.halt
}

// -----

lpuisa.program @no_mm lmu 64 {
  // expected-error @+1 {{found 'lpuisa.halt' before its mm, expected straight-line code}}
  lpuisa.stream <lmu, f32, [4], [1], 32> passes 1
  lpuisa.halt
}

// -----

lpuisa.program @no_mm_in_body lmu 64 {
  lpuisa.loop 1 {
    // expected-error @+1 {{found no mm for it, expected one after it in the same block}}
    lpuisa.stream <lmu, f32, [4], [1], 32> passes 1
  }
  lpuisa.halt
}

// -----

// The buffer is a FIFO: the second mm would take the first stream.
lpuisa.program @order lmu 64 {
  // expected-note @+1 {{pushed here}}
  lpuisa.stream <lmu, f32, [4], [1], 16> passes 1
  lpuisa.stream <lmu, f32, [4], [1], 32> passes 1
  // expected-error @+1 {{found streamed view #lpuisa.view<lmu, f32, [4], [1], 32>, expected that of the oldest stream #lpuisa.view<lmu, f32, [4], [1], 16>}}
  lpuisa.mm <lmu, f32, [], [], 0> = <lmu, f32, [4], [1], 16> * <lmu, f32, [4], [1], 32> batch 0 rows 0 cols 0 depth 1
  lpuisa.halt
}

// -----

module attributes {lpu.machine = #lpu.machine<{base = "tiny", rows_per_pass = 4}>} {
lpuisa.program @passes lmu 128 {
  // expected-error @+1 {{found 1 passes, expected 2 for 5 rows at 4 rows a pass}}
  lpuisa.stream <lmu, f32, [2], [1], 0> passes 1
  lpuisa.mm <lmu, f32, [5], [1], 64> = <lmu, f32, [5, 2], [2, 1], 16> * <lmu, f32, [2], [1], 0> batch 0 rows 1 cols 0 depth 1
  lpuisa.halt
}
}

// -----

// expected-error @+1 {{found semaphore 7 with 1 more posts than waits, expected as many}}
lpuisa.program @posts {
  lpuisa.loop 2 {
    lpuisa.post sma, 7, 1
  }
  lpuisa.wait vxe, 7, 1
  lpuisa.halt
}

// -----

// expected-error @+1 {{found semaphore 0 with 3 more waits than posts, expected as many}}
lpuisa.program @waits {
  lpuisa.wait vxe, 0, 3
  lpuisa.halt
}

// -----

lpuisa.program @unknown_trips {
  lpuisa.post sma, 0, 2
  // expected-error @+1 {{found a body that leaves -1 on semaphore 0, expected 0 where a register gives the trips}}
  lpuisa.loop r0 to 2 {
    lpuisa.wait vxe, 0, 1
  }
  lpuisa.halt
}

// -----

// Of machine 'tiny' the buffer holds 16384 bytes. The product needs a copy that
// stands behind its stream of 32768.
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
lpuisa.program @no_room lmu 1024 inputs [<"x", f32, [64]>, <"w", f32, [128, 64]>] {
  // expected-error @+1 {{found that it never gets room in the stream buffer of 16384 bytes, expected what the products before it and its own wait for to stand before it}}
  lpuisa.stream <arg[1], f32, [128, 64], [64, 1], 0> passes 1
  lpuisa.copy <lmu, f32, [64], [1], 0> = <arg[0], f32, [64], [1], 0>
  lpuisa.post sma, 4, 1
  // expected-note @+1 {{another queue stops here}}
  lpuisa.wait sxe, 4, 1
  lpuisa.mm <lmu, f32, [128], [1], 512> = <lmu, f32, [64], [1], 0> * <arg[1], f32, [128, 64], [64, 1], 0> batch 0 rows 0 cols 1 depth 1
  lpuisa.halt
}
}

// -----

// Each waits for what the other posts behind its own wait.
lpuisa.program @crossed {
  // expected-error @+1 {{found that it waits for ever, expected a program that comes to its end}}
  lpuisa.wait sma, 10, 1
  lpuisa.post sma, 5, 1
  // expected-note @+1 {{another queue stops here}}
  lpuisa.wait vxe, 5, 1
  lpuisa.post vxe, 10, 1
  lpuisa.halt
}

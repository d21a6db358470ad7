// RUN: lpu-opt %s -lpuisa-insert-semaphores -split-input-file -verify-diagnostics

// Semaphores are inserted once.
lpuisa.program @twice {
  // expected-error @+1 {{found in a program without semaphores, expected none before they are inserted}}
  lpuisa.post sma, 0, 1
  lpuisa.wait vxe, 0, 1
  lpuisa.halt
}

// -----

// A write between a stream and its mm could be seen by the stream or not.
lpuisa.program @write_under_stream lmu 256 inputs [<"w", f32, [4, 4]>] {
  lpuisa.stream <arg[0], f32, [4, 4], [4, 1], 0> passes 1
  // expected-error @+1 {{found a write to the source of a stream whose mm follows, expected it after the mm}}
  lpuisa.copy <arg[0], f32, [4], [1], 16> = <lmu, f32, [4], [1], 128>
  lpuisa.mm <lmu, f32, [1, 4], [4, 1], 0> = <lmu, f32, [1, 4], [4, 1], 64> * <arg[0], f32, [4, 4], [4, 1], 0> batch 0 rows 1 cols 1 depth 1
  lpuisa.halt
}

// -----

// The drain before a branch would wait for a stream that nobody takes.
lpuisa.program @branch_under_stream lmu 256 inputs [<"w", f32, [4, 4]>] {
  // expected-error @+1 {{found a label, a branch or the end of the block between this stream and its mm, expected the mm before it}}
  lpuisa.stream <arg[0], f32, [4, 4], [4, 1], 0> passes 1
  lpuisa.label L1
  lpuisa.mm <lmu, f32, [1, 4], [4, 1], 0> = <lmu, f32, [1, 4], [4, 1], 64> * <arg[0], f32, [4, 4], [4, 1], 0> batch 0 rows 1 cols 1 depth 1
  lpuisa.halt
}

// -----

lpuisa.program @loop_under_stream lmu 256 inputs [<"w", f32, [4, 4]>] {
  // expected-error @+1 {{found a loop between this stream and its mm, expected the mm before the loop}}
  lpuisa.stream <arg[0], f32, [4, 4], [4, 1], 0> passes 1
  lpuisa.loop 2 {
  }
  lpuisa.mm <lmu, f32, [1, 4], [4, 1], 0> = <lmu, f32, [1, 4], [4, 1], 64> * <arg[0], f32, [4, 4], [4, 1], 0> batch 0 rows 1 cols 1 depth 1
  lpuisa.halt
}

// -----

lpuisa.program @no_stream lmu 256 inputs [<"w", f32, [4, 4]>] {
  // expected-error @+1 {{found no stream for this mm, expected one before it in the same straight-line code}}
  lpuisa.mm <lmu, f32, [1, 4], [4, 1], 0> = <lmu, f32, [1, 4], [4, 1], 64> * <arg[0], f32, [4, 4], [4, 1], 0> batch 0 rows 1 cols 1 depth 1
  lpuisa.halt
}

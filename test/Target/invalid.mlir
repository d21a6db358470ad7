// RUN: lpu-translate --mlir-to-lpubin %s -split-input-file -verify-diagnostics -o /dev/null

// One program a file.
// expected-error @+1 {{found 2 lpuisa.program, expected one}}
module {
  lpuisa.program @a {
    lpuisa.halt
  }
  lpuisa.program @b {
    lpuisa.halt
  }
}

// -----

// What the loader would refuse is refused here: no end.
// expected-error @+1 {{instruction 0 (li): is the last one, expected halt, fault or an unconditional branch}}
lpuisa.program @endless {
  lpuisa.li r0 = 1
}

// -----

// A view past the end of its memory; the message names the FX node.
// expected-error @+1 {{instruction 0 (copy) of copy_1: view 0: reaches bytes [32, 96) of lmu, expected within [0, 64)}}
lpuisa.program @outside lmu 64 inputs [<"x", f32, [16]>] {
  lpuisa.copy <lmu, f32, [16], [1], 32> = <arg[0], f32, [16], [1], 0> loc("copy_1")
  lpuisa.halt
}

// -----

// More LMU than the machine has.
// expected-error @+1 {{bytes of LMU, expected at most the machine's}}
lpuisa.program @large lmu 99999999999 {
  lpuisa.halt
}

// -----

// Another dialect's operation.
lpuisa.program @foreign {
  // expected-error @+1 {{found 'builtin.unrealized_conversion_cast' in a program, expected instructions of the lpuisa dialect only}}
  %c = builtin.unrealized_conversion_cast to i32
  lpuisa.halt
}

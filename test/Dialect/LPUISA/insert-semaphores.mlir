// RUN: lpu-opt %s -lpuisa-insert-semaphores -split-input-file | FileCheck %s
//
// Semaphores by pair of units (from -> to):
//   sma -> icp 3   sma -> sxe 4   sma -> vxe 5
//   sxe -> icp 6   sxe -> sma 7   sxe -> vxe 8
//   vxe -> icp 9   vxe -> sma 10  vxe -> sxe 11
// and 12 (1 + level) more for what a loop at that level carries.

// Load, compute, store: each reads what the one before wrote.
// CHECK-LABEL: lpuisa.program @chain
lpuisa.program @chain lmu 128 inputs [<"x", f32, [16]>] outputs [<"y", f32, [16]>] {
  // CHECK:      lpuisa.copy <lmu
  // CHECK-NEXT: lpuisa.post sma, 5, 1
  // CHECK-NEXT: lpuisa.wait vxe, 5, 1
  // CHECK-NEXT: lpuisa.vec
  lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    lpuisa.micro store[1](%x) : (f32) -> ()
  }
  // CHECK:      lpuisa.post vxe, 10, 1
  // CHECK-NEXT: lpuisa.wait sma, 10, 1
  // CHECK-NEXT: lpuisa.copy <arg[1]
  // CHECK-NEXT: lpuisa.halt
  lpuisa.copy <arg[1], f32, [16], [1], 0> = <lmu, f32, [16], [1], 64>
  lpuisa.halt
}

// -----

// Nothing is shared: different arguments, different bytes, or only read.
// CHECK-LABEL: lpuisa.program @independent
// CHECK-NOT:   lpuisa.wait
// CHECK:       lpuisa.halt
lpuisa.program @independent lmu 128 inputs [<"x", f32, [16]>, <"y", f32, [16]>] {
  lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
  lpuisa.vec rank 1 parallel 1 views [<arg[0], f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    lpuisa.micro store[1](%x) : (f32) -> ()
  }
  lpuisa.halt
}

// -----

// A queue is in order: the second copy reads what the first wrote.
// CHECK-LABEL: lpuisa.program @one_unit
// CHECK-NOT:   lpuisa.wait
// CHECK:       lpuisa.halt
lpuisa.program @one_unit lmu 128 inputs [<"x", f32, [16]>] {
  lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
  lpuisa.copy <lmu, f32, [16], [1], 64> = <lmu, f32, [16], [1], 0>
  lpuisa.halt
}

// -----

// The left half is written, the right half read: columns of one matrix, whose
// bounding ranges meet.
// CHECK-LABEL: lpuisa.program @columns
// CHECK-NOT:   lpuisa.wait
// CHECK:       lpuisa.halt
lpuisa.program @columns lmu 160 inputs [<"x", f32, [4, 4]>] {
  lpuisa.copy <lmu, f32, [4, 4], [8, 1], 0> = <arg[0], f32, [4, 4], [4, 1], 0>
  lpuisa.vec rank 2 parallel 2 views [<lmu, f32, [4, 4], [8, 1], 16>, <lmu, f32, [4, 4], [0, 0], 128>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    lpuisa.micro store[1](%x) : (f32) -> ()
  }
  lpuisa.halt
}

// -----

// A load that overwrites what the vector unit read has to wait (write after
// read); its source needs nothing.
// CHECK-LABEL: lpuisa.program @write_after_read
lpuisa.program @write_after_read lmu 128 inputs [<"x", f32, [16]>] {
  // CHECK:      lpuisa.vec
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    lpuisa.micro store[1](%x) : (f32) -> ()
  }
  // CHECK:      lpuisa.post vxe, 10, 1
  // CHECK-NEXT: lpuisa.wait sma, 10, 1
  // CHECK-NEXT: lpuisa.copy
  lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
  lpuisa.halt
}

// -----

// A matrix product: the activations come by a copy, so the mm waits for it;
// the weights come by the stream, for which it does not.
// CHECK-LABEL: lpuisa.program @matrix
lpuisa.program @matrix lmu 512 inputs [<"x", f32, [4, 8]>, <"w", f32, [8, 8]>] outputs [<"y", f32, [4, 8]>] {
  // CHECK:      lpuisa.copy <lmu
  // CHECK-NEXT: lpuisa.post sma, 4, 1
  // CHECK-NEXT: lpuisa.stream
  // CHECK-NEXT: lpuisa.wait sxe, 4, 1
  // CHECK-NEXT: lpuisa.mm
  // CHECK-NEXT: lpuisa.post sxe, 7, 1
  // CHECK-NEXT: lpuisa.wait sma, 7, 1
  // CHECK-NEXT: lpuisa.copy <arg[2]
  lpuisa.copy <lmu, f32, [4, 8], [8, 1], 0> = <arg[0], f32, [4, 8], [8, 1], 0>
  lpuisa.stream <arg[1], f32, [8, 8], [8, 1], 0> passes 1
  lpuisa.mm <lmu, f32, [4, 8], [8, 1], 128> = <lmu, f32, [4, 8], [8, 1], 0> * <arg[1], f32, [8, 8], [8, 1], 0> batch 0 rows 1 cols 1 depth 1
  lpuisa.copy <arg[2], f32, [4, 8], [8, 1], 0> = <lmu, f32, [4, 8], [8, 1], 128>
  lpuisa.halt
}

// -----

// A key row is written into the cache, then the cache is streamed: the stream
// waits for the writer. The next writer waits for the mm that consumed the
// stream, although it is in the stream's own queue.
// CHECK-LABEL: lpuisa.program @cache
lpuisa.program @cache lmu 1024 inputs [<"k", f32, [8, 8]>, <"pos", i64, []>] {
  // CHECK: lpuisa.ld
  // The load reads another argument: no wait.
  lpuisa.ld r0 = <arg[1], i64, [], [], 0>
  lpuisa.alu mul r0 = r0, 32
  // CHECK:      lpuisa.vec
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [8], [1], 0>, <arg[0], f32, [8], [1], 0, offset_register = r0, offset_bound = 224>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    lpuisa.micro store[1](%x) : (f32) -> ()
  }
  // CHECK:      lpuisa.post vxe, 10, 1
  // CHECK-NEXT: lpuisa.wait sma, 10, 1
  // CHECK-NEXT: lpuisa.stream
  // CHECK-NEXT: lpuisa.mm
  // CHECK-NEXT: lpuisa.post sxe, 7, 1
  // CHECK-NEXT: lpuisa.wait sma, 7, 1
  // CHECK-NEXT: lpuisa.copy
  lpuisa.stream <arg[0], f32, [8, 8], [8, 1], 0> passes 1
  lpuisa.mm <lmu, f32, [1, 8], [8, 1], 128> = <lmu, f32, [1, 8], [8, 1], 64> * <arg[0], f32, [8, 8], [8, 1], 0> batch 0 rows 1 cols 1 depth 1
  lpuisa.copy <arg[0], f32, [8], [1], 0> = <lmu, f32, [8], [1], 512>
  lpuisa.halt
}

// -----

// A register is loaded from what the vector unit computed: the control unit
// waits. Everything that it issues later is then after that, so the copy,
// which overwrites the value, needs no wait of its own.
// CHECK-LABEL: lpuisa.program @load_register
lpuisa.program @load_register lmu 128 inputs [<"n", i64, []>] {
  // CHECK:      lpuisa.vec
  lpuisa.vec rank 0 parallel 0 views [<lmu, i64, [], [], 0>] {
    lpuisa.rows
    %x = lpuisa.micro const 3 : i64
    lpuisa.micro store[0](%x) : (i64) -> ()
  }
  // CHECK:      lpuisa.post vxe, 9, 1
  // CHECK-NEXT: lpuisa.wait icp, 9, 1
  // CHECK-NEXT: lpuisa.ld r1
  // CHECK-NEXT: lpuisa.copy
  lpuisa.ld r1 = <lmu, i64, [], [], 0>
  lpuisa.copy <lmu, i64, [], [], 0> = <arg[0], i64, [], [], 0>
  lpuisa.halt
}

// -----

// An empty view touches nothing.
// CHECK-LABEL: lpuisa.program @empty
// CHECK-NOT:   lpuisa.wait
// CHECK:       lpuisa.halt
lpuisa.program @empty lmu 128 inputs [<"x", f32, [16]>] {
  lpuisa.copy <lmu, f32, [16, 0], [1, 1], 0> = <arg[0], f32, [16, 0], [1, 1], 0>
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>] {
    lpuisa.rows
    %x = lpuisa.micro const 1.0 : f32
    lpuisa.micro store[0](%x) : (f32) -> ()
  }
  lpuisa.halt
}

// -----

// A loop that loads and adds up. Inside, the vector unit waits for the load;
// the load waits for the iteration before (semaphore 12 + 10). The copy before
// the loop and the one after it are ordered outside, however often it runs.
// CHECK-LABEL: lpuisa.program @loop
lpuisa.program @loop lmu 128 inputs [<"x", f32, [4, 16]>] outputs [<"y", f32, [16]>] {
  // CHECK:      lpuisa.copy <lmu, f32, [16], [1], 64>
  // CHECK-NEXT: lpuisa.post sma, 5, 1
  // CHECK-NEXT: lpuisa.post sma, 22, 1
  // CHECK-NEXT: lpuisa.wait vxe, 5, 1
  // CHECK-NEXT: lpuisa.loop 4 {
  // CHECK-NEXT:   lpuisa.wait sma, 22, 1
  // CHECK-NEXT:   lpuisa.copy
  // CHECK-NEXT:   lpuisa.post sma, 5, 1
  // CHECK-NEXT:   lpuisa.wait vxe, 5, 1
  // CHECK-NEXT:   lpuisa.vec
  // CHECK:        lpuisa.post vxe, 22, 1
  // CHECK-NEXT: }
  // CHECK-NEXT: lpuisa.wait sma, 22, 1
  // CHECK-NEXT: lpuisa.post vxe, 10, 1
  // CHECK-NEXT: lpuisa.wait sma, 10, 1
  // CHECK-NEXT: lpuisa.copy <arg[1]
  lpuisa.copy <lmu, f32, [16], [1], 64> = <arg[0], f32, [16], [1], 0>
  lpuisa.loop 4 {
    lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0, loop_increments = [64]>
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {
      lpuisa.elements
      %x = lpuisa.micro load[0] : f32
      %sum = lpuisa.micro load[1] : f32
      %next = lpuisa.micro add_f(%x, %sum) : (f32, f32) -> f32
      lpuisa.micro store[1](%next) : (f32) -> ()
    }
  }
  lpuisa.copy <arg[1], f32, [16], [1], 0> = <lmu, f32, [16], [1], 64>
  lpuisa.halt
}

// -----

// A loop of one trip carries nothing.
// CHECK-LABEL: lpuisa.program @one_trip
// CHECK:       lpuisa.loop 1
// CHECK-NEXT:    lpuisa.copy
// CHECK-NEXT:    lpuisa.post sma, 5, 1
// CHECK-NEXT:    lpuisa.wait vxe, 5, 1
// CHECK-NEXT:    lpuisa.vec
// CHECK-NOT:     lpuisa.post
// CHECK:       lpuisa.halt
lpuisa.program @one_trip lmu 128 inputs [<"x", f32, [16]>] {
  lpuisa.loop 1 {
    lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {
      lpuisa.elements
      %x = lpuisa.micro load[0] : f32
      lpuisa.micro store[1](%x) : (f32) -> ()
    }
  }
  lpuisa.halt
}

// -----

// Paths part and join: the control unit waits for all units before the branch
// and before the label.
// CHECK-LABEL: lpuisa.program @branch
lpuisa.program @branch lmu 128 inputs [<"x", f32, [16]>] {
  // CHECK:      lpuisa.copy
  // CHECK-NEXT: lpuisa.post sma, 3, 1
  // CHECK-NEXT: lpuisa.wait icp, 3, 1
  // CHECK-NEXT: lpuisa.branch
  lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
  lpuisa.branch zero r0, L3
  // CHECK-NEXT: lpuisa.vec
  lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    lpuisa.micro store[1](%x) : (f32) -> ()
  }
  // CHECK:      lpuisa.post vxe, 9, 1
  // CHECK-NEXT: lpuisa.wait icp, 9, 1
  // CHECK-NEXT: lpuisa.label
  // CHECK-NEXT: lpuisa.copy
  // CHECK-NEXT: lpuisa.halt
  lpuisa.label L3
  lpuisa.copy <lmu, f32, [16], [1], 64> = <arg[0], f32, [16], [1], 0>
  lpuisa.halt
}

// -----

// A body with a branch waits for all units at its end instead of carrying
// edges from one iteration to the next.
// CHECK-LABEL: lpuisa.program @branch_in_loop
lpuisa.program @branch_in_loop lmu 128 inputs [<"x", f32, [16]>] {
  // CHECK:      lpuisa.loop r2 to 3 {
  // CHECK-NEXT:   lpuisa.branch
  // CHECK-NEXT:   lpuisa.copy
  // CHECK-NEXT:   lpuisa.post sma, 3, 1
  // CHECK-NEXT:   lpuisa.wait icp, 3, 1
  // CHECK-NEXT:   lpuisa.label
  // CHECK-NEXT:   lpuisa.vec
  // CHECK:        lpuisa.post vxe, 9, 1
  // CHECK-NEXT:   lpuisa.wait icp, 9, 1
  // CHECK-NEXT: }
  lpuisa.loop r2 to 3 {
    lpuisa.branch zero r0, L3
    lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
    lpuisa.label L3
    lpuisa.vec rank 1 parallel 1 views [<lmu, f32, [16], [1], 0>, <lmu, f32, [16], [1], 64>] {
      lpuisa.elements
      %x = lpuisa.micro load[0] : f32
      lpuisa.micro store[1](%x) : (f32) -> ()
    }
  }
  lpuisa.halt
}

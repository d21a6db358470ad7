//===- Passes.td - Passes on the lpu dialect ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that work within the lpu dialect, in the order in which the pipeline
// runs them, and the verifiers that end its stages.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_PASSES_TD
#define LPU_DIALECT_LPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Machine
//===----------------------------------------------------------------------===//

def SetMachinePass : Pass<"lpu-set-machine", "::mlir::ModuleOp"> {
  let summary = "Attach the machine to compile for to the module";
  let description = [{
    Sets the module attribute `lpu.machine`, which the other passes read, to all
    parameters of a preset or of a machine file. Without the option a module
    keeps the machine that it has, or gets the default one.

    Before: `module { ... }`

    After:  `module attributes {lpu.machine = #lpu.machine<{...}>} { ... }`
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect"];
  let options = [
    Option<"machine", "machine", "std::string", /*default=*/"\"\"",
           "Preset name, or path of a machine file that ends in .toml">
  ];
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def StampLayersPass : Pass<"lpu-stamp-layers", "::mlir::ModuleOp"> {
  let summary = "Put the body of a repeated layer wherever it is called";
  let description = [{
    A layer that repeats comes in as one private function with a body, called
    once for every repetition; the passes before this one have worked on that
    body once. Each call becomes a copy of it. Memory and the schedule are
    planned for the whole program, across layers.

    If the location of the function and that of the call fuse as many locations,
    each of the first becomes the one at the same place of the second: the copy
    carries the names of its own layer.

    A slice that the body takes of a concatenation made outside is taken of the
    part that it lies in.

    Before:
    ```mlir
    func.func @main(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @layer_0(%x, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc(fused["mul", "add"])
      %1 = call @layer_0(%0, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc(fused["mul_1", "add_1"])
      return %1 : tensor<8xf32>
    }
    func.func private @layer_0(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %r = lpu.vector ins(%x, %w : ...) outs(%e : ...) {...} -> tensor<8xf32> loc("add")
      return %r : tensor<8xf32>
    } loc(fused["mul", "add"])
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      %e0 = tensor.empty() : tensor<8xf32>
      %0 = lpu.vector ins(%x, %a : ...) outs(%e0 : ...) {...} -> tensor<8xf32> loc("add")
      %e1 = tensor.empty() : tensor<8xf32>
      %1 = lpu.vector ins(%0, %b : ...) outs(%e1 : ...) {...} -> tensor<8xf32> loc("add_1")
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numStamped", "layers-stamped", "Calls replaced by a body">
  ];
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def MaterializeLengthsPass
    : Pass<"lpu-materialize-lengths", "::mlir::func::FuncOp"> {
  let summary = "Give attention the number of keys that its mask leaves";
  let description = [{
    A key counts as hidden if the mask hides it from every row: false, or -inf.
    The length is the number of keys without the hidden ones at the end, and at
    least 1; what made the mask is of no matter. Operations that share a mask
    share its length, which is placed right behind the mask. Left alone is a
    mask that is the same for all keys, a constant one that keeps the last key,
    and one that hides too little, at most, to pay for the reduction.

    Before:
    ```mlir
    %r = lpu.attention {...} ins(%q, %k, %v, %mask : ..., tensor<1x1x1x128xi1>) outs(...)
    ```
    After:
    ```mlir
    %n = lpu.vector ins(%mask : tensor<1x1x1x128xi1>) outs(%e : tensor<i64>) {
      ... // max over all elements of (keeps ? s + 1 : 1)
    } -> tensor<i64>
    %r = lpu.attention {...} ins(%q, %k, %v, %mask : ..., tensor<1x1x1x128xi1>)
      length(%n : tensor<i64>) outs(...)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::lpu::LPUDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numLengths", "lengths", "Masks that are reduced to a length">,
    Statistic<"numBounded", "operations-bounded", "Operations with a length">
  ];
}

def SchedulePositionsPass
    : Pass<"lpu-schedule-positions", "::mlir::func::FuncOp"> {
  let summary = "Compute lengths and indices before everything else";
  let description = [{
    The control unit waits for a length before it issues what reads that many
    keys, and all that comes after; the memory unit waits for the index of a row
    that it writes. Both are small and often depend on the position alone. So
    what they are computed from moves to the start, in its old order. What needs
    a contraction or attention stays, and so does what would fill, with all that
    has moved, more than a sixteenth of the on-chip memory.

    Before:
    ```mlir
    %y = lpu.contract ...
    %mask, %n = lpu.vector ins(%position : tensor<i64>) ...
    %r = lpu.attention ins(%y, %k, %v, %mask : ...) length(%n : tensor<i64>) ...
    ```
    After:
    ```mlir
    %mask, %n = lpu.vector ins(%position : tensor<i64>) ...
    %y = lpu.contract ...
    %r = lpu.attention ins(%y, %k, %v, %mask : ...) length(%n : tensor<i64>) ...
    ```
  }];
  let statistics = [
    Statistic<"numMoved", "operations-moved", "Operations moved to the start">
  ];
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

def TilePass : Pass<"lpu-tile", "::mlir::func::FuncOp"> {
  let summary = "Tile what exceeds the on-chip memory";
  let description = [{
    Where more has to live at the same time than the on-chip memory holds, the
    operations around are computed a tile at a time, all of them for one tile
    before any of them for the next, so that what flows between them stays on
    chip. Only parallel dimensions are tiled (the rows of a prompt, a batch, or
    columns), which changes no bit.

    Such a chain takes in the producers that nothing else needs before, and the
    consumers, as long as they follow the same dimension. Its tiles are the
    largest that leave a quarter of the memory free, in whole passes of the
    matrix unit; of the dimensions it is tiled along the one that saves most
    bytes through HBM, and if none saves any it is left alone. Tiles are written
    out, at most `max-tiles` of them; a chain that would need more gets larger
    ones. A tile begins when the one before it is halfway, so that the units
    overlap.

    What fits is not touched. What does not fit and cannot be tiled (a row that
    is too long, a sum over the long dimension) is correct as it is, for units
    read and write HBM as well: it is marked with `lpu.exceeds_lmu`, the bytes
    by which its operands exceed the memory.

    Before (the on-chip memory holds 4096 bytes):
    ```mlir
    %h = lpu.contract ... ins(%x, %w : tensor<64x32xf32>, tensor<32x32xf32>)
      outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
    %r = lpu.vector ins(%h : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) ...
    ```
    After:
    ```mlir
    %d = bufferization.alloc_tensor() : tensor<64x32xf32>
    %x0 = tensor.extract_slice %x[0, 0] [8, 32] [1, 1] : ...
    %e0 = tensor.empty() : tensor<8x32xf32>
    %h0 = lpu.contract ... ins(%x0, %w : tensor<8x32xf32>, tensor<32x32xf32>)
      outs(%e0 : tensor<8x32xf32>) -> tensor<8x32xf32>
    %d0 = tensor.extract_slice %d[0, 0] [8, 32] [1, 1] : ...
    %r0 = lpu.vector ins(%h0 : tensor<8x32xf32>) outs(%d0 : tensor<8x32xf32>) ...
    %p0 = tensor.insert_slice %r0 into %d[0, 0] [8, 32] [1, 1] : ...
    ...
    ```
  }];
  let options = [
    Option<"maxTiles", "max-tiles", "int64_t", /*default=*/"64",
           "Tiles of a chain at most">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numChains", "chains", "Chains of operations tiled together">,
    Statistic<"numTiled", "operations-tiled", "Operations in chains">,
    Statistic<"numTiles", "tiles", "Tiles of all chains">,
    Statistic<"bytesSaved", "bytes-saved",
              "Bytes through HBM that tiling saves, by the planner's count">,
    Statistic<"bytesWhole", "working-set-before",
              "Bytes of the largest working set of a tiled chain, whole">,
    Statistic<"bytesTiled", "working-set-after",
              "Bytes of the largest working set of a tile">,
    Statistic<"numExceeding", "operations-exceeding",
              "Operations whose operands exceed the on-chip memory as they are">
  ];
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

def BufferizePass : Pass<"lpu-bufferize", "::mlir::ModuleOp"> {
  let summary = "Give every tensor a buffer";
  let description = [{
    One-shot bufferization with function boundaries. An argument is written in
    place only if a result is declared to be its new value (`lpu.alias`).
    Regions of `lpu.vector` stay on tensors: they model registers.

    Before:
    ```mlir
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %r = lpu.vector ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {...} -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: memref<8xf32>) -> memref<8xf32> {
      %e = memref.alloc() : memref<8xf32>
      lpu.vector ins(%x : memref<8xf32>) outs(%e : memref<8xf32>) {...}
      return %e : memref<8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::lpu::LPUDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Buffers allocated">
  ];
}

def ForwardDestinationsPass
    : Pass<"lpu-forward-destinations", "::mlir::func::FuncOp"> {
  let summary = "Compute buffers in the part of another that they are copied to";
  let description = [{
    An allocation that is copied into a slice of another one becomes that slice,
    if no other operation touches the slice in between. So the parts of a
    concatenation are computed in place, whichever operations compute them. A
    copy onto itself goes as well.

    Before:
    ```mlir
    lpu.vector ins(%x : ...) outs(%a, %b : memref<4xf32>, memref<4xf32>) {...}
    %s = memref.subview %c[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
    lpu.copy ins(%a : ...) outs(%s : ...)
    %t = memref.subview %c[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
    lpu.copy ins(%b : ...) outs(%t : ...)
    ```
    After:
    ```mlir
    %s = memref.subview %c[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
    %t = memref.subview %c[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
    lpu.vector ins(%x : ...) outs(%s, %t : ...) {...}
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numForwarded", "buffers-forwarded", "Buffers that became part of another">
  ];
}

def TieResultsPass : Pass<"lpu-tie-results", "::mlir::ModuleOp"> {
  let summary = "Write results to arguments";
  let description = [{
    A program has no results but arguments that it writes. A result that is the
    new value of an argument (`lpu.alias = K`) is dropped if it is in place
    there, else copied to it; every other result is copied to a new argument
    with attribute `lpu.output`. All copies act at once, as the returned values
    are those at the end: they are ordered so that each source is read before it
    is overwritten, and a cycle (a swap) goes through a temporary.

    The function attribute `lpu.results` describes each result: its `type`, the
    number of the `argument` that holds it, `alias` if that is an input, and its
    `name` if it has one.

    Before:
    ```mlir
    func.func @main(%x: memref<8xf32>, %c: memref<4xf32>)
        -> (memref<8xf32>, memref<4xf32> {lpu.alias = 1 : i64}) {
      ...
      return %r, %c : memref<8xf32>, memref<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: memref<8xf32>, %c: memref<4xf32>, %out: memref<8xf32> {lpu.output})
        attributes {lpu.results = [{argument = 2 : i64, type = tensor<8xf32>},
                                   {alias, argument = 1 : i64, type = tensor<4xf32>} ]} {
      ...
      lpu.copy ins(%r : memref<8xf32>) outs(%out : memref<8xf32>)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numInPlace", "results-in-place", "Results already in their argument">,
    Statistic<"numCopied", "results-copied", "Results copied to an argument">,
    Statistic<"numTemporaries", "temporaries", "Buffers that break cycles of copies">
  ];
}

def AssignMemorySpacesPass : Pass<"lpu-assign-memory-spaces", "::mlir::ModuleOp"> {
  let summary = "Decide in which memory each buffer lies";
  let description = [{
    Arguments lie in `arg`, globals in `constant`. A buffer of the function lies
    on chip if it fits there alone, else in `scratch`.

    Before: `%b = memref.alloc() : memref<8xf32>`

    After:  `%b = memref.alloc() : memref<8xf32, #lpu.space<lmu>>`
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numOnChip", "buffers-on-chip", "Buffers that fit on chip alone">,
    Statistic<"numInScratch", "buffers-in-scratch", "Buffers that do not">
  ];
}

def StageOperandsPass : Pass<"lpu-stage-operands", "::mlir::func::FuncOp"> {
  let summary = "Bring operands on chip";
  let description = [{
    Gives each operand in HBM that a unit works on directly a copy on chip, and
    has results destined for HBM produced on chip and copied out. Streamed
    operands (weights, keys, values) and tables stay where they are, as does
    what would fill more than a quarter of the on-chip memory.

    Every use gets a copy of its own; `lpu-elide-copies` removes the superfluous.

    Before:
    ```mlir
    lpu.vector ins(%x : memref<8xf32, #lpu.space<arg>>) outs(%y : memref<8xf32, #lpu.space<lmu>>) {...}
    ```
    After:
    ```mlir
    %s = memref.alloc() : memref<8xf32, #lpu.space<lmu>>
    lpu.copy ins(%x : memref<8xf32, #lpu.space<arg>>) outs(%s : memref<8xf32, #lpu.space<lmu>>)
    lpu.vector ins(%s : memref<8xf32, #lpu.space<lmu>>) outs(%y : memref<8xf32, #lpu.space<lmu>>) {...}
    ```
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"bytesLoaded", "bytes-staged-in", "Bytes copied on chip">,
    Statistic<"bytesStored", "bytes-staged-out", "Bytes copied out">
  ];
}

def ElideCopiesPass : Pass<"lpu-elide-copies", "::mlir::func::FuncOp"> {
  let summary = "Remove copies that bring nothing new";
  let description = [{
    * A second copy of the same source, unwritten in between, uses the first.
    * A buffer in scratch whose only purpose is to be copied to an output is
      that output.
    * A buffer in scratch that only holds a copy of something unwritten is its
      source.

    Before:
    ```mlir
    lpu.copy ins(%x : ...) outs(%s : ...)
    lpu.copy ins(%x : ...) outs(%t : ...)
    ```
    After:
    ```mlir
    lpu.copy ins(%x : ...) outs(%s : ...)   // uses of %t use %s
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numElided", "copies-elided", "Copies removed">
  ];
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

def DemoteBuffersPass : Pass<"lpu-demote-buffers", "::mlir::func::FuncOp"> {
  let summary = "Send to HBM what finds no room on chip";
  let description = [{
    Buffers live from the first to the last operation that uses them or a view
    of them. Where the living ones exceed the on-chip memory, the one with the
    largest product of size and lifetime moves to scratch.

    Before: `%b = memref.alloc() : memref<4096x4096xf32, #lpu.space<lmu>>`

    After:  `%b = memref.alloc() : memref<4096x4096xf32, #lpu.space<scratch>>`
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numDemoted", "buffers-demoted", "Buffers moved from chip to scratch">,
    Statistic<"bytesDemoted", "bytes-demoted", "Bytes moved from chip to scratch">
  ];
}

def AllocateMemoryPass : Pass<"lpu-allocate-memory", "::mlir::func::FuncOp"> {
  let summary = "Give every buffer an address";
  let description = [{
    Buffers live from the first to the last operation that uses them or a view
    of them. They are placed largest first, at the lowest address that no
    neighbour in time occupies. On chip, bytes rest for some operations before
    another buffer takes them over, as far as there is room, so that units which
    run ahead need not wait for the last user. What finds no room moves to
    scratch (after `lpu-demote-buffers` that is rare).

    The attribute `lpu.address` of an allocation is its byte address within its
    space; the function attributes `lpu.lmu_bytes` and `lpu.scratch_bytes` are
    the bytes used of each, `lpu.lmu_live_bytes` and `lpu.scratch_live_bytes`
    the most that live at one moment: no placement needs less.

    Before: `%b = memref.alloc() : memref<8xf32, #lpu.space<lmu>>`

    After:  `%b = memref.alloc() {lpu.address = 64 : i64} : memref<8xf32, #lpu.space<lmu>>`
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::memref::MemRefDialect"];
  let options = [
    Option<"rest", "rest", "int64_t", /*default=*/"64",
           "Operations for which bytes on chip rest, at most">
  ];
  let statistics = [
    Statistic<"lmuBytes", "lmu-bytes", "On-chip bytes used">,
    Statistic<"lmuLiveBytes", "lmu-live-bytes", "Most on-chip bytes that live at one moment">,
    Statistic<"scratchBytes", "scratch-bytes", "Scratch bytes used">,
    Statistic<"scratchLiveBytes", "scratch-live-bytes", "Most scratch bytes that live at one moment">,
    Statistic<"bytesDemoted", "bytes-demoted", "Bytes moved from chip to scratch">
  ];
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

def VerifyLPUPass : Pass<"lpu-verify-lpu", "::mlir::ModuleOp"> {
  let summary = "Verify that a module is at stage `lpu`";
  let description = [{
    Legal are lpu operations, slices and reshapes of tensors, constants and
    empty tensors, with static shapes and the element types of the machine. The
    error names the first operation that is not, and why.
  }];
}

def VerifyTiledPass : Pass<"lpu-verify-tiled", "::mlir::ModuleOp"> {
  let summary = "Verify that a module is at stage `tiled`";
  let description = [{
    As `lpu-verify-lpu`; besides, `bufferization.alloc_tensor` is legal, the
    whole that tiles are put together in.
  }];
}

def VerifyBufferPass : Pass<"lpu-verify-buffer", "::mlir::ModuleOp"> {
  let summary = "Verify that a module is at stage `buffer`";
  let description = [{
    Legal are lpu operations on memrefs, views, allocations and globals, each in
    a memory space, in functions without results. Tensors occur within
    `lpu.vector` only.
  }];
}

def VerifyAllocPass : Pass<"lpu-verify-alloc", "::mlir::ModuleOp"> {
  let summary = "Verify that a module is at stage `alloc`";
  let description = [{
    As `lpu-verify-buffer`; besides, every allocation has an address, within the
    bytes that its function declares, and those are within the machine.
  }];
}

#endif // LPU_DIALECT_LPU_TRANSFORMS_PASSES_TD

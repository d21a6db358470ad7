// RUN: lpu-opt %s --lpu-pipeline="to=lpu machine=tiny" | FileCheck %s --check-prefix=ON
// RUN: lpu-opt %s --lpu-pipeline="to=lpu machine=tiny disable=fuse-elementwise" | FileCheck %s --check-prefix=ON
// RUN: lpu-opt %s --lpu-pipeline="to=lpu machine=tiny disable=fuse-vectors,fuse-elementwise" | FileCheck %s --check-prefix=OFF

// A disabled optimisation is left out, at any stage, and the road still ends.
// RUN: lpu-opt %s --lpu-pipeline="machine=tiny disable=elide-copies,fuse-elementwise,fuse-vectors,stage-operands" | FileCheck %s --check-prefix=ISA

// A name of a stage that does not run is no error.
// RUN: lpu-opt %s --lpu-pipeline="to=lpu machine=tiny disable=elide-copies" | FileCheck %s --check-prefix=ON

#map = affine_map<(i) -> (i)>

// ON: lpu.vector
// ON-NOT: lpu.vector

// OFF-COUNT-2: lpu.vector

// ISA-NOT: lpuisa.copy
// ISA-COUNT-2: lpuisa.vec
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
    ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.addf %i, %i : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
    ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

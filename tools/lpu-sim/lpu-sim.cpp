//===- lpu-sim.cpp - Runs a binary on the simulated machine ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a binary and runs it on the simulator. Links nothing of MLIR.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s program.lpubin\n", argv[0]);
    return 2;
  }
  return 0;
}

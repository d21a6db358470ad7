//===- Pipelines.h - The road from linalg to machine code -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of the compiler, each by its name, and the pipeline that goes from
// one to another. The names are those of the dumps, the options and the docs.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_PIPELINES_PIPELINES_H
#define LPU_PIPELINES_PIPELINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::lpu {

/// A stage: its name, and the passes that reach it from the one before. The
/// first stage, `linalg`, is where a program comes in and has none.
struct Stage {
  llvm::StringLiteral name;
  void (*addPasses)(OpPassManager &pm);
};

/// All stages in order: linalg, lpu, tiled, buffer, alloc, isa.
llvm::ArrayRef<Stage> getStages();

/// Options of `lpu-pipeline`.
struct PipelineOptions {
  std::string from = "linalg";
  std::string to = "isa";
  /// Preset name or machine file; empty keeps the machine of the module.
  std::string machine;
};

/// Parses `from=.. to=.. machine=..`. On failure `error` says what is wrong and
/// lists what would be right.
bool parsePipelineOptions(llvm::StringRef text, PipelineOptions &options,
                          std::string &error);

/// Adds the passes from one stage to another to `pm`, which runs on modules.
void buildPipeline(OpPassManager &pm, const PipelineOptions &options);

/// Registers `lpu-pipeline` with the pass manager's textual syntax.
void registerPipelines();

} // namespace mlir::lpu

#endif // LPU_PIPELINES_PIPELINES_H

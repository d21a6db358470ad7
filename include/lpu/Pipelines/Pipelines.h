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
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::lpu {

class PassList;

/// A stage: its name, and the passes that reach it from the one before. The
/// first stage, `linalg`, is where a program comes in and has none.
struct Stage {
  llvm::StringLiteral name;
  void (*addPasses)(PassList &passes);
};

/// An optimisation: a pass without which programs still compile and give the
/// same bits. `disable=<name>` leaves it out.
struct Optimization {
  llvm::StringLiteral name;
  /// The stage that the pass first belongs to.
  llvm::StringLiteral stage;
  /// The pass's argument.
  llvm::StringLiteral pass;
};

/// All stages in order: linalg, lpu, tiled, buffer, alloc, isa.
llvm::ArrayRef<Stage> getStages();

/// All optimisations, by stage.
llvm::ArrayRef<Optimization> getOptimizations();

/// Options of `lpu-pipeline`.
struct PipelineOptions {
  std::string from = "linalg";
  std::string to = "isa";
  /// Preset name or machine file; empty keeps the machine of the module.
  std::string machine;
  /// Names of optimisations to leave out.
  std::vector<std::string> disable;
};

/// Parses `from=.. to=.. machine=.. disable=..,..`. On failure `error` says
/// what is wrong and lists what would be right.
bool parsePipelineOptions(llvm::StringRef text, PipelineOptions &options,
                          std::string &error);

/// Adds the passes from one stage to another to `pm`, which runs on modules.
void buildPipeline(OpPassManager &pm, const PipelineOptions &options);

/// Registers `lpu-pipeline` with the pass manager's textual syntax.
void registerPipelines();

} // namespace mlir::lpu

#endif // LPU_PIPELINES_PIPELINES_H

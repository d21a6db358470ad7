//===- Pipelines.cpp - The road from linalg to machine code ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the pipelines between stages. Read top to bottom, this file is the
// architecture of the compiler. Each stage ends in a verifier that says what is
// illegal there and why.
//
//===----------------------------------------------------------------------===//

#include "lpu/Pipelines/Pipelines.h"

#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Dialect/LPUISA/Transforms/Passes.h"
#include "lpu/Target/MachineModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::lpu;

//===----------------------------------------------------------------------===//
// Optimisations
//===----------------------------------------------------------------------===//

// In the order in which the road meets them. Every name is its pass's argument
// without the prefix.
static constexpr Optimization optimizations[] = {
    {"fold-roundings", "lpu", "lpu-fold-roundings"},
    {"fuse-elementwise", "lpu", "lpu-fuse-elementwise"},
    {"sink-concats", "lpu", "lpu-sink-concats"},
    {"materialize-lengths", "lpu", "lpu-materialize-lengths"},
    {"fuse-vectors", "lpu", "lpu-fuse-vectors"},
    {"fuse-epilogues", "lpu", "lpu-fuse-epilogues"},
    {"fuse-prologues", "lpu", "lpu-fuse-prologues"},
    {"schedule-positions", "lpu", "lpu-schedule-positions"},
    {"tile", "tiled", "lpu-tile"},
    {"forward-destinations", "buffer", "lpu-forward-destinations"},
    {"stage-operands", "buffer", "lpu-stage-operands"},
    {"elide-copies", "buffer", "lpu-elide-copies"},
    {"tile-contractions", "buffer", "lpu-tile-contractions"},
    {"schedule", "isa", "lpuisa-schedule"},
};

ArrayRef<Optimization> mlir::lpu::getOptimizations() { return optimizations; }

/// A pass manager that takes no pass of an optimisation that is switched off.
class mlir::lpu::PassList {
public:
  PassList(OpPassManager &pm, ArrayRef<std::string> disabled) : pm(pm) {
    for (const Optimization &optimization : optimizations) {
      if (llvm::is_contained(disabled, optimization.name)) {
        leftOut.insert(optimization.pass);
      }
    }
  }

  void add(std::unique_ptr<Pass> pass) {
    if (!leftOut.contains(pass->getArgument())) {
      pm.addPass(std::move(pass));
    }
  }

  template <typename OpTy>
  void addNested(std::unique_ptr<Pass> pass) {
    if (!leftOut.contains(pass->getArgument())) {
      pm.addNestedPass<OpTy>(std::move(pass));
    }
  }

private:
  OpPassManager &pm;
  llvm::StringSet<> leftOut;
};

static void addCleanup(PassList &passes) {
  passes.add(createCanonicalizerPass());
  passes.add(createCSEPass());
}

//===----------------------------------------------------------------------===//
// linalg -> lpu: few structured operations, fused
//===----------------------------------------------------------------------===//

static void addLPUPasses(PassList &passes) {
  passes.add(createFoldF64Pass());
  addCleanup(passes);
  passes.add(createDecomposeTensorOpsPass());
  // Scalars go into bodies before fusion, which moves bodies around.
  passes.add(createSinkScalarsPass());
  passes.add(createDecomposeArgReductionsPass());
  addCleanup(passes);
  passes.add(createFoldRoundingsPass());
  passes.add(createFuseElementwisePass());
  passes.add(createSinkConcatsPass());
  addCleanup(passes);
  // What is split meets what computes its part.
  passes.add(createFuseElementwisePass());
  // Fusion brings widenings and roundings together that cancel only now.
  passes.add(createFoldF64Pass());
  passes.add(createExpandMathPass());
  addCleanup(passes);
  passes.add(createConvertLinalgToLPUPass());
  addCleanup(passes);
  // What is done layer by layer is done; the rest looks across layers.
  passes.add(createStampLayersPass());
  addCleanup(passes);
  // Before the fusion, so that what makes a mask also counts its keys.
  passes.addNested<func::FuncOp>(createMaterializeLengthsPass());
  passes.addNested<func::FuncOp>(createFuseVectorsPass());
  // What is left alone behind a contraction, no norm having taken it.
  passes.addNested<func::FuncOp>(createFuseEpiloguesPass());
  passes.addNested<func::FuncOp>(createFuseProloguesPass());
  addCleanup(passes);
  // What is merged stands where the later of its parts stood.
  passes.addNested<func::FuncOp>(createSchedulePositionsPass());
  passes.add(createVerifyLPUPass());
}

//===----------------------------------------------------------------------===//
// lpu -> tiled: working sets that fit on chip
//===----------------------------------------------------------------------===//

static void addTiledPasses(PassList &passes) {
  passes.addNested<func::FuncOp>(createTilePass());
  // Slices of slices fold, and tiles share what they slice alike.
  addCleanup(passes);
  passes.add(createVerifyTiledPass());
}

//===----------------------------------------------------------------------===//
// tiled -> buffer: values become buffers, each in a memory
//===----------------------------------------------------------------------===//

static void addBufferPasses(PassList &passes) {
  passes.add(createBufferizePass());
  // Views of views fold, so that a result is seen to be in place.
  addCleanup(passes);
  passes.addNested<func::FuncOp>(createForwardDestinationsPass());
  passes.add(createTieResultsPass());
  passes.add(createAssignMemorySpacesPass());
  passes.addNested<func::FuncOp>(createStageOperandsPass());
  // Equal views become one value, by which equal copies are known.
  passes.add(createCSEPass());
  passes.addNested<func::FuncOp>(createElideCopiesPass());
  // What is cut how decides what is in flight, and that needs room.
  passes.addNested<func::FuncOp>(createTileContractionsPass());
  passes.addNested<func::FuncOp>(createMaterializeTemporariesPass());
  addCleanup(passes);
  passes.add(createSymbolDCEPass());
  passes.add(createVerifyBufferPass());
}

//===----------------------------------------------------------------------===//
// buffer -> alloc: every buffer has an address
//===----------------------------------------------------------------------===//

static void addAllocPasses(PassList &passes) {
  passes.addNested<func::FuncOp>(createDemoteBuffersPass());
  // What found no room on chip may be a copy that is no longer worth making.
  passes.addNested<func::FuncOp>(createElideCopiesPass());
  passes.addNested<func::FuncOp>(createAllocateMemoryPass());
  passes.add(createVerifyAllocPass());
}

//===----------------------------------------------------------------------===//
// alloc -> isa: machine instructions, ordered between units
//===----------------------------------------------------------------------===//

static void addISAPasses(PassList &passes) {
  passes.add(createConvertLPUToLPUISAPass());
  // Semaphores come last: they hold the order within each queue.
  passes.addNested<lpuisa::ProgramOp>(lpuisa::createLPUISASchedulePass());
  passes.addNested<lpuisa::ProgramOp>(
      lpuisa::createLPUISAInsertSemaphoresPass());
  passes.addNested<lpuisa::ProgramOp>(lpuisa::createLPUISAVerifyPass());
}

//===----------------------------------------------------------------------===//
// The road
//===----------------------------------------------------------------------===//

static constexpr Stage stages[] = {
    {"linalg", [](PassList &) {}}, {"lpu", addLPUPasses},
    {"tiled", addTiledPasses},     {"buffer", addBufferPasses},
    {"alloc", addAllocPasses},     {"isa", addISAPasses},
};

ArrayRef<Stage> mlir::lpu::getStages() { return stages; }

static const Stage *findStage(StringRef name) {
  return llvm::find_if(stages,
                       [&](const Stage &stage) { return stage.name == name; });
}

/// Parses the comma-separated names of optimisations.
static bool parseDisable(StringRef text, PipelineOptions &options,
                         std::string &error) {
  SmallVector<StringRef> names;
  text.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    auto isNamed = [&](const Optimization &o) { return o.name == name; };
    if (llvm::none_of(optimizations, isNamed)) {
      error = ("unknown optimisation '" + name + "'; expected some of " +
               llvm::join(llvm::map_range(
                              optimizations,
                              [](const Optimization &o) { return o.name; }),
                          ", "))
                  .str();
      return false;
    }
    options.disable.push_back(name.str());
  }
  return true;
}

/// Splits options at blanks that are not between quotes, which it removes: a
/// path may hold blanks. `\x7d` is the character with that code, for quotes and
/// for braces, which end the options for MLIR. False if a quote is not closed.
static bool splitOptions(StringRef text, SmallVector<std::string> &words) {
  std::string word;
  char quote = 0;
  while (!text.empty()) {
    unsigned escaped = 0;
    if (text.size() >= 4 && text.starts_with("\\x") &&
        !text.substr(2, 2).getAsInteger(/*Radix=*/16, escaped)) {
      word += static_cast<char>(escaped);
      text = text.drop_front(4);
      continue;
    }
    char c = text.front();
    text = text.drop_front();
    if (c == quote) {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote || !llvm::isSpace(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) {
    words.push_back(word);
  }
  return !quote;
}

bool mlir::lpu::parsePipelineOptions(StringRef text, PipelineOptions &options,
                                     std::string &error) {
  std::string names = llvm::join(
      llvm::map_range(stages, [](const Stage &s) { return s.name; }), ", ");
  SmallVector<std::string> words;
  if (!splitOptions(text, words)) {
    error = "a quote is not closed";
    return false;
  }
  for (StringRef word : words) {
    auto [key, value] = word.split('=');
    if (key == "machine") {
      auto model = ::lpu::MachineModel::get(value.str());
      if (!model) {
        error = model.message();
        return false;
      }
      options.machine = value.str();
    } else if (key == "from" || key == "to") {
      if (findStage(value) == std::end(stages)) {
        error =
            ("unknown stage '" + value + "'; expected one of " + names).str();
        return false;
      }
      (key == "from" ? options.from : options.to) = value.str();
    } else if (key == "disable") {
      if (!parseDisable(value, options, error)) {
        return false;
      }
    } else {
      error = ("unknown option '" + key +
               "'; expected from, to, machine or disable")
                  .str();
      return false;
    }
  }
  if (findStage(options.from) > findStage(options.to)) {
    error = "stage '" + options.from + "' comes after stage '" + options.to +
            "'; the order is " + names;
    return false;
  }
  return true;
}

void mlir::lpu::buildPipeline(OpPassManager &pm,
                              const PipelineOptions &options) {
  SetMachinePassOptions machine;
  machine.machine = options.machine;
  PassList passes(pm, options.disable);
  passes.add(createSetMachinePass(machine));
  for (const Stage *stage = findStage(options.from) + 1,
                   *last = findStage(options.to);
       stage <= last; ++stage) {
    stage->addPasses(passes);
  }
}

void mlir::lpu::registerPipelines() {
  registerPassPipeline(
      "lpu-pipeline",
      "The road from one stage to another: from=linalg to=isa machine=lpu-hbm3 "
      "disable=fuse-vectors,elide-copies",
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> emitError)
          -> LogicalResult {
        PipelineOptions options;
        std::string error;
        if (!parsePipelineOptions(text, options, error)) {
          return emitError(error);
        }
        buildPipeline(pm, options);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

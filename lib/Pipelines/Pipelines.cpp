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

using namespace mlir;
using namespace mlir::lpu;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

//===----------------------------------------------------------------------===//
// linalg -> lpu: few structured operations, fused
//===----------------------------------------------------------------------===//

static void addLPUPasses(OpPassManager &pm) {
  pm.addPass(createFoldF64Pass());
  addCleanup(pm);
  pm.addPass(createDecomposeTensorOpsPass());
  // Scalars go into bodies before fusion, which moves bodies around.
  pm.addPass(createSinkScalarsPass());
  pm.addPass(createDecomposeArgReductionsPass());
  addCleanup(pm);
  pm.addPass(createFuseElementwisePass());
  // Fusion brings widenings and roundings together that cancel only now.
  pm.addPass(createFoldF64Pass());
  pm.addPass(createExpandMathPass());
  addCleanup(pm);
  pm.addPass(createConvertLinalgToLPUPass());
  addCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createFuseVectorsPass());
  addCleanup(pm);
  pm.addPass(createVerifyLPUPass());
}

//===----------------------------------------------------------------------===//
// lpu -> tiled: working sets that fit on chip
//===----------------------------------------------------------------------===//

static void addTiledPasses(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createTilePass());
  pm.addPass(createVerifyTiledPass());
}

//===----------------------------------------------------------------------===//
// tiled -> buffer: values become buffers, each in a memory
//===----------------------------------------------------------------------===//

static void addBufferPasses(OpPassManager &pm) {
  pm.addPass(createBufferizePass());
  // Views of views fold, so that a result is seen to be in place.
  addCleanup(pm);
  pm.addPass(createTieResultsPass());
  pm.addPass(createAssignMemorySpacesPass());
  pm.addNestedPass<func::FuncOp>(createStageOperandsPass());
  // Equal views become one value, by which equal copies are known.
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createElideCopiesPass());
  pm.addNestedPass<func::FuncOp>(createMaterializeTemporariesPass());
  addCleanup(pm);
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createVerifyBufferPass());
}

//===----------------------------------------------------------------------===//
// buffer -> alloc: every buffer has an address
//===----------------------------------------------------------------------===//

static void addAllocPasses(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createAllocateMemoryPass());
  // What found no room on chip may be a copy that is no longer worth making.
  pm.addNestedPass<func::FuncOp>(createElideCopiesPass());
  pm.addNestedPass<func::FuncOp>(createAllocateMemoryPass());
  pm.addPass(createVerifyAllocPass());
}

//===----------------------------------------------------------------------===//
// alloc -> isa: machine instructions, ordered between units
//===----------------------------------------------------------------------===//

static void addISAPasses(OpPassManager &pm) {
  pm.addPass(createConvertLPUToLPUISAPass());
  pm.addNestedPass<lpuisa::ProgramOp>(
      lpuisa::createLPUISAInsertSemaphoresPass());
  pm.addNestedPass<lpuisa::ProgramOp>(lpuisa::createLPUISAVerifyPass());
}

//===----------------------------------------------------------------------===//
// The road
//===----------------------------------------------------------------------===//

static constexpr Stage stages[] = {
    {"linalg", [](OpPassManager &) {}}, {"lpu", addLPUPasses},
    {"tiled", addTiledPasses},          {"buffer", addBufferPasses},
    {"alloc", addAllocPasses},          {"isa", addISAPasses},
};

ArrayRef<Stage> mlir::lpu::getStages() { return stages; }

static const Stage *findStage(StringRef name) {
  return llvm::find_if(stages,
                       [&](const Stage &stage) { return stage.name == name; });
}

bool mlir::lpu::parsePipelineOptions(StringRef text, PipelineOptions &options,
                                     std::string &error) {
  std::string names = llvm::join(
      llvm::map_range(stages, [](const Stage &s) { return s.name; }), ", ");
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
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
    } else {
      error =
          ("unknown option '" + key + "'; expected from, to or machine").str();
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
  pm.addPass(createSetMachinePass(machine));
  for (const Stage *stage = findStage(options.from) + 1,
                   *last = findStage(options.to);
       stage <= last; ++stage) {
    stage->addPasses(pm);
  }
}

void mlir::lpu::registerPipelines() {
  registerPassPipeline(
      "lpu-pipeline",
      "The road from one stage to another: from=linalg to=isa machine=lpu-hbm3",
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

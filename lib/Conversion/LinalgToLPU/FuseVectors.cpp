//===- FuseVectors.cpp - Merge vector programs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges a vector program into the one that uses its results, and programs that
// read the same operand into one. A merged candidate is built, analysed as
// instruction selection will analyse it, and kept if it is one micro-program
// and worth it; otherwise it is dropped again.
//
// Worth it: a program costs its latency, and what passes between two programs
// goes through memory. Against that stands work that is done again, because a
// program computes a value anew in every phase and for every row that asks.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/MicroStages.h"
#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include <set>

namespace mlir::lpu {
#define GEN_PASS_DEF_FUSEVECTORSPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Operands of a merged program at most: each is a view of the instruction.
static constexpr unsigned maxOperands = 32;

//===----------------------------------------------------------------------===//
// What a program costs
//===----------------------------------------------------------------------===//

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    product *= size;
  }
  return product;
}

/// The sections in which each stage is computed: where it reduces, and where
/// those that use it are.
static std::vector<std::set<unsigned>> getSections(MicroStages &stages) {
  std::vector<std::set<unsigned>> sections(stages.stages.size());
  for (size_t i = stages.stages.size(); i-- > 0;) {
    MicroStage &stage = stages.stages[i];
    if (stage.isReducing || !stage.isElements || sections[i].empty()) {
      sections[i] = {stage.section};
    }
    for (Value operand : stage.op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      MicroStage *producer = def ? stages.lookup(def) : nullptr;
      if (producer && producer->isElements && !producer->isReducing) {
        sections[producer - stages.stages.data()].insert(sections[i].begin(),
                                                         sections[i].end());
      }
    }
  }
  return sections;
}

/// Lane-cycles that a program spends beyond computing each value once.
static int64_t getRepeatedWork(MicroStages &stages, int64_t transcendental) {
  int64_t all = getProduct(stages.domain);
  int64_t rows =
      getProduct(ArrayRef(stages.domain).take_front(stages.parallel));
  std::vector<std::set<unsigned>> sections = getSections(stages);
  int64_t work = 0;
  for (auto [stage, places] : llvm::zip(stages.stages, sections)) {
    int64_t runs = stage.isElements ? all * int64_t(places.size()) : rows;
    int64_t once = getProduct(stage.sizes);
    work += std::max<int64_t>(runs - once, 0) *
            getBodyCycles(stage.op, transcendental);
  }
  return work;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Whether the region of `op` holds nothing but linalg operations, so that
/// others may stand beside them.
static bool isMergeable(VectorOp op) {
  return llvm::all_of(op.getBody().front(), [](Operation &inner) {
    return isa<linalg::LinalgOp, tensor::EmptyOp, arith::ConstantOp, YieldOp>(
        inner);
  });
}

/// Whether `op` reads a result of `producer` otherwise than as an input of its
/// domain.
static bool readsSpecially(VectorOp op, VectorOp producer) {
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    if (input.getDefiningOp() == producer &&
        VectorOp::isTable(op.getInputArgument(index))) {
      return true;
    }
  }
  return llvm::any_of(
      op.getOuts(), [&](Value out) { return out.getDefiningOp() == producer; });
}

/// One program, at the place of `second`, that does what `first` and `second`
/// do. Its results are those of `second`, then those of `first` that are used
/// elsewhere, whose numbers are appended to `kept`.
static VectorOp createMerged(OpBuilder &b, VectorOp first, VectorOp second,
                             SmallVectorImpl<unsigned> &kept) {
  // What both read is one operand: by that, their loops are seen to be the
  // same.
  SetVector<Value> inputs(first.getInputs().begin(), first.getInputs().end());
  SmallVector<Value> outs(second.getOuts());
  for (Value input : second.getInputs()) {
    if (input.getDefiningOp() != first) {
      inputs.insert(input);
    }
  }
  for (OpResult result : first->getResults()) {
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return user != second; })) {
      kept.push_back(result.getResultNumber());
    }
  }
  // A result that stays inside needs no destination, but it may start from the
  // value of one.
  for (auto [index, out] : llvm::enumerate(first.getOuts())) {
    if (first.readsInit(index) && !llvm::is_contained(kept, index)) {
      inputs.insert(out);
    }
  }
  SmallVector<Value> firstOuts;
  for (OpResult result : first->getResults()) {
    firstOuts.push_back(first.getOuts()[result.getResultNumber()]);
  }
  for (unsigned index : kept) {
    outs.push_back(firstOuts[index]);
  }
  return VectorOp::create(
      b, second.getLoc(), inputs.getArrayRef(), outs,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        IRMapping mapping;
        ValueRange destinations = arguments.drop_front(inputs.size());
        auto getArgument = [&](Value input) {
          return arguments[llvm::find(inputs, input) - inputs.begin()];
        };
        for (auto [i, input] : llvm::enumerate(first.getInputs())) {
          mapping.map(first.getInputArgument(i), getArgument(input));
        }
        for (unsigned i = 0, e = first.getOuts().size(); i < e; ++i) {
          auto *place = llvm::find(kept, i);
          if (place != kept.end()) {
            mapping.map(
                first.getOutputArgument(i),
                destinations[second.getOuts().size() + (place - kept.begin())]);
            continue;
          }
          if (first.readsInit(i)) {
            mapping.map(first.getOutputArgument(i),
                        getArgument(first.getOuts()[i]));
            continue;
          }
          auto type =
              cast<RankedTensorType>(first.getOutputArgument(i).getType());
          mapping.map(first.getOutputArgument(i),
                      tensor::EmptyOp::create(b, loc, type.getShape(),
                                              type.getElementType())
                          .getResult());
        }
        for (Operation &inner : first.getBody().front().without_terminator()) {
          b.clone(inner, mapping);
        }
        SmallVector<Value> firstValues;
        for (unsigned i = 0, e = first.getOuts().size(); i < e; ++i) {
          firstValues.push_back(mapping.lookupOrDefault(first.getYielded(i)));
        }
        for (auto [i, input] : llvm::enumerate(second.getInputs())) {
          auto result = dyn_cast<OpResult>(input);
          mapping.map(second.getInputArgument(i),
                      result && result.getOwner() == first
                          ? firstValues[result.getResultNumber()]
                          : getArgument(input));
        }
        for (unsigned i = 0, e = second.getOuts().size(); i < e; ++i) {
          mapping.map(second.getOutputArgument(i), destinations[i]);
        }
        for (Operation &inner : second.getBody().front().without_terminator()) {
          b.clone(inner, mapping);
        }
        SmallVector<Value> yielded;
        for (unsigned i = 0, e = second.getOuts().size(); i < e; ++i) {
          yielded.push_back(mapping.lookupOrDefault(second.getYielded(i)));
        }
        for (unsigned index : kept) {
          yielded.push_back(firstValues[index]);
        }
        YieldOp::create(b, loc, yielded);
      });
}

/// Moves each view in `block` to its first user. A program that moves down to
/// the one that it is merged into must not pass a user of its results.
static void sinkViews(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(op) ||
        op.use_empty()) {
      continue;
    }
    Operation *first = nullptr;
    for (Operation *user : op.getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!first || inBlock->isBeforeInBlock(first)) {
        first = inBlock;
      }
    }
    op.moveBefore(first);
  }
}

namespace {

struct FuseVectorsPass : mlir::lpu::impl::FuseVectorsPassBase<FuseVectorsPass> {
  using FuseVectorsPassBase::FuseVectorsPassBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration()) {
      return;
    }
    machine = getMachine(getOperation());
    Block &block = getOperation().getBody().front();
    sinkViews(block);
    for (Operation *op = &block.front(); op; op = op->getNextNode()) {
      auto vector = dyn_cast<VectorOp>(op);
      while (vector && isMergeable(vector)) {
        VectorOp merged = mergeProducer(vector);
        if (!merged) {
          break;
        }
        op = vector = merged;
      }
    }
    for (Operation *op = &block.front(); op; op = op->getNextNode()) {
      auto vector = dyn_cast<VectorOp>(op);
      while (vector && isMergeable(vector)) {
        VectorOp merged = mergeSibling(vector);
        if (!merged) {
          break;
        }
        op = vector = merged;
      }
    }
  }

  /// Merges one of the programs that `op` uses into it; null if none fits.
  VectorOp mergeProducer(VectorOp op) {
    for (Value input : op.getInputs()) {
      auto producer = input.getDefiningOp<VectorOp>();
      if (!producer || producer->getBlock() != op->getBlock() ||
          !isMergeable(producer) || readsSpecially(op, producer)) {
        continue;
      }
      if (VectorOp merged = tryMerge(producer, op)) {
        return merged;
      }
    }
    return {};
  }

  /// Merges a program before `op` that reads an operand of it as well.
  VectorOp mergeSibling(VectorOp op) {
    for (Value input : op.getInputs()) {
      for (Operation *user : input.getUsers()) {
        auto sibling = dyn_cast<VectorOp>(user);
        if (!sibling || sibling == op ||
            sibling->getBlock() != op->getBlock() ||
            !sibling->isBeforeInBlock(op) || !isMergeable(sibling) ||
            readsSpecially(op, sibling)) {
          continue;
        }
        if (VectorOp merged = tryMerge(sibling, op)) {
          return merged;
        }
      }
    }
    return {};
  }

  VectorOp tryMerge(VectorOp first, VectorOp second) {
    if (first->getNumOperands() + second->getNumOperands() > maxOperands) {
      return {};
    }
    // `first` moves down to `second`: nobody may need it before.
    for (Operation *user : first->getUsers()) {
      if (user != second && !second->isBeforeInBlock(user)) {
        return {};
      }
    }
    OpBuilder b(second);
    SmallVector<unsigned> kept;
    VectorOp merged = createMerged(b, first, second, kept);
    if (!isWorthIt(merged, first, second, kept.size())) {
      merged.erase();
      return {};
    }
    unsigned numSecond = second->getNumResults();
    second.replaceAllUsesWith(merged->getResults().take_front(numSecond));
    for (auto [place, index] : llvm::enumerate(kept)) {
      first->getResult(index).replaceAllUsesWith(
          merged->getResult(numSecond + place));
    }
    second.erase();
    first.erase();
    ++numMerged;
    return merged;
  }

  bool isWorthIt(VectorOp merged, VectorOp first, VectorOp second,
                 size_t numKept) {
    auto analyze = [](VectorOp op) {
      std::string reason;
      Operation *culprit = op;
      return MicroStages::analyze(op.getBody().front(), reason, culprit);
    };
    std::optional<MicroStages> together = analyze(merged);
    std::optional<MicroStages> one = analyze(first), other = analyze(second);
    if (!together || !one || !other) {
      return false;
    }
    int64_t transcendental = machine.vxeTranscendentalCycles;
    int64_t again = getRepeatedWork(*together, transcendental) -
                    getRepeatedWork(*one, transcendental) -
                    getRepeatedWork(*other, transcendental);
    // A program less, and what no longer goes through memory.
    int64_t saved = machine.vxeLanes *
                    (machine.vxeLatencyCycles + 2 * machine.semaphoreCycles);
    if (numKept < first->getNumResults()) {
      for (Value result : first->getResults()) {
        saved += 2 * cast<RankedTensorType>(result.getType()).getNumElements();
      }
    }
    return again <= saved;
  }

  ::lpu::MachineModel machine;
};

} // namespace

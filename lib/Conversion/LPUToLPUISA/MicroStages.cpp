//===- MicroStages.cpp - The linalg operations of one program -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Union-find over the loops of all operations, then an order of the resulting
// dimensions (rows first), then one pass that gives each operation the first
// section in which its inputs are known.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/MicroStages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::lpu;
using linalg::LinalgOp;

/// Adds `op` and the linalg operations that it depends on to `live`.
static void collect(Operation *op, llvm::SetVector<Operation *> &live) {
  if (!op || !isa<LinalgOp>(op) || !live.insert(op)) {
    return;
  }
  auto linalgOp = cast<LinalgOp>(op);
  for (OpOperand *input : linalgOp.getDpsInputOperands()) {
    collect(input->get().getDefiningOp(), live);
  }
  for (OpOperand &init : linalgOp.getDpsInitsMutable()) {
    if (!linalgOp.getMatchingBlockArgument(&init).use_empty()) {
      collect(init.get().getDefiningOp(), live);
    }
  }
}

namespace {

/// The analysis at work.
class Analysis {
public:
  Analysis(MicroStages &result, std::string &reason, Operation *&culprit)
      : result(result), reason(reason), culprit(culprit) {}

  bool run(Block &body) {
    if (!addStages(body) || !unify()) {
      return false;
    }
    unifySharedInputs();
    return orderDimensions() && schedule() && canStore(body);
  }

private:
  bool fail(Operation *op, const llvm::Twine &why) {
    culprit = op;
    reason = why.str();
    return false;
  }
  /// A number for each loop of each stage.
  unsigned node(unsigned stage, unsigned loop) {
    return firstNode[stage] + loop;
  }

  bool addStages(Block &body);
  bool unify();
  void unifySharedInputs();
  bool areApart(unsigned a, unsigned b);
  bool orderDimensions();
  bool schedule();
  bool canStore(Block &body);

  MicroStages &result;
  std::string &reason;
  Operation *&culprit;
  SmallVector<unsigned> firstNode;
  llvm::EquivalenceClasses<unsigned> classes;
};

} // namespace

bool Analysis::addStages(Block &body) {
  llvm::SetVector<Operation *> live;
  for (Value yielded : body.getTerminator()->getOperands()) {
    collect(yielded.getDefiningOp(), live);
  }
  unsigned numNodes = 0;
  for (auto linalgOp : body.getOps<LinalgOp>()) {
    if (!live.contains(linalgOp)) {
      continue;
    }
    MicroStage stage{linalgOp, linalgOp.getStaticLoopRanges(), {}};
    if (ShapedType::isDynamicShape(stage.sizes)) {
      return fail(linalgOp, "has a loop whose trip count is not known before "
                            "the run; expected static shapes");
    }
    assert(linalgOp.hasPureTensorSemantics() &&
           "what gives a tensor has no buffers");
    firstNode.push_back(numNodes);
    for (unsigned loop = 0; loop < stage.sizes.size(); ++loop) {
      classes.insert(numNodes++);
    }
    result.stages.push_back(std::move(stage));
  }
  return true;
}

bool Analysis::unify() {
  for (auto [user, stage] : llvm::enumerate(result.stages)) {
    for (OpOperand &operand : stage.op->getOpOperands()) {
      auto producerOp = operand.get().getDefiningOp<LinalgOp>();
      MicroStage *producer = producerOp ? result.lookup(producerOp) : nullptr;
      if (!producer) {
        continue;
      }
      unsigned from = producer - result.stages.data();
      AffineMap write = producerOp.getIndexingMapMatchingResult(
          cast<OpResult>(operand.get()));
      AffineMap read = stage.op.getMatchingIndexingMap(&operand);
      auto type = cast<RankedTensorType>(operand.get().getType());
      for (auto [written, isRead, size] : llvm::zip_equal(
               write.getResults(), read.getResults(), type.getShape())) {
        if (size == 1) {
          continue;
        }
        auto writtenDim = dyn_cast<AffineDimExpr>(written);
        auto readDim = dyn_cast<AffineDimExpr>(isRead);
        if (!writtenDim || !readDim) {
          return fail(stage.op, "reads a value of the same program at another "
                                "index than it is computed at");
        }
        classes.unionSets(node(from, writtenDim.getPosition()),
                          node(user, readDim.getPosition()));
      }
    }
  }
  return true;
}

/// Whether no operation has loops of both classes.
bool Analysis::areApart(unsigned a, unsigned b) {
  for (auto [number, stage] : llvm::enumerate(result.stages)) {
    bool hasA = false, hasB = false;
    for (unsigned loop = 0; loop < stage.sizes.size(); ++loop) {
      unsigned leader = classes.getLeaderValue(node(number, loop));
      hasA |= leader == a;
      hasB |= leader == b;
    }
    if (hasA && hasB) {
      return false;
    }
  }
  return true;
}

/// Two operations that walk the same operand of the program may as well walk it
/// together. Loops that no tensor between two operations ties can be chosen so.
/// Loops that someone reduces come first: reading an operand once for a
/// reduction and again for what uses its result is what a program is for.
void Analysis::unifySharedInputs() {
  llvm::MapVector<std::pair<Value, unsigned>, SmallVector<unsigned>> readers;
  for (auto [number, stage] : llvm::enumerate(result.stages)) {
    for (OpOperand *operand : stage.op.getDpsInputOperands()) {
      if (!isa<BlockArgument>(operand->get()) ||
          !isa<RankedTensorType>(operand->get().getType())) {
        continue;
      }
      AffineMap map = stage.op.getMatchingIndexingMap(operand);
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
          readers[{operand->get(), position}].push_back(
              node(number, dim.getPosition()));
        }
      }
    }
  }
  auto unifyAll = [&](function_ref<bool(unsigned, unsigned)> isWanted) {
    for (auto &[place, list] : readers) {
      for (unsigned reader : list) {
        unsigned a = classes.getLeaderValue(list.front());
        unsigned b = classes.getLeaderValue(reader);
        if (a != b && isWanted(list.front(), reader) && areApart(a, b)) {
          classes.unionSets(a, b);
        }
      }
    }
  };
  std::vector<bool> isReduction;
  for (MicroStage &stage : result.stages) {
    for (utils::IteratorType iterator : stage.op.getIteratorTypesArray()) {
      isReduction.push_back(iterator == utils::IteratorType::reduction);
    }
  }
  unifyAll(
      [&](unsigned a, unsigned b) { return isReduction[a] || isReduction[b]; });
  llvm::SmallDenseSet<unsigned> reduced;
  for (unsigned loop = 0; loop < isReduction.size(); ++loop) {
    if (isReduction[loop]) {
      reduced.insert(classes.getLeaderValue(loop));
    }
  }
  unifyAll([&](unsigned a, unsigned b) {
    return !reduced.contains(classes.getLeaderValue(a)) &&
           !reduced.contains(classes.getLeaderValue(b));
  });
}

bool Analysis::orderDimensions() {
  // What a class of loops is: its size and whether someone reduces it.
  struct Class {
    int64_t size = 1;
    bool isReduced = false;
    int dim = -1;
  };
  llvm::DenseMap<unsigned, Class> info;
  for (auto [number, stage] : llvm::enumerate(result.stages)) {
    SmallVector<utils::IteratorType> iterators =
        stage.op.getIteratorTypesArray();
    for (auto [loop, size] : llvm::enumerate(stage.sizes)) {
      Class &one = info[classes.getLeaderValue(node(number, loop))];
      if (size == 1) {
        continue;
      }
      if (one.size != 1 && one.size != size) {
        return fail(stage.op, "has a loop of another length than the rest of "
                              "the program");
      }
      one.size = size;
      one.isReduced |= iterators[loop] == utils::IteratorType::reduction;
    }
  }

  // The operation with most loops gives the order; others add what it lacks.
  SmallVector<unsigned> order;
  for (unsigned number = 0; number < result.stages.size(); ++number) {
    order.push_back(number);
  }
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return result.stages[a].sizes.size() > result.stages[b].sizes.size();
  });
  for (bool reduced : {false, true}) {
    for (unsigned number : order) {
      for (auto [loop, size] : llvm::enumerate(result.stages[number].sizes)) {
        Class &one = info[classes.getLeaderValue(node(number, loop))];
        if (size == 1 || one.isReduced != reduced || one.dim >= 0) {
          continue;
        }
        one.dim = static_cast<int>(result.domain.size());
        result.domain.push_back(one.size);
      }
    }
    if (!reduced) {
      result.parallel = result.domain.size();
    }
  }

  unsigned numReduced = result.domain.size() - result.parallel;
  for (auto [number, stage] : llvm::enumerate(result.stages)) {
    SmallVector<utils::IteratorType> iterators =
        stage.op.getIteratorTypesArray();
    llvm::SmallDenseSet<int> reducedHere, seen;
    int lastReduced = -1;
    for (auto [loop, size] : llvm::enumerate(stage.sizes)) {
      int dim =
          size == 1 ? -1 : info[classes.getLeaderValue(node(number, loop))].dim;
      stage.dims.push_back(dim);
      if (dim >= 0 && !seen.insert(dim).second) {
        return fail(stage.op,
                    "walks one dimension of the program in two loops");
      }
      bool isReduced = dim >= static_cast<int>(result.parallel);
      stage.isElements |= isReduced;
      if (isReduced && iterators[loop] == utils::IteratorType::reduction) {
        // The order of the elements decides how their sum is rounded.
        if (dim < lastReduced) {
          return fail(stage.op, "reduces in another order of dimensions than "
                                "the rest of the program");
        }
        lastReduced = dim;
        reducedHere.insert(dim);
      }
    }
    stage.isReducing = !reducedHere.empty();
    if (stage.isReducing && reducedHere.size() != numReduced) {
      return fail(stage.op, "reduces some of the dimensions that the program "
                            "reduces; expected all");
    }
  }
  return true;
}

bool Analysis::schedule() {
  if (!result.hasReducedDimensions()) {
    for (MicroStage &stage : result.stages) {
      stage.section = 1;
    }
    return true;
  }
  for (MicroStage &stage : result.stages) {
    unsigned ready = 0;
    for (OpOperand &operand : stage.op->getOpOperands()) {
      Operation *producerOp = operand.get().getDefiningOp();
      MicroStage *producer = producerOp ? result.lookup(producerOp) : nullptr;
      if (producer) {
        ready = std::max(ready, producer->section + producer->isReducing);
      }
    }
    bool fits = ready % 2 == stage.isElements;
    stage.section = fits ? ready : ready + 1;
    if (stage.section > 2 * ::lpu::maxPhases) {
      return fail(stage.op, "depends on more reductions than a micro-program "
                            "has phases");
    }
  }
  return true;
}

/// Results are stored behind the last reduction, for which elements may need
/// one section more.
bool Analysis::canStore(Block &body) {
  if (!result.hasReducedDimensions() ||
      (result.getLastSection() | 1) <= 2 * ::lpu::maxPhases) {
    return true;
  }
  for (Value value : body.getTerminator()->getOperands()) {
    Operation *producer = value.getDefiningOp();
    MicroStage *stage = producer ? result.lookup(producer) : nullptr;
    if (stage && stage->isElements && !stage->isReducing) {
      return fail(stage->op, "depends on more reductions than a micro-program "
                             "has phases");
    }
  }
  return true;
}

unsigned MicroStages::getLastSection() const {
  unsigned last = 0;
  for (const MicroStage &stage : stages) {
    last = std::max(last, stage.section + stage.isReducing);
  }
  return last;
}

std::optional<MicroStages>
MicroStages::analyze(Block &body, std::string &reason, Operation *&culprit) {
  MicroStages result;
  if (!Analysis(result, reason, culprit).run(body)) {
    return std::nullopt;
  }
  return result;
}

MicroStage *MicroStages::lookup(Operation *op) {
  for (MicroStage &stage : stages) {
    if (stage.op.getOperation() == op) {
      return &stage;
    }
  }
  return nullptr;
}

std::optional<unsigned> MicroStages::getDomainDim(Value tensor,
                                                  unsigned position) {
  std::optional<int> found;
  auto walks = [&](MicroStage &stage, AffineMap map) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(position));
    int here = dim ? stage.dims[dim.getPosition()] : -1;
    bool agrees = here >= 0 && found.value_or(here) == here;
    found = here;
    return agrees;
  };
  Operation *def = tensor.getDefiningOp();
  if (MicroStage *stage = def ? lookup(def) : nullptr) {
    if (!walks(*stage, stage->op.getIndexingMapMatchingResult(
                           cast<OpResult>(tensor)))) {
      return std::nullopt;
    }
  }
  for (OpOperand &use : tensor.getUses()) {
    auto linalgOp = dyn_cast<LinalgOp>(use.getOwner());
    if (!linalgOp && !isa<YieldOp>(use.getOwner())) {
      return std::nullopt;
    }
    MicroStage *stage = linalgOp ? lookup(linalgOp) : nullptr;
    if (stage && !walks(*stage, linalgOp.getMatchingIndexingMap(&use))) {
      return std::nullopt;
    }
  }
  return found;
}

int64_t MicroStages::getWork(int64_t transcendental) {
  int64_t work = 0;
  for (MicroStage &stage : stages) {
    int64_t runs = getBodyCycles(stage.op, transcendental);
    for (int64_t size : stage.sizes) {
      runs *= size;
    }
    work += runs;
  }
  return work;
}

int64_t mlir::lpu::getBodyCycles(LinalgOp op, int64_t transcendental) {
  int64_t cost = op.getNumDpsInputs();
  op.getBlock()->walk([&](Operation *inner) {
    bool isCheapMath =
        isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::TruncOp,
            math::RoundOp, math::RoundEvenOp, math::FmaOp, math::CopySignOp>(
            inner);
    if (isa<arith::DivFOp>(inner) ||
        (isa<math::MathDialect>(inner->getDialect()) && !isCheapMath)) {
      cost += transcendental;
    } else if (!isa<arith::ConstantOp, linalg::YieldOp>(inner)) {
      ++cost;
    }
  });
  return cost;
}

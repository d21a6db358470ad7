//===- TileChain.cpp - Operations that are tiled together -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grows a chain from a seed: upwards through producers whose every user comes
// later or belongs to it, downwards in the order of the block. An operation
// that needs a value of the chain in another way than tile by tile stays out,
// and so does everything that depends on it. So the members can run together,
// after all that they need and before all that needs them.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/TileChain.h"

#include "lpu/Dialect/LPU/Transforms/TilingDomain.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::lpu;

static RankedTensorType getTensor(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

namespace {

class ChainGrower {
public:
  ChainGrower(int64_t smallBytes, const ::lpu::MachineModel &machine)
      : smallBytes(smallBytes), machine(machine) {}

  TileChain grow(Operation *seed, unsigned dimension) {
    TilingDomain domain = getTilingDomain(seed);
    if (dimension >= domain.extents.size() || !domain.isTileable[dimension] ||
        domain.extents[dimension] < 2) {
      return TileChain();
    }
    chain.extent = domain.extents[dimension];
    if (!join(seed, domain, {dimension}, seed)) {
      return TileChain();
    }
    for (Operation *op = seed->getNextNode(); op; op = op->getNextNode()) {
      visit(op);
    }
    sortMembers();
    trim();
    countSteps();
    return std::move(chain);
  }

private:
  /// Lets `op`, which comes after the seed, join or stay out.
  void visit(Operation *op) {
    bool isOutside = false, isConsumer = false, isSibling = false;
    for (Value operand : op->getOperands()) {
      isOutside |= outside.contains(operand);
      isConsumer |= chain.produces(operand);
      isSibling |= chain.slabs.contains(operand);
    }
    if (!isOutside && (isConsumer || isSibling) && tryJoin(op)) {
      return;
    }
    if (isOutside || isConsumer) {
      outside.insert(op->result_begin(), op->result_end());
    }
  }

  bool tryJoin(Operation *op) {
    if (isTensorView(op)) {
      // What merely shares a view of an operand is no reason to join.
      for (Value operand : op->getOperands()) {
        if (!chain.produces(operand)) {
          continue;
        }
        std::optional<Slabs> slabs =
            relateView(op, operand, chain.slabs.lookup(operand));
        return slabs && joinView(op, *slabs, op);
      }
      return false;
    }
    TilingDomain domain = getTilingDomain(op);
    if (domain.extents.empty()) {
      return false;
    }
    // What the chain produces decides; an operand that it shares only proposes.
    std::optional<Slab> slab;
    for (bool isProduced : {true, false}) {
      for (OpOperand &operand : op->getOpOperands()) {
        auto known = chain.slabs.find(operand.get());
        if (slab || known == chain.slabs.end() ||
            chain.produces(operand.get()) != isProduced) {
          continue;
        }
        int dimension =
            domain
                .operands[operand.getOperandNumber()][known->second.dimension];
        if (dimension >= 0) {
          slab = known->second.scaled(dimension);
        } else if (isProduced) {
          return false;
        }
      }
    }
    return slab && join(op, domain, *slab, op);
  }

  /// Adds the lpu operation `op`, whose domain has `slab`, if all of it agrees
  /// with the chain. `place` is where the block has been looked at up to.
  bool join(Operation *op, const TilingDomain &domain, Slab slab,
            Operation *place) {
    int64_t size = domain.extents[slab.dimension];
    if (!domain.isTileable[slab.dimension] ||
        size * slab.denominator != chain.extent * slab.numerator) {
      return false;
    }
    Slabs slabs;
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<unsigned> position = findDimension(
          domain.operands[operand.getOperandNumber()], slab.dimension);
      if (position) {
        slabs.emplace_back(operand.get(), slab.scaled(*position));
      } else if (chain.produces(operand.get())) {
        return false;
      } else {
        usedOtherwise.insert(operand.get());
      }
    }
    for (auto [result, dimensions] :
         llvm::zip(op->getResults(), domain.results)) {
      slabs.emplace_back(
          result, slab.scaled(*findDimension(dimensions, slab.dimension)));
    }
    if (!agrees(op, slabs)) {
      return false;
    }
    chain.members.insert({op, {slab}});
    chain.granularity = std::lcm(chain.granularity, slab.denominator);
    preferFullPasses(op, slab);
    accept(slabs, place);
    return true;
  }

  bool joinView(Operation *op, const Slabs &slabs, Operation *place) {
    if (!agrees(op, slabs)) {
      return false;
    }
    chain.members.insert({op, {}});
    accept(slabs, place);
    return true;
  }

  /// Whether `op` would neither use a value of the chain, nor produce a value
  /// for it, in two ways.
  bool agrees(Operation *op, const Slabs &slabs) {
    for (auto [value, slab] : slabs) {
      bool isInChain = chain.produces(value) || value.getDefiningOp() == op;
      if (!isInChain) {
        continue;
      }
      auto known = chain.slabs.find(value);
      if (usedOtherwise.contains(value) ||
          (known != chain.slabs.end() && !(known->second == slab)) ||
          llvm::any_of(slabs, [&, v = value, s = slab](const auto &other) {
            return other.first == v && !(other.second == s);
          })) {
        return false;
      }
    }
    return true;
  }

  void accept(const Slabs &slabs, Operation *place) {
    for (auto [value, slab] : slabs) {
      auto [known, isNew] = chain.slabs.try_emplace(value, slab);
      if (!isNew && !(known->second == slab)) {
        usedOtherwise.insert(value);
      }
      chain.granularity = std::lcm(chain.granularity, slab.denominator);
      preferWholeBursts(value, slab);
    }
    for (auto [value, slab] : slabs) {
      if (!chain.produces(value) && chain.slabs.lookup(value) == slab) {
        pull(value, slab, place);
      }
    }
  }

  /// Lets the producer of `value` join, if that delays nothing that has been
  /// looked at.
  void pull(Value value, Slab slab, Operation *place) {
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != place->getBlock() ||
        outside.contains(value)) {
      return;
    }
    if (isTensorView(producer)) {
      std::optional<Slabs> slabs = relateView(producer, value, slab);
      if (slabs && canFollow(value, slab, place) &&
          joinView(producer, *slabs, place)) {
        followViews(value, place);
      }
      return;
    }
    TilingDomain domain = getTilingDomain(producer);
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (domain.extents.empty() || isSmall(producer) ||
        domain.results[number][slab.dimension] < 0) {
      return;
    }
    unsigned dimension = domain.results[number][slab.dimension];
    for (OpResult result : producer->getOpResults()) {
      std::optional<unsigned> position =
          findDimension(domain.results[result.getResultNumber()], dimension);
      if (!position || !canFollow(result, slab.scaled(*position), place)) {
        return;
      }
    }
    if (join(producer, domain, slab.scaled(dimension), place)) {
      for (Value result : producer->getResults()) {
        followViews(result, place);
      }
    }
  }

  /// Whether `value` can become one of the chain's: what uses it before `place`
  /// are members, and views that can follow.
  bool canFollow(Value value, Slab slab, Operation *place) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (chain.members.contains(user) || !user->isBeforeInBlock(place)) {
        return true;
      }
      if (!isTensorView(user)) {
        return false;
      }
      std::optional<Slabs> slabs = relateView(user, value, slab);
      if (!slabs) {
        return false;
      }
      Value result = user->getResult(0);
      return llvm::all_of(*slabs, [&](const auto &part) {
        return part.first != result || canFollow(result, part.second, place);
      });
    });
  }

  /// Lets the views of `value`, a new value of the chain, follow it.
  void followViews(Value value, Operation *place) {
    for (Operation *user : value.getUsers()) {
      if (isTensorView(user) && !chain.members.contains(user) &&
          user->isBeforeInBlock(place)) {
        std::optional<Slabs> slabs =
            relateView(user, value, chain.slabs.lookup(value));
        if (slabs && joinView(user, *slabs, place)) {
          followViews(user->getResult(0), place);
        } else {
          outside.insert(user->getResult(0));
        }
      }
    }
  }

  /// A tile of rows should fill passes, one of columns the trees.
  void preferFullPasses(Operation *op, Slab slab) {
    auto contract = dyn_cast<ContractOp>(op);
    if (!contract) {
      return;
    }
    ContractDimensions dims = contract.classify();
    SmallVector<int64_t> sizes = contract.getDomainSizes();
    for (auto [list, unit] : {std::pair(&dims.rows, machine.rowsPerPass),
                              std::pair(&dims.cols, machine.trees)}) {
      if (!llvm::is_contained(*list, slab.dimension)) {
        continue;
      }
      int64_t inner = slab.numerator;
      for (unsigned dim : *list) {
        inner *= dim == slab.dimension ? 1 : sizes[dim];
      }
      int64_t wanted = unit * slab.denominator;
      chain.preferredGranularity = std::lcm(chain.preferredGranularity,
                                            wanted / std::gcd(wanted, inner));
    }
  }

  /// A tile of the innermost dimension should end with a burst of the HBM.
  void preferWholeBursts(Value value, Slab slab) {
    RankedTensorType type = getTensor(value);
    ArrayRef<int64_t> inner = type.getShape().drop_front(slab.dimension + 1);
    if (llvm::any_of(inner, [](int64_t size) { return size != 1; })) {
      return;
    }
    int64_t bytes = getByteSize(type) / type.getNumElements() * slab.numerator;
    int64_t wanted = machine.hbmBurstBytes * slab.denominator;
    chain.preferredGranularity =
        std::lcm(chain.preferredGranularity, wanted / std::gcd(wanted, bytes));
  }

  bool isSmall(Operation *op) {
    int64_t bytes = 0;
    for (ValueRange values :
         {ValueRange(op->getOperands()), ValueRange(op->getResults())}) {
      for (Value value : values) {
        bytes += getByteSize(getTensor(value));
      }
    }
    return bytes < smallBytes;
  }

  void sortMembers() {
    auto members = chain.members.takeVector();
    llvm::sort(members, [](const auto &a, const auto &b) {
      return a.first->isBeforeInBlock(b.first);
    });
    for (auto &member : members) {
      chain.members.insert(member);
    }
    chain.preferredGranularity =
        std::lcm(chain.preferredGranularity, chain.granularity);
  }

  /// Every lpu operation is a step; views go with the one behind them, or at
  /// the end with the last one.
  void countSteps() {
    for (auto &[op, member] : chain.members) {
      member.step = chain.numSteps;
      chain.numSteps += member.slab.has_value();
    }
    for (auto &[op, member] : chain.members) {
      member.step = std::min(member.step, chain.numSteps - 1);
    }
  }

  /// Drops what the chain need not end with: views, other than what puts parts
  /// together, and small operations.
  void trim() {
    while (!chain.members.empty()) {
      Operation *last = chain.members.back().first;
      bool isNeeded = isa<tensor::InsertSliceOp>(last) ||
                      (!isTensorView(last) && !isSmall(last));
      if (isNeeded) {
        break;
      }
      chain.members.pop_back();
    }
  }

  int64_t smallBytes;
  const ::lpu::MachineModel &machine;
  TileChain chain;
  /// Values that depend on the chain and do not belong to it.
  llvm::DenseSet<Value> outside;
  /// Values that some member needs whole, or by another slab than others do.
  llvm::DenseSet<Value> usedOtherwise;
};

} // namespace

TileChain mlir::lpu::growChain(Operation *seed, unsigned dimension,
                               int64_t smallBytes,
                               const ::lpu::MachineModel &machine) {
  return ChainGrower(smallBytes, machine).grow(seed, dimension);
}

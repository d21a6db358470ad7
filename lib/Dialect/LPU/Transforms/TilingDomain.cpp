//===- TilingDomain.cpp - Along what an operation is tiled ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction says what its dimensions are. A vector program does not: they
// are found by uniting the dimensions that operations of its region walk
// together (union-find). A class with a reduction in it, or that something
// reaches in another way than one to one, is computed whole.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/TilingDomain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::lpu;

std::optional<unsigned> mlir::lpu::findDimension(ArrayRef<int> dimensions,
                                                 int dimension) {
  const int *found = llvm::find(dimensions, dimension);
  if (found == dimensions.end()) {
    return std::nullopt;
  }
  return found - dimensions.begin();
}

static RankedTensorType getTensor(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

unsigned RegionDimensions::getNode(const void *owner, unsigned position,
                                   bool isLoop) {
  // Loops and dimensions of a value share the table; an operation and its
  // result never share an address.
  unsigned key = 2 * position + (isLoop ? 1 : 0);
  return nodes.try_emplace({owner, key}, nodes.size()).first->second;
}

std::optional<unsigned> RegionDimensions::findClass(const void *owner,
                                                    unsigned position,
                                                    bool isLoop) const {
  auto node = nodes.find({owner, 2 * position + (isLoop ? 1 : 0)});
  if (node == nodes.end() || isWhole[classes[node->second]]) {
    return std::nullopt;
  }
  return classes[node->second];
}

std::optional<unsigned> RegionDimensions::getClass(Value value,
                                                   unsigned position) const {
  return findClass(value.getAsOpaquePointer(), position, /*isLoop=*/false);
}

int RegionDimensions::getDimension(Value value, unsigned position) const {
  std::optional<unsigned> found = getClass(value, position);
  return found ? assigned[*found] : static_cast<int>(wholeDimension);
}

SmallVector<int> RegionDimensions::getDimensions(Value value) const {
  return llvm::map_to_vector(
      llvm::seq<unsigned>(getTensor(value).getRank()),
      [&](unsigned position) { return getDimension(value, position); });
}

int RegionDimensions::getLoopDimension(Operation *op, unsigned loop) const {
  std::optional<unsigned> found = findClass(op, loop, /*isLoop=*/true);
  return found ? assigned[*found] : static_cast<int>(wholeDimension);
}

bool RegionDimensions::assign(Value value, unsigned position, int dimension) {
  std::optional<unsigned> found = getClass(value, position);
  if (!found || (assigned[*found] >= 0 && assigned[*found] != dimension)) {
    return false;
  }
  assigned[*found] = dimension;
  return true;
}

RegionDimensions::RegionDimensions(Block &block, ValueRange destinations) {
  // First number all of them: the union-find has a fixed size.
  SmallVector<std::pair<unsigned, unsigned>> united;
  SmallVector<unsigned> untileable;
  SmallVector<SmallVector<unsigned>> groups;
  auto getNodes = [&](Value value) {
    SmallVector<unsigned> result;
    if (RankedTensorType type = getTensor(value)) {
      for (unsigned i = 0, e = type.getRank(); i < e; ++i) {
        result.push_back(getNode(value.getAsOpaquePointer(), i, false));
      }
    }
    return result;
  };
  auto unite = [&](Value a, Value b) {
    for (auto [nodeA, nodeB] : llvm::zip(getNodes(a), getNodes(b))) {
      united.emplace_back(nodeA, nodeB);
    }
  };
  auto forbid = [&](Value value) {
    llvm::append_range(untileable, getNodes(value));
  };
  auto visitLinalg = [&](linalg::LinalgOp op) {
    SmallVector<unsigned> loops;
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      loops.push_back(getNode(op, loop, /*isLoop=*/true));
      if (iterator != utils::IteratorType::parallel) {
        untileable.push_back(loops.back());
      }
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (!getTensor(operand.get())) {
        continue;
      }
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [node, expr] :
           llvm::zip(getNodes(operand.get()), map.getResults())) {
        if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
          united.emplace_back(node, loops[dim.getPosition()]);
          continue;
        }
        untileable.push_back(node);
        expr.walk([&](AffineExpr part) {
          if (auto dim = dyn_cast<AffineDimExpr>(part)) {
            untileable.push_back(loops[dim.getPosition()]);
          }
        });
      }
      if (op.isDpsInit(&operand)) {
        unite(operand.get(), op.getTiedOpResult(&operand));
      }
    }
    groups.push_back(loops);
    // A table is read anywhere.
    op->walk([&](tensor::ExtractOp extract) { forbid(extract.getTensor()); });
  };
  for (Operation &op : block) {
    for (Value result : op.getResults()) {
      groups.push_back(getNodes(result));
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      visitLinalg(linalgOp);
      continue;
    }
    if (isa<YieldOp>(op)) {
      for (auto [value, destination] :
           llvm::zip(op.getOperands(), destinations)) {
        unite(value, destination);
      }
      continue;
    }
    // An empty tensor or a splat takes any size; of anything else that has
    // tensors nothing is known.
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!isa<tensor::EmptyOp>(op) &&
        !(constant && isa<SplatElementsAttr>(constant.getValue()))) {
      llvm::for_each(op.getOperands(), forbid);
      llvm::for_each(op.getResults(), forbid);
    }
  }
  for (BlockArgument argument : block.getArguments()) {
    groups.push_back(getNodes(argument));
  }

  llvm::IntEqClasses sets(nodes.size());
  for (auto [a, b] : united) {
    sets.join(a, b);
  }
  sets.compress();
  isWhole.assign(sets.getNumClasses(), false);
  assigned.assign(sets.getNumClasses(), wholeDimension);
  for (unsigned node = 0, e = nodes.size(); node < e; ++node) {
    classes.push_back(sets[node]);
  }
  for (unsigned node : untileable) {
    isWhole[classes[node]] = true;
  }
  // What a value or an operation has twice (a diagonal) stays whole.
  for (ArrayRef<unsigned> group : groups) {
    llvm::SmallDenseSet<unsigned> seen;
    for (unsigned node : group) {
      if (!seen.insert(classes[node]).second) {
        isWhole[classes[node]] = true;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Vector programs
//===----------------------------------------------------------------------===//

RegionDimensions mlir::lpu::getVectorDimensions(VectorOp op) {
  Block &block = op.getBody().front();
  unsigned numInputs = op.getInputs().size();
  RegionDimensions dimensions(block,
                              block.getArguments().drop_front(numInputs));
  // What some result lacks would be computed again by every tile.
  int next = 0;
  BlockArgument first = op.getOutputArgument(0);
  for (unsigned i = 0, e = getTensor(first).getRank(); i < e; ++i) {
    std::optional<unsigned> ofFirst = dimensions.getClass(first, i);
    bool isInAll = llvm::all_of(
        block.getArguments().drop_front(numInputs), [&](BlockArgument other) {
          return llvm::any_of(llvm::seq<unsigned>(getTensor(other).getRank()),
                              [&](unsigned j) {
                                return dimensions.getClass(other, j) == ofFirst;
                              });
        });
    if (ofFirst && isInAll) {
      (void)dimensions.assign(first, i, next++);
    }
  }
  return dimensions;
}

static TilingDomain getDomain(VectorOp op) {
  RegionDimensions dimensions = getVectorDimensions(op);
  TilingDomain domain;
  BlockArgument first = op.getOutputArgument(0);
  for (unsigned i = 0, e = getTensor(first).getRank(); i < e; ++i) {
    if (dimensions.getDimension(first, i) >= 0) {
      domain.extents.push_back(getTensor(first).getDimSize(i));
    }
  }
  domain.isTileable.assign(domain.extents.size(), true);
  for (BlockArgument argument : op.getBody().getArguments()) {
    domain.operands.push_back(dimensions.getDimensions(argument));
  }
  for (unsigned i = 0, e = op.getOuts().size(); i < e; ++i) {
    domain.results.push_back(dimensions.getDimensions(op.getOutputArgument(i)));
  }
  return domain;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// What the results of an indexing map are.
static SmallVector<int> describe(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      return dim.getPosition();
    }
    return isa<AffineConstantExpr>(expr) ? wholeDimension : computedDimension;
  });
}

/// The dimensions of a region in which `value` is what `map` maps the domain
/// to.
static RegionDimensions getRegionDimensions(Block &block, Value value,
                                            AffineMap map) {
  RegionDimensions dimensions(block);
  for (auto [position, dimension] : llvm::enumerate(describe(map))) {
    if (dimension >= 0) {
      (void)dimensions.assign(value, position, dimension);
    }
  }
  return dimensions;
}

RegionDimensions mlir::lpu::getPrologueDimensions(ContractOp op) {
  Block &block = op.getPrologue().front();
  return getRegionDimensions(block, block.getTerminator()->getOperand(0),
                             op.getMapB());
}

RegionDimensions mlir::lpu::getEpilogueDimensions(ContractOp op) {
  Block &block = op.getEpilogue().front();
  return getRegionDimensions(block, block.getArgument(0), op.getMapC());
}

static TilingDomain getDomain(ContractOp op) {
  TilingDomain domain;
  domain.extents = op.getDomainSizes();
  SmallVector<int> a = describe(op.getMapA()), b = describe(op.getMapB()),
                   c = describe(op.getMapC());
  for (StringAttr iterator : op.getIteratorTypes().getAsRange<StringAttr>()) {
    domain.isTileable.push_back(iterator.getValue() == "parallel");
  }
  // A dimension that a region does not keep apart is not tiled.
  auto keep = [&](ArrayRef<int> outside, ArrayRef<int> inside) {
    for (unsigned dim = 0, e = domain.extents.size(); dim < e; ++dim) {
      if (findDimension(outside, dim) && !findDimension(inside, dim)) {
        domain.isTileable[dim] = false;
      }
    }
  };
  auto describeInputs = [&](Block &block, const RegionDimensions &dimensions) {
    for (BlockArgument argument : block.getArguments().drop_front()) {
      domain.operands.push_back(dimensions.getDimensions(argument));
    }
  };
  domain.operands = {a, b};
  if (op.hasPrologue()) {
    Block &block = op.getPrologue().front();
    RegionDimensions dimensions = getPrologueDimensions(op);
    keep(b, dimensions.getDimensions(block.getTerminator()->getOperand(0)));
    for (AffineExpr expr : op.getMapB().getResults()) {
      for (unsigned dim = 0, e = domain.extents.size(); dim < e; ++dim) {
        bool isPlain = isa<AffineDimExpr>(expr);
        domain.isTileable[dim] &= isPlain || !expr.isFunctionOfDim(dim);
      }
    }
    domain.operands[1] = dimensions.getDimensions(block.getArgument(0));
    describeInputs(block, dimensions);
  }
  SmallVector<int> results = c;
  if (op.hasEpilogue()) {
    Block &block = op.getEpilogue().front();
    RegionDimensions dimensions = getEpilogueDimensions(op);
    keep(c, dimensions.getDimensions(block.getArgument(0)));
    describeInputs(block, dimensions);
    results = dimensions.getDimensions(block.getTerminator()->getOperand(0));
  }
  domain.operands.push_back(results);
  domain.results = {results};
  for (auto [dim, isTileable] : llvm::enumerate(domain.isTileable)) {
    isTileable &= findDimension(results, dim).has_value();
  }
  return domain;
}

//===----------------------------------------------------------------------===//
// The other operations
//===----------------------------------------------------------------------===//

/// A domain that is the dimensions of the result.
static TilingDomain getResultDomain(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  TilingDomain domain;
  domain.extents = SmallVector<int64_t>(type.getShape());
  domain.isTileable.assign(type.getRank(), true);
  domain.results = {
      llvm::to_vector(llvm::seq<int>(0, static_cast<int>(type.getRank())))};
  return domain;
}

static TilingDomain getDomain(CopyOp op) {
  TilingDomain domain = getResultDomain(op);
  domain.operands = {domain.results.front(), domain.results.front()};
  return domain;
}

static TilingDomain getDomain(GatherOp op) {
  TilingDomain domain = getResultDomain(op);
  SmallVector<int> source = domain.results.front();
  source[op.getAxis()] = wholeDimension;
  domain.operands = {
      source, {static_cast<int>(op.getAxis())}, domain.results.front()};
  return domain;
}

TilingDomain mlir::lpu::getTilingDomain(Operation *op) {
  if (op->getNumResults() == 0) {
    return {};
  }
  return llvm::TypeSwitch<Operation *, TilingDomain>(op)
      .Case<VectorOp, ContractOp, CopyOp, GatherOp>(
          [](auto op) { return getDomain(op); })
      .Default([](Operation *) { return TilingDomain(); });
}

//===- MicroDraft.cpp - A micro-program in the making ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building, with equal operations shared; then dead operations are dropped,
// dimensions merged as far as the views of loads and stores allow, and the
// result written as an `lpuisa.vec`. If more dimensions than a view has are
// left, hardware loops take the outermost ones.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/MicroDraft.h"

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Target/MicroOps.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace mlir;
using namespace mlir::lpu;
using ::lpu::MicroCombine;
using ::lpu::MicroOpcode;
using ::lpu::MicroType;
using Register = MicroDraft::Register;

MicroDraft::MicroDraft(ArrayRef<int64_t> domain, unsigned parallel,
                       Location loc)
    : domain(domain), parallel(parallel), programLocation(loc), location(loc),
      sections(2 * ::lpu::maxPhases + 1), known(sections.size()) {
  section = getFirstSection();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Register MicroDraft::add(Opcode opcode, MicroType type,
                         ArrayRef<Register> inputs, MicroType resultType,
                         unsigned c, unsigned operand, uint64_t imm,
                         bool isPure) {
  std::vector<unsigned> numbers;
  for (Register input : inputs) {
    numbers.push_back(input.number);
  }
  Key key{opcode, type, numbers, c, operand, imm};
  if (isPure) {
    // What an earlier Rows section assigned is visible here as well.
    for (unsigned from = 0; from <= section; ++from) {
      if (from != section && from % 2 == 1) {
        continue;
      }
      if (auto found = known[from].find(key); found != known[from].end()) {
        return {found->second, resultType};
      }
    }
  }
  unsigned number = registers.size();
  registers.push_back(resultType);
  Operation operation{opcode, type, static_cast<int>(number),
                      {},     c,    operand,
                      imm,    {},   location};
  operation.inputs.assign(numbers.begin(), numbers.end());
  sections[section].push_back(std::move(operation));
  if (isPure) {
    known[section].try_emplace(std::move(key), number);
  }
  return {number, resultType};
}

MicroDraft::Operation &MicroDraft::addWithoutResult(Opcode opcode,
                                                    MicroType type,
                                                    ArrayRef<Register> inputs) {
  Operation operation{opcode, type, -1, {}, 0, 0, 0, {}, location};
  for (Register input : inputs) {
    operation.inputs.push_back(input.number);
  }
  sections[section].push_back(std::move(operation));
  return sections[section].back();
}

unsigned MicroDraft::addOperand(const StridedView &view, bool isTable) {
  assert(
      (isTable ? view.rank() == 1 : ArrayRef(view.sizes) == ArrayRef(domain)) &&
      "operands have the domain's sizes, tables rank 1");
  for (auto [number, operand] : llvm::enumerate(operands)) {
    const StridedView &other = operand.view;
    if (operand.isTable == isTable && other.space == view.space &&
        other.argument == view.argument && other.type == view.type &&
        other.offset == view.offset && other.sizes == view.sizes &&
        other.strides == view.strides) {
      return number;
    }
  }
  operands.push_back({view, isTable});
  return operands.size() - 1;
}

Register MicroDraft::constantFloat(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  return add(MicroOpcode::Const, MicroType::F32, {}, MicroType::F32, 0, 0,
             bits);
}

Register MicroDraft::constantInteger(MicroType type, int64_t value) {
  return add(MicroOpcode::Const, type, {}, type, 0, 0,
             static_cast<uint64_t>(value));
}

Register MicroDraft::load(const StridedView &view) {
  MicroType type = ::lpu::microTypeOf(view.type);
  return add(MicroOpcode::Load, type, {}, type, 0, addOperand(view, false));
}

void MicroDraft::store(const StridedView &view, Register value) {
  unsigned operand = addOperand(view, false);
  addWithoutResult(MicroOpcode::Store, ::lpu::microTypeOf(view.type), value)
      .operand = operand;
}

Register MicroDraft::gather(const StridedView &table, Register element) {
  MicroType type = ::lpu::microTypeOf(table.type);
  return add(MicroOpcode::Gather, type, element, type, 0,
             addOperand(table, true));
}

void MicroDraft::scatter(const StridedView &table, Register element,
                         Register value, MicroCombine combine) {
  unsigned operand = addOperand(table, true);
  Operation &operation = addWithoutResult(
      MicroOpcode::Scatter, ::lpu::microTypeOf(table.type), {element, value});
  operation.operand = operand;
  operation.c = static_cast<unsigned>(combine);
}

Register MicroDraft::iota(unsigned dimension) {
  if (domain[dimension] == 1) {
    return constantInteger(MicroType::I64, 0);
  }
  return add(MicroOpcode::Iota, MicroType::I64, {}, MicroType::I64, 0,
             dimension);
}

void MicroDraft::assertTrue(Register condition, ::lpu::FaultKind kind,
                            StringRef message) {
  Operation &operation =
      addWithoutResult(MicroOpcode::Assert, MicroType{}, condition);
  operation.c = static_cast<unsigned>(kind);
  operation.message = message.str();
}

Register MicroDraft::reduce(Register value, MicroCombine combine) {
  return add(MicroOpcode::Reduce, value.type, value, value.type,
             static_cast<unsigned>(combine));
}

Register MicroDraft::carry(Register init) {
  return add(MicroOpcode::Carry, init.type, init, init.type, 0, 0, 0,
             /*isPure=*/false);
}

void MicroDraft::next(Register carried, Register value) {
  addWithoutResult(MicroOpcode::Next, carried.type, {carried, value});
}

Register MicroDraft::compute(Opcode opcode, MicroType type,
                             ArrayRef<Register> inputs) {
  return add(opcode, type, inputs, type);
}

Register MicroDraft::compareFloat(::lpu::MicroPredicateF predicate, Register a,
                                  Register b) {
  return add(MicroOpcode::CmpF, MicroType::F32, {a, b}, MicroType::I1,
             static_cast<unsigned>(predicate));
}

Register MicroDraft::compareInteger(::lpu::MicroPredicateI predicate,
                                    Register a, Register b) {
  return add(MicroOpcode::CmpI, a.type, {a, b}, MicroType::I1,
             static_cast<unsigned>(predicate));
}

Register MicroDraft::select(Register condition, Register a, Register b) {
  return add(MicroOpcode::Select, a.type, {condition, a, b}, a.type);
}

Register MicroDraft::convert(Opcode opcode, MicroType type, Register a) {
  return add(opcode, type, a, type);
}

Register MicroDraft::combine(MicroCombine combine, Register init,
                             Register value) {
  static constexpr MicroOpcode opcodes[::lpu::numMicroCombines] = {
      MicroOpcode::Const /* Set: not a combination */,
      MicroOpcode::AddF,
      MicroOpcode::MulF,
      MicroOpcode::MaximumF,
      MicroOpcode::MinimumF,
      MicroOpcode::MaxNumF,
      MicroOpcode::MinNumF,
      MicroOpcode::AddI,
      MicroOpcode::MulI,
      MicroOpcode::MaxSI,
      MicroOpcode::MinSI,
      MicroOpcode::MaxUI,
      MicroOpcode::MinUI,
      MicroOpcode::AndI,
      MicroOpcode::OrI,
      MicroOpcode::XorI};
  assert(combine != MicroCombine::Set && "setting does not combine");
  return compute(opcodes[static_cast<unsigned>(combine)], init.type,
                 {init, value});
}

//===----------------------------------------------------------------------===//
// Finishing
//===----------------------------------------------------------------------===//

void MicroDraft::dropDeadOperations() {
  std::vector<bool> isLive(registers.size(), false);
  // Inputs are assigned before their uses, save for those of Next, which make
  // live what stands before it in the same section: one more round sees them.
  auto keeps = [&](const Operation &operation) {
    switch (operation.opcode) {
    case MicroOpcode::Store:
    case MicroOpcode::Scatter:
    case MicroOpcode::Assert:
      return true;
    case MicroOpcode::Next:
      return static_cast<bool>(isLive[operation.inputs[0]]);
    default:
      return static_cast<bool>(isLive[operation.dst]);
    }
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &operations : llvm::reverse(sections)) {
      for (const Operation &operation : llvm::reverse(operations)) {
        if (!keeps(operation)) {
          continue;
        }
        for (unsigned input : operation.inputs) {
          changed |= !isLive[input];
          isLive[input] = true;
        }
      }
    }
  }
  std::vector<bool> isUsed(operands.size(), false);
  for (auto &operations : sections) {
    llvm::erase_if(operations, [&](const Operation &o) { return !keeps(o); });
  }
  auto usesOperand = [](const Operation &operation) {
    switch (operation.opcode) {
    case MicroOpcode::Load:
    case MicroOpcode::Store:
    case MicroOpcode::Gather:
    case MicroOpcode::Scatter:
      return true;
    default:
      return false;
    }
  };
  for (auto &operations : sections) {
    for (Operation &operation : operations) {
      if (usesOperand(operation)) {
        isUsed[operation.operand] = true;
      }
    }
  }
  std::vector<unsigned> newNumber(operands.size());
  std::vector<Operand> used;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    newNumber[number] = used.size();
    if (isUsed[number]) {
      used.push_back(operand);
    }
  }
  operands = std::move(used);
  for (auto &operations : sections) {
    for (Operation &operation : operations) {
      if (usesOperand(operation)) {
        operation.operand = newNumber[operation.operand];
      }
    }
  }
}

LogicalResult MicroDraft::fitDomain() {
  SmallVector<bool> isPinned(domain.size(), false);
  for (auto &operations : sections) {
    for (Operation &operation : operations) {
      if (operation.opcode == MicroOpcode::Iota) {
        isPinned[operation.operand] = true;
      }
    }
  }
  if (dynamicSize) {
    isPinned[dynamicSize->dim] = true;
  }
  // A contiguous view hinders no merge and shows the domain's new sizes.
  StridedView whole;
  whole.sizes = domain;
  whole.strides.assign(domain.size(), 1);
  for (int dim = static_cast<int>(domain.size()) - 2; dim >= 0; --dim) {
    whole.strides[dim] = whole.strides[dim + 1] * domain[dim + 1];
  }
  SmallVector<StridedView *> views{&whole};
  for (Operand &operand : operands) {
    if (!operand.isTable) {
      views.push_back(&operand.view);
    }
  }
  unsigned segments[] = {parallel,
                         static_cast<unsigned>(domain.size()) - parallel};
  SmallVector<int> newNumber = coalesce(views, segments, isPinned);
  domain = whole.sizes;
  parallel = segments[0];
  if (dynamicSize) {
    dynamicSize->dim = static_cast<unsigned>(newNumber[dynamicSize->dim]);
  }
  for (auto &operations : sections) {
    for (Operation &operation : operations) {
      if (operation.opcode == MicroOpcode::Iota) {
        operation.operand = static_cast<unsigned>(newNumber[operation.operand]);
      }
    }
  }
  unsigned extra = domain.size() > ::lpu::maxRank
                       ? static_cast<unsigned>(domain.size()) - ::lpu::maxRank
                       : 0;
  if (extra > ::lpu::maxLoopDepth || extra > parallel) {
    return emitError(programLocation)
           << "needs a domain of " << domain.size()
           << " dimensions; the machine has " << unsigned(::lpu::maxRank)
           << " and loops for " << unsigned(::lpu::maxLoopDepth)
           << " outer parallel ones";
  }
  bool needsOuter = dynamicSize && dynamicSize->dim < extra;
  for (auto &operations : sections) {
    for (Operation &operation : operations) {
      needsOuter |=
          operation.opcode == MicroOpcode::Iota && operation.operand < extra;
    }
  }
  if (needsOuter) {
    return emitError(programLocation)
           << "needs a domain of " << domain.size()
           << " dimensions and the index or the size of an outer one; the "
              "machine has "
           << unsigned(::lpu::maxRank);
  }
  return success();
}

LogicalResult MicroDraft::finish(OpBuilder &builder) {
  dropDeadOperations();
  bool hasWork = false;
  for (auto &operations : sections) {
    hasWork |= !operations.empty();
  }
  // Without rows nothing runs; without reduced elements the rows still do.
  for (int64_t size : ArrayRef(domain).take_front(parallel)) {
    hasWork &= size != 0;
  }
  if (!hasWork) {
    return success();
  }
  if (failed(fitDomain())) {
    return failure();
  }

  OpBuilder::InsertionGuard guard(builder);
  unsigned numLoops =
      domain.size() > ::lpu::maxRank ? domain.size() - ::lpu::maxRank : 0;
  for (int64_t trips : ArrayRef(domain).take_front(numLoops)) {
    auto loop = lpuisa::LoopOp::create(builder, programLocation,
                                       static_cast<uint32_t>(trips));
    builder.setInsertionPointToEnd(loop.getBodyBlock());
  }
  std::optional<DynamicSize> innerSize = dynamicSize;
  if (innerSize) {
    innerSize->dim -= numLoops;
  }
  SmallVector<::lpu::View> views;
  for (const Operand &operand : operands) {
    if (operand.isTable) {
      views.push_back(operand.view.toView());
      continue;
    }
    if (numLoops == 0) {
      views.push_back(operand.view.toView(innerSize));
      continue;
    }
    StridedView inner = operand.view;
    inner.sizes.erase(inner.sizes.begin(), inner.sizes.begin() + numLoops);
    inner.strides.erase(inner.strides.begin(),
                        inner.strides.begin() + numLoops);
    ::lpu::View view = inner.toView(innerSize);
    for (unsigned level = 0; level < numLoops; ++level) {
      view.loopIncrements[level] =
          operand.view.strides[level] * ::lpu::byteWidth(inner.type);
    }
    views.push_back(view);
  }

  auto vec = lpuisa::VecOp::create(
      builder, programLocation, static_cast<unsigned>(domain.size()) - numLoops,
      parallel - numLoops, ArrayRef<::lpu::View>(views));
  builder.setInsertionPointToEnd(vec.getBodyBlock());
  std::vector<Value> values(registers.size());
  for (auto [number, operations] : llvm::enumerate(sections)) {
    if (operations.empty()) {
      continue;
    }
    if (number % 2 == 1) {
      lpuisa::ElementsOp::create(builder, programLocation);
    } else {
      lpuisa::RowsOp::create(builder, programLocation);
    }
    for (const Operation &operation : operations) {
      lpuisa::MicroOp micro;
      if (operation.opcode == MicroOpcode::Const) {
        TypedAttr immediate;
        if (operation.type == MicroType::F32) {
          immediate = builder.getF32FloatAttr(
              llvm::bit_cast<float>(static_cast<uint32_t>(operation.imm)));
        } else {
          unsigned width = ::lpu::bitWidth(operation.type);
          immediate = builder.getIntegerAttr(builder.getIntegerType(width),
                                             APInt(width, operation.imm,
                                                   /*isSigned=*/false,
                                                   /*implicitTrunc=*/true));
        }
        micro = lpuisa::MicroOp::create(builder, operation.location, immediate);
      } else {
        const ::lpu::MicroOpInfo *info = ::lpu::lookupMicroOp(operation.opcode);
        assert(info && "every operation that is built is in the table");
        SmallVector<Value> inputs;
        for (unsigned input : operation.inputs) {
          inputs.push_back(values[input]);
        }
        std::optional<unsigned> selector, operand;
        switch (info->fieldC) {
        case ::lpu::MicroFieldC::Combine:
        case ::lpu::MicroFieldC::CombineSet:
        case ::lpu::MicroFieldC::PredicateF:
        case ::lpu::MicroFieldC::PredicateI:
        case ::lpu::MicroFieldC::FaultKind:
          selector = operation.c;
          break;
        default:
          break;
        }
        switch (info->operand) {
        case ::lpu::MicroFieldOperand::Operand:
        case ::lpu::MicroFieldOperand::Table:
          operand = operation.operand;
          break;
        case ::lpu::MicroFieldOperand::Dimension:
          operand = operation.operand - numLoops;
          break;
        default:
          break;
        }
        micro = lpuisa::MicroOp::create(
            builder, operation.location, operation.opcode, operation.type,
            inputs, selector, operand, operation.message);
      }
      if (operation.dst >= 0) {
        values[operation.dst] = micro.getResult();
      }
    }
  }
  return success();
}

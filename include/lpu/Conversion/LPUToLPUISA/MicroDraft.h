//===- MicroDraft.h - A micro-program in the making -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A micro-program as plain data while it is being built. Operations are added
// to whichever section they belong to, in any order of sections; equal pure
// operations of a section are made once. `finish` brings the domain down to
// the machine's rank and creates the `lpuisa.vec`.
//
// Sections are numbered: 0 is the Rows section before everything, 1 the first
// Elements section, 2 the Rows section after it, and so on. Odd sections are
// thus the phases over elements. A program whose domain has no reduced
// dimension has section 1 alone.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_MICRODRAFT_H
#define LPU_CONVERSION_LPUTOLPUISA_MICRODRAFT_H

#include "lpu/Conversion/LPUToLPUISA/StridedView.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mlir::lpu {

class MicroDraft {
public:
  using Opcode = ::lpu::MicroOpcode;
  using MicroType = ::lpu::MicroType;

  /// A register: its number and its type.
  struct Register {
    unsigned number;
    MicroType type;
  };

  /// A program over `domain`, whose first `parallel` dimensions are rows.
  MicroDraft(llvm::ArrayRef<int64_t> domain, unsigned parallel, Location loc);

  llvm::ArrayRef<int64_t> getDomain() const { return domain; }
  bool hasReducedDimensions() const { return parallel < domain.size(); }
  /// The first section, where values that do not vary within a row belong.
  unsigned getFirstSection() const { return hasReducedDimensions() ? 0 : 1; }

  /// Says that a dimension of the domain has a size of the run.
  void setDynamicSize(DynamicSize size) { dynamicSize = size; }
  void setSection(unsigned number) { section = number; }
  unsigned getSection() const { return section; }
  void setLocation(Location newLocation) { location = newLocation; }

  // Data. Views of `load` and `store` have the domain's rank and sizes.
  Register constantFloat(float value);
  Register constantInteger(MicroType type, int64_t value);
  Register load(const StridedView &view);
  void store(const StridedView &view, Register value);
  Register gather(const StridedView &table, Register element);
  void scatter(const StridedView &table, Register element, Register value,
               ::lpu::MicroCombine combine);
  Register iota(unsigned dimension);
  void assertTrue(Register condition, ::lpu::FaultKind kind,
                  llvm::StringRef message);

  // Reductions.
  Register reduce(Register value, ::lpu::MicroCombine combine);
  Register carry(Register init);
  void next(Register carried, Register value);

  // Arithmetic.
  Register compute(Opcode opcode, MicroType type,
                   llvm::ArrayRef<Register> inputs);
  Register compareFloat(::lpu::MicroPredicateF predicate, Register a,
                        Register b);
  Register compareInteger(::lpu::MicroPredicateI predicate, Register a,
                          Register b);
  Register select(Register condition, Register a, Register b);
  /// A conversion; the source's type goes along where the machine asks for it.
  Register convert(Opcode opcode, MicroType type, Register a);
  /// `init` combined with a reduction's result by the operation of `combine`.
  Register combine(::lpu::MicroCombine combine, Register init, Register value);

  /// Creates the instruction. Emits an error if the machine cannot hold the
  /// program: too many phases, or too many dimensions after merging.
  LogicalResult finish(OpBuilder &builder);

private:
  struct Operation {
    Opcode opcode;
    MicroType type;
    int dst = -1;
    llvm::SmallVector<unsigned, 3> inputs;
    unsigned c = 0;
    unsigned operand = 0;
    uint64_t imm = 0;
    std::string message;
    Location location;
  };
  struct Operand {
    StridedView view;
    bool isTable;
  };
  using Key = std::tuple<Opcode, MicroType, std::vector<unsigned>, unsigned,
                         unsigned, uint64_t>;

  Register add(Opcode opcode, MicroType type, llvm::ArrayRef<Register> inputs,
               MicroType resultType, unsigned c = 0, unsigned operand = 0,
               uint64_t imm = 0, bool isPure = true);
  Operation &addWithoutResult(Opcode opcode, MicroType type,
                              llvm::ArrayRef<Register> inputs);
  unsigned addOperand(const StridedView &view, bool isTable);
  void dropDeadOperations();
  LogicalResult fitDomain();

  llvm::SmallVector<int64_t> domain;
  unsigned parallel;
  std::optional<DynamicSize> dynamicSize;
  Location programLocation, location;
  unsigned section = 1;
  std::vector<std::vector<Operation>> sections;
  std::vector<std::map<Key, unsigned>> known;
  std::vector<Operand> operands;
  std::vector<MicroType> registers;
};

} // namespace mlir::lpu

#endif // LPU_CONVERSION_LPUTOLPUISA_MICRODRAFT_H

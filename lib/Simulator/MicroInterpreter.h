//===- MicroInterpreter.h - Runs micro-programs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a Vec instruction does. A micro-program is planned once (registers get
// places, sections become lists of steps) and run for every instruction that
// names it, with its views.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_MICROINTERPRETER_H
#define LPU_LIB_SIMULATOR_MICROINTERPRETER_H

#include "MicroSteps.h"
#include "ThreadPool.h"
#include "lpu/Simulator/Memory.h"

#include <optional>
#include <vector>

namespace lpu {

/// Lanes of a chunk at most. Registers are this long.
constexpr unsigned maxLanes = 512;

/// A micro-program with its registers placed.
struct MicroPlan {
  struct Constant {
    uint32_t offset;
    MicroType type;
    uint64_t value;
  };
  struct Placed {
    uint32_t offset;
    MicroType type;
  };
  /// A Carry: where its value lives and where it starts from.
  struct Carry {
    MicroType type;
    uint32_t to, from;
  };
  struct Section {
    bool isRows = false;
    std::vector<MicroStep> steps;
    /// Copies at the end of every element: Next.
    std::vector<MicroStep> nexts;
    std::vector<Carry> carries;
    /// Values of the row that this section assigns and a later Elements section
    /// reads from every lane.
    std::vector<Placed> rowValues;
  };

  unsigned rank = 0, parallel = 0;
  std::vector<Section> sections;
  std::vector<Constant> constants;
  uint32_t registerBytes = 0;
  uint32_t partialBytes = 0; ///< For one lane of rows.
  /// By operand: whether it is walked (Load, Store), a table (Gather, Scatter),
  /// read, written.
  std::vector<bool> isWalked, isTable, isRead, isWritten;
  uint32_t usedDimensions = 0; ///< Bit d: some Iota names dimension d.
  bool hasReduce = false, hasCarry = false, hasScatter = false;
  /// The order of elements does not matter: no value of a row exists.
  bool isElementwise = false;

  static MicroPlan make(const MicroProgram &program);
};

/// Elements of a table that an instruction touched: runs [first, last].
struct TouchedElements {
  uint32_t operand;
  bool write;
  int64_t first, last;
};

/// Runs a plan on views in memory. `touched` (may be null) receives what
/// gathers and scatters reached in operands that lie in arguments, or in all.
std::optional<Error>
runMicroProgram(const MicroPlan &plan, const ResolvedView *views,
                unsigned numViews, const Memory &memory, ThreadPool &pool,
                const std::vector<char> &messages,
                std::vector<TouchedElements> *touched, bool tracksAll = false);

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_MICROINTERPRETER_H

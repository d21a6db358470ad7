//===- UnitQueues.h - Which unit does its next instruction ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queues of SMA, SXE and VXE and the semaphores between them. What the
// semaphores leave open is decided by the options of the run, so that a wait
// that is missing shows as a difference between runs: `interleave` says which
// unit goes next (UnitOrder.h), `dma` when the transfers that the SMA has begun
// take effect.
//
//   SMA queue --begins--> in flight --takes effect--> memory, posts
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_UNITQUEUES_H
#define LPU_LIB_SIMULATOR_UNITQUEUES_H

#include "Executor.h"
#include "lpu/Simulator/Listener.h"
#include "lpu/Simulator/UnitOrder.h"

#include <array>
#include <deque>

namespace lpu {

class UnitQueues {
public:
  /// `listener` may be null; it gets willExecute and didExecute and, in a run
  /// without timing, didRetire.
  UnitQueues(const Program &program, Executor &executor,
             const RunOptions &options, const MachineState &state,
             Listener *listener);

  /// An instruction of a unit, or a Wait or Post with that unit.
  void push(Unit unit, QueuedInstruction instruction);
  /// Instructions that have not taken effect; one with very many operands
  /// counts as several.
  size_t pending() const { return pendingCount + pendingViews / 8; }

  /// Lets units go that come before the ICP in the order of the run.
  std::optional<Error> goBeforeICP();

  /// Lets units run until `semaphore` holds `count`, which it then loses: a
  /// wait of the ICP. `index` is the instruction that waits.
  std::optional<Error> wait(unsigned semaphore, uint32_t count, uint32_t index);
  /// A post of the ICP.
  void post(unsigned semaphore, uint32_t count, uint32_t index) {
    counts[semaphore] += count;
    lastPosts[semaphore] = index;
  }

  /// Lets units run until at most `left` instructions are pending.
  std::optional<Error> run(size_t left);
  /// Checks that nothing is left over.
  std::optional<Error> checkDrained() const;

  uint64_t semaphore(unsigned number) const { return counts[number]; }
  MachineState::Queue queue(Unit unit) const;

  /// The instruction that the last error is about.
  uint32_t faultIndex() const { return lastIndex; }

private:
  /// Runs one instruction. False if no unit can.
  bool step(std::optional<Error> &error);
  /// Runs the first instruction of a unit. False if it has to wait.
  bool stepUnit(Unit unit, std::optional<Error> &error);
  bool isReady(const QueuedInstruction &instruction) const;
  /// The oldest transfer in flight takes effect, and so do posts behind it.
  std::optional<Error> land();
  /// The oldest stream in flight takes effect before the transfers in front of
  /// it, of which an Mm that takes its entry knows nothing. False if it needs
  /// what they write, or if there is none.
  bool landStream(std::optional<Error> &error);
  std::optional<Error> execute(Unit unit, const QueuedInstruction &instruction);
  /// `icp` is the wait in which the ICP stands, if it does.
  Error describeDeadlock(std::optional<uint32_t> icp) const;

  const Program &program;
  Executor &executor;
  UnitOrder order;
  const MachineState &state;
  Listener *listener;
  bool isTimed;
  std::array<std::deque<QueuedInstruction>, numUnits> queues;
  /// Transfers of the SMA that have not taken effect, and posts behind them.
  std::deque<QueuedInstruction> inFlight;
  Dma::Kind dma;
  SplitMix64 dmaRandom;
  /// With random DMA: a transfer lands before one in 2^rarity instructions.
  unsigned rarity = 0;
  std::array<uint64_t, numSemaphores> counts{};
  std::array<uint32_t, numSemaphores> lastPosts{};
  size_t pendingCount = 0, pendingViews = 0;
  uint32_t lastIndex = 0;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_UNITQUEUES_H

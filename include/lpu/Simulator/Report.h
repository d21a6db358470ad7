//===- Report.h - What a run cost -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of one run, as plain data, as JSON and as a table.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_REPORT_H
#define LPU_SIMULATOR_REPORT_H

#include "lpu/Simulator/CriticalPath.h"
#include "lpu/Target/Encoding.h"
#include "lpu/Target/Program.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lpu {

/// Warns of a program that does not fit into the HBM of its machine: it can
/// still be timed, but no such machine could run it.
std::vector<std::string> capacityWarnings(const Program &program);

/// Why a unit waits for data.
enum class DataWait : uint8_t {
  Bandwidth,   ///< The HBM serves this or an earlier request.
  Latency,     ///< Data is on its way, or the pipeline drains.
  BufferSpace, ///< The stream buffer is full.
  Overlap,     ///< An instruction of the queue that touches the same bytes.
  Supply,      ///< The SMA has not yet requested what the SXE needs next.
};
constexpr unsigned numDataWaits = 5;
std::string_view nameOf(DataWait wait);

/// Where the cycles of one unit went. The four kinds add up to the total.
struct UnitReport {
  int64_t busy = 0;
  /// Held up by memory, for the reasons that follow.
  int64_t waitingForData = 0;
  /// The head of the queue is a Wait whose count has not been reached.
  int64_t waitingForSemaphore = 0;
  /// Nothing to do.
  int64_t idle = 0;
  int64_t instructions = 0;
  int64_t hbmRead = 0;    ///< Bytes, whole bursts.
  int64_t hbmWritten = 0; ///< Bytes, whole bursts.
  /// `waitingForData` by kind of DataWait; they add up to it.
  std::array<int64_t, numDataWaits> dataWaits{};

  int64_t total() const {
    return busy + waitingForData + waitingForSemaphore + idle;
  }
};

struct Report {
  std::string program;
  std::string machine;
  double clockGHz = 0;
  double hbmGBps = 0; ///< Nominal peak.
  bool timed = false; ///< Whether the cycles below were counted.
  int64_t cycles = 0; ///< From the first issue to the last completion.
  std::array<UnitReport, numUnits> units{};
  /// What the cycles were spent on along the chain that determines them; the
  /// rows add up to `cycles`. Empty if the path was not asked for.
  std::vector<PathRow> criticalPath;
  /// Executed instructions by opcode.
  std::array<int64_t, 256> instructions{};
  /// Executed matrix instructions by the type of their operands.
  std::array<int64_t, numDTypes> mmOperands{};
  /// Bytes of arguments that were read at least once, plus those written at
  /// least once: no schedule of this program moves fewer.
  int64_t compulsoryReadBytes = 0;
  int64_t compulsoryWrittenBytes = 0;
  /// What a reader of the numbers should know, one sentence each.
  std::vector<std::string> warnings;
  /// Highest number of bytes in the stream buffer at one time.
  int64_t streamBufferPeak = 0;
  /// Bytes of the LMU up to the highest address that the program uses.
  int64_t lmuBytes = 0;
  int64_t scratchBytes = 0; ///< Of HBM, beside arguments and constants.

  double seconds() const {
    return clockGHz > 0 ? cycles / (clockGHz * 1e9) : 0;
  }
  int64_t hbmRead() const;
  int64_t hbmWritten() const;
  int64_t hbmBytes() const { return hbmRead() + hbmWritten(); }
  int64_t compulsoryBytes() const {
    return compulsoryReadBytes + compulsoryWrittenBytes;
  }
  int64_t instructionCount() const;
  /// Share of peak: compulsory bytes / (time x nominal HBM peak).
  double utilization() const;

  /// One JSON object; keys in a fixed order.
  std::string toJSON() const;
  /// A table for people.
  std::string toTable() const;
};

} // namespace lpu

#endif // LPU_SIMULATOR_REPORT_H

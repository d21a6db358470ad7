//===- WrittenBytes.h - Which bytes hold a value --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LMU, scratch and outputs begin without a value. One byte of shadow for each
// of theirs says whether it has been written (after MemorySanitizer: Stepanov
// and Serebryany, "MemorySanitizer: fast detector of uninitialized memory use
// in C++", 2015). Copies, gathers and scatters move the shadow with the bytes,
// so that padding may be moved about. What computes with a byte that has no
// value, pushes it into the stream buffer, takes it as an index, loads it into
// a register or hands it to the caller breaks `sync_c3` of docs/ISA.md.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_WRITTENBYTES_H
#define LPU_LIB_SIMULATOR_WRITTENBYTES_H

#include "MicroInterpreter.h"
#include "lpu/Simulator/Memory.h"
#include "lpu/Target/Program.h"

#include <optional>
#include <vector>

namespace lpu {

class WrittenBytes {
public:
  explicit WrittenBytes(const Program &program);

  /// Element rows that an indexed transfer moves.
  struct Rows {
    const std::vector<int64_t> &numbers;
    unsigned axis;
  };

  std::optional<Error> load(const Instruction &word, const ResolvedView &view);
  std::optional<Error> copy(const Instruction &word,
                            const std::vector<ResolvedView> &views);
  /// Before the indices are read.
  std::optional<Error> readIndices(const Instruction &word,
                                   const std::vector<ResolvedView> &views);
  std::optional<Error> moveRows(const Instruction &word,
                                const std::vector<ResolvedView> &views,
                                const Rows &rows);
  std::optional<Error> stream(const Instruction &word,
                              const ResolvedView &view);
  std::optional<Error> mm(const Instruction &word,
                          const std::vector<ResolvedView> &views);
  /// After it ran, since `touched` says what it took from tables.
  std::optional<Error> vec(const Instruction &word,
                           const std::vector<ResolvedView> &views,
                           const std::vector<TouchedElements> &touched);
  /// At the end every output has a value.
  std::optional<Error> checkOutputs() const;

private:
  /// Inputs and constants always have a value.
  bool isTracked(const ResolvedView &view) const;
  /// The first byte without a value, or nothing.
  std::optional<int64_t> findUnwritten(const ResolvedView &view) const;
  std::optional<Error> check(const ResolvedView &view,
                             uint32_t viewNumber) const;
  void write(const ResolvedView &view);

  const Program &program;
  std::vector<PagedRegion> outputs;
  Memory shadow; ///< Laid out as the memories are.
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_WRITTENBYTES_H

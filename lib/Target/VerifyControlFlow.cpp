//===- VerifyControlFlow.cpp - Checks loops, branches and balance ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops nest like brackets, branches stay in their loop body, and no path
// leaves .text. Where the path is known without running (no branches, trip
// counts in the instruction), posts and waits must balance for each semaphore,
// and streams and matrix instructions must pair up in order.
//
//===----------------------------------------------------------------------===//

#include "VerifierParts.h"
#include "lpu/Target/Names.h"

using namespace lpu;

namespace {
/// A loop whose body the walk is in.
struct OpenLoop {
  size_t end;
};
} // namespace

/// Whether execution never goes on with the next instruction.
static bool endsPath(const Instruction &word) {
  return word.opcode == Opcode::Halt || word.opcode == Opcode::Fault ||
         (word.opcode == Opcode::Branch &&
          static_cast<BranchCondition>(word.flags) == BranchCondition::Always);
}

static Problem verifyLoopHead(const Program &program, size_t index,
                              const std::vector<OpenLoop> &open) {
  const Instruction &word = program.text[index];
  if (open.size() == maxLoopDepth) { // flow_c2
    return "nests deeper than " + std::to_string(maxLoopDepth) + " loops";
  }
  if (word.aux != open.size()) {
    return "level " + std::to_string(word.aux) + ", expected " +
           std::to_string(open.size()) + ", the number of loops around it";
  }
  // The instruction after the body is where execution goes on.
  size_t limit = open.empty() ? program.text.size() - 1 : open.back().end;
  if (word.b <= index || word.b > limit) { // loop_c2
    return "its body ends at " + std::to_string(word.b) +
           ", expected within [" + std::to_string(index + 1) + ", " +
           std::to_string(limit) + "]";
  }
  return {};
}

/// The loop whose body an instruction is in, or a number that no loop has.
static uint32_t innermostLoop(const LoopContext &context) {
  return context.depth ? context.loops[context.depth - 1] : UINT32_MAX;
}

static std::optional<Error>
verifyBranches(const Program &program,
               const std::vector<LoopContext> &contexts) {
  for (size_t i = 0; i < program.text.size(); ++i) {
    const Instruction &word = program.text[i];
    if (word.opcode != Opcode::Branch) {
      continue;
    }
    if (word.a >= program.text.size()) { // branch_c2
      return instructionError(program, i,
                              "target " + std::to_string(word.a) +
                                  ", expected less than " +
                                  std::to_string(program.text.size()));
    }
    if (innermostLoop(contexts[word.a]) !=
        innermostLoop(contexts[i])) { // flow_c3
      return instructionError(program, i,
                              "target " + std::to_string(word.a) +
                                  " lies in another loop body, expected one in "
                                  "the body of the branch");
    }
  }
  return std::nullopt;
}

/// Executed instructions can be counted only if the path is known (sync_c1).
static bool hasKnownPath(const Program &program) {
  for (size_t i = 0; i < program.text.size(); ++i) {
    const Instruction &word = program.text[i];
    bool isKnown =
        word.opcode != Opcode::Branch && word.opcode != Opcode::Fault &&
        !(word.opcode == Opcode::Halt && i + 1 != program.text.size()) &&
        !(word.opcode == Opcode::Loop && (word.flags & LoopTripsInRegister));
    if (!isKnown) {
      return false;
    }
  }
  return true;
}

/// The n-th stream feeds the n-th matrix instruction. Where the two stand in
/// the same loop body for all n, this is known without running.
static std::optional<Error>
verifyStreamPairs(const Program &program,
                  const std::vector<LoopContext> &contexts) {
  std::vector<size_t> streams, mms;
  for (size_t i = 0; i < program.text.size(); ++i) {
    if (program.text[i].opcode == Opcode::Stream) {
      streams.push_back(i);
    } else if (program.text[i].opcode == Opcode::Mm) {
      mms.push_back(i);
    }
  }
  if (streams.size() != mms.size()) {
    return std::nullopt; // verifyCounts reports that.
  }
  for (size_t n = 0; n < mms.size(); ++n) {
    if (innermostLoop(contexts[streams[n]]) !=
        innermostLoop(contexts[mms[n]])) {
      return std::nullopt;
    }
  }
  int64_t rowsPerPass = program.machine.rowsPerPass;
  for (size_t n = 0; n < mms.size(); ++n) {
    const Instruction &stream = program.text[streams[n]];
    const Instruction &mm = program.text[mms[n]];
    if (mm.c != stream.a) { // stream_c3
      return instructionError(program, mms[n],
                              "takes " + viewText(mm.c) +
                                  " from the stream, expected " +
                                  viewText(stream.a) + ", which instruction " +
                                  std::to_string(streams[n]) + " pushes");
    }
    MmFields dims = MmFields::unpack(mm.aux);
    const View &a = program.views[mm.a];
    uint64_t rows = 1;
    bool isStatic = true;
    for (unsigned d = dims.batch; d < dims.batch + dims.rows; ++d) {
      rows *= a.sizes[d];
      isStatic &= d != a.dynamicDim;
    }
    uint64_t passes = rows / rowsPerPass + (rows % rowsPerPass != 0);
    if (isStatic && rows && stream.b != passes) { // stream_c4
      return instructionError(
          program, streams[n],
          std::to_string(stream.b) + " passes, expected " +
              std::to_string(passes) + " for the " + std::to_string(rows) +
              " rows of instruction " + std::to_string(mms[n]));
    }
  }
  return std::nullopt;
}

static std::optional<Error>
verifyCounts(const Program &program, const std::vector<LoopContext> &contexts) {
  // Wraps only beyond any program that could finish.
  using Count = unsigned __int128;
  Count posts[numSemaphores] = {}, waits[numSemaphores] = {};
  Count streams = 0, mms = 0;
  for (size_t i = 0; i < program.text.size(); ++i) {
    const Instruction &word = program.text[i];
    Count times = 1;
    for (unsigned level = 0; level < contexts[i].depth; ++level) {
      times *= contexts[i].trips[level];
    }
    if (word.opcode == Opcode::Post) {
      posts[word.aux] += times * word.a;
    } else if (word.opcode == Opcode::Wait) {
      waits[word.aux] += times * word.a;
    }
    streams += word.opcode == Opcode::Stream ? times : 0;
    mms += word.opcode == Opcode::Mm ? times : 0;
  }
  auto text = [](Count value) {
    return std::to_string(static_cast<unsigned long long>(value));
  };
  for (unsigned s = 0; s < numSemaphores; ++s) {
    if (posts[s] != waits[s]) {
      return Error{"semaphore " + std::to_string(s) + " is posted " +
                   text(posts[s]) + " and waited for " + text(waits[s]) +
                   ", expected the same"};
    }
  }
  if (streams != mms) {
    return Error{text(streams) + " streams and " + text(mms) +
                 " matrix instructions, expected the same number"};
  }
  return std::nullopt;
}

std::optional<Error>
lpu::verifyControlFlow(const Program &program,
                       std::vector<LoopContext> &contexts) {
  if (program.text.empty()) {
    return Error{".text is empty, expected at least a halt"};
  }
  std::vector<OpenLoop> open;
  LoopContext context;
  contexts.assign(program.text.size(), {});
  for (size_t i = 0; i < program.text.size(); ++i) {
    while (!open.empty() && open.back().end == i) {
      open.pop_back();
      --context.depth;
      context.trips[context.depth] = context.loops[context.depth] = 0;
    }
    contexts[i] = context;
    const Instruction &word = program.text[i];
    if (word.opcode != Opcode::Loop) {
      continue;
    }
    if (Problem problem = verifyLoopHead(program, i, open); !problem.empty()) {
      return instructionError(program, i, problem);
    }
    if (word.b == i + 1) {
      continue; // An empty body encloses nothing.
    }
    open.push_back({word.b});
    context.loops[context.depth] = static_cast<uint32_t>(i);
    context.trips[context.depth++] = word.c;
  }
  if (!endsPath(program.text.back())) { // flow_c1
    return instructionError(program, program.text.size() - 1,
                            "is the last one, expected halt, fault or an "
                            "unconditional branch");
  }
  return verifyBranches(program, contexts);
}

std::optional<Error>
lpu::verifyBalance(const Program &program,
                   const std::vector<LoopContext> &contexts) {
  if (!hasKnownPath(program)) {
    return std::nullopt;
  }
  if (auto error = verifyStreamPairs(program, contexts)) {
    return error;
  }
  return verifyCounts(program, contexts);
}

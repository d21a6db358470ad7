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
  size_t index;
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
  if (open.size() == maxLoopDepth) {
    return "nests deeper than " + std::to_string(maxLoopDepth) + " loops";
  }
  if (word.aux != open.size()) {
    return "level " + std::to_string(word.aux) + ", expected " +
           std::to_string(open.size()) + ", the number of loops around it";
  }
  // The instruction after the body is where execution goes on.
  size_t limit = open.empty() ? program.text.size() - 1 : open.back().end;
  if (word.b <= index || word.b > limit) {
    return "its body ends at " + std::to_string(word.b) + ", expected within [" +
           std::to_string(index + 1) + ", " + std::to_string(limit) + "]";
  }
  return {};
}

static std::optional<Error>
verifyBranches(const Program &program,
               const std::vector<size_t> &innermostLoop) {
  for (size_t i = 0; i < program.text.size(); ++i) {
    const Instruction &word = program.text[i];
    if (word.opcode != Opcode::Branch) {
      continue;
    }
    if (word.a >= program.text.size()) {
      return instructionError(program, i,
                              "target " + std::to_string(word.a) +
                                  ", expected less than " +
                                  std::to_string(program.text.size()));
    }
    if (innermostLoop[word.a] != innermostLoop[i]) {
      return instructionError(program, i,
                              "target " + std::to_string(word.a) +
                                  " lies in another loop body, expected one in "
                                  "the body of the branch");
    }
  }
  return std::nullopt;
}

/// Executed instructions can be counted only if the path is known.
static bool hasKnownPath(const Program &program) {
  for (size_t i = 0; i < program.text.size(); ++i) {
    const Instruction &word = program.text[i];
    bool isKnown = word.opcode != Opcode::Branch &&
                   word.opcode != Opcode::Fault &&
                   !(word.opcode == Opcode::Halt && i + 1 != program.text.size()) &&
                   !(word.opcode == Opcode::Loop &&
                     (word.flags & LoopTripsInRegister));
    if (!isKnown) {
      return false;
    }
  }
  return true;
}

static std::optional<Error>
verifyBalance(const Program &program, const std::vector<LoopContext> &contexts) {
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
    if (word.opcode == Opcode::Post && word.aux < numSemaphores) {
      posts[word.aux] += times * word.a;
    } else if (word.opcode == Opcode::Wait && word.aux < numSemaphores) {
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
  constexpr size_t none = ~size_t(0);
  std::vector<size_t> innermostLoop(program.text.size(), none);
  std::vector<OpenLoop> open;
  LoopContext context;
  contexts.assign(program.text.size(), {});
  for (size_t i = 0; i < program.text.size(); ++i) {
    while (!open.empty() && open.back().end == i) {
      open.pop_back();
      context.trips[--context.depth] = 0;
    }
    contexts[i] = context;
    innermostLoop[i] = open.empty() ? none : open.back().index;
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
    open.push_back({i, word.b});
    context.trips[context.depth++] = word.c;
  }
  if (!endsPath(program.text.back())) {
    return instructionError(program, program.text.size() - 1,
                            "is the last one, expected halt, fault or an "
                            "unconditional branch");
  }
  if (auto error = verifyBranches(program, innermostLoop)) {
    return error;
  }
  return hasKnownPath(program) ? verifyBalance(program, contexts) : std::nullopt;
}

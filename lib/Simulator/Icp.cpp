//===- Icp.cpp - What the control unit's instructions do ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers, branches, loops. See Icp.h.
//
//===----------------------------------------------------------------------===//

#include "Icp.h"

#include <algorithm>
#include <cstring>

using namespace lpu;

int64_t lpu::evaluate(AluFunction function, int64_t a, int64_t b) {
  uint64_t left = static_cast<uint64_t>(a), right = static_cast<uint64_t>(b);
  switch (function) {
  case AluFunction::Add:
    return static_cast<int64_t>(left + right);
  case AluFunction::Sub:
    return static_cast<int64_t>(left - right);
  case AluFunction::Mul:
    return static_cast<int64_t>(left * right);
  case AluFunction::Min:
    return std::min(a, b);
  case AluFunction::Max:
    return std::max(a, b);
  case AluFunction::CmpEq:
    return a == b;
  case AluFunction::CmpLt:
    return a < b;
  case AluFunction::CmpLe:
    return a <= b;
  }
  return 0;
}

uint32_t Icp::fetch() {
  while (!loops.empty()) {
    ActiveLoop &loop = loops.back();
    if (next >= loop.begin && next < loop.end) {
      break;
    }
    // At its end a body is run again; a branch out of it leaves the loop.
    int64_t &iteration = state.iterations[loop.level];
    if (next == loop.end && ++iteration < loop.trips) {
      next = loop.begin;
      break;
    }
    iteration = 0;
    loops.pop_back();
  }
  return next++;
}

void Icp::loadImmediate(const Instruction &word) {
  state.registers[word.aux] =
      static_cast<int64_t>(uint64_t(word.b) << 32 | word.a);
  state.isUnknown[word.aux] = false;
}

void Icp::loadElement(const Instruction &word, const uint8_t *data,
                      DType type) {
  uint64_t bits = 0;
  unsigned width = byteWidth(type);
  std::memcpy(&bits, data, width);
  unsigned unused = 64 - 8 * width;
  state.registers[word.aux] = static_cast<int64_t>(bits << unused) >> unused;
  state.isUnknown[word.aux] = false;
}

void Icp::loadUnknown(const Instruction &word) {
  state.registers[word.aux] = 0;
  state.isUnknown[word.aux] = true;
}

void Icp::compute(const Instruction &word) {
  AluFields fields = AluFields::unpack(word.aux);
  if (state.isUnknown[fields.rs] ||
      (!fields.immediate && state.isUnknown[fields.rt])) {
    state.registers[fields.rd] = 0;
    state.isUnknown[fields.rd] = true;
    return;
  }
  state.isUnknown[fields.rd] = false;
  int64_t right = fields.immediate ? static_cast<int32_t>(word.a)
                                   : state.registers[fields.rt];
  state.registers[fields.rd] = evaluate(static_cast<AluFunction>(word.flags),
                                        state.registers[fields.rs], right);
}

void Icp::branch(const Instruction &word) {
  switch (static_cast<BranchCondition>(word.flags)) {
  case BranchCondition::Always:
    next = word.a;
    return;
  case BranchCondition::Zero:
    next = state.registers[word.aux] == 0 ? word.a : next;
    return;
  case BranchCondition::NotZero:
    next = state.registers[word.aux] != 0 ? word.a : next;
    return;
  }
}

std::optional<Error> Icp::enterLoop(const Instruction &word) {
  int64_t trips = word.a;
  if ((word.flags & LoopTripsInRegister) != 0) {
    trips = state.isUnknown[word.a] ? word.c : state.registers[word.a];
    if (trips < 0 || trips > static_cast<int64_t>(word.c)) { // loop_f1
      return Error{"trip count register r" + std::to_string(word.a) +
                       " holds " + std::to_string(trips) +
                       ", expected a value in [0, " + std::to_string(word.c) +
                       "]",
                   ErrorKind::Index};
    }
  }
  // An empty body has nothing to go back to; what follows it may lie outside of
  // the body around it.
  if (trips == 0 || word.b == next) {
    next = word.b;
    return std::nullopt;
  }
  state.iterations[word.aux] = 0;
  loops.push_back({word.aux, next, word.b, trips});
  return std::nullopt;
}

//===- VerifyInstruction.cpp - Checks the operands of instructions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function an opcode: which fields must be zero, which name a view, and how
// the shapes and types of the views fit together. The labels (mm_c1, ...) are
// those of docs/ISA.md.
//
//===----------------------------------------------------------------------===//

#include "VerifierParts.h"
#include "lpu/Target/MicroOps.h"
#include "lpu/Target/Names.h"

using namespace lpu;

namespace {
class InstructionVerifier {
public:
  InstructionVerifier(const Program &program,
                      const std::vector<MicroSummary> &summaries,
                      const Instruction &word, const LoopContext &loops)
      : program(program), summaries(summaries), word(word), loops(loops) {}

  Problem run();

private:
  Problem verifyLi();
  Problem verifyLd();
  Problem verifyAlu();
  Problem verifyBranch();
  Problem verifyLoop();
  Problem verifySemaphore();
  Problem verifyString();
  Problem verifyCopy();
  Problem verifyIndexed();
  Problem verifyStream();
  Problem verifyMm();
  Problem verifyVec();

  /// Fields without a meaning for this opcode must be zero (word_c2).
  Problem expectZero(const char *name, uint64_t value) const;
  /// A register number (word_c3).
  Problem expectRegister(uint64_t number) const;
  /// Checks that a view exists (word_c3) and stays in its memory; sets `view`.
  Problem findView(uint32_t number, const View *&view) const;
  Problem expectWritable(uint32_t number, const View &view) const;
  /// Dimension `d` of `left` is dimension `e` of `right`: same size, and if the
  /// size is dynamic, the same register.
  Problem expectSameDim(const View &left, unsigned d, const View &right,
                        unsigned e) const;
  Problem expectSameShape(const View &left, const View &right) const;

  const Program &program;
  const std::vector<MicroSummary> &summaries;
  const Instruction &word;
  const LoopContext &loops;
};
} // namespace

/// Returns the first problem of a sequence of checks.
#define LPU_CHECK(expression)                                                  \
  do {                                                                         \
    if (Problem problem = (expression); !problem.empty()) {                    \
      return problem;                                                          \
    }                                                                          \
  } while (false)

Problem InstructionVerifier::expectZero(const char *name,
                                        uint64_t value) const {
  return value ? std::string("field ") + name + " is " + std::to_string(value) +
                     ", expected 0"
               : Problem();
}

Problem InstructionVerifier::expectRegister(uint64_t number) const {
  return number < numRegisters
             ? Problem()
             : "register " + std::to_string(number) + ", expected less than " +
                   std::to_string(numRegisters);
}

Problem InstructionVerifier::findView(uint32_t number,
                                      const View *&view) const {
  if (number >= program.views.size()) {
    return viewText(number) + ", expected less than the " +
           std::to_string(program.views.size()) + " of .desc";
  }
  view = &program.views[number];
  Problem problem = verifyViewRange(program, *view, loops);
  return problem.empty() ? problem : viewText(number) + ": " + problem;
}

Problem InstructionVerifier::expectWritable(uint32_t number,
                                            const View &view) const {
  return view.space == Space::Constant
             ? viewText(number) + " is written but lies in constants"
             : Problem();
}

Problem InstructionVerifier::expectSameDim(const View &left, unsigned d,
                                           const View &right,
                                           unsigned e) const {
  bool isDynamic = left.dynamicDim == d;
  bool same = left.sizes[d] == right.sizes[e] &&
              isDynamic == (right.dynamicDim == e) &&
              (!isDynamic || left.sizeRegister == right.sizeRegister);
  return same ? Problem()
              : "dimension " + std::to_string(d) + " of " + sizesText(left) +
                    " and dimension " + std::to_string(e) + " of " +
                    sizesText(right) + ", expected the same size";
}

Problem InstructionVerifier::expectSameShape(const View &left,
                                             const View &right) const {
  if (left.rank != right.rank) {
    return "sizes " + sizesText(left) + " and " + sizesText(right) +
           ", expected the same rank";
  }
  for (unsigned d = 0; d < left.rank; ++d) {
    LPU_CHECK(expectSameDim(left, d, right, d));
  }
  return {};
}

static bool isInteger(DType type) {
  return !isFloat(type) && type != DType::Bool;
}

Problem InstructionVerifier::verifyLi() {
  LPU_CHECK(expectZero("flags", word.flags));
  LPU_CHECK(expectZero("c", word.c));
  return expectRegister(word.aux);
}

Problem InstructionVerifier::verifyLd() {
  LPU_CHECK(expectZero("flags", word.flags));
  LPU_CHECK(expectZero("b", word.b));
  LPU_CHECK(expectZero("c", word.c));
  LPU_CHECK(expectRegister(word.aux));
  const View *view = nullptr;
  LPU_CHECK(findView(word.a, view));
  bool isOne = view->dynamicDim == noneField;
  for (unsigned d = 0; d < view->rank; ++d) {
    isOne &= view->sizes[d] == 1;
  }
  if (!isOne || isFloat(view->type)) { // ld_c1
    return viewText(word.a) + " has sizes " + sizesText(*view) + " of " +
           std::string(nameOf(view->type)) +
           ", expected one element of an integer type";
  }
  return {};
}

Problem InstructionVerifier::verifyAlu() {
  if (word.flags >= numAluFunctions) { // alu_c2
    return "function " + std::to_string(word.flags) + ", expected less than " +
           std::to_string(numAluFunctions);
  }
  LPU_CHECK(expectZero("b", word.b));
  LPU_CHECK(expectZero("c", word.c));
  AluFields fields = AluFields::unpack(word.aux); // alu_c1
  return fields.immediate ? expectZero("rt", fields.rt)
                          : expectZero("a", word.a);
}

Problem InstructionVerifier::verifyBranch() {
  if (nameOf(static_cast<BranchCondition>(word.flags)).empty()) { // branch_c1
    return "condition " + std::to_string(word.flags) + ", expected 0 to 2";
  }
  LPU_CHECK(expectZero("b", word.b));
  LPU_CHECK(expectZero("c", word.c));
  bool isAlways =
      static_cast<BranchCondition>(word.flags) == BranchCondition::Always;
  return isAlways ? expectZero("aux", word.aux) : expectRegister(word.aux);
}

Problem InstructionVerifier::verifyLoop() {
  if (word.flags & ~unsigned(LoopTripsInRegister)) { // loop_c2
    return "flags " + std::to_string(word.flags) + ", expected 0 or 1";
  }
  if (word.flags & LoopTripsInRegister) {
    return expectRegister(word.a);
  }
  return word.c == word.a ? Problem() // loop_c1
                          : "upper bound " + std::to_string(word.c) +
                                " of the trips, expected the trip count " +
                                std::to_string(word.a);
}

Problem InstructionVerifier::verifySemaphore() {
  if (word.flags >= numUnits) { // wait_c1, post_c1
    return "unit " + std::to_string(word.flags) + ", expected less than " +
           std::to_string(numUnits);
  }
  if (word.aux >= numSemaphores) { // wait_c2, post_c2
    return "semaphore " + std::to_string(word.aux) + ", expected less than " +
           std::to_string(numSemaphores);
  }
  if (word.a == 0) { // wait_c3, post_c3
    return "count 0, expected 1 or more";
  }
  LPU_CHECK(expectZero("b", word.b));
  return expectZero("c", word.c);
}

Problem InstructionVerifier::verifyString() {
  if (word.opcode == Opcode::Fault) {
    if (nameOf(static_cast<FaultKind>(word.flags)).empty()) { // fault_c1
      return "fault kind " + std::to_string(word.flags) + ", expected 0 or 1";
    }
  } else {
    LPU_CHECK(expectZero("flags", word.flags));
  }
  LPU_CHECK(expectZero("aux", word.aux));
  LPU_CHECK(expectZero("b", word.b));
  LPU_CHECK(expectZero("c", word.c));
  return word.a < program.strtab.size() // word_c3
             ? Problem()
             : "string at " + std::to_string(word.a) +
                   ", expected less than the " +
                   std::to_string(program.strtab.size()) + " bytes of .strtab";
}

Problem InstructionVerifier::verifyCopy() {
  LPU_CHECK(expectZero("flags", word.flags));
  LPU_CHECK(expectZero("aux", word.aux));
  LPU_CHECK(expectZero("c", word.c));
  const View *target = nullptr, *source = nullptr;
  LPU_CHECK(findView(word.a, target));
  LPU_CHECK(findView(word.b, source));
  LPU_CHECK(expectWritable(word.a, *target));   // copy_c1
  LPU_CHECK(expectSameShape(*target, *source)); // copy_c2
  if (target->type != source->type) {           // copy_c3
    return "types " + std::string(nameOf(target->type)) + " and " +
           std::string(nameOf(source->type)) + ", expected the same";
  }
  return {};
}

/// Gather reads rows of b by index, Scatter writes rows of a by index. `rows`
/// is the view with a row an index, `table` the one that indices select from.
Problem InstructionVerifier::verifyIndexed() {
  if (word.flags & ~unsigned(IndexWrapNegative)) { // gather_c7, scatter_c7
    return "flags " + std::to_string(word.flags) + ", expected 0 or 1";
  }
  const View *target = nullptr, *source = nullptr, *index = nullptr;
  LPU_CHECK(findView(word.a, target));
  LPU_CHECK(findView(word.b, source));
  LPU_CHECK(findView(word.c, index));
  LPU_CHECK(expectWritable(word.a, *target)); // gather_c1, scatter_c1
  bool isGather = word.opcode == Opcode::Gather;
  const View &rows = isGather ? *target : *source;
  const View &table = isGather ? *source : *target;
  if (rows.rank != table.rank ||
      rows.type != table.type) { // gather_c2, scatter_c2
    return "sizes " + sizesText(rows) + " of " +
           std::string(nameOf(rows.type)) + " and " + sizesText(table) +
           " of " + std::string(nameOf(table.type)) +
           ", expected the same rank and element type";
  }
  if (word.aux >= rows.rank) { // gather_c3, scatter_c3
    return "axis " + std::to_string(word.aux) +
           ", expected less than the rank " + std::to_string(rows.rank);
  }
  for (unsigned d = 0; d < rows.rank; ++d) { // gather_c4, scatter_c4
    if (d != word.aux) {
      LPU_CHECK(expectSameDim(rows, d, table, d));
    }
  }
  if (index->rank != 1 || !isInteger(index->type)) { // gather_c5, scatter_c5
    return "indices of sizes " + sizesText(*index) + " of " +
           std::string(nameOf(index->type)) +
           ", expected rank 1 of an integer type";
  }
  return expectSameDim(*index, 0, rows, word.aux); // gather_c6, scatter_c6
}

Problem InstructionVerifier::verifyStream() {
  LPU_CHECK(expectZero("flags", word.flags));
  LPU_CHECK(expectZero("aux", word.aux));
  LPU_CHECK(expectZero("c", word.c));
  if (word.b == 0) { // stream_c1
    return "0 passes, expected 1 or more";
  }
  const View *view = nullptr;
  LPU_CHECK(findView(word.a, view));
  bool isOperand = isFloat(view->type) || view->type == DType::I8;
  return isOperand ? Problem() // stream_c2
                   : "a stream of " + std::string(nameOf(view->type)) +
                         ", expected f32, bf16, f16 or i8";
}

Problem InstructionVerifier::verifyMm() {
  if (word.flags & ~unsigned(MmAccumulate)) { // mm_c8
    return "flags " + std::to_string(word.flags) + ", expected 0 or 1";
  }
  const View *a = nullptr, *c = nullptr, *stream = nullptr;
  LPU_CHECK(findView(word.a, a));
  LPU_CHECK(findView(word.b, c));
  LPU_CHECK(findView(word.c, stream));
  LPU_CHECK(expectWritable(word.b, *c)); // mm_c1
  MmFields dims = MmFields::unpack(word.aux);
  struct {
    const char *name;
    const View *view;
    unsigned rank;
  } shapes[] = {{"operand a", a, dims.batch + dims.rows + dims.depth},
                {"the output", c, dims.batch + dims.rows + dims.cols},
                {"the stream", stream, dims.batch + dims.cols + dims.depth}};
  for (const auto &shape : shapes) { // mm_c2
    if (shape.view->rank != shape.rank) {
      return std::string(shape.name) + " has sizes " + sizesText(*shape.view) +
             ", expected rank " + std::to_string(shape.rank);
    }
  }
  for (unsigned d = 0; d < dims.batch; ++d) { // mm_c3
    LPU_CHECK(expectSameDim(*a, d, *c, d));
    LPU_CHECK(expectSameDim(*a, d, *stream, d));
  }
  for (unsigned d = 0; d < dims.rows; ++d) { // mm_c4
    LPU_CHECK(expectSameDim(*a, dims.batch + d, *c, dims.batch + d));
  }
  for (unsigned d = 0; d < dims.cols; ++d) { // mm_c5
    LPU_CHECK(
        expectSameDim(*c, dims.batch + dims.rows + d, *stream, dims.batch + d));
  }
  for (unsigned d = 0; d < dims.depth; ++d) { // mm_c6
    LPU_CHECK(expectSameDim(*a, dims.batch + dims.rows + d, *stream,
                            dims.batch + dims.cols + d));
  }
  bool isInt = a->type == DType::I8;
  bool fits = a->type == stream->type &&
              (isInt ? c->type == DType::I32
                     : isFloat(a->type) &&
                           (c->type == DType::F32 || c->type == a->type));
  return fits
             ? Problem() // mm_c7
             : "types " + std::string(nameOf(a->type)) + " x " +
                   std::string(nameOf(stream->type)) + " -> " +
                   std::string(nameOf(c->type)) +
                   ", expected f32, bf16 or f16 into itself or f32, or i8 into "
                   "i32";
}

Problem InstructionVerifier::verifyVec() {
  LPU_CHECK(expectZero("flags", word.flags));
  if (word.a >= program.micro.size()) { // vec_c1
    return "micro-program " + std::to_string(word.a) +
           ", expected less than the " + std::to_string(program.micro.size()) +
           " of .ucode";
  }
  const MicroHeader &header = program.micro[word.a].header;
  const MicroSummary &summary = summaries[word.a];
  if (word.aux != (header.rank | header.parallel << 8)) { // vec_c2
    return "domain " + std::to_string(word.aux & 0xff) + " with " +
           std::to_string(word.aux >> 8) + " parallel, expected " +
           std::to_string(header.rank) + " with " +
           std::to_string(header.parallel) + " as in its micro-program";
  }
  if (word.c != header.numOperands) { // vec_c3
    return std::to_string(word.c) + " operands, expected the " +
           std::to_string(header.numOperands) + " of its micro-program";
  }
  if (uint64_t(word.b) + word.c > program.operands.size()) { // vec_c4
    return "operands [" + std::to_string(word.b) + ", " +
           std::to_string(uint64_t(word.b) + word.c) +
           "), expected within the " + std::to_string(program.operands.size()) +
           " of .operands";
  }
  const View *domain = nullptr;
  for (uint32_t i = 0; i < word.c; ++i) {
    uint32_t number = program.operands[word.b + i];
    const OperandUse &use = summary.operands[i];
    std::string name = "operand " + std::to_string(i) + ": ";
    const View *view = nullptr;
    if (Problem problem = findView(number, view); !problem.empty()) {
      return name + problem;
    }
    if (use.type && microTypeOf(view->type) != *use.type) { // vec_c5
      return name + viewText(number) + " has type " +
             std::string(nameOf(view->type)) + ", expected one held as " +
             std::string(nameOf(*use.type));
    }
    if (use.isWritten) { // vec_c6
      LPU_CHECK(expectWritable(number, *view));
    }
    if (use.isTable) { // vec_c7
      if (view->rank != 1) {
        return name + viewText(number) + " has sizes " + sizesText(*view) +
               ", expected rank 1 for a table";
      }
      continue;
    }
    if (view->rank != header.rank) { // vec_c8
      return name + viewText(number) + " has sizes " + sizesText(*view) +
             ", expected the domain's rank " + std::to_string(header.rank);
    }
    if (use.isInRows) { // vec_c11
      View first = *view;
      for (unsigned d = header.parallel; d < first.rank; ++d) {
        first.sizes[d] = first.sizes[d] ? first.sizes[d] : 1;
      }
      Problem problem = verifyViewRange(program, first, loops);
      if (!problem.empty()) {
        return name + viewText(number) + ": " + problem;
      }
    }
    if (!domain) {
      domain = view;
    }
    if (Problem problem = expectSameShape(*domain, *view); !problem.empty()) {
      return name + problem; // vec_c9
    }
  }
  if (!domain && header.rank) { // vec_c10
    return "no operand has the shape of the domain, expected one";
  }
  return {};
}

Problem InstructionVerifier::run() {
  switch (word.opcode) {
  case Opcode::Halt:
    LPU_CHECK(expectZero("flags", word.flags));
    LPU_CHECK(expectZero("aux", word.aux));
    LPU_CHECK(expectZero("a", word.a));
    LPU_CHECK(expectZero("b", word.b));
    return expectZero("c", word.c);
  case Opcode::Li:
    return verifyLi();
  case Opcode::Ld:
    return verifyLd();
  case Opcode::Alu:
    return verifyAlu();
  case Opcode::Branch:
    return verifyBranch();
  case Opcode::Loop:
    return verifyLoop();
  case Opcode::Wait:
  case Opcode::Post:
    return verifySemaphore();
  case Opcode::Trace:
  case Opcode::Fault:
    return verifyString();
  case Opcode::Copy:
    return verifyCopy();
  case Opcode::Gather:
  case Opcode::Scatter:
    return verifyIndexed();
  case Opcode::Stream:
    return verifyStream();
  case Opcode::Mm:
    return verifyMm();
  case Opcode::Vec:
    return verifyVec();
  }
  return "opcode " + std::to_string(static_cast<unsigned>(word.opcode)) +
         " is illegal"; // word_c1
}

#undef LPU_CHECK

Problem lpu::verifyInstruction(const Program &program,
                               const std::vector<MicroSummary> &summaries,
                               const Instruction &word,
                               const LoopContext &loops) {
  return InstructionVerifier(program, summaries, word, loops).run();
}

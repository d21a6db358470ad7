//===- VerifierTest.cpp - Tests of the program verifier -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A legal program with every instruction, damaged in one place at a time; one
// case for each message.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Verifier.h"
#include "EveryInstruction.h"
#include "lpu/Target/Names.h"

#include <functional>

using namespace lpu;
using namespace lpu::test;

TEST(Verifier, AcceptsEveryInstruction) {
  std::optional<Error> error = verify(everyInstruction());
  EXPECT_FALSE(error) << error->message;
}

namespace {
using Mutation = std::function<void(Program &, const EveryIndices &)>;
struct Case {
  Mutation mutate;
  const char *expected;
};
} // namespace

/// Damages a fresh program by each mutation in turn.
static void expectMessages(const std::vector<Case> &cases) {
  for (const Case &testCase : cases) {
    EveryIndices at;
    Program program = everyInstruction(&at);
    testCase.mutate(program, at);
    std::optional<Error> error = verify(program);
    ASSERT_TRUE(error) << "accepted: " << testCase.expected;
    EXPECT_NE(error->message.find(testCase.expected), std::string::npos)
        << error->message << "\n  expected: " << testCase.expected;
  }
}

// One case a line or two; the formatter would give each a page.
// clang-format off
#define MUTATE [](Program & p, const EveryIndices &at)
#define UNUSED (void)p, (void)at

TEST(Verifier, ProgramMessages) {
  expectMessages({
      {MUTATE { UNUSED; p.machine.trees = 0; }, "machine: 'trees' is 0"}, // file_c7
      {MUTATE { UNUSED; p.lmuBytes = 1 << 20; },
       "the program uses 1048576 bytes of LMU, expected at most the machine's 16384"}, // file_c9
      {MUTATE { UNUSED; p.scratchBytes = uint64_t(1) << 60; }, "expected at most 2^56"}, // file_c9
      {MUTATE { UNUSED; p.strtab = {'a'}; }, ".strtab does not end in a zero byte"}, // file_c6
      {MUTATE { UNUSED; p.inputs[0].sizes = {-1}; },
       "input 0 't0': size -1, expected 0 or more"}, // file_c8
      {MUTATE { UNUSED; p.inputs[0].sizes = {1 << 30, 1 << 30}; },
       "input 0 't0': more than 2^56 bytes"}, // file_c8
      {MUTATE { UNUSED; p.inputs[1].type = static_cast<DType>(9); },
       "input 1 't1': element type 9, expected less than 9"}, // file_c8
      {MUTATE { UNUSED; p.inputs[1].alias = 0; },
       "input 1 't1': an alias or argument number, expected none but on results"}, // file_c8
      {MUTATE { UNUSED; p.results[0].argument = 7; },
       "result 0 't4': argument 7, expected less than 5"}, // file_c8
      {MUTATE { UNUSED; p.results[0].alias = 2; },
       "result 0 't4': alias 2, expected -1 for argument 4"}, // file_c8
      {MUTATE { UNUSED; p.results[0].argument = 0; },
       "alias -1, expected 0 for argument 0"}, // file_c8
      {MUTATE { UNUSED; p.results[0].sizes = {8, 4}; },
       "type or sizes differ from those of argument 4"}, // file_c8
      {MUTATE { UNUSED; p.inputs.resize(70000); }, "more than 65535 arguments"}, // file_c8
      {MUTATE { UNUSED; p.locationOf.pop_back(); },
       "instructions have a location, expected none or all"}, // file_c10
      {MUTATE { p.locationOf[at.li] = 9; },
       "instruction 1 (li): location 9, expected less than 2"}, // file_c10
  });
}

TEST(Verifier, ViewMessages) {
  expectMessages({
      {MUTATE { UNUSED; p.views[0].space = static_cast<Space>(4); },
       "view 0: space 4, expected 0 to 3"}, // view_c1
      {MUTATE { UNUSED; p.views[0].type = DType::U8; },
       "view 0: element type 7, expected f32"}, // view_c1
      {MUTATE { UNUSED; p.views[0].rank = 9; }, "view 0: rank 9, expected at most 8"}, // view_c1
      {MUTATE { UNUSED; p.views[0].argument = 5; },
       "view 0: argument 5, expected less than 5"}, // view_c1
      {MUTATE { UNUSED; p.views[2].argument = 1, p.views[2].space = Space::LMU; },
       "argument 1, expected 0 outside of space arg"}, // view_c1
      {MUTATE { UNUSED; p.views[0].sizes[3] = 1; },
       "view 0: dimension 3 past the rank is not zero"}, // view_c1
      {MUTATE { UNUSED; p.views[0].dynamicDim = 4, p.views[0].sizeRegister = 1; },
       "view 0: dynamic dimension 4, expected less than the rank 1"}, // view_c1
      {MUTATE { UNUSED; p.views[0].dynamicDim = 0; },
       "a dynamic dimension without a size register"}, // view_c1
      {MUTATE { UNUSED; p.views[0].dynamicDim = 0, p.views[0].sizeRegister = 32; },
       "size register 32, expected less than 32"}, // view_c1
      {MUTATE { UNUSED; p.views[0].offsetRegister = 32; },
       "offset register 32, expected less than 32"}, // view_c1
      {MUTATE { UNUSED; p.views[0].offsetBound = 8; },
       "offset bound 8, expected 0 without an offset register"}, // view_c1
      {MUTATE { UNUSED; p.views[0].offsetRegister = 1, p.views[0].offsetBound = -8; },
       "offset bound -8, expected a value of 0 or more"}, // view_c1
      {MUTATE { UNUSED; p.views[0].offset = 4; },
       "offset 4 with bound 0, expected multiples of the 8 bytes"}, // view_c3
      // Ranges: of the argument's 16 bytes, with loops, bounds and strides.
      {MUTATE { UNUSED; p.views[0].offset = 16; },
       "view 0: reaches bytes [16, 24) of arg 2, expected within [0, 16)"}, // view_c2
      {MUTATE { UNUSED; p.views[0].offset = -8; }, "reaches bytes [-8, 0) of arg 2"}, // view_c2
      {MUTATE { p.views[p.text[at.copy].b].loopIncrements[0] = 36; },
       "reaches bytes [0, 140) of arg 0, expected within [0, 128)"}, // view_c2
      {MUTATE { p.views[p.text[at.copy].b].loopIncrements[0] = 34; },
       "an increment of 34 bytes, expected a multiple of the 4 bytes"}, // view_c3
      {MUTATE { p.views[p.text[at.copy].b].loopIncrements[1] = 4; },
       "an increment for loop level 1, expected 0 outside of such a loop"}, // view_c4
      {MUTATE { p.views[p.text[at.stream].a].offset = INT64_MAX - 3; },
       "reaches bytes [more than 2^62, more than 2^62) of arg 1"}, // view_c2
      {MUTATE { p.views[p.text[at.stream].a].offset = INT64_MIN; },
       "reaches bytes [less than -2^62, less than -2^62) of arg 1"}, // view_c2
      {MUTATE { p.views[p.text[at.stream].a].strides[0] = INT64_MAX; },
       "dimension 0 has size 8 and stride 9223372036854775807, expected to span"}, // view_c5
      {MUTATE { UNUSED; p.views[0].strides[0] = INT64_MIN; },
       "dimension 0 has size 1 and stride -9223372036854775808, expected to span"}, // view_c5
      // No product of sizes leaves 64 bits, and no address of an empty view.
      {MUTATE {
         View &view = p.views[p.text[at.stream].a];
         view.sizes[0] = view.sizes[1] = UINT32_MAX;
         view.strides[0] = view.strides[1] = 0;
       },
       "sizes {4294967295, 4294967295}, expected at most 2^56 elements"}, // view_c6
      {MUTATE {
         View &view = p.views[p.text[at.stream].a];
         view.sizes[0] = 0, view.offset = INT64_MAX - 3;
       },
       "reaches bytes [more than 2^62, more than 2^62) of arg 1"}, // view_c6
  });
}

TEST(Verifier, ControlMessages) {
  expectMessages({
      {MUTATE { UNUSED; p.text.clear(), p.locationOf.clear(); }, ".text is empty"}, // flow_c1
      {MUTATE { UNUSED; p.text.pop_back(), p.locationOf.pop_back(); },
       "is the last one, expected halt"}, // flow_c1
      {MUTATE { p.text[at.loop].aux = 1; }, "(loop): level 1, expected 0"}, // flow_c2
      {MUTATE { p.text[at.loop].b = 200; },
       "(loop): its body ends at 200, expected within [5, "}, // loop_c2
      {MUTATE { p.text[at.loop].b = at.loop; }, "(loop): its body ends at 4"}, // loop_c2
      {MUTATE { p.text[at.loop].c = 5; },
       "(loop): upper bound 5 of the trips, expected the trip count 4"}, // loop_c1
      {MUTATE { p.text[at.loop].flags = 2; }, "(loop): flags 2, expected 0 or 1"}, // loop_c2
      {MUTATE { p.text[at.loop].flags = 1, p.text[at.loop].a = 32; },
       "(loop): register 32, expected less than 32"}, // word_c3
      {MUTATE {
         UNUSED;
         for (unsigned level = 0; level < 5; ++level) {
           p.text[level] = {Opcode::Loop, 0, uint16_t(level), 1, 6, 1};
         }
       },
       "instruction 4 (loop): nests deeper than 4 loops"}, // flow_c2
      {MUTATE { p.text[at.li] = {Opcode::Branch, 0, 0, 99, 0, 0}; },
       "(branch): target 99, expected less than"}, // branch_c2
      {MUTATE { p.text[at.li] = {Opcode::Branch, 0, 0, at.copy, 0, 0}; },
       "(branch): target 5 lies in another loop body"}, // flow_c3
      {MUTATE { p.text[at.li] = {Opcode::Branch, 3, 0, 2, 0, 0}; },
       "(branch): condition 3, expected 0 to 2"}, // branch_c1
      {MUTATE { p.text[at.li] = {Opcode::Branch, 0, 1, 2, 0, 0}; },
       "(branch): field aux is 1, expected 0"}, // branch_c1
      {MUTATE { p.text[at.li] = {Opcode::Post, 1, 9, 3, 0, 0}; },
       "semaphore 9 is posted 3 and waited for 0, expected the same"}, // sync_c1
      {MUTATE { p.text[at.stream] = {Opcode::Li, 0, 1, 0, 0, 0}; },
       "0 streams and 1 matrix instructions, expected the same number"}, // sync_c1
      {MUTATE { p.text[at.stream].b = 2; },
       "(stream): 2 passes, expected 1 for the 4 rows of instruction"}, // stream_c4
      {MUTATE { p.views.push_back(p.views[p.text[at.mm].c]);
                p.text[at.mm].c = static_cast<uint32_t>(p.views.size() - 1); },
       "(mm) of mm: takes view 16 from the stream, expected view"}, // stream_c3
      {MUTATE { p.text[at.li].opcode = static_cast<Opcode>(0); },
       "instruction 1: opcode 0 is illegal"}, // word_c1
      {MUTATE { p.text[at.li].opcode = static_cast<Opcode>(0x80); },
       "opcode 128 is illegal"}, // word_c1
  });
}

TEST(Verifier, ScalarMessages) {
  expectMessages({
      {MUTATE { UNUSED; p.text.back().c = 1; }, "(halt): field c is 1, expected 0"}, // word_c2
      {MUTATE { p.text[at.li].aux = 32; }, "(li): register 32, expected less than 32"}, // word_c3
      {MUTATE { p.text[at.li].flags = 1; }, "(li): field flags is 1, expected 0"}, // word_c2
      {MUTATE { p.text[at.ld].b = 1; }, "(ld): field b is 1"}, // word_c2
      {MUTATE { p.text[at.ld].a = 99; }, "(ld): view 99, expected less than the"}, // word_c3
      {MUTATE { p.text[at.ld].a = p.text[at.stream].a; },
       "has sizes {8, 8} of f32, expected one element of an integer type"}, // ld_c1
      {MUTATE { p.text[at.alu].flags = 8; }, "(alu): function 8, expected less than 8"}, // alu_c2
      {MUTATE { p.text[at.alu].aux |= 1 << 10; }, "(alu): field rt is 1"}, // alu_c1
      {MUTATE { p.text[at.alu].aux &= 0x7fff; }, "(alu): field a is 2, expected 0"}, // alu_c1
      {MUTATE { p.text[at.trace].a = 999; }, "(trace): string at 999, expected less than"}, // word_c3
      {MUTATE { p.text[at.trace].flags = 1; }, "(trace): field flags is 1"}, // word_c2
      {MUTATE { p.text[at.trace] = {Opcode::Fault, 2, 0, 0, 0, 0}; },
       "(fault): fault kind 2, expected 0 or 1"}, // fault_c1
      {MUTATE { p.text[at.li] = {Opcode::Wait, 4, 0, 1, 0, 0}; },
       "(wait): unit 4, expected less than 4"}, // wait_c1
      {MUTATE { p.text[at.li] = {Opcode::Post, 1, 64, 0, 0, 0}; },
       "(post): semaphore 64, expected less than 64"}, // post_c2
      {MUTATE { p.text[at.li] = {Opcode::Post, 1, 4, 0, 0, 0}; },
       "(post): count 0, expected 1 or more"}, // post_c3
      {MUTATE { p.text[at.li] = {Opcode::Post, 4, 0, 1, 0, 0}; },
       "(post): unit 4, expected less than 4"}, // post_c1
      {MUTATE { p.text[at.li] = {Opcode::Wait, 1, 64, 1, 0, 0}; },
       "(wait): semaphore 64, expected less than 64"}, // wait_c2
      {MUTATE { p.text[at.li] = {Opcode::Wait, 1, 4, 0, 0, 0}; },
       "(wait): count 0, expected 1 or more"}, // wait_c3
  });
}

/// A second view like one of the program's, to be damaged apart.
static View &copyView(Program &program, uint32_t &number) {
  program.views.push_back(program.views[number]);
  number = static_cast<uint32_t>(program.views.size() - 1);
  return program.views.back();
}

TEST(Verifier, TransferMessages) {
  expectMessages({
      {MUTATE { p.views[p.text[at.copy].a].space = Space::Constant; p.rodata.resize(128); },
       "is written but lies in constants"}, // copy_c1
      {MUTATE { p.views[p.text[at.copy].a].sizes[0] = 4; },
       "dimension 0 of {4} and dimension 0 of {8}, expected the same size"}, // copy_c2
      {MUTATE { p.views[p.text[at.copy].a].rank = 0,
                p.views[p.text[at.copy].a].sizes[0] = 0,
                p.views[p.text[at.copy].a].strides[0] = 0; },
       "sizes {} and {8}, expected the same rank"}, // copy_c2
      {MUTATE { p.views[p.text[at.copy].a].type = DType::I32; },
       "types i32 and f32, expected the same"}, // copy_c3
      {MUTATE { p.views[p.text[at.copy + 1].a].sizeRegister = 4; },
       "{r4 <= 4, 8} and dimension 0 of {r3 <= 4, 8}, expected the same size"}, // copy_c2
      {MUTATE { p.text[at.gather].flags = 2; }, "(gather): flags 2, expected 0 or 1"}, // gather_c7
      {MUTATE { p.text[at.gather].aux = 2; },
       "(gather): axis 2, expected less than the rank 2"}, // gather_c3
      {MUTATE { p.views[p.text[at.copy].b].loopIncrements[0] = 0;
                p.text[at.gather].b = p.text[at.copy].b; },
       "sizes {2, 8} of f32 and {8} of f32, expected the same rank"}, // gather_c2
      {MUTATE { p.views[p.text[at.gather].b].sizes[1] = 4; },
       "dimension 1 of {2, 8} and dimension 1 of {16, 4}"}, // gather_c4
      {MUTATE { p.views[p.text[at.copy].b].loopIncrements[0] = 0;
                p.text[at.gather].c = p.text[at.copy].b; },
       "indices of sizes {8} of f32, expected rank 1 of an integer type"}, // gather_c5
      {MUTATE { p.text[at.gather].c = p.text[at.ld].a; },
       "dimension 0 of {1} and dimension 0 of {2, 8}, expected the same"}, // gather_c6
      {MUTATE { p.views[p.text[at.scatter].a].space = Space::Constant,
                p.views[p.text[at.scatter].a].argument = 0,
                p.rodata.resize(512); },
       "(scatter): view 14 is written but lies in constants"}, // scatter_c1
      {MUTATE { View &view = copyView(p, p.text[at.gather].a);
                view.space = Space::Constant, view.offset = 0; },
       "(gather): view 16 is written but lies in constants"}, // gather_c1
      {MUTATE { copyView(p, p.text[at.scatter].b).type = DType::I32; },
       "(scatter): sizes {2, 8} of i32 and {16, 8} of f32, expected the same rank"}, // scatter_c2
      {MUTATE { p.text[at.scatter].aux = 2; },
       "(scatter): axis 2, expected less than the rank 2"}, // scatter_c3
      {MUTATE { copyView(p, p.text[at.scatter].b).sizes[1] = 4; },
       "(scatter): dimension 1 of {2, 4} and dimension 1 of {16, 8}"}, // scatter_c4
      {MUTATE { p.text[at.scatter].c = p.text[at.scatter].b; },
       "(scatter): indices of sizes {2, 8} of f32, expected rank 1"}, // scatter_c5
      {MUTATE { p.text[at.scatter].c = p.text[at.ld].a; },
       "(scatter): dimension 0 of {1} and dimension 0 of {2, 8}"}, // scatter_c6
      {MUTATE { p.text[at.scatter].flags = 2; },
       "(scatter): flags 2, expected 0 or 1"}, // scatter_c7
      {MUTATE { p.text[at.stream].b = 0, p.text[at.mm].c = p.text[at.stream].a; },
       "(stream): 0 passes, expected"}, // stream_c1
      {MUTATE { p.views[p.text[at.stream].a].type = DType::I32; },
       "a stream of i32, expected f32, bf16, f16 or i8"}, // stream_c2
  });
}

TEST(Verifier, MmMessages) {
  expectMessages({
      {MUTATE { p.text[at.mm].flags = 2; }, "flags 2, expected 0 or 1"}, // mm_c8
      {MUTATE { p.views[p.text[at.mm].b].space = Space::Constant,
                p.views[p.text[at.mm].b].offset = 0, p.rodata.resize(512); },
       "is written but lies in constants"}, // mm_c1
      {MUTATE { p.text[at.mm].aux = MmFields{1, 1, 1, 1}.pack(); },
       "operand a has sizes {4, 8}, expected rank 3"}, // mm_c2
      {MUTATE { p.text[at.mm].aux = MmFields{0, 1, 1, 2}.pack(); },
       "operand a has sizes {4, 8}, expected rank 3"},
      {MUTATE { p.text[at.mm].aux = MmFields{1, 0, 1, 1}.pack(),
                p.text[at.stream].b = 1; },
       "the stream has sizes {8, 8}, expected rank 3"}, // batch: mm_c3 below
      {MUTATE { p.text[at.mm].aux = MmFields{2, 0, 0, 0}.pack(); },
       "dimension 0 of {4, 8} and dimension 0 of {8, 8}"}, // mm_c3
      {MUTATE { p.views[p.text[at.mm].b].sizes[0] = 2; },
       "dimension 0 of {4, 8} and dimension 0 of {2, 8}"}, // mm_c4
      {MUTATE { p.views[p.text[at.mm].b].sizes[1] = 2; },
       "dimension 1 of {4, 2} and dimension 0 of {8, 8}"}, // mm_c5
      {MUTATE { p.views[p.text[at.mm].a].sizes[1] = 2; },
       "dimension 1 of {4, 2} and dimension 1 of {8, 8}"}, // mm_c6
      {MUTATE { p.views[p.text[at.mm].b].type = DType::I32; },
       "types f32 x f32 -> i32, expected f32, bf16 or f16 into itself"}, // mm_c7
  });
}

TEST(Verifier, VecMessages) {
  expectMessages({
      {MUTATE { p.text[at.vec].flags = 1; }, "(vec) of add: field flags is 1"}, // word_c2
      {MUTATE { p.text[at.vec].a = 1; },
       "micro-program 1, expected less than the 1 of .ucode"}, // vec_c1
      {MUTATE { p.text[at.vec].aux = 2; },
       "domain 2 with 0 parallel, expected 2 with 1"}, // vec_c2
      {MUTATE { p.text[at.vec].c = 2; },
       "2 operands, expected the 3 of its micro-program"}, // vec_c3
      {MUTATE { p.text[at.vec].b = 1; },
       "operands [1, 4), expected within the 3 of .operands"}, // vec_c4
      {MUTATE { UNUSED; p.views[p.operands[1]].type = DType::I32; },
       "operand 1: view 6 has type i32, expected one held as f32"}, // vec_c5
      {MUTATE { UNUSED; p.views[p.operands[1]].space = Space::Constant,
                p.rodata.resize(1024); },
       "view 6 is written but lies in constants"}, // vec_c6
      {MUTATE { UNUSED; p.operands[2] = p.operands[0]; },
       "operand 2: view 5 has sizes {4, 8}, expected rank 1 for a table"}, // vec_c7
      {MUTATE { UNUSED; p.operands[1] = p.operands[2]; },
       "operand 1: view 7 has sizes {16}, expected the domain's rank 2"}, // vec_c8
      {MUTATE { UNUSED; p.views[p.operands[1]].sizes[0] = 2; },
       "operand 1: dimension 0 of {4, 8} and dimension 0 of {2, 8}"}, // vec_c9
      {MUTATE { UNUSED; p.operands[0] = 99; },
       "operand 0: view 99, expected less than"}, // word_c3
      {MUTATE { // vec_c10: a store through a table only.
         MicroBuilder micro(1, 1);
         micro.elements();
         micro.scatter(0, micro.iota(0), micro.constant(MicroType::F32, 0.0f),
                       MicroCombine::Set);
         p.micro[0] = micro.program;
         p.text[at.vec].aux = 1 | 1 << 8, p.text[at.vec].c = 1, p.text[at.vec].b = 2;
       },
       "no operand has the shape of the domain, expected one"},
  });
}

/// The first operation of an opcode in the micro-program.
static MicroOp &find(Program &program, MicroOpcode opcode) {
  for (MicroOp &op : program.micro[0].ops) {
    if (op.opcode == opcode) {
      return op;
    }
  }
  ADD_FAILURE() << "no " << nameOf(opcode);
  return program.micro[0].ops[0];
}

/// Puts operations at the end of the micro-program.
static void append(Program &program, std::vector<MicroOp> ops) {
  auto &list = program.micro[0].ops;
  list.insert(list.end(), ops.begin(), ops.end());
  program.micro[0].header.numOps = static_cast<uint32_t>(list.size());
}

static MicroOp micro(MicroOpcode opcode, MicroType type, uint16_t dst, uint16_t a = 0,
                     uint16_t b = 0, uint16_t c = 0, uint32_t operand = 0) {
  return {opcode, type, dst, a, b, c, 0, operand, 0, 0};
}

TEST(Verifier, MicroStructureMessages) {
  using O = MicroOpcode;
  using T = MicroType;
  expectMessages({
      {MUTATE { UNUSED; p.micro[0].header.numOps = 3; },
       "micro-program 0: the head says 3 operations, expected"}, // micro_c1
      {MUTATE { UNUSED; p.micro[0].header.parallel = 3; },
       "rank 2 with 3 parallel dimensions"}, // micro_c1
      {MUTATE { UNUSED; p.micro[0].header.reserved = 1; },
       "the head's reserved field is not zero"}, // micro_c1
      {MUTATE { UNUSED; p.micro[0].header.numOperands = 1000; },
       "1000 operands, expected at most one more than operations"}, // micro_c1
      {MUTATE { UNUSED; find(p, O::AddF).opcode = static_cast<O>(3); },
       "operation 3 (opcode 3): no operation has this opcode"}, // micro_c3
      {MUTATE { UNUSED; find(p, O::AddF).reserved = 1; }, "a reserved field is not zero"}, // micro_c4
      {MUTATE { UNUSED; find(p, O::AddF).reserved2 = 1; }, "a reserved field is not zero"}, // micro_c4
      {MUTATE { UNUSED; find(p, O::AddF).type = T::I32; },
       "(add_f): type 2 is not one that the operation takes"}, // micro_c3
      {MUTATE { UNUSED; p.micro[0].ops[0].a = 1; },
       "(elements): a field of a section marker is not zero"}, // micro_c4
      {MUTATE { UNUSED; p.micro[0].ops[0] = p.micro[0].ops[1]; },
       "an operation before the first section, expected elements or rows"}, // micro_c2
      {MUTATE { UNUSED; append(p, {micro(O::Elements, T{}, 0), micro(O::Elements, T{}, 0),
                                   micro(O::Elements, T{}, 0)}); },
       "more than 4 elements sections"}, // micro_c2
      {MUTATE { UNUSED; append(p, {micro(O::Rows, T{}, 0), micro(O::Reduce, T::F32, 0)}); },
       "(reduce): stands in a rows section, expected an elements section"}, // micro_c12
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::Carry, T::F32, 199, find(p, O::RsqrtF).dst)}); },
       "carry register 199 has no next in its section, expected one"}, // micro_c11
  });
}

TEST(Verifier, MicroFieldMessages) {
  using O = MicroOpcode;
  using T = MicroType;
  expectMessages({
      {MUTATE { UNUSED; find(p, O::RsqrtF).b = 1; }, "(rsqrt_f): field b is not zero"}, // micro_c4
      {MUTATE { UNUSED; find(p, O::RsqrtF).c = 1; }, "field c is 1, expected 0"}, // micro_c4
      {MUTATE { UNUSED; find(p, O::RsqrtF).operand = 1; }, "field operand is not zero"}, // micro_c4
      {MUTATE { UNUSED; find(p, O::RsqrtF).imm = 1; }, "the immediate is not zero"}, // micro_c4
      {MUTATE { UNUSED; find(p, O::Const).imm = uint64_t(1) << 40; },
       "is no value of type f32"}, // micro_c7
      {MUTATE { UNUSED; find(p, O::Store).dst = 1; }, "(store): field dst is not zero"}, // micro_c4
      {MUTATE { UNUSED; find(p, O::Reduce).c = 0; },
       "field c is 0, expected a way to combine for f32"}, // micro_c5
      {MUTATE { UNUSED; find(p, O::Scatter).c = 7; },
       "field c is 7, expected a way to combine for f32"}, // micro_c5
      {MUTATE { UNUSED; find(p, O::CmpI).c = 10; },
       "field c is 10, expected a predicate for i64"}, // micro_c5
      {MUTATE { UNUSED; find(p, O::Iota).operand = 2; }, "dimension 2, expected less than 2"}, // micro_c6
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::Rows, T{}, 0), micro(O::Iota, T::I64, 199, 0, 0, 0, 1)}); },
       "dimension 1, expected less than 1 in a rows section"}, // micro_c6
      {MUTATE { UNUSED; append(p, {micro(O::Assert, T{}, 0, find(p, O::CmpI).dst, 0, 2)}); },
       "field c is 2, expected a fault kind, 0 or 1"}, // micro_c5
      {MUTATE { UNUSED;
                append(p, {micro(O::Assert, T{}, 0, find(p, O::CmpI).dst, 0, 0, 999)}); },
       "message at 999, expected less than the"}, // micro_c6
      {MUTATE { UNUSED; find(p, O::Load).operand = 3; },
       "(load): operand 3, expected less than 3"}, // micro_c6
      {MUTATE { UNUSED; find(p, O::Load).operand = 2; },
       "operand 2 is used both as a table and by index"}, // micro_c13
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::Load, T::I32, 199, 0, 0, 0, 0)}); },
       "operand 0 has been used as f32 before, expected the same"}, // micro_c13
  });
}

TEST(Verifier, MicroRegisterMessages) {
  using O = MicroOpcode;
  using T = MicroType;
  expectMessages({
      {MUTATE { UNUSED; find(p, O::RsqrtF).a = 500; },
       "input a is register 500, expected less than"}, // micro_c8
      {MUTATE { UNUSED; find(p, O::AddF).a = find(p, O::Store).a; },
       "has not been assigned before"}, // micro_c9
      {MUTATE { UNUSED; find(p, O::RsqrtF).a = find(p, O::AddF).dst; },
       "was assigned in another elements section"}, // micro_c9
      {MUTATE { UNUSED; find(p, O::RsqrtF).dst = 500; },
       "dst is register 500, expected less than"}, // micro_c8
      {MUTATE { UNUSED; find(p, O::RsqrtF).dst = find(p, O::AddF).dst; },
       "is assigned a second time, expected once"}, // micro_c8
      {MUTATE { UNUSED; find(p, O::Gather).a = find(p, O::Carry).dst; },
       "has type f32, expected i64"}, // micro_c10
      {MUTATE { UNUSED; find(p, O::Select).a = find(p, O::Iota).dst; },
       "has type i64, expected i1"}, // micro_c10
      {MUTATE { UNUSED; find(p, O::Next).a = find(p, O::Reduce).dst; },
       "is no carry of this section, expected one"}, // micro_c11
      {MUTATE { UNUSED; append(p, {find(p, O::Next)}); },
       "already has a next, expected one a carry"}, // micro_c11
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::Carry, T::F32, 199, find(p, O::Select).dst)}); },
       "varies within the row, expected a value of the row"}, // micro_c10
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::TruncI, T::I64, 199, find(p, O::Iota).dst)}); },
       "has type i64, expected an integer wider than i64"}, // micro_c10
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::ExtS, T::I64, 199, find(p, O::Iota).dst, 0, 2)}); },
       "has type i64, expected the integer type in field c (2)"}, // micro_c10
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::ExtU, T::I64, 199, find(p, O::Iota).dst, 0, 1)}); },
       "has type i64, expected one narrower than i64"}, // micro_c10
      {MUTATE { UNUSED; p.micro[0].header.numRegisters = 200;
                append(p, {micro(O::SIToF, T::F32, 199, find(p, O::Iota).dst, 0, 6)}); },
       "field c is 6, expected a type, 0 to 5"}, // micro_c5
  });
}
// clang-format on

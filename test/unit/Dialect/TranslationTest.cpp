//===- TranslationTest.cpp - Every legal program has a text ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the loader accepts, the disassembler shows and the assembler takes
// back. Programs are made by changing fields of one with every instruction at
// random and keeping what `::lpu::verify` accepts, so that the verifiers of the
// dialect are tested against the loader's.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/LPUISA/Translation.h"

#include "../Target/EveryInstruction.h"
#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/Target/Binary.h"
#include "lpu/Target/Verifier.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;

namespace {

/// A context that says on stderr what is wrong, without threads.
class Translation : public testing::Test {
protected:
  Translation() : context(MLIRContext::Threading::DISABLED) {}

  /// To text form and back.
  ::lpu::Program roundTrip(const ::lpu::Program &program) {
    OwningOpRef<ModuleOp> module = lpuisa::importProgram(program, &context);
    EXPECT_TRUE(succeeded(verify(*module)));
    auto op = *module->getOps<lpuisa::ProgramOp>().begin();
    FailureOr<::lpu::Program> result = lpuisa::exportProgram(op);
    EXPECT_TRUE(succeeded(result));
    return succeeded(result) ? *result : ::lpu::Program();
  }

  MLIRContext context;
};

/// Changes one field somewhere, to a small number more often than not.
void mutate(::lpu::Program &program, std::mt19937 &random) {
  auto value = [&]() -> uint32_t {
    return random() % 4 ? random() % 8 : random() % 256;
  };
  auto pick = [&](auto &list) -> auto & {
    return list[random() % list.size()];
  };
  switch (random() % 4) {
  case 0: {
    ::lpu::Instruction &word = pick(program.text);
    switch (random() % 6) {
    case 0:
      word.opcode = pick(program.text).opcode;
      return;
    case 1:
      word.flags = static_cast<uint8_t>(value());
      return;
    case 2:
      word.aux = static_cast<uint16_t>(random() % 2 ? value() : random());
      return;
    case 3:
      word.a = value();
      return;
    case 4:
      word.b = value();
      return;
    default:
      word.c = value();
      return;
    }
  }
  case 1: {
    ::lpu::View &view = pick(program.views);
    switch (random() % 8) {
    case 0:
      view.space = static_cast<::lpu::Space>(random() % 4);
      return;
    case 1:
      view.type = static_cast<::lpu::DType>(random() % 10);
      return;
    case 2:
      view.dynamicDim = static_cast<uint8_t>(value());
      view.sizeRegister = static_cast<uint8_t>(value());
      return;
    case 3:
      view.offsetRegister = static_cast<uint8_t>(value());
      view.offsetBound = value();
      return;
    case 4:
      view.offset = value();
      return;
    case 5:
      view.sizes[random() % ::lpu::maxRank] = value();
      return;
    case 6:
      view.strides[random() % ::lpu::maxRank] =
          static_cast<int64_t>(value()) - 4;
      return;
    default:
      view.loopIncrements[random() % ::lpu::maxLoopDepth] = value();
      return;
    }
  }
  case 2: {
    ::lpu::MicroOp &op = pick(pick(program.micro).ops);
    switch (random() % 7) {
    case 0:
      op.opcode = static_cast<::lpu::MicroOpcode>(random() % 0x9b);
      return;
    case 1:
      op.type = static_cast<::lpu::MicroType>(random() % 6);
      return;
    case 2:
      op.a = static_cast<uint16_t>(value());
      return;
    case 3:
      op.b = static_cast<uint16_t>(value());
      return;
    case 4:
      op.c = static_cast<uint16_t>(value());
      return;
    case 5:
      op.operand = value();
      return;
    default:
      op.imm = random() % 2 ? value() : ~uint64_t(value());
      return;
    }
  }
  default:
    if (!program.operands.empty()) {
      pick(program.operands) = value();
    }
    return;
  }
}

} // namespace

TEST_F(Translation, EveryInstructionComesBack) {
  ::lpu::Program program = ::lpu::test::everyInstruction();
  ASSERT_FALSE(::lpu::verify(program).has_value());
  ::lpu::Program once = roundTrip(program);
  // Tables are in the order of first use from here on.
  EXPECT_FALSE(::lpu::verify(once).has_value());
  EXPECT_EQ(::lpu::writeBinary(roundTrip(once)), ::lpu::writeBinary(once));
  ASSERT_EQ(once.text.size(), program.text.size());
  for (size_t i = 0; i < once.text.size(); ++i) {
    EXPECT_EQ(once.text[i].opcode, program.text[i].opcode) << i;
    EXPECT_EQ(once.text[i].flags, program.text[i].flags) << i;
    EXPECT_EQ(once.text[i].aux, program.text[i].aux) << i;
  }
}

TEST_F(Translation, WhatTheLoaderAcceptsHasAText) {
  std::mt19937 random(1);
  unsigned accepted = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    ::lpu::Program program = ::lpu::test::everyInstruction();
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      mutate(program, random);
    }
    if (::lpu::verify(program)) {
      continue;
    }
    ++accepted;
    ::lpu::Program once = roundTrip(program);
    std::optional<::lpu::Error> error = ::lpu::verify(once);
    ASSERT_FALSE(error.has_value())
        << "round " << round << ": " << error->message;
    ASSERT_EQ(::lpu::writeBinary(roundTrip(once)), ::lpu::writeBinary(once))
        << "round " << round;
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(accepted, 1000u);
}

TEST_F(Translation, LocationsHaveNameFileAndLine) {
  ::lpu::Program program = ::lpu::test::everyInstruction();
  program.locations = {
      {"add", "model.py", 7}, {"", "model.py", 8}, {"mul", "", 0}};
  program.locationOf.assign(program.text.size(), 0xffffffff);
  program.locationOf[0] = 0;
  program.locationOf[1] = 1;
  program.locationOf[2] = 2;
  ::lpu::Program once = roundTrip(program);
  EXPECT_EQ(once.locations, program.locations);
  EXPECT_EQ(once.locationOf, program.locationOf);
}

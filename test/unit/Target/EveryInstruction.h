//===- EveryInstruction.h - A program with every instruction --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subject of the binary and verifier tests: small, legal, and with each
// opcode and each field of a view in use.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_UNIT_TARGET_EVERYINSTRUCTION_H
#define LPU_TEST_UNIT_TARGET_EVERYINSTRUCTION_H

#include "../Simulator/ProgramBuilder.h"

namespace lpu::test {

/// Numbers of instructions that tests refer to.
struct EveryIndices {
  uint32_t li, ld, alu, loop, copy, stream, mm, vec, gather, scatter, trace;
};

/// result[4,8] = (x + 1) * w^T, row-wise softmax-like normalised; `table` rows
/// are gathered and scattered on the way.
inline Program everyInstruction(EveryIndices *indices = nullptr) {
  EveryIndices at{};
  ProgramBuilder builder;
  builder.program.machine = *MachineModel::get("tiny");
  builder.program.lmuBytes = 4096;
  builder.program.scratchBytes = 256;
  unsigned x = builder.input(DType::F32, {4, 8});
  unsigned w = builder.input(DType::F32, {8, 8});
  unsigned index = builder.input(DType::I64, {2});
  unsigned table = builder.input(DType::F32, {16, 8});
  unsigned y = builder.output(DType::F32, {4, 8});
  builder.program.rodata.assign(64, 0);

  at.trace = builder.emit(Opcode::Trace, 0, 0, builder.string("begin"));
  at.li = builder.emit(Opcode::Li, 0, 1, 32);
  at.ld =
      builder.emit(Opcode::Ld, 0, 2, builder.add(arg(index, DType::I64, {1})));
  AluFields fields{3, 2, 0, true};
  at.alu = builder.emit(Opcode::Alu, static_cast<uint8_t>(AluFunction::Max),
                        fields.pack(), 2);

  // Row i of x to the LMU, in a loop of four.
  at.loop = builder.emit(Opcode::Loop, 0, 0, 4, 6, 4);
  View source = arg(x, DType::F32, {8}), target = lmu(0, DType::F32, {8});
  source.loopIncrements[0] = target.loopIncrements[0] = 32;
  at.copy = static_cast<uint32_t>(builder.program.text.size());
  builder.copy(target, source);

  // A row at a run-time offset, and only as many rows as a register says.
  View dynamic = arg(table, DType::F32, {4, 8});
  dynamic.offsetRegister = 1;
  dynamic.offsetBound = 64;
  dynamic.dynamicDim = 0;
  dynamic.sizeRegister = 3;
  View staged = lmu(1024, DType::F32, {4, 8});
  staged.dynamicDim = 0;
  staged.sizeRegister = 3;
  builder.copy(staged, dynamic);

  builder.order(Unit::SMA, Unit::VXE, 0);
  MicroBuilder micro(2, 1);
  micro.elements();
  uint16_t one = micro.constant(MicroType::F32, 1.0f);
  uint16_t sum = micro.reduce(micro.f(MicroOpcode::AddF, micro.load(0), one),
                              MicroCombine::AddF);
  micro.rows();
  uint16_t inverse = micro.f(MicroOpcode::RsqrtF, sum);
  micro.elements();
  uint16_t carried = micro.carry(inverse);
  micro.next(carried, micro.f(MicroOpcode::MulF, carried, micro.load(0)));
  uint16_t isHead = micro.op(MicroOpcode::CmpI, MicroType::I64, micro.iota(1),
                             micro.constant(MicroType::I64, 4),
                             static_cast<uint16_t>(MicroPredicateI::SLT));
  micro.check(isHead, FaultKind::Runtime, 0);
  micro.program.ops.pop_back(); // Would fault: the field is tested elsewhere.
  uint16_t tabled = micro.gather(2, micro.iota(1));
  micro.scatter(2, micro.iota(0), tabled, MicroCombine::AddF);
  micro.store(1, micro.op(MicroOpcode::Select, MicroType::F32, isHead, tabled,
                          micro.load(0)));
  at.vec = static_cast<uint32_t>(builder.program.text.size());
  builder.vec(micro, {lmu(0, DType::F32, {4, 8}), lmu(512, DType::F32, {4, 8}),
                      lmu(2048, DType::F32, {16})});
  builder.order(Unit::VXE, Unit::SXE, 1);
  at.stream = static_cast<uint32_t>(builder.program.text.size());
  builder.matmul(lmu(512, DType::F32, {4, 8}), arg(w, DType::F32, {8, 8}),
                 lmu(256, DType::F32, {4, 8}), {0, 1, 1, 1});
  at.mm = at.stream + 1;
  builder.order(Unit::SXE, Unit::SMA, 2);
  builder.copy(arg(y, DType::F32, {4, 8}), lmu(256, DType::F32, {4, 8}));

  uint32_t rows = builder.add(lmu(3072, DType::F32, {2, 8}));
  uint32_t tableView = builder.add(arg(table, DType::F32, {16, 8}));
  uint32_t indexView = builder.add(arg(index, DType::I64, {2}));
  at.gather = builder.emit(Opcode::Gather, IndexWrapNegative, 0, rows,
                           tableView, indexView);
  at.scatter = builder.emit(Opcode::Scatter, 0, 0, tableView, rows, indexView);
  builder.post(Unit::SMA, 3);
  builder.wait(Unit::ICP, 3);
  builder.emit(Opcode::Halt);

  builder.program.locations = {{"add", "model.py", 12}, {"mm", "model.py", 13}};
  builder.program.locationOf[at.vec] = 0;
  builder.program.locationOf[at.mm] = 1;
  if (indices) {
    *indices = at;
  }
  return builder.program;
}

} // namespace lpu::test

#endif // LPU_TEST_UNIT_TARGET_EVERYINSTRUCTION_H

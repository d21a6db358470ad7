//===- Encoding.h - Instruction words, views and micro-operations ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single source for what a machine program is made of: opcodes, the 128-bit
// instruction word, view descriptors and micro-operations, as they stand in a
// `.lpubin` file. The encoder, the loader, the simulator, the `lpuisa` dialect
// and docs/ISA.md all follow this header. It depends on nothing but <cstdint>.
//
// All numbers are little-endian. A reserved field or bit is zero.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_ENCODING_H
#define LPU_TARGET_ENCODING_H

#include <cstddef>
#include <cstdint>

namespace lpu {

/// Version of everything in this file; a loader refuses any other.
constexpr uint32_t isaVersion = 1;

constexpr unsigned numRegisters = 32;
constexpr unsigned numSemaphores = 64;
constexpr unsigned maxRank = 8;
constexpr unsigned maxLoopDepth = 4;
constexpr unsigned maxPhases = 4;
/// A register or dimension field that names nothing.
constexpr uint8_t noneField = 0xff;

/// The units of the machine. Each has an in-order queue; two queues are ordered
/// against each other by semaphores alone.
enum class Unit : uint8_t { ICP = 0, SMA = 1, SXE = 2, VXE = 3 };
constexpr unsigned numUnits = 4;

/// Element types in memory. Signedness lives in the operation, not in the type.
/// `U8` occurs in signatures only; `Bool` is one byte that holds 0 or 1.
enum class DType : uint8_t {
  F32 = 0,
  BF16 = 1,
  F16 = 2,
  I64 = 3,
  I32 = 4,
  I16 = 5,
  I8 = 6,
  U8 = 7,
  Bool = 8,
};
constexpr unsigned numDTypes = 9;

/// Bytes of one element in memory.
constexpr unsigned byteWidth(DType type) {
  switch (type) {
  case DType::I64:
    return 8;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::BF16:
  case DType::F16:
  case DType::I16:
    return 2;
  case DType::I8:
  case DType::U8:
  case DType::Bool:
    return 1;
  }
  return 0;
}

constexpr bool isFloat(DType type) {
  return type == DType::F32 || type == DType::BF16 || type == DType::F16;
}

/// The high three bits of an opcode are its class; class 4 (0x80..0x9f) is
/// reserved for the ESL network. 0x00 is illegal for ever.
enum class Opcode : uint8_t {
  // ICP: control.
  Halt = 0x01,   ///< End of program.
  Li = 0x02,     ///< r[aux] = imm64 (words a, b).
  Ld = 0x03,     ///< r[aux] = sign-extended element of view a.
  Alu = 0x04,    ///< flags: AluFunction. See AluFields.
  Branch = 0x05, ///< flags: BranchCondition; aux: register; a: target index.
  Loop = 0x06,   ///< flags: LoopFlags; aux: level; a: trips or register;
                 ///< b: index after the body; c: upper bound of the trips.
  Wait = 0x07,   ///< flags: unit; aux: semaphore; a: count. Queue entry.
  Post = 0x08,   ///< flags: unit; aux: semaphore; a: count. Queue entry.
  Trace = 0x09,  ///< a: offset of a string in .strtab; reported to listeners.
  Fault = 0x0a,  ///< flags: FaultKind; a: offset of a message in .strtab.
  // SMA: memory.
  Copy = 0x20,    ///< view a = view b (same sizes and element type).
  Gather = 0x21,  ///< a[.., i, ..] = b[.., c[i], ..] at axis aux.
  Scatter = 0x22, ///< a[.., c[i], ..] = b[.., i, ..] at axis aux, i ascending.
  Stream = 0x23,  ///< Push view a, b times (passes), into the stream buffer.
  // SXE: matrix.
  Mm = 0x40, ///< view b (+)= view a x the next stream entry. See MmFields.
  // VXE: vector. 0x61..0x63 are reserved for scan, sort and top-k.
  Vec = 0x60, ///< Run micro-program a on c operands from .operands[b].
              ///< aux: domain rank | parallel dimensions << 8.
};

enum class AluFunction : uint8_t {
  Add = 0,
  Sub = 1,
  Mul = 2,
  Min = 3,   ///< Signed.
  Max = 4,   ///< Signed.
  CmpEq = 5, ///< 1 if equal, else 0.
  CmpLt = 6, ///< Signed.
  CmpLe = 7, ///< Signed.
};
constexpr unsigned numAluFunctions = 8;

/// Alu operands: aux = rd | rs << 5 | rt << 10 | immediate << 15. With the
/// immediate bit the second source is the sign-extended word a (rt is zero).
struct AluFields {
  unsigned rd, rs, rt;
  bool immediate;
  static constexpr AluFields unpack(uint16_t aux) {
    return {aux & 31u, (aux >> 5) & 31u, (aux >> 10) & 31u, (aux >> 15) != 0};
  }
  constexpr uint16_t pack() const {
    return static_cast<uint16_t>(rd | rs << 5 | rt << 10 |
                                 (immediate ? 1u : 0u) << 15);
  }
};

enum class BranchCondition : uint8_t { Always = 0, Zero = 1, NotZero = 2 };

/// Loop flags: bit 0, the trip count is register a (at most c), else it is a.
/// The body is [index + 1, b); `level` counts enclosing loops from 0.
enum LoopFlags : uint8_t { LoopTripsInRegister = 1 };

enum class FaultKind : uint8_t { Index = 0, Runtime = 1 };

/// Gather and scatter flags: bit 0, an index below zero counts from the end.
enum IndexFlags : uint8_t { IndexWrapNegative = 1 };

/// Mm flags: bit 0, chains start from the old output instead of from +0.
enum MmFlags : uint8_t { MmAccumulate = 1 };

/// Mm shapes: aux = batch | rows << 4 | cols << 8 | depth << 12, each a number
/// of dimensions. View a is (batch.., rows.., depth..), the stream entry
/// (batch.., cols.., depth..), view b (batch.., rows.., cols..); word c is the
/// index of the view that the matching stream instruction pushed.
struct MmFields {
  unsigned batch, rows, cols, depth;
  static constexpr MmFields unpack(uint16_t aux) {
    return {aux & 15u, (aux >> 4) & 15u, (aux >> 8) & 15u, (aux >> 12) & 15u};
  }
  constexpr uint16_t pack() const {
    return static_cast<uint16_t>(batch | rows << 4 | cols << 8 | depth << 12);
  }
};

/// One instruction word: 16 bytes, little-endian.
///
///   [7:0] opcode  [15:8] flags  [31:16] aux  [63:32] a  [95:64] b  [127:96] c
struct Instruction {
  Opcode opcode;
  uint8_t flags;
  uint16_t aux;
  uint32_t a, b, c;
};
static_assert(sizeof(Instruction) == 16, "an instruction word is 128 bits");

/// The memory that a view lies in.
enum class Space : uint8_t {
  Arg = 0,      ///< HBM: argument `argument` (inputs first, then outputs).
  Scratch = 1,  ///< HBM: scratch, one region.
  Constant = 2, ///< HBM: .rodata.
  LMU = 3,      ///< On chip.
};

/// A strided window on one memory. An element's address in bytes is
///   base(space, argument) + offset + r[offsetRegister]
///   + sum over loop levels l of iteration[l] * loopIncrements[l]
///   + byteWidth(type) * sum over dimensions d of index[d] * strides[d].
/// Registers are read when the instruction is issued. The value of
/// r[offsetRegister] must be in [0, offsetBound], and that of r[sizeRegister],
/// which replaces sizes[dynamicDim], in [0, sizes[dynamicDim]]; otherwise an
/// index fault. So (offset .. offset + offsetBound + extent) bounds the view.
struct View {
  Space space;
  DType type;
  uint8_t rank;
  uint8_t dynamicDim;     ///< noneField, or the dimension with a run-time size.
  uint8_t offsetRegister; ///< noneField, or a register with a byte offset.
  uint8_t sizeRegister;   ///< noneField, or a register with that size.
  uint16_t argument;      ///< Argument number; zero unless space is Arg.
  int64_t offset;         ///< Bytes.
  int64_t offsetBound;    ///< Bytes; zero without an offset register.
  uint32_t sizes[maxRank];  ///< Elements, or their bound; zero past the rank.
  int64_t strides[maxRank]; ///< Elements, signed; zero past the rank.
  int64_t loopIncrements[maxLoopDepth]; ///< Bytes an iteration, by loop level.
};
static_assert(sizeof(View) == 152, "views stand in .desc as they are here");

/// Type of a micro-register. Floats are held as f32 (a value of a narrower
/// type is rounded by RoundBF16/RoundF16); integers are held sign-extended and
/// wrap to their own width; I1 is 0 or 1.
// clang-format off
enum class MicroType : uint8_t { F32 = 0, I64 = 1, I32 = 2, I16 = 3, I8 = 4, I1 = 5 };
// clang-format on
constexpr unsigned numMicroTypes = 6;

/// Micro-operations. A micro-program is a list of sections over a domain of
/// `rank` dimensions, the first `parallel` of which are rows and the rest
/// reduced. An Elements section runs for every element of each row in
/// row-major order (at most maxPhases of them); a Rows section runs once a row.
/// Registers are assigned once. One that an Elements section assigns is
/// visible in that section alone, except for the results of Reduce and Carry,
/// which later sections see as a value of the row; one that a Rows section
/// assigns is seen by everything after it.
// clang-format off
enum class MicroOpcode : uint8_t {
  // Structure.
  Elements = 0x01,
  Rows = 0x02,
  // Data. `operand` is a number in the instruction's operand list.
  Const = 0x08,   ///< dst = imm64 (f32 bits in the low half if float).
  Load = 0x09,    ///< dst = operand at this index, widened to f32 if float.
  Store = 0x0a,   ///< operand at this index = a, rounded to its type if float.
  Gather = 0x0b,  ///< dst = operand at element number a (0 <= a < size, else
                  ///< an index fault). The operand is a view of rank 1.
  Scatter = 0x0c, ///< operand at element number a = b, elements in order;
                  ///< c: MicroCombine. The operand is a view of rank 1.
  Iota = 0x0d,    ///< dst (I64) = index of dimension `operand`.
  Assert = 0x0e,  ///< If a is 0: fault of kind c, message .strtab[operand].
  // Reductions (Elements sections).
  Reduce = 0x10, ///< dst = reduction of a by c: MicroCombine over the row.
  Carry = 0x11,  ///< dst starts as row value a; follows Next.
  Next = 0x12,   ///< Carry register a becomes b for the next element.
  // f32 arithmetic, correctly rounded.
  AddF = 0x20, SubF, MulF, DivF, FmaF /* a*b+c */, NegF, AbsF, SqrtF,
  MaximumF /* NaN wins, -0 < +0 */, MinimumF, MaxNumF /* number wins */, MinNumF,
  RemF /* C fmod */, FloorF, CeilF, TruncF, RoundF /* half away */, RoundEvenF,
  CopySignF,
  // f32 transcendentals: fixed sequences, see docs/ISA.md.
  ExpF = 0x38, Exp2F, Expm1F, LogF, Log2F, Log10F, Log1pF, SinF, CosF, TanF,
  TanhF, ErfF, ErfcF, RsqrtF, PowF, AtanF, Atan2F, AsinF, AcosF, SinhF, CoshF,
  AsinhF, AcoshF, AtanhF, CbrtF,
  // Integers, in the width of `type`, wrapping.
  AddI = 0x60, SubI, MulI, DivSI /* by zero: 0 */, DivUI, RemSI, RemUI, AndI, OrI, XorI,
  ShlI, ShrSI, ShrUI, MinSI, MaxSI, MinUI, MaxUI, FloorDivSI, CeilDivSI,
  // Comparison (dst is I1; c: MicroPredicate; `type` is that of a and b).
  CmpF = 0x80, CmpI,
  Select = 0x88, ///< dst = a (I1) ? b : c.
  // Conversion; `type` is that of dst.
  RoundBF16 = 0x90, ///< f32 to the nearest bf16, ties to even, kept as f32.
  RoundF16,         ///< Likewise f16.
  SIToF,            ///< Signed integer to f32, nearest even. In this and the
                    ///< three others from a narrower integer, c: MicroType of a.
  UIToF,            ///< Unsigned.
  FToSI,            ///< Truncates; saturates out of range; NaN gives 0.
  FToUI,
  ExtS,             ///< Integer a to the wider `type`, sign-extended. I1: 1 to -1.
  ExtU,             ///< Likewise, zero-extended.
  TruncI,
  BitcastFToI, ///< f32 bits as I32.
  BitcastIToF,
};
// clang-format on

/// How Reduce and Scatter combine.
// clang-format off
enum class MicroCombine : uint8_t {
  Set = 0, ///< Scatter only.
  AddF, MulF, MaximumF, MinimumF, MaxNumF, MinNumF,
  AddI, MulI, MaxSI, MinSI, MaxUI, MinUI, AndI, OrI, XorI,
};
// clang-format on
constexpr unsigned numMicroCombines = 16;

/// Predicates in the order of MLIR's arith dialect: CmpF takes 0 (false) to 15
/// (true) with ordered before unordered, CmpI eq ne slt sle sgt sge ult ule ugt
/// uge.
// clang-format off
enum class MicroPredicateF : uint8_t {
  False, OEQ, OGT, OGE, OLT, OLE, ONE, ORD, UEQ, UGT, UGE, ULT, ULE, UNE, UNO, True,
};
enum class MicroPredicateI : uint8_t { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE };
// clang-format on

/// One micro-operation: 32 bytes.
struct MicroOp {
  MicroOpcode opcode;
  MicroType type;
  uint16_t dst;
  uint16_t a, b, c;
  uint16_t reserved;
  uint32_t operand; ///< Operand number, dimension or string offset.
  uint64_t reserved2;
  uint64_t imm; ///< Const only.
};
static_assert(sizeof(MicroOp) == 32,
              "micro-operations stand in .ucode as they are here");

/// Head of a micro-program in .ucode; `numOps` micro-operations follow it.
struct MicroHeader {
  uint32_t numOps;
  uint16_t numRegisters;
  uint8_t rank;
  uint8_t parallel;
  uint32_t numOperands;
  uint32_t reserved;
};
static_assert(sizeof(MicroHeader) == 16, "");

} // namespace lpu

#endif // LPU_TARGET_ENCODING_H

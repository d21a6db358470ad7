//===- Program.h - A machine program in memory ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `.lpubin` file holds, as plain data. `Binary.h` writes and reads it,
// the translation from the `lpuisa` dialect fills it, the simulator runs it.
// No MLIR, no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_PROGRAM_H
#define LPU_TARGET_PROGRAM_H

#include "lpu/Target/Encoding.h"
#include "lpu/Target/MachineModel.h"

#include <string>
#include <vector>

namespace lpu {

/// A micro-program: its head and its operations.
struct MicroProgram {
  MicroHeader header{};
  std::vector<MicroOp> ops;
};

/// One tensor of the signature: contiguous, row-major.
struct TensorSpec {
  std::string name;
  DType type = DType::F32;
  std::vector<int64_t> sizes;
  /// Results only: the input that holds the value after the run, or -1 if the
  /// value is in an output of its own.
  int32_t alias = -1;
  /// Results only: the number of the argument that holds the value (an input
  /// if `alias` >= 0, else an output).
  uint32_t argument = 0;
};

/// Bytes of a tensor of the signature.
inline int64_t byteSize(const TensorSpec &tensor) {
  int64_t bytes = byteWidth(tensor.type);
  for (int64_t size : tensor.sizes) {
    bytes *= size;
  }
  return bytes;
}

/// Where an instruction comes from: the FX node, the Python file and line.
struct Location {
  std::string name; ///< FX node name, or empty.
  std::string file; ///< Python file, or empty.
  uint32_t line = 0;
  friend bool operator==(const Location &l, const Location &r) {
    return l.name == r.name && l.file == r.file && l.line == r.line;
  }
};

struct Program {
  std::string name;
  MachineModel machine;
  std::vector<Instruction> text;
  std::vector<View> views;
  /// Operand lists of Vec: indices into `views`.
  std::vector<uint32_t> operands;
  std::vector<MicroProgram> micro;
  /// Constants (space Constant starts here).
  std::vector<uint8_t> rodata;
  /// Zero-terminated strings: trace marks and fault messages, by offset.
  std::vector<char> strtab;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> results;
  /// Arguments after the inputs, in order: the buffers of results that alias
  /// nothing.
  std::vector<TensorSpec> outputs;
  uint64_t scratchBytes = 0;
  uint64_t lmuBytes = 0; ///< Highest LMU address used.
  std::vector<Location> locations;
  /// Per instruction, an index into `locations`, or 0xffffffff.
  std::vector<uint32_t> locationOf;

  size_t numArguments() const { return inputs.size() + outputs.size(); }
  /// Argument `number`: an input or an output.
  const TensorSpec &argument(size_t number) const {
    return number < inputs.size() ? inputs[number]
                                  : outputs[number - inputs.size()];
  }
  /// Where instruction `index` comes from, or null.
  const Location *locationOfInstruction(size_t index) const {
    bool isKnown =
        index < locationOf.size() && locationOf[index] < locations.size();
    return isKnown ? &locations[locationOf[index]] : nullptr;
  }
};

/// "instruction 3 (mm) of fx_node", as messages name an instruction.
std::string describeInstruction(const Program &program, size_t index);

} // namespace lpu

#endif // LPU_TARGET_PROGRAM_H

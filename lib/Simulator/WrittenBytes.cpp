//===- WrittenBytes.cpp - Which bytes hold a value ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function an instruction: what it uses is checked, what it writes has a
// value from then on. See WrittenBytes.h.
//
//===----------------------------------------------------------------------===//

#include "WrittenBytes.h"

#include "Sma.h"
#include "StridedBytes.h"
#include "lpu/Target/Names.h"

#include <cstring>

using namespace lpu;

WrittenBytes::WrittenBytes(const Program &program)
    : program(program), shadow(program) {
  std::vector<void *> pointers(program.inputs.size());
  for (const TensorSpec &output : program.outputs) {
    outputs.emplace_back(static_cast<uint64_t>(byteSize(output)));
    pointers.push_back(outputs.back().data());
  }
  shadow.bind(pointers.data());
}

bool WrittenBytes::isTracked(const ResolvedView &view) const {
  switch (view.space) {
  case Space::Arg:
    return view.argument >= program.inputs.size();
  case Space::Scratch:
  case Space::LMU:
    return true;
  case Space::Constant:
    return false;
  }
  return false;
}

/// Calls `function` with the start and size of each run of bytes, until it
/// returns false.
template <typename Function>
static bool forEachRun(const StridedBytes &bytes, size_t levels, int64_t from,
                       Function function) {
  if (levels == 0) {
    return function(from, bytes.run);
  }
  const StridedBytes::Dimension &outer = bytes.dimensions[levels - 1];
  for (int64_t i = 0; i < outer.size; ++i) {
    if (!forEachRun(bytes, levels - 1, from + i * outer.stride, function)) {
      return false;
    }
  }
  return true;
}

template <typename Function>
static void forEachRun(const ResolvedView &view, Function function) {
  StridedBytes bytes(view);
  if (bytes.run > 0) {
    forEachRun(bytes, bytes.dimensions.size(), bytes.begin, function);
  }
}

std::optional<int64_t>
WrittenBytes::findUnwritten(const ResolvedView &view) const {
  std::optional<int64_t> found;
  // What has no elements may be without memory: no pointer is made to it.
  if (!isTracked(view) || view.numElements() == 0) {
    return found;
  }
  const uint8_t *base = shadow.address(view) - view.offset;
  forEachRun(view, [&](int64_t start, int64_t size) {
    const void *byte = std::memchr(base + start, 0, static_cast<size_t>(size));
    if (byte != nullptr) {
      found = static_cast<const uint8_t *>(byte) - base;
    }
    return !found;
  });
  return found;
}

std::optional<Error> WrittenBytes::check(const ResolvedView &view,
                                         uint32_t viewNumber) const {
  std::optional<int64_t> byte = findUnwritten(view);
  if (!byte) {
    return std::nullopt;
  }
  std::string memory(nameOf(view.space));
  if (view.space == Space::Arg) {
    memory += " " + std::to_string(view.argument);
  }
  ByteRange range = view.bounds();
  return Error{"uninitialised: uses byte " + std::to_string(*byte) + " of " +
                   memory + ", which nothing has written (view " +
                   std::to_string(viewNumber) + ", bytes [" +
                   std::to_string(range.begin) + ", " +
                   std::to_string(range.end) + "))",
               ErrorKind::Check};
}

void WrittenBytes::write(const ResolvedView &view) {
  if (!isTracked(view) || view.numElements() == 0) {
    return;
  }
  uint8_t *base = shadow.address(view) - view.offset;
  forEachRun(view, [&](int64_t start, int64_t size) {
    std::memset(base + start, 1, static_cast<size_t>(size));
    return true;
  });
}

std::optional<Error> WrittenBytes::load(const Instruction &word,
                                        const ResolvedView &view) {
  return check(view, word.a);
}

std::optional<Error>
WrittenBytes::copy(const Instruction &word,
                   const std::vector<ResolvedView> &views) {
  const ResolvedView &to = views[0], &from = views[1];
  if (to.space == Space::Arg) {
    if (std::optional<Error> error = check(from, word.b)) {
      return error;
    }
  }
  if (to.space == Space::Arg || !isTracked(from)) {
    write(to);
  } else {
    copyView(to, from, shadow);
  }
  return std::nullopt;
}

std::optional<Error>
WrittenBytes::readIndices(const Instruction &word,
                          const std::vector<ResolvedView> &views) {
  return check(views[2], word.c);
}

std::optional<Error>
WrittenBytes::moveRows(const Instruction &word,
                       const std::vector<ResolvedView> &views,
                       const Rows &rows) {
  const ResolvedView &to = views[0], &from = views[1];
  bool isGather = word.opcode == Opcode::Gather;
  if (to.space == Space::Arg || !isTracked(from)) {
    if (!isGather) {
      if (std::optional<Error> error =
              to.space == Space::Arg ? check(from, word.b) : std::nullopt) {
        return error;
      }
      for (int64_t row : rows.numbers) {
        write(sliceAt(to, rows.axis, row));
      }
      return std::nullopt;
    }
    for (int64_t row : rows.numbers) {
      if (std::optional<Error> error =
              check(sliceAt(from, rows.axis, row), word.b)) {
        return error;
      }
    }
    write(to);
    return std::nullopt;
  }
  if (isGather) {
    gatherRows(to, from, rows.numbers, rows.axis, shadow);
  } else {
    scatterRows(to, from, rows.numbers, rows.axis, shadow);
  }
  return std::nullopt;
}

std::optional<Error> WrittenBytes::stream(const Instruction &word,
                                          const ResolvedView &view) {
  return check(view, word.a);
}

std::optional<Error> WrittenBytes::mm(const Instruction &word,
                                      const std::vector<ResolvedView> &views) {
  std::optional<Error> error = check(views[0], word.a);
  if (!error && (word.flags & MmAccumulate) != 0) {
    error = check(views[1], word.b);
  }
  write(views[1]);
  return error;
}

std::optional<Error>
WrittenBytes::vec(const Instruction &word,
                  const std::vector<ResolvedView> &views,
                  const std::vector<TouchedElements> &touched) {
  const MicroProgram &micro = program.micro[word.a];
  auto number = [&](unsigned operand) {
    return program.operands[word.b + operand];
  };
  bool inRows = false;
  // What a section reaches of an operand: `rows` stands at reduced index 0.
  auto reached = [&](unsigned operand) {
    ResolvedView view = views[operand];
    for (unsigned d = micro.header.parallel; d < view.rank && inRows; ++d) {
      view.sizes[d] = 1;
    }
    return view;
  };
  // In the order of the text: what one operation stores, a later one may load.
  std::vector<bool> combines(views.size());
  for (const MicroOp &op : micro.ops) {
    switch (op.opcode) {
    case MicroOpcode::Elements:
    case MicroOpcode::Rows:
      inRows = op.opcode == MicroOpcode::Rows;
      break;
    case MicroOpcode::Load: {
      std::optional<Error> error =
          check(reached(op.operand), number(op.operand));
      if (error) {
        return error;
      }
      break;
    }
    case MicroOpcode::Store:
      write(reached(op.operand));
      break;
    case MicroOpcode::Scatter:
      combines[op.operand] =
          combines[op.operand] ||
          static_cast<MicroCombine>(op.c) != MicroCombine::Set;
      break;
    default:
      break;
    }
  }
  for (const TouchedElements &run : touched) {
    ResolvedView part = views[run.operand];
    if (part.rank > 0) {
      part.offset += run.first * part.strides[0] * byteWidth(part.type);
      part.sizes[0] = run.last - run.first + 1;
    }
    if (!run.write || combines[run.operand]) {
      if (std::optional<Error> error = check(part, number(run.operand))) {
        return error;
      }
    }
    if (run.write) {
      write(part);
    }
  }
  return std::nullopt;
}

std::optional<Error> WrittenBytes::checkOutputs() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const uint8_t *start = outputs[i].data();
    const void *byte =
        start == nullptr ? nullptr : std::memchr(start, 0, outputs[i].size());
    if (byte != nullptr) {
      return Error{
          "uninitialised: byte " +
              std::to_string(static_cast<const uint8_t *>(byte) - start) +
              " of output '" + program.outputs[i].name + "' (argument " +
              std::to_string(program.inputs.size() + i) +
              ") is not written when the program ends",
          ErrorKind::Check};
    }
  }
  return std::nullopt;
}

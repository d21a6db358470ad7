//===- Verifier.cpp - Checks a program once, before it runs ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the checks: what the program says of itself (machine, memories,
// signature, locations), then views, micro-programs, control flow, and at last
// every instruction with its operands.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Verifier.h"
#include "VerifierParts.h"
#include "lpu/Target/Names.h"

using namespace lpu;

Error lpu::instructionError(const Program &program, size_t index,
                            const Problem &problem) {
  return Error{describeInstruction(program, index) + ": " + problem};
}

/// Tensors of 2^56 bytes and above would let sums of addresses overflow.
static Problem verifyTensor(const TensorSpec &tensor) {
  if (nameOf(tensor.type).empty()) {
    return "element type " +
           std::to_string(static_cast<unsigned>(tensor.type)) +
           ", expected less than " + std::to_string(numDTypes);
  }
  __int128 bytes = byteWidth(tensor.type);
  for (int64_t size : tensor.sizes) {
    if (size < 0) {
      return "size " + std::to_string(size) + ", expected 0 or more";
    }
    // A zero hides the size of the others, so it counts as one here.
    bytes *= size ? size : 1;
    if (bytes > (__int128(1) << 56)) {
      return "more than 2^56 bytes";
    }
  }
  return {};
}

/// A result is one argument seen again: an input that it aliases or an output.
static Problem verifyResult(const Program &program, const TensorSpec &result) {
  size_t numArguments = program.numArguments();
  if (result.argument >= numArguments) {
    return "argument " + std::to_string(result.argument) +
           ", expected less than " + std::to_string(numArguments);
  }
  bool isInput = result.argument < program.inputs.size();
  int64_t expectedAlias = isInput ? static_cast<int64_t>(result.argument) : -1;
  if (result.alias != expectedAlias) {
    return "alias " + std::to_string(result.alias) + ", expected " +
           std::to_string(expectedAlias) + " for argument " +
           std::to_string(result.argument);
  }
  const TensorSpec &holder = program.argument(result.argument);
  if (holder.type != result.type || holder.sizes != result.sizes) {
    return "type or sizes differ from those of argument " +
           std::to_string(result.argument) + ", expected the same";
  }
  return {};
}

// file_c8
static std::optional<Error> verifySignature(const Program &program) {
  struct {
    const char *name;
    const std::vector<TensorSpec> *tensors;
  } groups[] = {{"input", &program.inputs},
                {"result", &program.results},
                {"output", &program.outputs}};
  if (program.numArguments() > UINT16_MAX) {
    return Error{"more than 65535 arguments, expected numbers of 16 bits"};
  }
  for (const auto &group : groups) {
    bool isResult = group.tensors == &program.results;
    for (size_t i = 0; i < group.tensors->size(); ++i) {
      const TensorSpec &tensor = (*group.tensors)[i];
      Problem problem = verifyTensor(tensor);
      if (problem.empty() && isResult) {
        problem = verifyResult(program, tensor);
      } else if (problem.empty() && (tensor.alias != -1 || tensor.argument)) {
        problem = "an alias or argument number, expected none but on results";
      }
      if (!problem.empty()) {
        return Error{std::string(group.name) + " " + std::to_string(i) + " '" +
                     tensor.name + "': " + problem};
      }
    }
  }
  return std::nullopt;
}

static std::optional<Error> verifyMemories(const Program &program) {
  if (std::string problem = program.machine.validate();
      !problem.empty()) { // file_c7
    return Error{"machine: " + problem};
  }
  auto lmuBytes = static_cast<uint64_t>(program.machine.lmuBytes);
  if (program.lmuBytes > lmuBytes) { // file_c9
    return Error{"the program uses " + std::to_string(program.lmuBytes) +
                 " bytes of LMU, expected at most the machine's " +
                 std::to_string(lmuBytes)};
  }
  if (program.scratchBytes > uint64_t(1) << 56) { // file_c9
    return Error{"scratch of " + std::to_string(program.scratchBytes) +
                 " bytes, expected at most 2^56"};
  }
  if (!program.strtab.empty() && program.strtab.back() != 0) { // file_c6
    return Error{".strtab does not end in a zero byte"};
  }
  return std::nullopt;
}

// file_c10
static std::optional<Error> verifyLocations(const Program &program) {
  if (!program.locationOf.empty() &&
      program.locationOf.size() != program.text.size()) {
    return Error{std::to_string(program.locationOf.size()) +
                 " instructions have a location, expected none or all " +
                 std::to_string(program.text.size())};
  }
  for (size_t i = 0; i < program.locationOf.size(); ++i) {
    uint32_t number = program.locationOf[i];
    if (number != UINT32_MAX && number >= program.locations.size()) {
      return instructionError(program, i,
                              "location " + std::to_string(number) +
                                  ", expected less than " +
                                  std::to_string(program.locations.size()));
    }
  }
  return std::nullopt;
}

std::optional<Error> lpu::verify(const Program &program) {
  for (auto check : {verifyMemories, verifySignature, verifyLocations}) {
    if (std::optional<Error> error = check(program)) {
      return error;
    }
  }
  for (size_t i = 0; i < program.views.size(); ++i) {
    Problem problem = verifyViewFields(program, program.views[i]);
    if (!problem.empty()) {
      return Error{viewText(static_cast<uint32_t>(i)) + ": " + problem};
    }
  }
  std::vector<MicroSummary> summaries(program.micro.size());
  for (size_t i = 0; i < program.micro.size(); ++i) {
    Problem problem =
        verifyMicroProgram(program, program.micro[i], summaries[i]);
    if (!problem.empty()) {
      return Error{"micro-program " + std::to_string(i) + ": " + problem};
    }
  }
  std::vector<LoopContext> contexts;
  if (std::optional<Error> error = verifyControlFlow(program, contexts)) {
    return error;
  }
  for (size_t i = 0; i < program.text.size(); ++i) {
    Problem problem =
        verifyInstruction(program, summaries, program.text[i], contexts[i]);
    if (!problem.empty()) {
      return instructionError(program, i, problem);
    }
  }
  return verifyBalance(program, contexts);
}

//===- Arguments.cpp - The tensors that a program is run on ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Arguments.h.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "NumpyFile.h"
#include "lpu/Target/Names.h"

#include <cstdio>

using namespace lpu;

static void printTensor(const char *kind, size_t number,
                        const TensorSpec &tensor) {
  std::string sizes;
  for (int64_t size : tensor.sizes) {
    sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
  }
  std::printf("%s %zu: %s %s [%s]", kind, number, tensor.name.c_str(),
              std::string(nameOf(tensor.type)).c_str(), sizes.c_str());
}

void lpu::printSignature(const Program &program) {
  std::printf("%s for %s\n", program.name.c_str(),
              program.machine.name.c_str());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    printTensor("input", i, program.inputs[i]);
    std::printf("\n");
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    printTensor("output", program.inputs.size() + i, program.outputs[i]);
    std::printf("\n");
  }
  for (size_t i = 0; i < program.results.size(); ++i) {
    printTensor("result", i, program.results[i]);
    std::printf(" in argument %u\n", program.results[i].argument);
  }
}

Result<Arguments> Arguments::read(const Program &program,
                                  const std::vector<std::string> &files,
                                  bool hasValues) {
  Arguments arguments;
  size_t count = program.numArguments();
  arguments.given.resize(count);
  arguments.zero.resize(count);
  arguments.addresses.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const TensorSpec &tensor = program.argument(i);
    if (i < files.size() && files[i] != "-") {
      Result<std::vector<uint8_t>> data = readNumpy(files[i], tensor);
      if (!data) {
        return Error{data.message()};
      }
      arguments.given[i] = std::move(*data);
      arguments.addresses[i] = arguments.given[i].data();
    } else if (hasValues) {
      // An argument without elements has an address as well.
      auto bytes = static_cast<uint64_t>(byteSize(tensor));
      arguments.zero[i] = PagedRegion(bytes ? bytes : 1);
      arguments.addresses[i] = arguments.zero[i].data();
      if (!arguments.addresses[i]) {
        return Error{"argument " + std::to_string(i) + " ('" + tensor.name +
                     "') has " + std::to_string(bytes) +
                     " bytes, more than this host can give; --timing-only "
                     "needs none"};
      }
    }
  }
  return arguments;
}

/// A result's file: its name with what no file name should hold replaced.
static std::string resultPath(const std::string &folder,
                              const TensorSpec &result, size_t number) {
  std::string name =
      result.name.empty() ? "result" + std::to_string(number) : result.name;
  for (char &c : name) {
    if (c == '/' || c == '\0') {
      c = '_';
    }
  }
  return folder + "/" + name + ".npy";
}

std::optional<Error> Arguments::writeResults(const Program &program,
                                             const std::string &folder) const {
  for (size_t i = 0; i < program.results.size(); ++i) {
    const TensorSpec &result = program.results[i];
    if (std::optional<Error> error =
            writeNumpy(resultPath(folder, result, i), result,
                       static_cast<uint8_t *>(addresses[result.argument]))) {
      return error;
    }
  }
  return std::nullopt;
}

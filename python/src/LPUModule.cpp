//===- LPUModule.cpp - Python view of the compiler ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module torch_lpu.mlir._mlir_libs._lpu. It calls nothing but the
// C API, so that one shared library holds all MLIR state; failures become
// Python exceptions here.
//
//===----------------------------------------------------------------------===//

#include "lpu-c/LPU.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <stdexcept>
#include <string>

namespace nb = nanobind;

static MlirStringRef toStringRef(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}

static void appendTo(MlirStringRef text, void *userData) {
  static_cast<std::string *>(userData)->append(text.data, text.length);
}

/// Runs `call` without the interpreter's lock and returns its output; a failed
/// call's output becomes an exception.
template <typename Call>
static std::string runUnlocked(Call call) {
  std::string output;
  bool succeeded;
  {
    nb::gil_scoped_release release;
    succeeded = call(output);
  }
  if (!succeeded) {
    throw std::runtime_error(output);
  }
  return output;
}

NB_MODULE(_lpu, m) {
  m.doc() = "The LPU compiler: dialects, passes and pipelines.";

  m.def(
      "register_dialects",
      [](MlirDialectRegistry registry) { lpuRegisterAllDialects(registry); },
      nb::arg("registry"), "Adds every dialect in use to the registry.");

  m.def("register_passes", &lpuRegisterAllPasses,
        "Registers every pass and pipeline in use.");

  m.def(
      "optimizations",
      [] {
        nb::dict stages;
        lpuForEachOptimization(
            [](MlirStringRef name, MlirStringRef stage, void *userData) {
              (*static_cast<nb::dict *>(
                  userData))[nb::str(name.data, name.length)] =
                  nb::str(stage.data, stage.length);
            },
            &stages);
        return stages;
      },
      "The optimisations that the pipeline's option `disable` takes, each with "
      "its stage.");

  m.def(
      "run_pipeline",
      [](const std::string &ir, const std::string &pipeline) {
        return runUnlocked([&](std::string &output) {
          return lpuRunPipeline(toStringRef(ir), toStringRef(pipeline),
                                appendTo, &output);
        });
      },
      nb::arg("ir"), nb::arg("pipeline"),
      "Runs a textual pass pipeline on textual IR and returns the result; "
      "raises RuntimeError with the diagnostics.");

  m.def(
      "translate_to_binary",
      [](const std::string &ir) {
        std::string bytes = runUnlocked([&](std::string &output) {
          return lpuTranslateToBinary(toStringRef(ir), appendTo, &output);
        });
        return nb::bytes(bytes.data(), bytes.size());
      },
      nb::arg("ir"),
      "Assembles the one lpuisa.program of textual IR and returns the binary; "
      "raises RuntimeError with the diagnostics.");

  m.def(
      "translate_from_binary",
      [](nb::bytes binary) {
        MlirStringRef bytes =
            mlirStringRefCreate(binary.c_str(), binary.size());
        return runUnlocked([&](std::string &output) {
          return lpuTranslateFromBinary(bytes, appendTo, &output);
        });
      },
      nb::arg("binary"),
      "Disassembles a binary and returns textual IR; raises RuntimeError with "
      "the diagnostics.");
}

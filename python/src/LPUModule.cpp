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

NB_MODULE(_lpu, m) {
  m.doc() = "The LPU compiler: dialects, passes and pipelines.";

  m.def(
      "register_dialects",
      [](MlirDialectRegistry registry) { lpuRegisterAllDialects(registry); },
      nb::arg("registry"), "Adds every dialect in use to the registry.");

  m.def("register_passes", &lpuRegisterAllPasses,
        "Registers every pass and pipeline in use.");

  m.def(
      "run_pipeline",
      [](const std::string &ir, const std::string &pipeline) {
        std::string output;
        bool succeeded;
        {
          nb::gil_scoped_release release;
          succeeded = lpuRunPipeline(toStringRef(ir), toStringRef(pipeline),
                                     appendTo, &output);
        }
        if (!succeeded) {
          throw std::runtime_error(output);
        }
        return output;
      },
      nb::arg("ir"), nb::arg("pipeline"),
      "Runs a textual pass pipeline on textual IR and returns the result; "
      "raises RuntimeError with the diagnostics.");
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit configuration.

Two ways to run: `ninja check-lpu` tests a build tree (through lit.site.cfg.py),
`lit test/` tests whatever is pip-installed.
"""

import importlib.util
import os
import sys
import tempfile

import lit.formats

config.name = "LPU"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "python", "unit"]  # pytest and gtest live there
config.test_source_root = os.path.dirname(__file__)

in_build = hasattr(config, "lpu_bin_dir")
if not in_build:
    config.test_exec_root = os.path.join(tempfile.gettempdir(), "lpu-lit")
    config.python = sys.executable
    config.lpu_bin_dir = os.path.dirname(sys.executable)
    llvm = importlib.util.find_spec("llvm")
    config.llvm_tools_dir = os.path.join(llvm.submodule_search_locations[0], "bin")
    config.has_python = True

# `--param tools=DIR` tests the tools of a sanitizer build (make asan) with the rest of this tree.
first = [lit_config.params["tools"]] if "tools" in lit_config.params else []
if first:
    config.available_features.add("sanitized")
config.environment["PATH"] = os.pathsep.join(
    [*first, config.lpu_bin_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
config.substitutions.append(("%python", config.python))
if config.has_python:
    config.available_features.add("python")
    if in_build:
        config.environment["PYTHONPATH"] = config.python_path

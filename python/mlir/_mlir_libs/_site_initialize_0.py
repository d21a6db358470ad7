# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run by MLIR on first import: adds our dialects to every Context, and our passes."""

from ._lpu import register_dialects, register_passes  # noqa: F401 (MLIR looks register_dialects up here)

register_passes()

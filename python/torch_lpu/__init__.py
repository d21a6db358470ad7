# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch-lpu: a compiler and a simulator for an LPU, as a torch.compile backend.

`torch.compile(model, backend="lpu")` finds the backend by its entry point; this
module holds what goes with it and imports nothing heavy by itself.
"""

from __future__ import annotations

import importlib
from typing import Any

# Public name -> the module that defines it.
_PUBLIC = {
    "Comparison": "comparison",
    "Explanation": "explanation",
    "FallbackError": "diagnostics",
    "FallbackWarning": "diagnostics",
    "OptionError": "options",
    "Options": "options",
    "NothingToMinify": "minifying",
    "Report": "report",
    "Reproducer": "minifying",
    "compare": "comparing",
    "explain": "explaining",
    "minify": "minifying",
    "optimizations": "options",
    "profile": "report",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{module}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])

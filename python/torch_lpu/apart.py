# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a function to give an account of it, apart from what the user has compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def compile_apart(fn: Any, backend: Callable[..., Any], dynamic: bool | None = False) -> Callable[..., Any]:
    """The function for another backend, even if it is compiled already.

    It neither uses nor fills the caches of what the user has compiled.
    """
    if not callable(fn):
        raise TypeError(
            f"torch-lpu: what is to run has to be a function or a module, got {type(fn).__name__}"
        )
    original = getattr(fn, "_torchdynamo_orig_callable", fn)
    function = getattr(original, "_orig_mod", original)
    compile_: Any = torch.compile  # It has no overload for a function of unknown kind.
    compiled: Callable[..., Any] = compile_(
        function, backend=backend, dynamic=dynamic, isolate_recompiles=True
    )
    return compiled

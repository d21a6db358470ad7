# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A trap for hidden fallbacks: inside it, every ATen op outside a written list raises.

Two nets. A TorchDispatchMode sees what goes through the dispatcher from here;
overrides of the kernels under the CPU key see also what a mode cannot (calls
below the Python key). What a compiled program may do is allocate its results,
look at metadata, make views, and copy a tensor that is not contiguous.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

ALLOWED = frozenset(
    {
        # Allocation of results.
        "empty.memory_format",
        "empty_strided",
        # Views and metadata.
        "alias",
        "as_strided",
        "detach",
        "diagonal",
        "expand",
        "permute",
        "select.int",
        "set_.source_Storage_storage_offset",
        "slice.Tensor",
        "split.Tensor",
        "split_with_sizes",
        "squeeze",
        "squeeze.dim",
        "squeeze.dims",
        "t",
        "transpose.int",
        "unbind.int",
        "unfold",
        "unsqueeze",
        "view",
        "view.dtype",
        "_unsafe_view",
        "_reshape_alias",
        "is_same_size",
        "prims::squeeze",
        # An integer of the caller's becomes an operand.
        "lift_fresh",
        # Copies of tensors that are not laid out as at compile time, and back.
        "clone",
        "copy_",
    }
)


class HiddenFallback(AssertionError):
    """An op of a program ran on the host."""


def _check(name: str) -> None:
    if name.removeprefix("aten::").removesuffix(".default") not in ALLOWED:
        raise HiddenFallback(f"{name} ran on the host inside a compiled program")


class _Net(TorchDispatchMode):
    @classmethod
    def ignore_compile_internals(cls) -> bool:
        return True  # Otherwise Dynamo would run the original function instead of the compiled one.

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        _check(func.name())
        return func(*args, **(kwargs or {}))


@cache
def _kernels() -> tuple[str, ...]:
    """ATen ops with a kernel of their own under the CPU key, outside the list."""
    return tuple(
        name
        for name in sorted(torch._C._dispatch_get_all_op_names())
        if name.startswith("aten::")
        and name.removeprefix("aten::") not in ALLOWED
        and torch._C._dispatch_has_kernel_for_dispatch_key(name, "CPU")
    )


def _raiser(name: str) -> Any:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        raise HiddenFallback(f"{name} ran on the host inside a compiled program")

    return kernel


@contextmanager
def trap() -> Iterator[None]:
    """Raises HiddenFallback when an op runs on the host inside the `with` block."""
    library = torch.library.Library("aten", "IMPL")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns of the override, which is the point.
            for name in _kernels():
                library.impl(name.removeprefix("aten::"), _raiser(name), "CPU", allow_override=True)
        with _Net():
            yield
    finally:
        library._destroy()

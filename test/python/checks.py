# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`check`: a function on the LPU against eager, under every order of the machine's transfers."""

from __future__ import annotations

import copy
import os
import zlib
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves
from trap import trap

from torch_lpu.program import running


def runs() -> tuple[dict[str, Any], ...]:
    """Orders in which transfers may happen, with the on-chip memory poisoned: all give the same bits.

    The random one is of the test that runs: each test has another one, and always the same.
    """
    name = os.environ.get("PYTEST_CURRENT_TEST", "").removesuffix(" (call)")
    return (
        {"dma": "early", "poison": False},
        {"dma": "early", "poison": True},
        {"dma": "late", "poison": True},
        {"dma": f"random:{zlib.crc32(name.encode())}", "poison": True},
    )


# (relative, absolute) by the coarsest type among results and arguments.
TOLERANCES: dict[torch.dtype, tuple[float, float]] = {
    torch.float32: (2e-5, 2e-5),
    torch.float16: (4e-3, 4e-3),
    torch.bfloat16: (2e-2, 2e-2),
}


def tolerance(values: list[Any]) -> tuple[float, float]:
    found = [TOLERANCES[v.dtype] for v in values if isinstance(v, torch.Tensor) and v.dtype in TOLERANCES]
    return max(found, default=(0.0, 0.0))


def check(
    function: Callable[..., Any],
    *args: Any,
    kwargs: dict[str, Any] | None = None,
    tolerances: tuple[float, float] | None = None,
    **options: Any,
) -> None:
    """Same results and same changed arguments as eager; same bits in every run; nothing on the host."""
    kwargs = kwargs or {}
    compiled = torch.compile(
        function, backend="lpu", fullgraph=True, dynamic=False, options={"fallback": "error", **options}
    )
    expected_args = copy.deepcopy(args)
    with torch.no_grad():
        expected = function(*expected_args, **kwargs)
        compiled(*copy.deepcopy(args), **kwargs)  # Compiles; the runs below do nothing else.
        outcomes = [_run(compiled, copy.deepcopy(args), kwargs, run) for run in runs()]
    leaves = [_tensors((expected, expected_args)), *(_tensors(outcome) for outcome in outcomes)]
    relative, absolute = tolerances or tolerance(tree_leaves((expected, args)))
    torch.testing.assert_close(leaves[1], leaves[0], rtol=relative, atol=absolute, equal_nan=True)
    for run, other in zip(runs()[1:], leaves[2:], strict=True):
        for a, b in zip(leaves[1], other, strict=True):
            assert _same_bits(a, b), f"other bits than in the first run: {run}"


def _run(compiled: Callable[..., Any], args: Any, kwargs: dict[str, Any], run: dict[str, Any]) -> Any:
    with running(**run), trap():
        result = compiled(*args, **kwargs)
    return result, args


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    a, b = a.contiguous().reshape(-1), b.contiguous().reshape(-1)
    return torch.equal(a.view(torch.uint8), b.view(torch.uint8))

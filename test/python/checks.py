# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`check`: a function on the LPU against eager, and against itself; `check_gradients`: also its gradients.

Every order of transfers and every optimisation left out gives the same bits.
"""

from __future__ import annotations

import copy
import os
import zlib
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves
from trap import trap

from torch_lpu.options import FX_OPTIMIZATIONS, optimizations
from torch_lpu.program import running

# Of so many tests one is compiled a second time in a short run.
SAMPLING = 4

# Set by conftest.py: each test is compiled without each optimisation.
thorough = False


def runs() -> tuple[dict[str, Any], ...]:
    """Orders in which units may go on and transfers take effect, with all checks: all give the same bits.

    The random ones are of the test that runs: each test has others, and always the same.
    """
    seed = f"random:{_test_number()}"
    return (
        {"dma": "early", "checks": "none"},
        {"dma": "early", "checks": "all"},
        {"dma": "late", "checks": "all"},
        {"dma": seed, "interleave": seed, "checks": "all"},
    )


def left_out() -> tuple[tuple[str, ...], ...]:
    """Sets of optimisations to compile without: all at once, in a thorough run each as well.

    Those on the FX graph stay in, for they say what the program is; all but repeated layers, which do not.
    """
    stay_in = set(FX_OPTIMIZATIONS) - {"repeated-layers"}
    passes = tuple(name for name in optimizations() if name not in stay_in)
    if thorough:
        return (passes, *((name,) for name in passes))
    return (passes,) if _test_number() % SAMPLING == 0 else ()


def _test_number() -> int:
    """A number that is always the same for the test that runs."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "").removesuffix(" (call)")
    return zlib.crc32(name.encode())


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
    expected_args = copy.deepcopy(args)
    with torch.no_grad():
        expected = function(*expected_args, **kwargs)
        first, *others = _compile_and_run(function, args, kwargs, options, runs())
    relative, absolute = tolerances or tolerance(tree_leaves((expected, args)))
    torch.testing.assert_close(
        first, _tensors((expected, expected_args)), rtol=relative, atol=absolute, equal_nan=True
    )
    for run, other in zip(runs()[1:], others, strict=True):
        _assert_same_bits(first, other, f"other bits than in the first run: {run}")
    for names in left_out():
        disable = (*options.get("disable", ()), *names)
        with torch.no_grad():
            (other,) = _compile_and_run(function, args, kwargs, {**options, "disable": disable}, runs()[-1:])
        _assert_same_bits(first, other, f"other bits without {', '.join(names)}")


def _compile_and_run(
    function: Callable[..., Any],
    args: Any,
    kwargs: dict[str, Any],
    options: dict[str, Any],
    orders: tuple[dict[str, Any], ...],
) -> list[list[torch.Tensor]]:
    """Results and arguments after a run in each of the orders."""
    options = {"fallback": "error", **options}
    torch._dynamo.reset()  # It takes only so many compilations of one function.
    compiled = torch.compile(function, backend="lpu", fullgraph=True, dynamic=False, options=options)
    compiled(*copy.deepcopy(args), **kwargs)  # Compiles; the runs below do nothing else.
    return [_tensors(_run(compiled, copy.deepcopy(args), kwargs, order)) for order in orders]


def _run(compiled: Callable[..., Any], args: Any, kwargs: dict[str, Any], run: dict[str, Any]) -> Any:
    with running(**run), trap():
        result = compiled(*args, **kwargs)
    return result, args


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _assert_same_bits(expected: list[torch.Tensor], actual: list[torch.Tensor], message: str) -> None:
    for a, b in zip(expected, actual, strict=True):
        a, b = (tensor.contiguous().reshape(-1).view(torch.uint8) for tensor in (a, b))
        assert torch.equal(a, b), message


def check_gradients(function, *inputs, rtol=1e-4, atol=1e-5, steps=1, fallback="error"):
    """A function's result and gradients on the LPU against eager, for random inputs of these shapes."""
    compiled = torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": fallback})
    for _ in range(steps):
        inputs = [torch.randn_like(x).requires_grad_() for x in inputs]
        result, expected = compiled(*inputs), function(*inputs)
        torch.testing.assert_close(result, expected, rtol=rtol, atol=atol)
        weights = torch.randn_like(expected)
        torch.testing.assert_close(
            torch.autograd.grad((result * weights).sum(), inputs),
            torch.autograd.grad((expected * weights).sum(), inputs),
            rtol=rtol,
            atol=atol,
        )

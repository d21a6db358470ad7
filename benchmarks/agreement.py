# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a result is right, given eager's and, where there is one, the same in float64.

An element is right if it is within PyTorch's own tolerance for its type of what
eager gives, or of the float64 result. Where it is neither, eager may be as far off (a
sum in bfloat16 with cancellation), so an element is also right if it is as near to the
float64 result as eager: within FACTOR times eager's error and the tolerance. Where terms
cancel, a single element may be exact by chance: eager's error is then what it is at
the worst of those elements that are outside the tolerance in eager's own result.
Integers, booleans, shapes, types and the places of NaN have to be the same.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.testing._comparison import default_tolerances
from torch.utils._pytree import tree_leaves

# How many times eager's own error a result may be away from the float64 result.
FACTOR = 2.0


def disagreement(result: Any, expected: Any, truth: Any = None) -> str | None:
    """What is wrong with `result`, or None; `truth` is `expected` in float64."""
    results, wanted, exact = tree_leaves(result), tree_leaves(expected), tree_leaves(truth)
    if len(results) != len(wanted):
        return f"{len(results)} results, eager gives {len(wanted)}"
    if len(exact) != len(wanted):
        exact = [None] * len(wanted)
    for place, (ours, eager, true) in enumerate(zip(results, wanted, exact, strict=True)):
        difference = _leaf(ours, eager, true)
        if difference is not None:
            return f"result {place}: {difference}"
    return None


def _leaf(ours: Any, eager: Any, true: Any) -> str | None:
    if not isinstance(eager, Tensor) or not isinstance(ours, Tensor):
        same = type(ours) is type(eager)
        if same and isinstance(eager, complex | float | int | str):
            same = ours == eager or (ours != ours and eager != eager)
        return None if same else f"{ours!r}, eager gives {eager!r}"
    for what in ("dtype", "layout", "shape"):
        if getattr(ours, what) != getattr(eager, what):
            return f"{what} {getattr(ours, what)}, eager gives {getattr(eager, what)}"
    ours, eager = _plain(ours), _plain(eager)
    true = _plain(true) if isinstance(true, Tensor) else None
    if not eager.is_floating_point():
        return _describe(ours != eager, ours, eager)
    relative, absolute = default_tolerances(eager.dtype)
    far = ~torch.isclose(ours, eager, rtol=relative, atol=absolute, equal_nan=True)
    if true is not None and true.dtype == torch.float64 and true.shape == eager.shape and far.any():
        far &= ~_near_truth(ours.double(), eager.double(), true, relative, absolute)
    return _describe(far, ours, eager)


def _near_truth(ours: Tensor, eager: Tensor, true: Tensor, relative: float, absolute: float) -> Tensor:
    """Near the truth, or as near as eager where eager itself has to do with it."""
    error = (eager - true).abs()
    tolerance = absolute + relative * true.abs()
    coarse = max(relative, absolute)
    # The largest element stands for the terms of the sums.
    of_terms = error <= coarse * (1 + true.abs().nan_to_num(0, 0).flatten().amax(0))
    meant = of_terms | (error <= coarse**0.5 * (1 + true.abs()))
    cancelled = error[of_terms & (error > tolerance)]
    worst = cancelled.amax() if cancelled.numel() else torch.zeros((), dtype=torch.float64)
    ours_error = (ours - true).abs()
    as_eager = meant & (ours_error <= FACTOR * torch.maximum(error, worst) + tolerance)
    return as_eager | (ours_error <= tolerance)


def _plain(tensor: Tensor) -> Tensor:
    """Without sparsity, quantisation and complex numbers."""
    tensor = tensor.detach()
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor.resolve_neg()


def _describe(wrong: Tensor, ours: Tensor, eager: Tensor) -> str | None:
    count = int(wrong.sum())
    if not count:
        return None
    index = tuple(wrong.nonzero()[0].tolist())
    return (
        f"{count} of {wrong.numel()} elements ({str(ours.dtype).removeprefix('torch.')}), first at "
        f"{list(index)}: {ours[index].item()!r}, eager gives {eager[index].item()!r}"
    )

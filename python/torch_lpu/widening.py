# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of ATen nodes in float64, and how far a value is from them.

A node is evaluated on float64 forms of its operands, with every floating type
among its arguments replaced by float64: so no step rounds to less. Integers
and bools stay what they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node
from torch.fx.node import map_arg
from torch.utils._pytree import tree_map

from . import ops

aten = torch.ops.aten

# Relative tolerance by type; `measure` says of what.
TOLERANCES: dict[torch.dtype, float] = {
    torch.float64: 1e-12,
    torch.float32: 2e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 2e-2,
}

# What is as good as this many times eager's own error is no divergence.
EAGER_FACTOR = 4.0

# Their bits are the point; the values of others are nobody's.
_NARROW = frozenset({aten.view.dtype, aten.view_copy.dtype})
_UNDEFINED = frozenset(
    {aten.empty.memory_format, aten.empty_strided.default, aten.new_empty.default, aten.empty_like.default}
)


# What an op raises of which there is no kernel for float64.
NO_WIDE_FORM = (RuntimeError, NotImplementedError, TypeError)


def is_comparable(node: Node) -> bool:
    """Whether a second evaluation of the node gives the same values."""
    if not isinstance(node.target, OpOverload):
        return callable(node.target)
    random = torch.Tag.nondeterministic_seeded in node.target.tags and not _drops_nothing(node)
    return not random and node.target not in _UNDEFINED


def _drops_nothing(node: Node) -> bool:
    """Attention is random only if it drops something."""
    normalized = node.normalized_arguments(
        torch.fx.GraphModule({}, torch.fx.Graph()), normalize_to_only_use_kwargs=True
    )
    return normalized is not None and normalized.kwargs.get("dropout_p") == 0


def widen(value: Any) -> Any:
    """Floating tensors and types as float64."""

    def one(leaf: Any) -> Any:
        if isinstance(leaf, Tensor):
            return leaf.double() if leaf.is_floating_point() else leaf
        return torch.float64 if isinstance(leaf, torch.dtype) and leaf.is_floating_point else leaf

    return tree_map(one, value)


def narrow(node: Node, value: Any) -> Any:
    """A node's value in float64 as the type that the node has."""
    kinds: Any = node.meta.get("val")

    def one(kind: Any, leaf: Any) -> Any:
        return leaf.to(kind.dtype) if isinstance(kind, Tensor) and isinstance(leaf, Tensor) else leaf

    if isinstance(value, list | tuple):
        return [one(kind, leaf) for kind, leaf in zip(kinds, value, strict=True)]
    return one(kinds, value)


def evaluate(node: Node, lookup: Callable[[Node], Any], wide: bool) -> Any:
    """The node's value on the operands that `lookup` gives: in float64, or as eager computes it."""
    args, kwargs = map_arg((node.args, node.kwargs), lookup)
    target: Any = node.target
    if isinstance(target, OpOverload) and target._schema.is_mutable:
        args, kwargs = tree_map(lambda v: v.clone() if isinstance(v, Tensor) else v, (args, kwargs))
    with torch.no_grad():
        if not wide:
            return target(*args, **kwargs)
        if target in _NARROW:
            raise TypeError(f"{target} reads bits, which are others in float64")
        args, kwargs = widen((args, kwargs))
        if target is ops.product:
            return args[0] @ args[1]
        if target in (aten._softmax.default, aten._log_softmax.default):
            args = (*args[:2], False)  # There is no half to become a float.
        return target(*args, **kwargs)


@dataclass(frozen=True)
class Error:
    """The largest error of a tensor, absolute and in units of the last place of its type."""

    absolute: float
    ulp: float
    within: bool  # Inside the tolerance of its type.

    def is_worse_than(self, eager: Error) -> bool:
        return not self.within and self.absolute > EAGER_FACTOR * eager.absolute


def tolerance_of(value: Any) -> float:
    """The tolerance of a tensor's type; of what is not floating, none."""
    if not isinstance(value, Tensor) or not value.is_floating_point():
        return 0.0
    return TOLERANCES.get(value.dtype, TOLERANCES[torch.bfloat16])


EXACT = Error(0.0, 0.0, True)


def measure(actual: Tensor, reference: Tensor, tolerance: float | None = None) -> Error:
    """The error of a tensor. NaN equals NaN, an overflow equals the infinity of its type.

    Integers and bools have to be equal. Else each element may be off by the
    tolerance of the type times its own size plus the largest size up to one:
    sums cancel.
    """
    if actual.numel() == 0:
        return EXACT
    actual, reference = actual.detach(), reference.detach()
    if not actual.is_floating_point():
        difference = (actual.to(torch.float64) - reference.to(torch.float64)).abs().max().item()
        equal = torch.equal(actual, reference.to(actual.dtype))
        return EXACT if equal else Error(difference, math.inf, False)
    wide, reference = actual.double(), reference.double()
    rounded = reference.to(actual.dtype).double()
    same = (wide == rounded) | (wide.isnan() & rounded.isnan())
    difference = (wide - reference).abs()
    difference[same & ~(wide.isfinite() & reference.isfinite())] = 0
    difference[difference.isnan()] = math.inf
    size = torch.where(reference.isfinite(), reference.abs(), 0)
    if tolerance is None:
        tolerance = tolerance_of(actual)
    bound = tolerance * (size + size.max().clamp(max=1.0))
    return Error(
        difference.max().item(),
        (difference / _unit(size, actual.dtype)).max().item(),
        bool((difference <= bound).all()),
    )


def _unit(size: Tensor, dtype: torch.dtype) -> Tensor:
    """The distance of neighbours of the type, at that size."""
    limits = torch.finfo(dtype)
    exponent = torch.frexp(size.clamp(min=limits.tiny)).exponent - 1
    return torch.ldexp(torch.full_like(size, limits.eps), exponent)

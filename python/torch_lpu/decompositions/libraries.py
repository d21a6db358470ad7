# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of custom operations that exist only once some library is imported.

They are looked up by name for each graph, since a graph that holds one proves
that its library is there, and importing the library for this would cost seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._ops import OpOverload

from .groups import grouped_product, grouped_product_gradients


def _multiply_add(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Dynamo's form of lerp in optimisers; rounded twice, as its own kernel for the host does."""
    return a * b + c


def _loss_of_products(
    input: Tensor,
    weight: Tensor,
    target: Tensor,
    bias: Tensor | None,
    class_weight: Tensor | None,
    dtype: torch.dtype,
    **options: Any,
) -> Tensor:
    """Of all rows at once, without chunks: the compiler cuts what does not fit."""
    logits = F.linear(input.to(dtype), weight.to(dtype), None if bias is None else bias.to(dtype))
    classes = None if class_weight is None else class_weight.to(dtype)
    return F.cross_entropy(logits, target, classes, **options).to(input.dtype)


def _linear_cross_entropy(
    input: Tensor,
    weight: Tensor,
    target: Tensor,
    bias: Tensor | None,
    class_weight: Tensor | None,
    reduction: str,
    ignore_index: int,
    smoothing: float,
    chunk: int,
    policy: str,
    dtype: torch.dtype,
    retain: bool,
    *gradients: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The loss and no gradients, which are empty then; where some are asked the operation stays its own."""
    if any(gradients):
        return NotImplemented
    loss = _loss_of_products(
        input,
        weight,
        target,
        bias,
        class_weight,
        dtype,
        reduction=reduction,
        ignore_index=ignore_index,
        label_smoothing=smoothing,
    )
    return loss, input.new_empty(0, 0), input.new_empty(0, 0), input.new_empty(0)


def _linear_cross_entropy_of_rows(
    input: Tensor,
    weight: Tensor,
    target: Tensor,
    bias: Tensor | None,
    class_weight: Tensor | None,
    ignore_index: int,
    chunk: int,
    policy: str,
    dtype: torch.dtype,
) -> Tensor:
    """A loss for each row."""
    operands = input, weight, target, bias, class_weight
    return _loss_of_products(*operands, dtype, reduction="none", ignore_index=ignore_index)


# Qualified name -> decomposition.
_BY_NAME: dict[str, Callable] = {
    "torch_nn::_linear_cross_entropy_batch_chunked": _linear_cross_entropy,
    "torch_nn::_linear_cross_entropy_batch_chunked_no_reduction": _linear_cross_entropy_of_rows,
    "prims::fma": _multiply_add,
    "transformers::grouped_mm_fallback": grouped_product,
    "transformers::grouped_mm_fallback_backward": grouped_product_gradients,
}


def library_decompositions() -> dict[OpOverload, Callable]:
    """Those whose operations are registered now."""
    found = {}
    for name, decomposition in _BY_NAME.items():
        namespace, operation = name.split("::")
        packet = getattr(getattr(torch.ops, namespace), operation, None)
        if packet is not None:
            found[packet.default] = decomposition
    return found

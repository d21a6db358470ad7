# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of custom operations that exist only once some library is imported.

They are looked up by name for each graph, since a graph that holds one proves
that its library is there, and importing the library for this would cost seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._ops import OpOverload

from .groups import grouped_product, grouped_product_gradients


def _multiply_add(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Dynamo's form of lerp in optimisers; rounded twice, as its own kernel for the host does."""
    return a * b + c


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
    """The loss at once, without chunks: the compiler cuts what does not fit. Gradients stay its own."""
    if any(gradients):
        return NotImplemented
    logits = F.linear(input.to(dtype), weight.to(dtype), None if bias is None else bias.to(dtype))
    classes = None if class_weight is None else class_weight.to(dtype)
    loss = F.cross_entropy(
        logits, target, classes, reduction=reduction, ignore_index=ignore_index, label_smoothing=smoothing
    )
    return loss.to(input.dtype), input.new_empty(0, 0), input.new_empty(0, 0), input.new_empty(0)


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
    rest = (chunk, policy, dtype, False)
    return _linear_cross_entropy(input, weight, target, bias, class_weight, "none", ignore_index, 0.0, *rest)[
        0
    ]


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

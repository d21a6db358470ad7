# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of custom operations that exist only once some library is imported.

They are looked up by name for each graph, since a graph that holds one proves
that its library is there, and importing the library for this would cost seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

from .groups import grouped_product, grouped_product_gradients


def _multiply_add(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Dynamo's form of lerp in optimisers; rounded twice, as its own kernel for the host does."""
    return a * b + c


# Qualified name -> decomposition.
_BY_NAME: dict[str, Callable] = {
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

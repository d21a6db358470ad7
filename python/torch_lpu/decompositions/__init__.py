# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decomposition table that AOTAutograd traces with.

PyTorch's core ATen table, without what should stay whole (`KEPT`), with what
the core table lacks (`ADDED`), and with our own versions of some ops: see
moments.py, corrections.py, products.py and fastpaths.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, get_decompositions

from ..attention import ATTENTION_GRADIENTS
from ..corrections import CORRECTIONS
from ..fastpaths import FASTPATHS
from ..moments import MOMENTS
from ..products import PRODUCTS
from .foreach import FOREACH
from .groups import GROUPS

aten = torch.ops.aten

# Rows written by an index vector stay one op (normalize.py makes it lpu::scatter).
KEPT = (aten.index_copy, aten.index_copy_)

# Kept only where no gradient is asked: the backward pass needs its parts.
KEPT_IN_INFERENCE = (aten._scaled_dot_product_flash_attention_for_cpu,)

# Global decompositions that the core table lacks.
ADDED = (
    aten._adaptive_avg_pool2d,
    aten._batch_norm_with_update_functional,
    aten._native_batch_norm_legit_functional,
    aten.addmv,
    aten.as_strided_copy,
    aten.dist,
    aten.grid_sampler_2d,
    aten.narrow_copy,
    aten.permute_copy,
    aten.squeeze.dims,
    aten.unbind_copy,
    aten.view_copy,
)


@cache
def decomposition_table(inference: bool) -> dict[Any, Callable]:
    """The table for graphs without gradients, or for forward and backward graphs."""
    kept = KEPT + (KEPT_IN_INFERENCE if inference else ())
    table: dict[Any, Callable] = dict(core_aten_decompositions())
    table.update(get_decompositions(ADDED))
    for own in (FOREACH, GROUPS, MOMENTS, CORRECTIONS, PRODUCTS, FASTPATHS, ATTENTION_GRADIENTS):
        table.update(own)
    dropped = {getattr(packet, overload) for packet in kept for overload in packet.overloads()}
    return {op: fn for op, fn in table.items() if op not in dropped}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decomposition table that AOTAutograd traces with.

PyTorch's core ATen table, without what should stay whole (`KEPT`), with what
the core table lacks (`ADDED`), and with our own versions of some ops: beside this
file those that torch-mlir does not lower, above it (moments.py, corrections.py,
products.py, fastpaths.py) those that it lowers otherwise than PyTorch computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, get_decompositions

from ..attention import ATTENTION_GRADIENTS
from ..corrections import CORRECTIONS
from ..fastpaths import FASTPATHS
from ..fitting import with_numbers_that_fit
from ..moments import MOMENTS
from ..products import PRODUCTS
from .accumulation import with_operands_converted
from .bessel import BESSEL
from .convolutions import CONVOLUTIONS
from .creation import CREATION
from .distances import DISTANCES
from .elementwise import ELEMENTWISE
from .error import ERROR_FUNCTIONS
from .foreach import FOREACH
from .gamma import GAMMA
from .gradients import GRADIENTS
from .grid_gradients import GRID_GRADIENTS
from .grids import GRIDS
from .groups import GROUPS
from .indexing import INDEXING
from .integers import INTEGERS
from .order import ORDER
from .orthogonal import ORTHOGONAL
from .pooling import POOLING
from .scalars import SCALARS
from .scans import SCANS
from .segments import SEGMENTS
from .truth import TRUTH

aten = torch.ops.aten

# Rows written by an index vector stay one op (writes.py makes it lpu::scatter); indexing.py has the
# case without dimensions.
KEPT = (aten.index_copy, aten.index_copy_)

# Kept only where no gradient is asked: the backward pass needs its parts.
KEPT_IN_INFERENCE = (aten._scaled_dot_product_flash_attention_for_cpu,)

# Global decompositions that the core table lacks.
ADDED = (
    aten._adaptive_avg_pool2d,
    aten._batch_norm_with_update_functional,
    aten._native_batch_norm_legit.no_stats,
    aten._native_batch_norm_legit_functional,
    aten.addmv,
    aten.as_strided_copy,
    aten.dist,
    aten.narrow_copy,
    aten.permute_copy,
    aten.unbind_copy,
    aten.view_copy,
)


# Later tables win.
OWN = (
    SCALARS,
    BESSEL,
    CONVOLUTIONS,
    CREATION,
    DISTANCES,
    ELEMENTWISE,
    ERROR_FUNCTIONS,
    FOREACH,
    GAMMA,
    GRADIENTS,
    GRIDS,
    GRID_GRADIENTS,
    GROUPS,
    INDEXING,
    INTEGERS,
    ORDER,
    ORTHOGONAL,
    POOLING,
    SCANS,
    SEGMENTS,
    TRUTH,
    MOMENTS,
    CORRECTIONS,
    PRODUCTS,
    FASTPATHS,
    ATTENTION_GRADIENTS,
)


@cache
def decomposition_table(inference: bool) -> dict[Any, Callable]:
    """The table for graphs without gradients, or for forward and backward graphs."""
    table: dict[Any, Callable] = {**core_aten_decompositions(), **get_decompositions(ADDED)}
    _drop(table, KEPT)
    for own in OWN:
        table.update(own)
    if inference:
        _drop(table, KEPT_IN_INFERENCE)
    return with_numbers_that_fit(with_operands_converted(table))


def _drop(table: dict[Any, Callable], packets: Sequence[Any]) -> None:
    for packet in packets:
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)

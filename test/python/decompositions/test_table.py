# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the table of decompositions leaves of composite operations."""

import pytest
import torch
from graphs import targets, trace


@pytest.mark.parametrize(
    "function",
    [
        torch.nn.BatchNorm2d(4).eval(),
        torch.nn.GroupNorm(2, 4),
        torch.nn.LayerNorm([4, 5]),
        lambda x: torch.var_mean(x, [1, 2]),
        lambda x: x.std(),
        lambda x: x.squeeze((0, 1)),
    ],
)
def test_no_float64_and_nothing_composite(function):
    gm = trace(
        function,
        torch.randn(1, 4, 5, 5) if not isinstance(function, torch.nn.LayerNorm) else torch.randn(2, 4, 5),
    ).gm
    dtypes = {node.meta["val"].dtype for node in gm.graph.nodes if hasattr(node.meta.get("val"), "dtype")}
    assert torch.float64 not in dtypes
    names = targets(gm)
    assert not any("norm" in name.replace("native_layer_norm", "") or "var" in name for name in names), names

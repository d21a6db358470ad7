# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes at indices: rows that stay whole, and what is written nowhere."""

import torch
from checks import check
from graphs import targets, trace

from torch_lpu import ops


class TestScatter:
    def test_index_copy_of_rows(self):
        def function(cache, at, row):
            cache.index_copy_(2, at, row)
            return cache.sum()

        cache, row = torch.randn(1, 2, 8, 4), torch.randn(1, 2, 1, 4)
        traced = trace(function, cache, torch.tensor([3]), row)
        (node,) = traced.gm.graph.find_nodes(op="call_function", target=ops.scatter)
        assert node.args[3:] == (2, False)
        assert [(m.result, m.input) for m in traced.mutations] == [(0, 0)]

    def test_index_put_of_rows_wraps_and_broadcasts(self):
        def function(cache, at, row):
            cache[:, :, at] = row

        cache, row = torch.randn(1, 2, 8, 4), torch.randn(4)
        gm = trace(function, cache, torch.tensor([3, -1]), row).gm
        (node,) = gm.graph.find_nodes(op="call_function", target=ops.scatter)
        assert node.args[3:] == (2, True)
        assert tuple(node.args[2].meta["val"].shape) == (1, 2, 2, 4)

    def test_accumulating_and_elementwise_writes_are_not_rows(self):
        def function(x, i, j, v):
            return x.index_put((i,), v, accumulate=True), x.index_put((i, j), v[:, 0])

        i = torch.tensor([0, 2])
        gm = trace(function, torch.randn(4, 3), i, i, torch.randn(2, 3)).gm
        assert "lpu::scatter" not in targets(gm)


def test_writes_at_no_indices():
    x, nowhere, nothing = torch.randn(4, 3), torch.zeros(0, dtype=torch.int64), torch.zeros(0, 3)
    check(lambda x: x.index_put((nowhere,), nothing, accumulate=True), x)
    check(lambda x, at, rows: x.index_add(0, at, rows), x, nowhere, nothing)
    check(lambda x, at, rows: x.scatter_add(0, at.expand(0, 3), rows), x, nowhere.view(0, 1), nothing)
    check(lambda x, at, rows: x.masked_fill(x > 0, 1.0).index_copy(0, at, rows), x, nowhere, nothing)

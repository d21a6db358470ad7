# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of graphs are cut down through everything that speaks of them."""

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torch_lpu.shrinking import MAX_TESTS, shrink_sizes


def attention(x, w):
    batch, length, width = x.shape
    y = (x.reshape(batch * length, width) @ w).view(batch, length, 4, width // 4).transpose(1, 2)
    return (y @ y.mT).softmax(-1)[:, :, :length]


def rows(table, ids):
    return table[ids] + torch.arange(ids.shape[0], dtype=torch.float32).unsqueeze(1)


def grown(x):
    return torch.cat([x, torch.zeros(3, x.shape[1])]).expand(5, -1, -1)


ALWAYS = lambda *_: True  # noqa: E731
CASES = {
    "attention": (attention, (torch.randn(6, 22, 16), torch.randn(16, 16)), [(1, 1, 16), (16, 16)]),
    "rows": (rows, (torch.randn(100, 8), torch.tensor([99, 3, 50, 7])), [(1, 1), (1,)]),
    "grown": (grown, (torch.randn(9, 7),), [(1, 1)]),
}


def trace(function, inputs):
    return make_fx(function)(*inputs)


@pytest.mark.parametrize("name", CASES)
def test_to_the_smallest_that_runs(name):
    function, inputs, expected = CASES[name]
    graph, values = shrink_sizes(trace(function, inputs), inputs, ALWAYS)
    assert [tuple(value.shape) for value in values] == expected
    torch.testing.assert_close(graph(*values), function(*values))


def test_as_far_as_the_test_holds():
    inputs = torch.randn(64, 48), torch.randn(48, 64)
    graph, values = shrink_sizes(
        trace(lambda x, y: (x @ y).relu(), inputs), inputs, lambda _, values: values[0].shape[1] > 10
    )
    assert [tuple(value.shape) for value in values] == [(1, 12), (12, 1)]
    assert graph(*values).shape == (1, 1)


def test_values_and_their_order_in_memory_stay():
    x = torch.randn(8, 6).t()
    _, (small,) = shrink_sizes(trace(torch.relu, (x,)), (x,), lambda _, values: min(values[0].shape) >= 2)
    assert torch.equal(small, x[:2, :2]) and small.stride() == (1, 2)


def test_tests_are_bounded():
    seen = []
    x = torch.randn(*range(2, 15)[:2], *[64] * 2)

    def test(graph, values):
        seen.append(values)
        return sum(value.numel() for value in values) == 0

    assert shrink_sizes(trace(torch.relu, (x,)), (x,), test)[1][0] is x
    assert 0 < len(seen) <= MAX_TESTS

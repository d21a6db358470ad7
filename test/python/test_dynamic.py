# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes: the values of each size, whatever sizes came before."""

import pytest
import torch
from checks import check
from trap import trap

from torch_lpu import specialize


@pytest.mark.parametrize("dynamic", [None, True])
def test_each_size_gets_its_program(dynamic):
    def function(x):
        return (x * x.shape[0]).sum(0) + x.shape[1], x.reshape(-1)

    compiled = torch.compile(
        function, backend="lpu", fullgraph=True, dynamic=dynamic, options={"fallback": "error"}
    )
    for rows in (3, 5, 7, 5, 2):
        x = torch.randn(rows, 4)
        torch.testing.assert_close(compiled(x), function(x))


def test_the_programs_that_were_used_last_are_kept(compilations, monkeypatch):
    monkeypatch.setattr(specialize, "CAPACITY", 2)
    compiled = torch.compile(lambda x: x + x.shape[0], backend="lpu", dynamic=True)
    counts = []
    for rows in (3, 4, 3, 5, 3, 4):
        x = torch.randn(rows)
        torch.testing.assert_close(compiled(x), x + rows)
        counts.append(len(compilations))
    assert counts == [1, 2, 2, 3, 3, 4]  # 5 takes the place of 4.


def window(x, n):
    """What a sliding window does with its length."""
    start = max(n - 3, 0)
    places = torch.arange(4) + start
    return x * n + n, (places <= n) & (2 * n - places > n), n + 1, start


def mixed(x, n):
    return x[: x.shape[0] - 1] * (n + x.shape[0]), n * x.shape[0]


def other_types(x, n):
    return x.to(torch.int16) + n, x.to(torch.bfloat16) * n, x[0] - n, n


@pytest.mark.parametrize("function", [window, mixed, other_types])
def test_a_python_integer_that_changes(function):
    compiled = torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "error"})
    for n in (2, 5, 9, 70_001):
        x = torch.randn(4)
        torch.testing.assert_close(compiled(x, n), function(x, n), rtol=0, atol=0)


def test_an_integer_that_shapes_nothing_is_not_compiled_in(compilations):
    compiled = torch.compile(window, backend="lpu", fullgraph=True, options={"fallback": "error"})
    for n in (5, 9):
        compiled(torch.randn(4), n)
    assert len(compilations) == 2  # Dynamo takes the first value for a constant.
    for n in (10, 11, 70_001, 12):
        x = torch.randn(4)
        expected = window(x, n)
        with trap():
            result = compiled(x, n)
        torch.testing.assert_close(result, expected, rtol=0, atol=0)
    assert len(compilations) == 2


def test_an_integer_is_compiled_in_where_it_is_a_size(compilations):
    def function(x, n):
        return torch.arange(n) + x.sum(), x + n

    compiled = torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "error"})
    for n in (5, 9, 7, 9):
        x = torch.randn(4)
        torch.testing.assert_close(compiled(x, n), function(x, n))
    assert len(compilations) == 3


def test_sizes_and_integers_together(compilations):
    compiled = torch.compile(mixed, backend="lpu", fullgraph=True, options={"fallback": "error"})
    for rows, n in ((3, 2), (4, 3), (5, 4), (5, 8), (4, 9)):
        x = torch.randn(rows)
        torch.testing.assert_close(compiled(x, n), mixed(x, n), rtol=0, atol=0)
    assert len(compilations) == 3


def test_a_changed_input_of_another_size():
    def function(x, y):
        x.add_(y)
        return x.sum()

    compiled = torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "error"})
    for rows in (3, 5, 7):
        x, y = torch.randn(rows, 2), torch.randn(rows, 2)
        expected = x.clone()
        torch.testing.assert_close(compiled(x, y), function(expected, y))
        torch.testing.assert_close(x, expected)


def test_zero_sizes():
    check(lambda x, y: (x @ y, x.sum(), torch.cat([x, x])), torch.randn(0, 3), torch.randn(3, 4))
    check(lambda x, y: (x @ y + 1, x.mean(), x.prod(1), (x > 0).all()), torch.randn(3, 0), torch.randn(0, 4))

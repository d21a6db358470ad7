# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes: the values of each size, whatever sizes came before."""

import pytest
import torch
from checks import check


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


def test_a_python_integer_that_changes():
    def function(x, n):
        return x * n + n

    compiled = torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "error"})
    x = torch.randn(3)
    for n in (2, 5, 9):
        torch.testing.assert_close(compiled(x, n), function(x, n))


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

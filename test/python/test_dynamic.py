# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbolic sizes: the values of each size, whatever sizes came before."""

import pytest
import torch
from checks import check
from torch._dynamo.utils import counters
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


def test_the_overlaps_that_were_seen_last_are_kept(compilations, monkeypatch):
    """A graph that changes an input has a program for each way in which its inputs overlap."""
    monkeypatch.setattr(specialize, "CAPACITY", 2)

    def function(x, y):
        x.mul_(2)
        return x + y

    compiled = torch.compile(function, backend="lpu", options={"fallback": "error"})
    counts = []
    for first in (4, 1, 4, 2, 4, 1):
        ours, theirs = torch.arange(8.0), torch.arange(8.0)
        result = compiled(ours[:4], ours[first : first + 4])
        torch.testing.assert_close(result, function(theirs[:4], theirs[first : first + 4]))
        torch.testing.assert_close(ours, theirs)
        counts.append(len(compilations))
    assert counts == [1, 2, 2, 3, 3, 4]  # 2 takes the place of 1.


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


def attend(x, weight):
    """Batch and sequence are free: scores between all rows of a sequence."""
    rows = torch.tanh(x @ weight)
    scores = torch.softmax(rows @ rows.transpose(1, 2) / x.shape[1], -1)
    return scores @ x


@pytest.fixture
def graphs():
    """How many graphs Dynamo has made since the test began."""
    torch._dynamo.reset()
    counters.clear()
    return lambda: counters["stats"]["unique_graphs"]


@pytest.mark.parametrize("mark", [torch._dynamo.mark_dynamic, torch._dynamo.maybe_mark_dynamic])
def test_marked_sizes_share_a_graph(mark, graphs, compilations):
    compiled = torch.compile(attend, backend="lpu", fullgraph=True, options={"fallback": "error"})
    weight = torch.randn(4, 4)
    sizes = [(2, 3), (2, 5), (3, 5), (7, 2), (2, 5), (3, 5)]
    for batch, length in sizes:
        x = torch.randn(batch, length, 4)
        for dim in (0, 1):
            mark(x, dim)
        torch.testing.assert_close(compiled(x, weight), attend(x, weight))
    assert graphs() == 1
    assert len(compilations) == len(set(sizes))


def test_a_size_seen_before_runs_on_the_machine_alone(graphs):
    compiled = torch.compile(attend, backend="lpu", fullgraph=True, options={"fallback": "error"})
    weight = torch.randn(4, 4)
    for length in (3, 5, 3, 5):
        x = torch.randn(2, length, 4)
        torch._dynamo.mark_dynamic(x, 1)
        expected = attend(x, weight)
        compiled(x, weight)
        with trap():
            result = compiled(x, weight)
        torch.testing.assert_close(result, expected)
    assert graphs() == 1


def test_zero_and_one_are_special_as_in_any_backend(graphs):
    def run(backend, **options):
        torch._dynamo.reset()
        counters.clear()
        compiled = torch.compile(attend, backend=backend, fullgraph=True, **options)
        for length in (4, 1, 3, 0, 1, 0, 6):
            x = torch.linspace(-1, 1, 2 * length * 4).view(2, length, 4)
            torch._dynamo.maybe_mark_dynamic(x, 1)
            torch.testing.assert_close(compiled(x, torch.eye(4)), attend(x, torch.eye(4)))
        return graphs()

    assert run("lpu", options={"fallback": "error"}) == run("aot_eager") == 3


def test_gradients_of_marked_sizes(graphs):
    compiled = torch.compile(attend, backend="lpu", fullgraph=True, options={"fallback": "error"})
    for batch, length in ((2, 3), (2, 6), (5, 3), (2, 3)):
        x = torch.randn(batch, length, 4, requires_grad=True)
        weight = torch.randn(4, 4, requires_grad=True)
        for dim in (0, 1):
            torch._dynamo.mark_dynamic(x, dim)
        result, expected = compiled(x, weight), attend(x, weight)
        torch.testing.assert_close(result, expected)
        factors = torch.randn_like(expected)
        wanted = torch.autograd.grad(expected, (x, weight), factors)
        torch.autograd.grad(result, (x, weight), factors, retain_graph=True)  # Compiles.
        with trap():
            found = torch.autograd.grad(result, (x, weight), factors)
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    assert graphs() == 1


@pytest.mark.parametrize("marked", [False, True])
def test_no_limit_of_dynamo_is_reached(marked, graphs, compilations):
    """More sizes than Dynamo would compile: a graph that it gives up runs in eager, where the trap is."""
    config = torch._dynamo.config.patch(recompile_limit=2, fail_on_recompile_limit_hit=True)
    compiled = torch.compile(lambda x: (x * x.shape[0]).relu(), backend="lpu", options={"fallback": "error"})
    with config:
        for rows in range(2, 14):
            x = torch.randn(rows, 3)
            if marked:
                torch._dynamo.mark_dynamic(x, 0)
            expected = (x * rows).relu()
            compiled(x)
            with trap():
                result = compiled(x)
            torch.testing.assert_close(result, expected)
    assert graphs() == (1 if marked else 2)  # Unmarked, the first size is taken for the only one.
    assert len(compilations) == 12


def test_a_limit_that_is_reached_is_told():
    """Who asks for static sizes gets a graph a size, and hears when Dynamo makes no more."""
    compiled = torch.compile(lambda x: x + 1, backend="lpu", dynamic=False)
    config = torch._dynamo.config.patch(recompile_limit=2, fail_on_recompile_limit_hit=True)
    with config, pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="recompile_limit"):
        for rows in (2, 3, 4, 5):
            compiled(torch.randn(rows))

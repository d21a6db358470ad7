# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What shares memory in eager shares it here: results, and results with inputs."""

import itertools

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given
from torch.utils._pytree import tree_leaves

from torch_lpu.memory import overlapping_pairs, overlaps_itself

M = (3, 4)


def both(view):
    """A value and a view of it."""

    def function(x):
        y = x * 2
        return y, view(y)

    return function


def chain(x):
    y = (x + 1).view(2, 6)
    return y[0].view(2, 3), y.t()[1:], y


def on_the_host(x):
    y = x.double() * 2
    return y, y[0], (x + 1)[0], (x * 3).t()


def changed_input_too(x):
    y = x * 2
    x.add_(y)
    return y[0], y, x[1]


def same_twice(x):
    y = x * 2
    return y, y.detach(), y


# The function, and how many storages are behind its results and its input.
CASES = {
    "row": (both(lambda y: y[0]), 2),
    "transposed": (both(lambda y: y.t()), 2),
    "diagonal": (both(lambda y: y.diagonal()), 2),
    "windows": (both(lambda y: y.unfold(1, 2, 1)), 2),
    "strided": (both(lambda y: y.as_strided((2, 2), (4, 1), 1)), 2),
    "bits": (both(lambda y: y.view(torch.int32)), 2),
    "two views": (lambda x: (lambda y: (y[0], y[1:]))(x * 2), 2),
    "chunks": (lambda x: (x * 2).chunk(2, 1), 2),
    "split": (lambda x: (x * 2).split((1, 2), 0), 2),
    "rows": (lambda x: (x * 2).unbind(), 2),
    "repeated": (lambda x: (x.sum(1, keepdim=True) * 2).expand(3, 5), 2),
    "chain": (chain, 2),
    "same twice": (same_twice, 2),
    "two bases": (lambda x: (both(lambda y: y[0])(x), both(lambda y: y.t())(x + 1)), 3),
    "inputs": (lambda x: (x.t(), x[0], x + 1), 2),
    "only views": (lambda x: (x.t(), x[0].unsqueeze(0)), 1),
    "host": (on_the_host, 4),
    "changed input": (changed_input_too, 2),
}


def layout(values):
    """Number of each tensor's storage, its place there, and its strides."""
    numbers = {}
    return [
        (numbers.setdefault(t.untyped_storage().data_ptr(), len(numbers)), t.storage_offset(), t.stride())
        for t in tree_leaves(values)
    ]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
def test_results_share_memory_as_in_eager(lpu_compile, name, train):
    function, storages = CASES[name]
    if train and name == "changed input":
        pytest.skip("a leaf that wants a gradient is not changed in place")
    ours = torch.randn(M, requires_grad=train)
    theirs = ours.detach().clone().requires_grad_(train)
    result = lpu_compile(function, fallback="allow" if name == "host" else "error")(ours)
    expected = function(theirs)
    torch.testing.assert_close(result, expected)
    found = layout((result, ours))
    assert len({number for number, _, _ in found}) == storages
    # A part of a value of which nothing else is returned has memory of its own: another place in it.
    assert [entry[::2] for entry in found] == [entry[::2] for entry in layout((expected, theirs))]
    if storages == 2 and name not in ("inputs", "changed input") and not train:
        assert found == layout((expected, theirs))
    if train:
        gradients = []
        for values, source in ((result, ours), (expected, theirs)):
            wanted = [v for v in tree_leaves(values) if v.requires_grad]
            gradients.append(torch.autograd.grad([v.sum() for v in wanted], source) if wanted else ())
        torch.testing.assert_close(*gradients)


def test_a_write_through_one_result_shows_in_the_others(lpu_compile):
    whole, row, column = lpu_compile(lambda x: (lambda y: (y, y[0], y[:, 1]))(x * 2))(torch.ones(M))
    row.zero_()
    assert torch.equal(whole[0], torch.zeros(4)) and torch.equal(column, torch.tensor([0.0, 2.0, 2.0]))


def test_nothing_of_it_runs_on_the_host(lpu_compile):
    from trap import trap

    def function(x):
        y = x * 2
        views = y[0], y.t(), y.view(2, 6), y.view(torch.int32), y.unsqueeze(0).squeeze(), y.diagonal()
        return y, *views, y.unfold(1, 2, 1), *y.unbind(), *y.split((1, 2)), y[:, :1].expand(3, 9), x.mT

    compiled = lpu_compile(function)
    x = torch.randn(M)
    compiled(x)
    with trap():
        result = compiled(x)
    torch.testing.assert_close(result, function(x))


@pytest.mark.parametrize(
    "layout",
    [
        lambda: torch.zeros(10).as_strided((4, 3), (2, 1)),
        lambda: torch.zeros(7).as_strided((2, 3), (2, 2)),
    ],
)
def test_a_written_input_that_overlaps_itself(lpu_compile, layout):
    """What eager computes depends on the order in which it writes."""
    x = layout()
    message = (
        r"torch-lpu: x is changed in place, but more than one of its elements refers to a single memory "
        rf"location \(sizes \{list(x.shape)}, strides \{list(x.stride())}\); clone\(\) it before"
    )
    with pytest.raises(Exception, match=message):
        lpu_compile(lambda x: x.add_(1))(x)
    assert torch.equal(lpu_compile(lambda x: x + 1)(x), x + 1)


def test_a_written_input_that_is_expanded_is_an_error_as_in_eager(lpu_compile):
    message = "more than one element of the written-to tensor refers to a single memory location"
    for function in (lambda x: x.add_(1), lpu_compile(lambda x: x.add_(1))):
        with pytest.raises(Exception, match=message):
            function(torch.randn(3, 1).expand(3, 4))


@pytest.mark.parametrize(
    ("sizes", "strides", "overlaps"),
    [
        ((3, 4), (4, 1), False),
        ((3, 4), (1, 3), False),
        ((3, 4), (8, 2), False),
        ((3, 1), (1, 0), False),
        ((0, 4), (0, 0), False),
        ((3, 4), (0, 1), True),
        ((4, 3), (2, 1), True),
        ((3, 2), (2, 3), False),  # Interleaved.
        ((), (), False),
        ((4096, 4095), (4096, 4097), False),  # Too many elements to go through.
        ((4096, 4097), (4096, 4097), False),
        ((4098, 4097), (4096, 4097), True),
        ((1000, 1000, 1000), (1000003, 1009, 1), True),
        ((1000, 1000, 1000), (1000003, 1000, 1), False),
        ((1000, 1000, 1001), (1000003, 1000, 1), True),
    ],
)
def test_overlaps(sizes, strides, overlaps):
    assert overlaps_itself(sizes, strides) == overlaps


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40)), max_size=4))
def test_overlaps_of_any_layout(dimensions):
    """Against all places, one by one."""
    sizes, strides = [size for size, _ in dimensions], [stride for _, stride in dimensions]
    places = [
        sum(index * stride for index, stride in zip(element, strides, strict=True))
        for element in itertools.product(*map(range, sizes))
    ]
    assert overlaps_itself(sizes, strides) == (len(set(places)) < len(places))


def test_which_inputs_overlap():
    memory = torch.zeros(20)
    inputs = [memory[:6], memory[4:8], 3, memory[8:], torch.zeros(2), memory[5:5], memory[4:8]]
    everything = range(len(inputs))
    assert overlapping_pairs(inputs, everything) == {(0, 1), (1, 0), (0, 6), (6, 0), (1, 6), (6, 1)}
    assert overlapping_pairs(inputs, [0, 3]) == {(0, 1), (0, 6)}

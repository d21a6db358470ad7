# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changed inputs: in place, in the right order, whatever else reads or returns them."""

import copy

import pytest
import torch


def insert_row(cache, at, row):
    cache.index_copy_(1, at, row)
    return cache.sum()


def swap(x, y):
    old = x.clone()
    x.copy_(y)
    y.copy_(old)


def old_value_also_returned(cache, row):
    old = cache + 0
    cache[1] = row
    return old


def two_results_for_one_argument(x, y):
    z = y + 1
    x.copy_(z)
    return z


def read_after_write(x, y):
    before = x * 2
    x.add_(y)
    return before + x


def changed_twice(x, y):
    x.add_(y)
    x.mul_(y)
    return x + 1


def returned_and_changed(x):
    x.mul_(2)
    return x


def rotate(x, y, z):
    a, b, c = x.clone(), y.clone(), z.clone()
    x.copy_(b)
    y.copy_(c)
    z.copy_(a)


M = (3, 4)
CASES = [
    (insert_row, lambda: (torch.randn(2, 8, 4), torch.tensor([3]), torch.randn(2, 1, 4))),
    (swap, lambda: (torch.randn(M), torch.randn(M))),
    (old_value_also_returned, lambda: (torch.randn(M), torch.randn(4))),
    (two_results_for_one_argument, lambda: (torch.randn(M), torch.randn(M))),
    (read_after_write, lambda: (torch.randn(M), torch.randn(M))),
    (changed_twice, lambda: (torch.randn(M), torch.randn(M))),
    (returned_and_changed, lambda: (torch.randn(M),)),
    (rotate, lambda: (torch.randn(M), torch.randn(M), torch.randn(M))),
]


@pytest.mark.parametrize(("function", "make"), CASES, ids=[case[0].__name__ for case in CASES])
class TestAliases:
    def check(self, compiled, function, args):
        expected_args, start = copy.deepcopy(args), [arg.data_ptr() for arg in args]
        for _ in range(2):  # The second call sees what the first one changed.
            torch.testing.assert_close(compiled(*args), function(*expected_args))
            torch.testing.assert_close(args, expected_args)
        assert [arg.data_ptr() for arg in args] == start

    def test_contiguous(self, lpu_compile, function, make):
        self.check(lpu_compile(function), function, make())

    def test_transposed_and_strided(self, lpu_compile, function, make):
        args = [arg.mT.contiguous().mT if arg.dim() >= 2 else arg for arg in make()]
        self.check(lpu_compile(function), function, args)
        wide = [arg.repeat_interleave(2, -1)[..., ::2] if arg.is_floating_point() else arg for arg in make()]
        self.check(lpu_compile(function), function, wide)

    def test_in_bfloat16(self, lpu_compile, function, make):
        args = [arg.to(torch.bfloat16) if arg.is_floating_point() else arg for arg in make()]
        self.check(lpu_compile(function), function, args)

    def test_with_a_part_in_eager(self, function, make):
        def split(*args):
            result = function(*args)
            return result, torch.special.i0(args[0])

        self.check(torch.compile(split, backend="lpu", options={"fallback": "allow"}), split, make())


def test_a_changed_input_that_eager_reads_before_and_after():
    def function(cache, x):
        before = torch.special.i0(cache)
        cache[0] = x.sum(0) + 1
        return before + torch.special.i0(cache) * 2

    args = torch.randn(2, 3), torch.randn(4, 3)
    expected_args = copy.deepcopy(args)
    compiled = torch.compile(function, backend="lpu", options={"fallback": "allow"})
    torch.testing.assert_close(compiled(*args), function(*expected_args))
    torch.testing.assert_close(args, expected_args)


def test_a_cache_changed_in_place_inside_a_split_graph():
    """The program between two eager ops changes the cache itself: no copy of it afterwards."""

    def function(cache, x):
        cache[0] = torch.special.i0(x).sum(0) + 1
        return cache.sum() * 2

    args = torch.randn(2, 3), torch.randn(4, 3)
    expected_args = copy.deepcopy(args)
    compiled = torch.compile(function, backend="lpu", options={"fallback": "allow"})
    torch.testing.assert_close(compiled(*args), function(*expected_args))
    torch.testing.assert_close(args, expected_args)


def test_constants_lie_as_in_eager_in_memory_of_their_own(lpu_compile):
    """What is computed of constants, and bytes, which are made of a count."""

    def function():
        ones, bytes_ = torch.ones(3, 4), torch.full((3, 4), 5, dtype=torch.uint8)
        images = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
        return ones.t() + 1, images.exp(), ones, bytes_, bytes_.t() + 1, bytes_.new_ones(()), ones.mT.add_(2)

    results, expected = lpu_compile(function)(), function()
    assert [result.stride() for result in results] == [result.stride() for result in expected]
    for result, other in zip(results, expected, strict=True):
        for tensor in (result, other):
            tensor.view(-1)[:1].mul_(3) if tensor.is_contiguous() else tensor[1].fill_(7)
    assert all(torch.equal(*pair) for pair in zip(results, expected, strict=True))


def test_results_have_eagers_strides(lpu_compile):
    def function(x):
        return (x * 2).t(), (x + 1), x.to(memory_format=torch.channels_last) if x.dim() == 4 else x.sum(0)

    x = torch.randn(3, 4)
    for result, expected in zip(lpu_compile(function)(x), function(x), strict=True):
        assert result.stride() == expected.stride()
        torch.testing.assert_close(result, expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x + 1)[:, ::2],
        lambda x: (x + 1)[:, 1:4],
        lambda x: (x + 1).t()[1:3],
        lambda x: (x + 1).view(2, 2, 6)[:, 1].T,
        lambda x: (x + 1)[:, 1:2].expand(4, 5),
        lambda x: (x + 1)[:2].unfold(1, 3, 1)[:, ::3],
    ],
    ids=["every second", "some columns", "some transposed", "one of each", "repeated", "windows"],
)
@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
def test_results_with_gaps_have_eagers_strides(lpu_compile, function, train):
    x = torch.randn(4, 6, requires_grad=train)
    result, expected = lpu_compile(function)(x), function(x)
    assert result.stride() == expected.stride()
    torch.testing.assert_close(result, expected)


def test_strides_that_step_over_nothing_are_eagers(lpu_compile):
    """In a size of one, and where there are no elements; of bytes none are a program's result."""

    def function(x):
        y = x + 1
        one = y[:1, :1], y.view(2, 2, 6).transpose(0, 2)[..., ::2]
        return *one, y[:0, ::2], y[:, 6::2].t(), (x.to(torch.uint8) + 1)[:0, ::2].t()

    x = torch.randn(4, 6)
    for result, expected in zip(lpu_compile(function)(x), function(x), strict=True):
        assert result.stride() == expected.stride()
        torch.testing.assert_close(result, expected)


def test_sizes_that_change_give_strides_that_change():
    compiled = torch.compile(lambda x: (x * 2)[:, 1:], backend="lpu", dynamic=True)
    for size in (5, 7, 9):
        assert compiled(torch.randn(3, size)).stride() == (size, 1)

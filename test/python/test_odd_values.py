# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at the ends of their types: what eager computes, or nothing at all."""

import pytest
import torch
import torch.nn.functional as F
from checks import check

INFINITE = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 3e38, 1e-40])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 1 / x,
        lambda x: x.reciprocal(),
        lambda x: x**0.5,
        lambda x: x**-0.5,
        F.relu6,
        F.hardtanh,
        lambda x: 1 / (x != 0),
    ],
)
def test_nan_and_infinity(function):
    check(function, INFINITE)


def test_fmod_of_far_apart_values():
    x = torch.tensor([1e10, 7.5, -7.5, 1e30, 16777217.0, 0.3])
    check(torch.fmod, x, torch.tensor([3.0, 2.0, 2.0, 7.0, 3.0, 0.1]))
    check(lambda x: torch.fmod(x, 3), x)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: -x,
        lambda x, y: x // y,
        lambda x, y: x // 2,
        lambda x, y: x // 3,
        lambda x, y: 10 // y,
        lambda x, y: x.div(3, rounding_mode="floor"),
    ],
)
def test_integers_at_the_ends_of_their_range(function, dtype):
    limits = torch.iinfo(dtype)
    x = torch.tensor([limits.max, limits.min + 1, 0, 1, limits.max - 1, limits.max // 2], dtype=dtype)
    y = torch.tensor([7, -7, 3, 2, -3, 5])
    y = (y if limits.min else y.abs()).to(dtype)
    check(function, x, y, fallback="allow")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("function", [lambda x: x * 1e5, lambda x: x * 0.1, lambda x: x / 0.3])
def test_a_number_is_not_rounded_to_half_precision(function, dtype):
    x = torch.randn(160).to(dtype)
    compiled = torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "error"})
    torch.testing.assert_close(compiled(x), function(x), rtol=0, atol=0)


def test_a_view_with_the_signs_still_to_be_changed():
    compiled = torch.compile(lambda x: x * 2, backend="lpu", options={"fallback": "error"})
    compiled(torch.ones(3))
    x = torch._neg_view(torch.tensor([1.0, -2.0, 3.0]))
    assert torch.equal(compiled(x), x * 2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("number", [0.1, 1e300, -1e300, 16777217])
def test_number_that_the_type_does_not_hold(dtype, number):
    x = torch.tensor([0.1, 0.10001, 0.0999, float("nan"), float("inf"), 16777216.0]).to(dtype)
    check(lambda x: (x > number, x >= number, x < number, x <= number, x == number, x != number), x)


def test_integers_compared_with_floats():
    x = torch.tensor([16777217, 16777216, 2, -1])
    check(lambda x: (x > 16777216.5, x == 16777217.0, x >= 1.5, x != 2.0), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_large_bytes_from_floats(dtype):
    check(lambda x: x.to(torch.uint8), torch.tensor([200.7, 255.0, 3.0], dtype=dtype))


def test_a_bound_of_nan():
    x = INFINITE.flip(0).clone()
    check(torch.clamp, x, INFINITE, INFINITE)
    check(lambda x: x.clamp(float("nan"), 1), x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: x.index_put((i,), torch.ones(4), accumulate=True),
        lambda x, i: x.index_put((i, i), torch.ones(3), accumulate=True),
        lambda x, i: x.index_fill(0, i, 3.0),
    ],
)
def test_indices_from_the_end(function):
    check(function, torch.randn(5, 4), torch.tensor([1, -1, -4]))
    for index in (-6, 5, 1 << 40):
        compiled = torch.compile(function, backend="lpu", options={"fallback": "error"})
        with pytest.raises(IndexError, match=r"out of bounds.*test_odd_values\.py:"):
            compiled(torch.randn(5, 4), torch.tensor([1, index, 0]))


def test_index_add_does_not_count_from_the_end():
    def function(x, i):
        return x.index_add(1, i, torch.ones(5, 2), alpha=2)

    check(function, torch.randn(5, 4), torch.tensor([1, 3]))
    compiled = torch.compile(function, backend="lpu", options={"fallback": "error"})
    with pytest.raises(IndexError, match="out of bounds"):
        compiled(torch.randn(5, 4), torch.tensor([1, -1]))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32])
def test_numbers_beyond_an_integer_type(dtype):
    x = torch.tensor([0, 1, 100, 44, torch.iinfo(dtype).max, torch.iinfo(dtype).min], dtype=dtype)
    for number in (-1, 300, 256, 1 << 33):
        check(lambda x, n=number: (x < n, x >= n, x == n, x != n), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_floor_of_a_quotient_that_rounds_up(dtype):
    x = torch.tensor([1.0, 6.0, -1.0, 0.3, -0.3, 5.0, 0.0, float("inf")], dtype=dtype)
    y = torch.tensor([0.1, 0.1, 0.1, 0.1, 7.0, 0.0, -2.0, 2.0], dtype=dtype)
    check(lambda x, y: (x // y, torch.div(x, y, rounding_mode="floor")), x, y)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python numbers that do not fit the type of the tensors beside them: eager's value, or eager's error."""

import math
import warnings

import pytest
import torch
import torch.nn.functional as F
from checks import check

from torch_lpu.fitting import fits, wrapped

aten = torch.ops.aten
INDEX = torch.tensor([0, 2])

CASES = {
    "clamp": lambda x, n: x.clamp(n, 100),
    "clamp_max": lambda x, n: x.clamp(max=n),
    "clamp_min": lambda x, n: torch.clamp_min(x, n),
    "clamp in place": lambda x, n: x.clone().clamp_(max=n),
    "clamp of several": lambda x, n: torch._foreach_clamp_max([x], n)[0],
    "relu6": lambda x, n: F.hardtanh(x, 0, abs(n)),
    "fill": lambda x, n: x.clone().fill_(n),
    "full_like": lambda x, n: torch.full_like(x, n),
    "full": lambda x, n: torch.full((5,), n, dtype=x.dtype) + x,
    "scalar_tensor": lambda x, n: torch.scalar_tensor(n, dtype=x.dtype) + x,
    "where": lambda x, n: torch.where(x > 1, x, n),
    "masked_fill": lambda x, n: x.masked_fill(x > 1, n),
    "index_fill": lambda x, n: x.index_fill(0, INDEX, n),
    "scatter": lambda x, n: x.scatter(0, INDEX, n),
    "pad": lambda x, n: F.pad(x, (1, 1), value=n),
    "threshold": lambda x, n: F.threshold(x, 1, n),
    "threshold at": lambda x, n: F.threshold(x, n, 3),
    "add": lambda x, n: x + n,
    "alpha": lambda x, n: torch.add(x, x, alpha=n),
    "addcmul": lambda x, n: torch.addcmul(x, x, x, value=n),
    "addr": lambda x, n: torch.addr(x.repeat(5, 1), x, x, alpha=n),
    "index_add": lambda x, n: x.index_add(0, INDEX, x[:2], alpha=n),
    "less": lambda x, n: x < n,
    "equal": lambda x, n: x == n,
    "or": lambda x, n: x | n,
    "xor": lambda x, n: x ^ n,
    "shift": lambda x, n: x << n,
    "power": lambda x, n: x ** abs(n),
    "power of": lambda x, n: n**x,
    "searchsorted": lambda x, n: torch.searchsorted(x, n),
}
DIVISIONS = {
    "floor": lambda x, n: x // n,
    "trunc": lambda x, n: torch.div(x, n, rounding_mode="trunc"),
    "exact": lambda x, n: torch.div(x, n, rounding_mode=None),
    "remainder": lambda x, n: x % n,
    "fmod": lambda x, n: torch.fmod(x, n),
}
NUMBERS = {
    torch.uint8: (-1, -255, 257, 70001),
    torch.int8: (-129, 129, 70001),
    torch.int32: (-(2**31) - 1, 2**31 + 1, 2**40 + 3),
}


def outcome(function, x):
    try:
        return function(x)
    except RuntimeError as error:
        return str(error).splitlines()[0]


def same(function, x, number):
    wanted = outcome(lambda x: function(x, number), x)
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda x: function(x, number), backend="lpu", options={"fallback": "allow"}, dynamic=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcome(compiled, x)
    if isinstance(wanted, str):
        assert found == wanted
    else:
        torch.testing.assert_close(found, wanted, equal_nan=True)


def example(dtype):
    largest = torch.iinfo(dtype).max if not dtype.is_floating_point else 100
    return torch.tensor([0, 1, 2, 5, largest], dtype=dtype)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("name", (*CASES, *DIVISIONS))
def test_integers(name, dtype):
    for number in NUMBERS[dtype]:
        same((CASES | DIVISIONS)[name], example(dtype), number)


@pytest.mark.parametrize("number", [2.5, 300.5, -2.5, math.inf])
@pytest.mark.parametrize(
    "name",
    ["clamp", "clamp_max", "fill", "full_like", "full", "scatter", "threshold at", "addcmul", "searchsorted"],
)
def test_fractions_beside_bytes(name, number):
    same(CASES[name], example(torch.uint8), number)


@pytest.mark.parametrize("number", [1e6, -1e6, 1e300, math.inf])
@pytest.mark.parametrize(
    "name", ["clamp", "fill", "full_like", "where", "masked_fill", "pad", "add", "alpha"]
)
def test_half_precision(name, number):
    same(CASES[name], example(torch.float16), number)


@pytest.mark.parametrize("number", [-1e9, 1e6, -1e300])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_a_number_alone_overflows_to_infinity(number, dtype):
    """As in a mask that was written for float32: eager does not check it, so nothing is left to eager."""
    functions = (
        lambda x: torch.where(x > 1, x, number),
        lambda x: torch.softmax(torch.where(x < 3, x, -abs(number)), 0),
        lambda x: x // number,
        lambda x: x.nan_to_num(number),
        lambda x: torch.where(x > 1, torch.scalar_tensor(number, dtype=dtype), x),
    )
    for function in functions:
        check(function, example(dtype))


@pytest.mark.parametrize("number", [-1, -255])
def test_negative_bytes_wrap(number):
    """Nothing is left to eager."""
    names = (
        "clamp",
        "clamp_min",
        "fill",
        "full",
        "where",
        "masked_fill",
        "scatter",
        "threshold",
        "alpha",
        "addcmul",
    )
    for name in names:
        check(lambda x, name=name: CASES[name](x, number), example(torch.uint8))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8], ids=str)
def test_hardtanh_takes_fractions_for_integers(dtype):
    check(lambda x: F.hardtanh(x, -0.5, 2.75), example(dtype))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32], ids=str)
def test_whole_floats_beside_integers(dtype):
    for name in ("addcmul", "fill", "threshold at", "scatter"):
        same(CASES[name], torch.tensor([0, 1, 5], dtype=dtype), 3.0)


def test_what_fits():
    assert fits(255, torch.uint8) and not fits(-1, torch.uint8) and not fits(255.5, torch.uint8)
    assert not fits(math.inf, torch.int32) and not fits(math.nan, torch.int32)
    assert fits(math.inf, torch.float16) and not fits(65505.0, torch.float16)
    assert fits(300, torch.bool) and fits(None, torch.uint8)
    assert wrapped(-1, torch.uint8) == 255 and wrapped(129, torch.int8) == -127
    assert wrapped(2.5, torch.uint8) == 2.5 and wrapped(10**9, torch.float16) == 10**9

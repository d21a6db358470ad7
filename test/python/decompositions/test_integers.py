# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic: all bits count."""

import pytest
import torch
from checks import check
from samples import matrix

from torch_lpu.decompositions.integers import INTEGERS as INTEGER_TABLE

aten = torch.ops.aten

INTEGERS = pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])


def extremes(dtype):
    limits = torch.iinfo(dtype)
    fibonacci = [1, 2]
    while sum(fibonacci[-2:]) <= limits.max:
        fibonacci.append(sum(fibonacci[-2:]))
    odd = [0, 1, 2, 3, limits.max, limits.max - 1, limits.min + 1, limits.min // 2 + 1, 48]
    return torch.tensor(odd + fibonacci[-2:], dtype=dtype)


@INTEGERS
@pytest.mark.parametrize("function", [torch.gcd, torch.lcm, torch.pow])
def test_integers_keep_all_bits(function, dtype):
    values = extremes(dtype)
    check(function, values.unsqueeze(0), values.unsqueeze(1))


def test_integers_to_a_power():
    exponents = torch.tensor([0, 1, 5, 39, 63, -1, -2])
    for base in (3, -1, 1, 0, 7):
        check(lambda e, b=base: torch.pow(b, e), exponents[: 5 if base == 0 else 7])


def test_powers_of_integers():
    x = torch.tensor([0, -1, 3, -7, 2**31 + 5])
    for exponent in (0, 1, 2, 5, 62):
        check(lambda x, e=exponent: x**e, x)
    check(torch.square, matrix() > 0)
    check(lambda x: x**3, (matrix() * 9).to(torch.int8))


ROWS_OF = {torch.tril_indices: aten.tril_indices.default, torch.triu_indices: aten.triu_indices.default}


@pytest.mark.parametrize("offset", [-4, -1, 0, 1, 3, 9])
@pytest.mark.parametrize("function", [torch.tril_indices, torch.triu_indices])
def test_triangles(function, offset):
    for rows, columns in ((5, 3), (3, 5), (4, 4), (0, 3), (3, 0), (1, 1)):
        expected = function(rows, columns, offset)
        assert torch.equal(INTEGER_TABLE[ROWS_OF[function]](rows, columns, offset), expected)
    check(lambda: function(40, 30, offset))


def test_large_triangles():
    for arguments in ((5000, 5000, 0), (3, 300_000, 200_000), (3000, 2000, -50), (3000, 2000, 500)):
        for function, op in ROWS_OF.items():
            assert torch.equal(INTEGER_TABLE[op](*arguments), function(*arguments))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_products_with_byte_weights(dtype):
    weight = torch.arange(-128, 128, dtype=torch.int8).view(16, 16)
    x, scales = matrix(4, 16).to(dtype), torch.arange(1, 17).to(dtype) / 16
    check(aten._weight_int8pack_mm.default, x, weight, scales)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_products_of_bytes_are_of_32_bits(dtype):
    left = torch.arange(32 * 16).view(32, 16).to(dtype)
    right = torch.arange(8 * 16).to(torch.int8).view(8, 16).T
    check(torch._int_mm, left, right)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that torch-mlir lowers otherwise than PyTorch computes."""

import pytest
import torch
from checks import check


def test_clamp_promotes_its_bounds():
    half = torch.tensor([1.0, 2.0], dtype=torch.float16)
    check(lambda x, low: torch.clamp(x, min=low), torch.tensor(1.5), half)
    x, high = torch.tensor([1, 2, 3], dtype=torch.int32), torch.tensor([0, 2**40, 9])
    check(lambda x, high: (torch.clamp(x, max=high), torch.clamp(x, high - 1, high)), x, high)
    check(lambda x, high: torch.clamp(x, max=high), x.to(torch.int8), torch.tensor(456))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.uint8, torch.int64], ids=str)
def test_remainders_of_numbers(dtype):
    x = torch.tensor([1, 2, 5, 100]).to(dtype)
    check(lambda x: (7 % x, -7 % x, 2.5 % x, 7 % x[1]), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32], ids=str)
def test_logarithms_beside_numbers(dtype):
    x = torch.tensor([0, 1, 2, 5]).to(dtype)
    check(lambda x: (torch.xlogy(3, x), torch.xlogy(0, x), torch.xlogy(x, 2.5), torch.xlogy(x, 0)), x)
    check(lambda x: (torch.xlogy(1e6, x + 1), torch.xlogy(x, 1e6)), x)
    check(lambda x: (torch.special.xlog1py(2.5, x), torch.special.xlog1py(x, 3)), x)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.float32], ids=str)
def test_logarithms_beside_numbers_of_another_range(dtype):
    """Of integers too they are taken as floats."""
    x = torch.tensor([0, 1, 5]).to(dtype)
    for number in (-1, 256, 2**31, 1e39):
        check(lambda x, n=number: (torch.xlogy(x, n), torch.xlogy(n, x), torch.special.xlog1py(n, x)), x)


def test_numbers_beyond_float32():
    x = torch.tensor([1.0, 5.0])
    check(lambda x: (1e39 % x, x // 1e39, -1e39 % x), x)


def test_large_numbers_beside_float64():
    x = torch.tensor([1.0, 5.0], dtype=torch.float64)
    compiled = torch.compile(lambda x: torch.xlogy(x, 1e39), backend="lpu", options={"fallback": "allow"})
    torch.testing.assert_close(compiled(x), torch.xlogy(x, 1e39))

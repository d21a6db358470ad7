# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of one byte."""

import pytest
import torch
import torch.nn.functional as F
from checks import check


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_bytes(dtype):
    values = torch.tensor([[0, 1, 100], [127, 5, 7]], dtype=dtype)
    other = torch.tensor([[3, 2, 50], [127, 90, 1]], dtype=dtype)

    def in_place(x, y):
        x.add_(y)
        x[0].mul_(2)
        return x.max()

    check(in_place, values, other)
    check(lambda x, y: x @ y.T, values, other)
    check(lambda x, y: (x.max(), x.min(), x.sum(), x.prod(), x * y, x // y, x / y, x**2, -x), values, other)
    check(lambda x, y: x + y.to(torch.int16), values, other)
    check(lambda x, y: x * y.to(torch.int8), values, other)
    check(lambda x, y: x + y.to(torch.uint8), values, other)
    check(lambda x, y: torch.addbmm(x @ y.T, x.unsqueeze(0), y.T.unsqueeze(0)), values, other)


def test_scalar_tensors_beside_bytes():
    x = torch.tensor([-128, -56, 0, 127], dtype=torch.int8)
    functions = (torch.minimum, torch.maximum, torch.remainder, torch.fmod, torch.floor_divide)
    for dtype in (torch.int8, torch.uint8):
        check(lambda x, y: [function(x, y) for function in functions], x.to(dtype), torch.tensor(456))


def test_bytes_padded_with_a_large_number():
    check(lambda x: F.pad(x, (1, 2), value=200), torch.tensor([1, 0, 255], dtype=torch.uint8))

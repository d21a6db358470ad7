# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What depends on no data: memory without values, functions of constants."""

import math
import warnings

import pytest
import torch
from checks import check
from samples import matrix

from torch_lpu.program import running
from torch_lpu.report import profile


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.int64, torch.uint8])
def test_memory_without_values_is_zeros(dtype):
    x = torch.ones(2, 3, dtype=dtype).t()
    functions = (
        torch.empty_like,
        lambda x: x.new_empty(3, 0),
        lambda x: x.new_empty_strided((2, 2, 2), (1, 4, 2)),
        lambda x: torch.empty_permuted((2, 3, 4), (2, 0, 1), dtype=x.dtype),
        lambda x: torch.empty((), dtype=x.dtype),
    )
    for function in functions:
        compiled = torch.compile(function, backend="lpu", dynamic=False, options={"fallback": "error"})
        with running(dma="late", checks="all"):
            result = compiled(x)
        expected = function(x)
        assert torch.equal(result, torch.zeros_like(expected)) and result.dtype == expected.dtype
        assert result.stride() == expected.stride()


def test_memory_is_not_made_of_an_empty_tensor():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(lambda x: x.new_empty_strided((3, 2, 2), (1, 2, 3)), backend="lpu")
        assert compiled(torch.ones(0, 5)).stride() == (1, 2, 3)


def test_memory_that_is_overwritten_is_not_filled():
    def function(x):
        whole, parts = torch.empty(4, 3), torch.empty(4, 3)
        parts[:2] = x
        parts[2:] = x + 1
        return whole.copy_(parts) * 2

    x = matrix(2, 3)
    check(function, x)
    with profile() as report:
        torch.compile(function, backend="lpu", dynamic=False)(x)
    assert report.hbm_bytes == 3 * 64  # A burst for each part that comes in, one for the result.


def test_functions_of_constants():
    """As eager computes them; the host itself cannot divide the least integer by -1."""
    check(
        lambda x: (
            torch.full((2,), 1.0).trunc() + x,
            torch.full((2,), -7) % torch.full((2,), 3),
            torch.full((2,), -(2**63)) // torch.full((), -1),
            torch.full((2,), 200, dtype=torch.uint8) // torch.full((2,), -1),
            torch.full((2,), math.nan).clamp(0, 1) + torch.full((1,), -0.0).reciprocal(),
        ),
        matrix(1, 2),
    )
    small = torch.iinfo(torch.int32).min
    compiled = torch.compile(lambda: torch.full((2,), small, dtype=torch.int32).fmod(-1), backend="lpu")
    assert compiled().tolist() == [0, 0]


def test_constants_of_numbers_that_tensors_give():
    def function(x):
        filled = torch.full((3,), x.sum().item()) * 2
        return filled, torch.full((3,), (x > 0).sum().item(), dtype=torch.uint8) + 1

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled = torch.compile(function, backend="lpu", options={"fallback": "allow"})
        torch.testing.assert_close(compiled(matrix()), function(matrix()))


def test_a_count_from_a_number_that_a_tensor_gives():
    def function(x):
        return torch.arange((x > 9).sum().item(), 3, dtype=torch.uint8) * 2

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled = torch.compile(function, backend="lpu", options={"fallback": "allow"})
        assert compiled(matrix()).tolist() == [0, 2, 4]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans that are asked for another type."""

import pytest
import torch
from checks import check

from torch_lpu.support import DTYPES

NUMBERS = [dtype for dtype in DTYPES if dtype != torch.bool]


@pytest.mark.parametrize("wanted", NUMBERS, ids=str)
@pytest.mark.parametrize("given", DTYPES, ids=str)
def test_sums_and_products_in_another_type(given, wanted):
    """Some do not fit the type, and wrap."""
    x = torch.tensor([[-3, 119, 64, 7], [90, 2, -1, 1], [5, 81, 77, 3]]).to(given)
    if given.is_floating_point:
        x = x / 8

    def function(x):
        sums = x.sum(dtype=wanted), x.sum(0, dtype=wanted), x.sum((0, 1), keepdim=True, dtype=wanted)
        products = x.prod(dtype=wanted), x.prod(1, dtype=wanted)
        scans = x.cumsum(0, dtype=wanted), x.cumprod(1, dtype=wanted)
        means = (x.mean(dtype=wanted), x.mean(0, dtype=wanted)) if wanted.is_floating_point else ()
        return *sums, *products, *scans, *means

    check(function, x)


@pytest.mark.parametrize("given", DTYPES, ids=str)
def test_products_so_far(given):
    check(lambda x: x.cumprod(0), torch.tensor([[1, 3], [0, 2], [5, 7]]).to(given))

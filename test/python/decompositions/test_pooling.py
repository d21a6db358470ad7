# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling with all its arguments, of floats and of integers."""

import pytest
import torch
import torch.nn.functional as F
from checks import check
from samples import matrix


def test_pooling():
    image = matrix(6, 35).view(2, 3, 5, 7)
    check(lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True), image)
    check(lambda x: F.adaptive_max_pool1d(x, 3), image[0])
    check(lambda x: F.adaptive_max_pool3d(x, 2), matrix(3, 60).view(3, 3, 4, 5))
    check(lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=5), image)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int16, torch.uint8])
@pytest.mark.parametrize(
    ("function", "shape"), [(F.max_pool2d, (2, 3, 7, 6)), (F.max_pool3d, (3, 7, 6, 5))], ids=("2d", "3d")
)
def test_maxima_of_integers(function, shape, dtype):
    x = torch.randint(0, 9, shape, generator=torch.Generator().manual_seed(0)).to(dtype)
    x = x if dtype == torch.uint8 else x - 5
    for options in (
        {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
        {"kernel_size": 2, "dilation": 2},
        {"kernel_size": 3, "padding": 1, "return_indices": True},
    ):
        check(lambda x, o=options: function(x, **o), x)


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
def test_maxima_of_integers_beside_the_windows(dtype):
    """A window that steps over the image."""
    options = {"kernel_size": 2, "stride": 1, "padding": 1, "return_indices": True}
    row = torch.tensor([[[[5, 3, 1]]]], dtype=dtype)
    check(lambda x: F.max_pool2d(x, dilation=2, **options), row)
    image = torch.arange(12, dtype=dtype).view(1, 3, 4).flip(1)
    check(lambda x: F.max_pool2d(x, dilation=(4, 2), **options), image)
    check(lambda x: F.max_pool3d(x, dilation=(3, 2, 2), **options), image.expand(1, 2, 3, 4))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_pooling_of_a_single_image(rank):
    x = torch.randn(2, *[5, 4, 6][:rank])
    average = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[rank - 1]
    largest = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[rank - 1]
    check(lambda x: (average(x, 2), average(x, 3, 1, 1)), x)
    check(lambda x: (largest(x, 2), largest(x, 3, 2, 1, ceil_mode=True)), x)

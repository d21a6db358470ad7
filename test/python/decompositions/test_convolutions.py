# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of integers, and transposed ones of floats."""

import pytest
import torch
import torch.nn.functional as F
from checks import check


@pytest.mark.parametrize("groups", [1, 2])
def test_convolution_of_integers(groups):
    generator = torch.Generator().manual_seed(0)
    image = torch.randint(-9, 9, (2, 4, 3, 4, 5), generator=generator) << 30
    weight = torch.randint(-9, 9, (4, 4 // groups, 2, 3, 2), generator=generator) << 28
    bias = torch.randint(-9, 9, (4,), generator=generator)
    check(
        lambda *a: F.conv3d(*a, stride=(2, 1, 1), padding=(1, 0, 2), dilation=(1, 1, 2), groups=groups),
        image,
        weight,
        bias,
    )
    check(
        lambda *a: F.conv_transpose3d(
            *a,
            stride=(2, 1, 3),
            padding=(1, 0, 2),
            output_padding=(1, 0, 0),
            dilation=(1, 2, 1),
            groups=groups,
        ),
        image,
        weight,
        bias[: 4 // groups].repeat(groups),
    )


def test_convolution_of_no_integers():
    x, weight = torch.zeros(0, 3, 4, 5, 6, dtype=torch.int64), torch.ones(4, 3, 2, 2, 2, dtype=torch.int64)
    check(torch.conv3d, x, weight)


@pytest.mark.parametrize("rank", [1, 3])
def test_transposed_convolution_in_groups(rank):
    function = F.conv_transpose1d if rank == 1 else F.conv_transpose3d
    image, weight = torch.randn(2, 4, *[3, 4, 2][:rank]), torch.randn(4, 3, *[2, 3, 2][:rank])
    check(lambda *a: function(*a, stride=2, output_padding=1, groups=2), image, weight, torch.randn(6))
    check(lambda *a: function(*a, padding=1, groups=4), image, weight)

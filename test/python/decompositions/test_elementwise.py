# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bits of floats, and operations on pairs, at their odd values."""

import pytest
import torch
from checks import check
from samples import INF, NAN, ODD, matrix

from torch_lpu.decompositions.elementwise import ELEMENTWISE

BITS = {
    "view_int": lambda x: x.view(torch.int32) + 1,
    "view_float": lambda x: (x.view(torch.int32) ^ 1).view(torch.float32),
    "signbit": torch.signbit,
    "frexp": torch.frexp,
    "angle": torch.angle,
}


@pytest.mark.parametrize("function", BITS.values(), ids=BITS.keys())
def test_bits(function):
    # The sign and the payload of a NaN are open.
    check(function, ODD[ODD == ODD] if function is not torch.angle else ODD)


def test_bits_of_bfloat16():
    check(lambda x: x.view(torch.int16) & 0x7FFF, ODD[ODD == ODD].bfloat16())


@pytest.mark.parametrize("function", [torch.copysign, torch.hypot, torch.nextafter, torch.fmax, torch.fmin])
def test_pairs(function):
    numbers = ODD[ODD == ODD]
    check(function, ODD.unsqueeze(0), numbers.unsqueeze(1))
    if function is not torch.nextafter:
        check(function, matrix().bfloat16(), matrix(seed=1).bfloat16())


def test_all_neighbours_in_half_precision():
    numbers = torch.arange(-(2**15), 2**15, dtype=torch.int16).view(torch.float16)
    for goal in (INF, -INF, 0.0, 1.5, NAN):
        other = torch.tensor(goal, dtype=torch.float16)
        result, expected = (
            ELEMENTWISE[torch.ops.aten.nextafter.default](numbers, other),
            torch.nextafter(numbers, other),
        )
        assert torch.equal(result.isnan(), expected.isnan())
        known = ~expected.isnan()
        assert torch.equal(result[known].view(torch.int16), expected[known].view(torch.int16))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_neighbours(dtype):
    x = ODD.to(dtype)
    check(torch.nextafter, x.unsqueeze(0), x.unsqueeze(1), tolerances=(0.0, 0.0))


def test_shifts_between_tensors_of_one_type():
    x, by = torch.tensor([-7, 3, 100, 1]), torch.tensor([1, 7, 0, 70])
    check(lambda x, by: (x << by, x >> by), x, by)

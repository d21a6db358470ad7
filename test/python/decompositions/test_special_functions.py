# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions: as exact as eager's, at their odd places too."""

import pytest
import torch
from checks import check
from samples import INF, NAN, matrix

from benchmarks.agreement import disagreement
from torch_lpu.decompositions.bessel import BESSEL
from torch_lpu.decompositions.error import ERROR_FUNCTIONS
from torch_lpu.decompositions.gamma import GAMMA

aten = torch.ops.aten

SPECIAL = {**BESSEL, **ERROR_FUNCTIONS, **GAMMA}
SPECIAL_NAMES = sorted(op.name().removeprefix("aten::") for op in SPECIAL if op is not aten.polygamma.default)
WIDE = torch.cat(
    [
        torch.linspace(-30.3, 30.1, 1501),
        torch.logspace(-8, 4, 300),
        -torch.logspace(-8, 2, 200),
        torch.tensor([0.0, -0.0, 1.0, 2.0, INF, -INF, NAN]),
    ]
)
UNIT = torch.cat([torch.linspace(-1, 1, 801), 1 - torch.logspace(-7, -1, 200), torch.logspace(-30, -1, 200)])


def special(name):
    return next(op for op in SPECIAL if op.name() == f"aten::{name}")


@pytest.mark.parametrize("name", SPECIAL_NAMES)
def test_special_function_is_as_exact_as_eager(name):
    op = special(name)
    x = UNIT if "erfinv" in name or "ndtri" in name else WIDE
    assert disagreement(SPECIAL[op](x), op(x), op(x.double())) is None


@pytest.mark.parametrize("order", range(6))
def test_polygamma_is_as_exact_as_eager(order):
    x = WIDE[(WIDE > 0) | (WIDE != WIDE.floor())]  # Eager's poles are those of a rounded sine.
    result = SPECIAL[aten.polygamma.default](order, x)
    result = torch.digamma(x) if result is NotImplemented else result
    assert disagreement(result, torch.polygamma(order, x), torch.polygamma(order, x.double())) is None


@pytest.mark.parametrize("name", SPECIAL_NAMES)
def test_special_function(name):
    check(
        special(name),
        UNIT[::50] if "erfinv" in name or "ndtri" in name else matrix(),
        tolerances=(1e-4, 2e-5),
    )


@pytest.mark.parametrize("order", [0, 1, 3])
def test_polygamma(order):
    check(lambda x: torch.polygamma(order, x), matrix() + 0.01, tolerances=(1e-4, 1e-4))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64])
def test_special_function_of_other_types(dtype):
    check(torch.lgamma, torch.tensor([1, 2, 5, 40]).to(dtype))
    check(torch.special.i0e, torch.tensor([1, 2, -5, 40]).to(dtype))


def test_trigamma_at_its_poles():
    check(lambda x: torch.polygamma(1, x), torch.tensor([-1, -4, -5, 0, 3], dtype=torch.int16))

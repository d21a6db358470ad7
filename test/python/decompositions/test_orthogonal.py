# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orthogonal polynomials of any degree."""

import pytest
import torch
from checks import check

from torch_lpu.decompositions.orthogonal import ORTHOGONAL

POLYNOMIALS = [op for op in ORTHOGONAL if op._overloadname == "default"]
DEGREES = torch.arange(-2, 25).unsqueeze(1)
AROUND = torch.cat(
    [torch.linspace(-9.02, 9, 60), torch.linspace(-1.1, 1.1, 61), torch.tensor([1.0, -1.0, 0.0])]
)


@pytest.mark.parametrize(
    "op", [op for op in POLYNOMIALS if "laguerre" not in str(op) and "legendre" not in str(op)]
)
def test_polynomials_of_any_degree(op):
    degree = DEGREES.to(torch.float32)
    result = ORTHOGONAL[op](AROUND, degree)
    expected, truth = op(AROUND, degree), op(AROUND.double(), degree.double())
    # Where terms cancel or angles are large eager is as far off: what its error is at its worst, in parts.
    scale = truth.abs().clamp(min=1)
    error, of_eager = (result - truth).abs() / scale, (expected - truth).abs() / scale
    finite = truth.abs() < 1e38
    assert error[finite].max() <= 4 * of_eager[finite].max() < 1e-2
    large = torch.tensor([40, 1000, 3_000_000])
    inside = torch.tensor([0.0, 0.3, 1.0])
    result, expected = (f(inside, large[:2, None]) for f in (ORTHOGONAL[op], op))
    assert torch.allclose(result, expected, 1e-3, 1e-3, equal_nan=True)
    if "hermite" not in str(op):
        assert ORTHOGONAL[op](torch.tensor([1.5]), large).isinf().tolist() == [False, True, True]


@pytest.mark.parametrize("op", POLYNOMIALS)
def test_polynomials_of_a_number(op):
    by_number = getattr(op.overloadpacket, "n_scalar")
    for number in (-1, 0, 1, 2, 7):
        check(lambda x, n=number: by_number(x, n), AROUND[AROUND.abs() <= 1], tolerances=(2e-5, 2e-3))


@pytest.mark.parametrize(
    "name", ["chebyshev_polynomial_u", "hermite_polynomial_he", "shifted_chebyshev_polynomial_v"]
)
def test_polynomials_of_a_tensor(name):
    op = getattr(torch.ops.aten, f"special_{name}").default
    x = torch.tensor([-1.0, -0.7, 0.0, 0.3, 1.0, 2.5])
    check(op, x, torch.tensor([[0.0], [3.0], [12.0]]), tolerances=(1e-4, 1e-4))


def test_polynomials_at_an_integer():
    degree = torch.arange(0.0, 40.0, 4.0)
    check(
        lambda n: (torch.special.hermite_polynomial_h(2, n), torch.special.chebyshev_polynomial_t(2, n)),
        degree,
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The complementary error function and the inverses of error and normal distribution, for float32."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

from .polynomials import horner, in_float32

aten = torch.ops.aten

# W. H. Press et al., Numerical Recipes, erfcc: erfc(x) = t exp(-x^2 + P(t)), t = 1 / (1 + x / 2).
_ERFC = (
    0.17087277,
    -0.82215223,
    1.48851587,
    -1.13520398,
    0.27886807,
    -0.18628806,
    0.09678418,
    0.37409196,
    1.00002368,
    -1.26551223,
)
_HIGH_BITS = ~0xFFF


def _split_square(x: Tensor) -> tuple[Tensor, Tensor]:
    """x^2 as an exact square and a small rest: exp of a rounded square would lose digits."""
    high = (x.view(torch.int32) & _HIGH_BITS).view(torch.float32)
    return high * high, (x - high) * (x + high)


def _exponent_of_positive(x: Tensor) -> tuple[Tensor, Tensor]:
    """t and P(t)."""
    t = 1 / (1 + 0.5 * x)
    return t, horner(t, _ERFC)


def _erfc(x: Tensor) -> Tensor:
    size = x.abs().clamp(max=20.0)  # It is 0 long before.
    t, exponent = _exponent_of_positive(size)
    square, rest = _split_square(size)
    tail = t * torch.exp(-square) * torch.exp(exponent - rest)
    near = 1 - torch.erf(x)
    result = torch.where(x < 0.5, near, tail)
    return torch.where(x != x, x, result)


def _erfcx(x: Tensor) -> Tensor:
    """exp(x^2) erfc(x)."""
    size = x.abs()
    t, exponent = _exponent_of_positive(size.clamp(max=50.0))
    tail = t * torch.exp(exponent)
    square = size * size
    far = 0.5641895835477563 * (square * (square + 4.5) + 2) / (size * (square * (square + 5) + 3.75))
    far = torch.where(size > 1e4, 0.5641895835477563 / size, far)
    high, rest = _split_square(size.clamp(max=20.0))
    growth = torch.exp(high) * torch.exp(rest)
    near = growth * (1 - torch.erf(size))
    positive = torch.where(size > 10, far, torch.where(size < 0.5, near, tail))
    negative = 2 * growth - positive
    result = torch.where(x < 0, negative, positive)
    return torch.where(x != x, x, result)


def _erf_slope(x: Tensor) -> Tensor:
    return 2 / math.sqrt(math.pi) * torch.exp(-x * x)


def _erfinv(y: Tensor) -> Tensor:
    """A rational approximation and two steps of Newton's method; towards 1 on what is missing to it."""
    z = y * y
    central = y * horner(z, (-0.140543331, 0.914624893, -1.645349621, 0.886226899))
    central = central / horner(z, (0.012229801, -0.329097515, 1.442710462, -2.118377725, 1.0))
    z = torch.sqrt(-torch.log((1 - y.abs()) / 2))
    outer = horner(z, (1.641345311, 3.429567803, -1.624906493, -1.970840454))
    outer = outer / horner(z, (1.637067800, 3.543889200, 1.0))
    for _ in range(2):
        central = central - (torch.erf(central) - y) / _erf_slope(central)
        outer = outer + (_erfc(outer) - (1 - y.abs())) / _erf_slope(outer)
    x = torch.where(y.abs() <= 0.7, central, torch.where(y < 0, -outer, outer))
    x = torch.where(y.abs() == 1, torch.where(y > 0, math.inf, -math.inf), x)
    return torch.where(y.abs() > 1, math.nan, x)


# Cephes' ndtri: near the middle, and for sqrt(-2 log y) below and above 8.
_P0 = (
    -59.9633501014107895,
    98.0010754185999661,
    -56.6762857469070293,
    13.9312609387279680,
    -1.23916583867381258,
)
_Q0 = (
    1.0,
    1.95448858338141760,
    4.67627912898881538,
    86.3602421390890591,
    -225.462687854119371,
    200.260212380060660,
    -82.0372256168333340,
    15.9056225126211695,
    -1.18331621121330003,
)
_P1 = (
    4.05544892305962420,
    31.5251094599893867,
    57.1628192246421288,
    44.0805073893200835,
    14.6849561928858024,
    2.18663306850790268,
    -0.140256079171354496,
    -3.50424626827848203e-2,
    -8.57456785154685413e-4,
)
_Q1 = (
    1.0,
    15.7799883256466750,
    45.3907635128879211,
    41.3172038254672030,
    15.0425385692907503,
    2.50464946208309416,
    -0.142182922854787789,
    -3.80806407691578277e-2,
    -9.33259480895457427e-4,
)
_P2 = (
    3.23774891776946036,
    6.91522889068984212,
    3.93881025292474443,
    1.33303460815807542,
    0.201485389549179082,
    1.23716634817820021e-2,
    3.01581553508235416e-4,
    2.65806974686737551e-6,
    6.23974539184983293e-9,
)
_Q2 = (
    1.0,
    6.02427039364742014,
    3.67983563856160859,
    1.37702099489081330,
    0.216236993594496636,
    1.34204006088543189e-2,
    3.28014464682127739e-4,
    2.89247864745380684e-6,
    6.79019408009981274e-9,
)
_EXP_OF_MINUS_TWO = 0.13533528323661269189


def _ndtri(y0: Tensor) -> Tensor:
    upper = y0 > 1 - _EXP_OF_MINUS_TWO
    y = torch.where(upper, 1 - y0, y0)
    centred = y - 0.5
    square = centred * centred
    middle = centred + centred * (square * horner(square, _P0) / horner(square, _Q0))
    middle = middle * math.sqrt(2 * math.pi)
    x = torch.sqrt(-2 * torch.log(y))
    z = 1 / x
    below = horner(z, _P1) / horner(z, _Q1)
    above = horner(z, _P2) / horner(z, _Q2)
    tail = x - torch.log(x) / x - z * torch.where(x < 8, below, above)
    tail = torch.where(upper, tail, -tail)
    result = torch.where(y > _EXP_OF_MINUS_TWO, middle, tail)
    result = torch.where(y0 == 0, -math.inf, torch.where(y0 == 1, math.inf, result))
    return torch.where((y0 < 0) | (y0 > 1), math.nan, result)


ERROR_FUNCTIONS: dict[OpOverload, Callable] = {
    aten.erfc.default: in_float32(_erfc),
    aten.erfinv.default: in_float32(_erfinv),
    aten.special_erfcx.default: in_float32(_erfcx),
    aten.special_ndtri.default: in_float32(_ndtri),
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bessel's functions and Airy's, for float32.

As in Cephes, each has an approximation near zero and one, an oscillation or an
exponential with a slowly changing factor, far from it. Both are computed and one is
selected; where the other one has no value it is computed at a harmless place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch._ops import OpOverload

from . import bessel_tables as tables
from .polynomials import Function, chebyshev, horner, in_float32

aten = torch.ops.aten

_FROM = 5.0  # Where the oscillating forms begin.
_ROOT_TWO_OVER_PI = 0.797884560802865355879892119868763737


def _oscillation(x: Tensor, rows: Sequence[Sequence[float]], phase: float, second_kind: bool) -> Tensor:
    """sqrt(2 / pi x) (P cos(x - phase) - Q sin(x - phase)), or with sin and cos for the second kind."""
    ratio = _FROM / x
    square = ratio * ratio
    p = horner(square, rows[0]) / horner(square, rows[1])
    q = ratio * (horner(square, rows[2]) / horner(square, rows[3]))
    sine, cosine = torch.sin(x - phase), torch.cos(x - phase)
    wave = p * sine + q * cosine if second_kind else p * cosine - q * sine
    return wave * _ROOT_TWO_OVER_PI / torch.sqrt(x)


_ORDER_0 = (tables.J0_PP, tables.J0_PQ, tables.J0_QP, tables.J0_QQ)
_ORDER_1 = (tables.J1_PP, tables.J1_PQ, tables.J1_QP, tables.J1_QQ)
_PHASE_0, _PHASE_1 = math.pi / 4, 3 * math.pi / 4


def _j0_near(x: Tensor) -> Tensor:
    square = x * x
    zeros = (square - 5.78318596294678452118) * (square - 30.4712623436620863991)
    near = zeros * horner(square, tables.J0_RP) / horner(square, tables.J0_RQ)
    return torch.where(x < 1e-5, 1 - square / 4, near)


def _j0(x: Tensor) -> Tensor:
    size = x.abs()
    near = _j0_near(size.clamp(max=_FROM))
    far = _oscillation(size.clamp(min=_FROM), _ORDER_0, _PHASE_0, second_kind=False)
    return torch.where(size <= _FROM, near, far)


def _j1_near(x: Tensor) -> Tensor:
    square = x * x
    zeros = (square - 14.6819706421238932572) * (square - 49.2184563216946036703)
    return horner(square, tables.J1_RP) / horner(square, tables.J1_RQ) * x * zeros


def _j1(x: Tensor) -> Tensor:
    size = x.abs()
    near = _j1_near(size.clamp(max=_FROM))
    far = _oscillation(size.clamp(min=_FROM), _ORDER_1, _PHASE_1, second_kind=False)
    result = torch.where(size <= _FROM, near, far)
    return torch.where(x < 0, -result, result)


def _second_kind(near: Function, rows: Sequence[Sequence[float]], phase: float) -> Function:
    def compute(x: Tensor) -> Tensor:
        inner = torch.where((x > 0) & (x <= _FROM), x, torch.full_like(x, 1.0))
        far = _oscillation(x.clamp(min=_FROM), rows, phase, second_kind=True)
        result = torch.where(x <= _FROM, near(inner), far)
        result = torch.where(x == 0, -math.inf, result)
        return torch.where(x < 0, math.nan, result)

    return compute


def _y0_near(x: Tensor) -> Tensor:
    square = x * x
    regular = horner(square, tables.Y0_YP) / horner(square, tables.Y0_YQ)
    return regular + 2 / math.pi * torch.log(x) * _j0_near(x)


def _y1_near(x: Tensor) -> Tensor:
    square = x * x
    regular = x * (horner(square, tables.Y1_YP) / horner(square, tables.Y1_YQ))
    return regular + 2 / math.pi * (_j1_near(x) * torch.log(x) - 1 / x)


def _spherical_j0(x: Tensor) -> Tensor:
    square = x * x
    series = horner(square, [(-1.0) ** k / math.factorial(2 * k + 1) for k in range(6, -1, -1)])
    result = torch.where(x.abs() < 0.5, series, torch.sin(x) / x)
    return torch.where(torch.isinf(x), torch.zeros_like(x), result)


def _scaled_i0(size: Tensor) -> Tensor:
    """exp(-x) I0(x) for x >= 0."""
    near = chebyshev(size / 2 - 2, tables.I0_NEAR)
    outer = size.clamp(min=8.0)
    far = chebyshev(32 / outer - 2, tables.I0_FAR) / torch.sqrt(outer)
    return torch.where(size <= 8, near, far)


def _scaled_i1(size: Tensor) -> Tensor:
    """exp(-x) I1(x) for x >= 0."""
    near = chebyshev(size / 2 - 2, tables.I1_NEAR) * size
    outer = size.clamp(min=8.0)
    far = chebyshev(32 / outer - 2, tables.I1_FAR) / torch.sqrt(outer)
    return torch.where(size <= 8, near, far)


def _i0(x: Tensor) -> Tensor:
    return torch.exp(x.abs()) * _scaled_i0(x.abs())


def _i0e(x: Tensor) -> Tensor:
    return _scaled_i0(x.abs())


def _odd(positive: Tensor, x: Tensor) -> Tensor:
    return torch.where(x < 0, -positive, positive)


def _i1(x: Tensor) -> Tensor:
    return _odd(torch.exp(x.abs()) * _scaled_i1(x.abs()), x)


def _i1e(x: Tensor) -> Tensor:
    return _odd(_scaled_i1(x.abs()), x)


def _k0_near(x: Tensor) -> Tensor:
    return chebyshev(x * x - 2, tables.K0_NEAR) - torch.log(0.5 * x) * _i0(x)


def _k1_near(x: Tensor) -> Tensor:
    return torch.log(0.5 * x) * _i1(x) + chebyshev(x * x - 2, tables.K1_NEAR) / x


def _modified_second_kind(near: Function, coefficients: Sequence[float], scaled: bool) -> Function:
    def compute(x: Tensor) -> Tensor:
        inner = torch.where((x > 0) & (x <= 2), x, torch.full_like(x, 1.0))
        close, outer = near(inner), x.clamp(min=2.0)
        if scaled:
            close = close * torch.exp(inner)
        far = chebyshev(8 / outer - 2, coefficients) / torch.sqrt(outer)
        result = torch.where(x <= 2, close, far if scaled else torch.exp(-outer) * far)
        result = torch.where(x == 0, math.inf, result)
        return torch.where(x < 0, math.nan, result)

    return compute


_AIRY_SERIES_TERMS = 12


def _airy_near(x: Tensor) -> Tensor:
    """The two power series, for -2.09 <= x <= 2.09."""
    cube = x * x * x
    m, n = torch.ones_like(x), x
    f, g = torch.ones_like(x), x
    for k in range(_AIRY_SERIES_TERMS):
        m = m * cube / ((3 * k + 2) * (3 * k + 3))
        n = n * cube / ((3 * k + 3) * (3 * k + 4))
        f, g = f + m, g + n
    return 0.355028053887817239260 * f - 0.258819403792806798405 * g


def _airy(x: Tensor) -> Tensor:
    edge = 2.09
    near = _airy_near(x.clamp(-edge, edge))
    # To the left it oscillates.
    left = torch.where(x < -edge, x, torch.full_like(x, -edge))
    root = torch.sqrt(-left)
    t = -2.0 * left * root / 3
    z = 1 / t
    square = z * z
    f = 1 + square * horner(square, tables.AIRY_AFN) / horner(square, tables.AIRY_AFD)
    g = z * (horner(square, tables.AIRY_AGN) / horner(square, tables.AIRY_AGD))
    t = t + math.pi / 4
    wave = 1 / math.sqrt(math.pi) / torch.sqrt(root) * (torch.sin(t) * f - torch.cos(t) * g)
    # To the right it decays.
    right = x.clamp(min=edge)
    root = torch.sqrt(right)
    zeta = 2.0 * right * root / 3
    factor = horner(1 / zeta, tables.AIRY_AN) / horner(1 / zeta, tables.AIRY_AD)
    decay = 1 / math.sqrt(math.pi) * factor / (2 * torch.sqrt(root) * torch.exp(zeta))
    result = torch.where(x < -edge, wave, torch.where(x >= edge, decay, near))
    result = torch.where(x > 103.892, torch.zeros_like(x), result)
    return torch.where(torch.isinf(x), math.nan, result)


def _or_nan(function: Function) -> Function:
    """NaN comes out of a selection by comparisons as something else."""

    def compute(x: Tensor) -> Tensor:
        return torch.where(x != x, x, function(x))

    return in_float32(compute)


BESSEL: dict[OpOverload, Callable] = {
    aten.i0.default: _or_nan(_i0),
    aten.special_airy_ai.default: _or_nan(_airy),
    aten.special_bessel_j0.default: _or_nan(_j0),
    aten.special_bessel_j1.default: _or_nan(_j1),
    aten.special_bessel_y0.default: _or_nan(_second_kind(_y0_near, _ORDER_0, _PHASE_0)),
    aten.special_bessel_y1.default: _or_nan(_second_kind(_y1_near, _ORDER_1, _PHASE_1)),
    aten.special_i0e.default: _or_nan(_i0e),
    aten.special_i1.default: _or_nan(_i1),
    aten.special_i1e.default: _or_nan(_i1e),
    aten.special_modified_bessel_i0.default: _or_nan(_i0),
    aten.special_modified_bessel_i1.default: _or_nan(_i1),
    aten.special_modified_bessel_k0.default: _or_nan(_modified_second_kind(_k0_near, tables.K0_FAR, False)),
    aten.special_modified_bessel_k1.default: _or_nan(_modified_second_kind(_k1_near, tables.K1_FAR, False)),
    aten.special_scaled_modified_bessel_k0.default: _or_nan(
        _modified_second_kind(_k0_near, tables.K0_FAR, True)
    ),
    aten.special_scaled_modified_bessel_k1.default: _or_nan(
        _modified_second_kind(_k1_near, tables.K1_FAR, True)
    ),
    aten.special_spherical_bessel_j0.default: _or_nan(_spherical_j0),
}

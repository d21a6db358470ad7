# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orthogonal polynomials, whose degree is a value of the program.

Degrees up to SMALL are recurrences whose steps are left out where the degree is reached. Chebyshev
polynomials of higher ones are trigonometric between -1 and 1, as in eager; outside, T(n) and U(n - 1)
follow from the bits of n by the formulas for 2n and n + 1, whose terms are all positive. Hermite
polynomials have no number from degree HERMITE_LIMIT on in eager, so their recurrence ends there.
Legendre's and Laguerre's have no bound: they are taken where the degree is a number of the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten

# Up to this degree eager takes the recurrence as well (or two less).
SMALL = 8

# Above this degree eager gives no number.
HERMITE_LIMIT = 128

# T(n) of the least number above 1 is infinite at this many bits of n.
_BITS = 20

# (k, x, p(k), p(k - 1)) -> p(k + 1).
Step = Callable[[int, Tensor, Tensor, Tensor], Tensor]


def _polynomial(op: Any, function: Callable[[Tensor, Tensor, Any], Tensor]) -> dict[OpOverload, Callable]:
    """The overloads of the op; `function` takes x in float32, the degree, and it as a number if it is one."""

    def decompose(x: Any, n: Any) -> Tensor:
        dtype = torch.result_type(x, n)
        if dtype in (torch.float64, torch.float16, torch.bfloat16) or dtype.is_complex:
            return NotImplemented
        like = x if isinstance(x, Tensor) else n
        wide = torch.as_tensor(x, dtype=torch.float32, device=like.device)
        degree = n.to(torch.int64) if isinstance(n, Tensor) else torch.full((), int(n), device=like.device)
        wide, degree = torch.broadcast_tensors(wide, degree)
        return function(wide, degree, None if isinstance(n, Tensor) else int(n))

    return {getattr(op, overload): decompose for overload in ("default", "n_scalar", "x_scalar")}


def _recur(x: Tensor, degree: Tensor, first: Tensor, step: Step, limit: int) -> Tensor:
    """The polynomial of degrees 0..limit, beyond as of `limit`; zero below."""
    before, last = torch.ones_like(x), first
    for k in range(1, limit):
        following = step(k, x, last, before)
        goes_on = degree > k
        before, last = torch.where(goes_on, last, before), torch.where(goes_on, following, last)
    one, zero = torch.ones_like(x), torch.zeros_like(x)
    return torch.where(degree < 0, zero, torch.where(degree == 0, one, last))


def _chebyshev_step(k: int, x: Tensor, last: Tensor, before: Tensor) -> Tensor:
    return (x + x) * last - before


def _outside(size: Tensor, degree: Tensor) -> tuple[Tensor, Tensor]:
    """(T(n), U(n - 1)) of numbers from 1 on."""
    t, u = torch.ones_like(size), torch.zeros_like(size)
    square = (size - 1) * (size + 1)
    bits = degree.clamp(min=0, max=(1 << _BITS) - 1)
    for bit in reversed(range(_BITS)):
        t, u = 2 * t * t - 1, 2 * t * u
        odd = ((bits >> bit) & 1) != 0
        t, u = torch.where(odd, size * t + square * u, t), torch.where(odd, size * u + t, u)
    at_one = size == 1
    return torch.where(at_one, torch.ones_like(t), t), torch.where(at_one, degree.to(u.dtype), u)


def _chebyshev(kind: str, shifted: bool) -> Callable[[Tensor, Tensor, Any], Tensor]:
    def inside(x: Tensor, n: Tensor, odd: Tensor) -> Tensor:
        """With the limits of the quotients where the angle is as good as 0 or pi."""
        angle = torch.acos(x)
        half = angle / 2
        if kind == "t":
            return torch.cos(n * angle)
        if kind == "u":
            sine, turns = torch.sin(angle), (n + 1) * angle
            return torch.where(sine != 0, torch.sin(turns) / sine, (n + 1) * torch.cos(turns) / x)
        limit = torch.where((x < 0) & odd, -(n + n + 1), n + n + 1)
        if kind == "v":
            return torch.where(torch.sin(half) != 1, torch.cos((n + 0.5) * angle) / torch.cos(half), limit)
        return torch.where(torch.cos(half) != 1, torch.sin((n + 0.5) * angle) / torch.sin(half), limit)

    def outside(x: Tensor, degree: Tensor, odd: Tensor) -> Tensor:
        """The sign of x to the power of n, times the polynomial of its size; V and W mirror each other."""
        size, negative = x.abs(), x < 0
        t, u = _outside(size, degree)
        v, w = t + (size - 1) * u, t + (size + 1) * u
        result = {
            "t": t,
            "u": size * u + t,
            "v": torch.where(negative, w, v),
            "w": torch.where(negative, v, w),
        }[kind]
        return torch.where(negative & odd, -result, result)

    def compute(x: Tensor, degree: Tensor, number: int | None) -> Tensor:
        if shifted:
            x = x + x - 1
        first = {"t": x, "u": x + x, "v": x + x - 1, "w": x + x + 1}[kind]
        small = _recur(x, degree, first, _chebyshev_step, SMALL)
        if number is not None and number <= SMALL:
            return small
        odd = (degree & 1) != 0
        large = torch.where(x.abs() < 1, inside(x, degree.to(x.dtype), odd), outside(x, degree, odd))
        return torch.where(degree > SMALL, large, small)

    return compute


def _hermite(factor: int) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """Of the physicists (2) or the probabilists (1)."""

    def step(k: int, x: Tensor, last: Tensor, before: Tensor) -> Tensor:
        return factor * x * last - factor * k * before

    def compute(x: Tensor, degree: Tensor, number: int | None) -> Tensor:
        limit = HERMITE_LIMIT if number is None else min(max(number, 1), HERMITE_LIMIT)
        result = _recur(x, degree, factor * x, step, limit)
        return torch.where(degree > HERMITE_LIMIT, math.nan, result)

    return compute


def _of_number(step: Step, first: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """The recurrence as long as the degree says, which has to be a number of the graph."""

    def compute(x: Tensor, degree: Tensor, number: int | None) -> Tensor:
        if number is None or number > HERMITE_LIMIT:
            return NotImplemented
        return _recur(x, degree, first(x), step, max(number, 1))

    return compute


def _legendre_step(k: int, x: Tensor, last: Tensor, before: Tensor) -> Tensor:
    return ((2 * k + 1) * x * last - k * before) / (k + 1)


def _laguerre_step(k: int, x: Tensor, last: Tensor, before: Tensor) -> Tensor:
    return ((2 * k + (1 - x)) * last - k * before) / (k + 1)


ORTHOGONAL: dict[OpOverload, Callable] = {
    **_polynomial(aten.special_chebyshev_polynomial_t, _chebyshev("t", False)),
    **_polynomial(aten.special_chebyshev_polynomial_u, _chebyshev("u", False)),
    **_polynomial(aten.special_chebyshev_polynomial_v, _chebyshev("v", False)),
    **_polynomial(aten.special_chebyshev_polynomial_w, _chebyshev("w", False)),
    **_polynomial(aten.special_hermite_polynomial_h, _hermite(2)),
    **_polynomial(aten.special_hermite_polynomial_he, _hermite(1)),
    **_polynomial(aten.special_laguerre_polynomial_l, _of_number(_laguerre_step, lambda x: 1 - x)),
    **_polynomial(aten.special_legendre_polynomial_p, _of_number(_legendre_step, lambda x: x)),
    **_polynomial(aten.special_shifted_chebyshev_polynomial_t, _chebyshev("t", True)),
    **_polynomial(aten.special_shifted_chebyshev_polynomial_u, _chebyshev("u", True)),
    **_polynomial(aten.special_shifted_chebyshev_polynomial_v, _chebyshev("v", True)),
    **_polynomial(aten.special_shifted_chebyshev_polynomial_w, _chebyshev("w", True)),
}

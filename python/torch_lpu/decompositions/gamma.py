# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The logarithm of the gamma function and its derivatives, for float32.

The approximations are those of Cephes (S. L. Moshier): arguments are stepped into a
range where a series is short, and negative ones are reflected.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

from .polynomials import horner, in_float32

aten = torch.ops.aten

# log gamma(x + 2) / x for |x| <= 0.5.
_NEAR_TWO = (
    6.055172732649237e-4,
    -1.311620815545743e-3,
    2.863437556468661e-3,
    -7.366775108654962e-3,
    2.058355474821512e-2,
    -6.735323259371034e-2,
    3.224669577325661e-1,
    4.227843421859038e-1,
)
# log gamma(x + 1) / x for |x| <= 0.25: without the logarithm of the step, which would cancel.
_NEAR_ONE = (
    1.369488127325832e-1,
    -1.590086327657347e-1,
    1.692415923504637e-1,
    -2.067882815621965e-1,
    2.705806208275915e-1,
    -4.006931650563372e-1,
    8.224670749082976e-1,
    -5.772156501719101e-1,
)
_STIRLING = (7.936507936507937e-4, -2.777777777777778e-3, 8.333333333333333e-2)
_STIRLING_FROM = 6.5
_HALF_LOG_TWO_PI = 0.91893853320467274178

# B(2k) / 2k: the asymptotic series of digamma, in 1 / x^2.
_DIGAMMA = (
    -8.33333333333333333333e-3,
    3.96825396825396825397e-3,
    -4.16666666666666666667e-3,
    7.57575757575757575758e-3,
    -2.10927960927960927961e-2,
    8.33333333333333333333e-2,
)


def _sine_of_pi(x: Tensor) -> Tensor:
    """sin(pi x), from the distance to the nearest integer."""
    nearest = torch.round(x)
    odd = torch.remainder(nearest, 2.0) != 0
    sine = torch.sin(math.pi * (x - nearest))
    return torch.where(odd, -sine, sine)


def _log_gamma_of_positive(x: Tensor) -> Tensor:
    small = torch.where(x < _STIRLING_FROM, x, torch.full_like(x, 2.0))
    factor = torch.ones_like(small)
    for _ in range(4):
        above = small >= 2.5
        small = torch.where(above, small - 1, small)
        factor = torch.where(above, factor * small, factor)
    for _ in range(2):
        below = small < 1.5
        factor = torch.where(below, factor / small, factor)
        small = torch.where(below, small + 1, small)
    stepped = torch.log(factor) + (small - 2) * horner(small - 2, _NEAR_TWO)
    near_one = (x - 1) * horner(x - 1, _NEAR_ONE)
    stepped = torch.where((x - 1).abs() <= 0.25, near_one, stepped)
    large = torch.where(x < _STIRLING_FROM, torch.full_like(x, _STIRLING_FROM), x)
    inverse = 1 / large
    series = horner(inverse * inverse, _STIRLING) * inverse
    stirling = (large - 0.5) * torch.log(large) - large + _HALF_LOG_TWO_PI + series
    return torch.where(x < _STIRLING_FROM, stepped, torch.where(torch.isinf(x), x, stirling))


def _log_gamma(x: Tensor) -> Tensor:
    negative = x <= 0
    positive = _log_gamma_of_positive(torch.where(negative, 1 - x, x))
    reflected = math.log(math.pi) - torch.log(_sine_of_pi(x).abs()) - positive
    pole = negative & (x == torch.floor(x))
    result = torch.where(pole | torch.isinf(x), math.inf, torch.where(negative, reflected, positive))
    # Near zero it is the pole's logarithm, which the reflection would round twice.
    tiny = (x != 0) & (x.abs() < 1e-6)
    result = torch.where(tiny, -torch.log(x.abs()), result)
    return torch.where(x != x, x, result)


def _digamma(x: Tensor) -> Tensor:
    negative = x < 0
    value = torch.where(negative, 1 - x, x)
    result = torch.zeros_like(x)
    for _ in range(10):
        below = value < 10
        result = torch.where(below, result - 1 / value, result)
        value = torch.where(below, value + 1, value)
    inverse = 1 / (value * value)
    series = inverse * horner(inverse, _DIGAMMA)
    result = result + torch.log(value) - 0.5 / value - series
    rest = x - torch.round(x)
    reflected = result - math.pi / torch.tan(math.pi * rest)
    result = torch.where(negative, reflected, result)
    result = torch.where(negative & (rest == 0), math.nan, result)
    at_zero = torch.where(1 / x > 0, -math.inf, math.inf)
    return torch.where(x == 0, at_zero, result)


# 1 / ((2k)! / B(2k)), k = 1, 2, ...: the Euler-Maclaurin series of zeta.
_EULER_MACLAURIN = (12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10)
_ZETA_STEPS = 9


def _zeta_of_positive(order: int, q: Tensor) -> Tensor:
    """Hurwitz's zeta(order, q) for q > 0."""
    total = last = torch.pow(q, -float(order))
    for step in range(1, _ZETA_STEPS + 1):
        last = torch.pow(q + step, -float(order))
        total = total + last
    far = q + _ZETA_STEPS
    coefficients, rising = [], 1.0
    for k, divisor in enumerate(_EULER_MACLAURIN):
        rising *= order + 2 * k
        coefficients.append(rising / divisor)
        rising *= order + 2 * k + 1
    inverse = 1 / far
    tail = horner(inverse * inverse, coefficients[::-1]) * inverse
    return total + last * (far / (order - 1) - 0.5 + tail)


def _cotangent_derivative(order: int, x: Tensor) -> Tensor:
    """The derivative of pi cot(pi x) of this order: a polynomial in the cotangent.

    With c = cot(pi x), (c^m)' = -pi m (c^(m-1) + c^(m+1)).
    """
    coefficients = [0.0, 1.0]
    for _ in range(order):
        derived = [0.0] * (len(coefficients) + 1)
        for power, value in enumerate(coefficients):
            if power:
                derived[power - 1] -= power * value
                derived[power + 1] -= power * value
        coefficients = derived
    rest = x - torch.round(x)
    # Of its zeros and its poles each is exact from the side of its own.
    near_zero = torch.tan(math.pi * (0.5 - rest.abs()))
    near_zero = torch.where(rest < 0, -near_zero, near_zero)
    cotangent = torch.where(rest.abs() < 0.25, 1 / torch.tan(math.pi * rest), near_zero)
    return math.pi ** (order + 1) * horner(cotangent, coefficients[::-1])


def _polygamma(order: int, input: Tensor) -> Tensor:
    """Negative arguments by reflection, whose poles are those of the cotangent."""
    if order == 0:
        return torch.digamma(input)
    if order < 0 or order > 16:  # Factorials and powers beyond have no float32.
        return NotImplemented
    sign = 1.0 if order % 2 else -1.0

    def compute(x: Tensor) -> Tensor:
        negative = x <= 0
        value = torch.where(negative, 1 - x, x)
        positive = sign * math.factorial(order) * _zeta_of_positive(order + 1, value)
        reflected = -sign * positive - _cotangent_derivative(order, x)
        pole = negative & (x == torch.floor(x))
        at_pole = torch.full_like(x, sign * math.inf)
        if order == 1:  # Eager divides by the sine of a rounded multiple of pi, which is zero at zero alone.
            at_pole = torch.square(math.pi / torch.sin(math.pi * x))
        result = torch.where(pole, at_pole, torch.where(negative, reflected, positive))
        if order > 1:  # Where eager has no value at infinity.
            return result
        return torch.where(torch.isinf(x) & (x > 0), torch.zeros_like(x), result)

    return in_float32(compute)(input)


GAMMA: dict[OpOverload, Callable] = {
    aten.digamma.default: in_float32(_digamma),
    aten.lgamma.default: in_float32(_log_gamma),
    aten.polygamma.default: _polygamma,
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exponentials, logarithms, the error function and powers, as the specification spells them out.

The sequences of lib/Simulator/Kernels/Transcendentals.h are part of the specification (`num_transcendental`);
this is the same text in another language, on arrays, with our own `fma`. `trigonometry` has the rest.
"""

from __future__ import annotations

import numpy as np

from .floats import F32, bits, fma, from_bits

INF, NAN = F32(np.inf), F32(np.nan)


def c(literal: str) -> np.float32:
    """A coefficient."""
    return F32(float.fromhex(literal))


def polynomial(x: np.ndarray, coefficients: str) -> np.ndarray:
    """c0 + c1 x + c2 x^2 + ..., by Horner's rule."""
    *rest, total = [c(literal) for literal in coefficients.split()]
    for coefficient in reversed(rest):
        total = fma(x, total, coefficient)
    return total


def where(condition: np.ndarray, yes: np.ndarray, no: np.ndarray) -> np.ndarray:
    return np.where(condition, yes, no).astype(F32)


def int32(x: np.ndarray) -> np.ndarray:
    """Integers as a 32-bit register would hold them."""
    return (np.asarray(x, np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32).astype(np.int64)


def integer_bits(x: np.ndarray) -> np.ndarray:
    return bits(x).astype(np.int64)


SHIFT = c("0x1.8p23")


def nearest_whole(shifted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return shifted - SHIFT, int32(integer_bits(shifted) - integer_bits(SHIFT))


def scale_by_power(x: np.ndarray, n: np.ndarray) -> np.ndarray:
    half = n >> 1
    return x * from_bits((half + 127) << 23) * from_bits((n - half + 127) << 23)


def clamp(x: np.ndarray, low: float, high: float) -> np.ndarray:
    x = where(x < F32(low), F32(low), x)
    return where(x > F32(high), F32(high), x)


LOG2_E = c("0x1.715476p+0")

# --- Exponentials -----------------------------------------------------------------------------------


def exp_tail(r: np.ndarray) -> np.ndarray:
    return polynomial(r, "0x1p-1 0x1.555556p-3 0x1.5554ecp-5 0x1.110fdep-7 0x1.6d494ep-10 0x1.a296eep-13")


def exp_scaled(x: np.ndarray, extra: int) -> np.ndarray:
    x = clamp(x, -110.0, 95.0)
    value, number = nearest_whole(fma(x, LOG2_E, SHIFT))
    r = fma(value, c("-0x1.62e43p-1"), x)
    r = fma(value, c("0x1.05c61p-29"), r)
    p = F32(1) + fma(r * r, exp_tail(r), r)
    return scale_by_power(p, number + extra)


def exp(x: np.ndarray) -> np.ndarray:
    return exp_scaled(x, 0)


def exp2_of(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    value, number = nearest_whole(high + SHIFT)
    r = (high - value) + low
    tail = polynomial(
        r, "0x1.ebfbep-3 0x1.c6b08ep-5 0x1.3b2a54p-7 0x1.5d86eap-10 0x1.44175cp-13 0x1.012236p-16"
    )
    rest = r * fma(r, tail, c("-0x1.05c61p-29"))
    p = F32(1) + fma(r, c("0x1.62e43p-1"), rest)
    return scale_by_power(p, number)


def exp2(x: np.ndarray) -> np.ndarray:
    return exp2_of(clamp(x, -200.0, 200.0), F32(0))


def expm1(x: np.ndarray) -> np.ndarray:
    limited = clamp(x, -20.0, 89.0)
    value, number = nearest_whole(fma(limited, LOG2_E, SHIFT))
    high = fma(value, c("-0x1.62e4p-1"), limited)
    product = value * c("0x1.7f7d1cp-20")
    r = high - product
    low = (high - r) - product
    rest = fma(r * r, exp_tail(r), low)
    power = from_bits((number - 1 + 127) << 23)
    whole = power - F32(0.5)
    whole_error = (power - whole) - F32(0.5)
    linear = power * r
    total = whole + linear
    back = total - whole
    sum_error = (whole - (total - back)) + (linear - back)
    y = F32(2) * (total + (sum_error + fma(power, rest, whole_error)))
    y = where(x > F32(88.8), INF, y)
    return where(np.abs(x) < c("0x1p-25"), x, y)


# --- Logarithms -------------------------------------------------------------------------------------


def split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    is_subnormal = x < c("0x1p-126")
    b = integer_bits(where(is_subnormal, x * c("0x1p23"), x))
    k = int32(b - 0x3F3504F3) >> 23
    m = from_bits(b - (k << 23))
    return np.where(is_subnormal, k - 23, k).astype(F32), m - F32(1)


def log_tail(f: np.ndarray) -> np.ndarray:
    p = polynomial(
        f,
        "0x1.555546p-2 -0x1.0000e4p-2 0x1.99a6d0p-3 -0x1.54ff26p-3 0x1.22be2ap-3 -0x1.040b4ep-3 "
        "0x1.f9ccc8p-4 -0x1.a025bap-4 0x1.40eca4p-5",
    )
    return f * f * fma(f, p, F32(-0.5))


def log_or_special(x: np.ndarray, logarithm: np.ndarray) -> np.ndarray:
    y = where(x == INF, x, logarithm)
    y = where(x == 0, -INF, y)
    return where(x >= 0, y, NAN)


def log_sum(k: np.ndarray, f: np.ndarray, rest: np.ndarray) -> np.ndarray:
    high = k * c("0x1.63p-1")
    total = high + f
    error = (high - total) + f
    return total + (error + fma(k, c("-0x1.bd0106p-13"), rest))


def log(x: np.ndarray) -> np.ndarray:
    k, f = split(x)
    return log_or_special(x, log_sum(k, f, log_tail(f)))


def log2(x: np.ndarray) -> np.ndarray:
    k, f = split(x)
    high, low = LOG2_E, c("0x1.4ae0cp-26")
    product = f * high
    product_error = fma(f, high, -product)
    tail = fma(log_tail(f), high, fma(f, low, product_error))
    total = k + product
    error = (k - total) + product
    return log_or_special(x, total + (error + tail))


def log10(x: np.ndarray) -> np.ndarray:
    k, f = split(x)
    high, low = c("0x1.bcb7b2p-2"), c("-0x1.5b235ep-27")
    product = f * high
    product_error = fma(f, high, -product)
    tail = fma(log_tail(f), high, fma(f, low, product_error))
    whole = k * c("0x1.344p-2")
    tail = fma(k, c("0x1.3509f8p-18"), tail)
    total = whole + product
    error = (whole - total) + product
    return log_or_special(x, total + (error + tail))


def log1p_of(x: np.ndarray, low: np.ndarray) -> np.ndarray:
    u = F32(1) + x
    back = u - F32(1)
    lost = (F32(1) - (u - back)) + (x - back) + low
    k, f = split(u)
    is_near = k == 0
    f = where(is_near, x, f)
    correction = where(is_near, low / u, lost / u)
    y = log_sum(k, f, log_tail(f) + correction)
    y = where(x == INF, x, y)
    y = where(x == -1, -INF, y)
    y = where(x == 0, x, y)
    return where(x >= -1, y, NAN)


def log1p(x: np.ndarray) -> np.ndarray:
    return log1p_of(x, F32(0))


# --- Error function ---------------------------------------------------------------------------------


def erf_tail(z: np.ndarray) -> np.ndarray:
    return polynomial(
        z,
        "0x1.06eba8p-3 -0x1.812742p-2 0x1.ce2deep-4 -0x1.b80d1ap-6 0x1.54be04p-8 -0x1.a9fdb8p-11 "
        "0x1.5c2d7cp-14",
    )


def erf(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    small = fma(x, erf_tail(x * x), x)
    t = clamp(a, 0.0, 4.0)
    r = polynomial(
        t,
        "-0x1.717ad2p-13 0x1.21286p+0 0x1.44440ap-1 0x1.bb95f4p-4 -0x1.9bbe12p-6 0x1.11a426p-8 "
        "-0x1.c885fcp-12 0x1.633f9ep-16",
    )
    large = F32(1) - exp(-r)
    return where(a < F32(0.925), small, np.copysign(large, x))


def erfc(x: np.ndarray) -> np.ndarray:
    a = clamp(np.abs(x), 0.0, 10.1)
    middle = F32(1) - fma(x, erf_tail(x * x), x)
    total = a + F32(4)
    q = (a - F32(4)) / total
    q = fma(fma(-q, total, a - F32(4)), F32(1) / total, q)
    p = polynomial(
        q,
        "0x1.dd2c8cp-3 -0x1.1df1a8p-3 0x1.f7f346p-7 0x1.16ea46p-4 -0x1.9dd606p-4 0x1.801d5ap-4 "
        "-0x1.0fb57cp-4 0x1.2e0894p-5 -0x1.0d66c4p-6 0x1.72e2f2p-8 0x1.b8a142p-13",
    )
    divisor = fma(F32(2), a, F32(1))
    quotient = (F32(1) + p) / divisor
    numerator_error = (F32(1) - (F32(1) + p)) + p
    quotient_error = (fma(-quotient, divisor, F32(1) + p) + numerator_error) / divisor
    square = a * a
    square_error = fma(a, a, -square)
    value, number = nearest_whole(fma(-square, LOG2_E, SHIFT))
    reduced = fma(value, c("-0x1.62e4p-1"), -square)
    product = value * c("0x1.7f7d1cp-20")
    r = reduced - product
    r_low = (reduced - r) - product - square_error
    s = fma(r * r, exp_tail(r), r)
    s_low = (r - s) + r * r * exp_tail(r)
    power = F32(1) + s
    power_low = ((F32(1) - power) + s) + fma(r_low, power, s_low)
    tail = fma(quotient, power, fma(quotient, power_low, power * quotient_error))
    tail = scale_by_power(tail, number)
    y = where(x < 0, F32(2) - tail, tail)
    y = where(np.abs(x) < F32(0.475), middle, y)
    y = where(x > F32(10.09), F32(0), y)
    y = where(x < F32(-10.09), F32(2), y)
    return where(np.isnan(x), x, y)


# --- Roots and powers -------------------------------------------------------------------------------


def rsqrt(x: np.ndarray) -> np.ndarray:
    return F32(1) / np.sqrt(x)


def cbrt(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    is_tiny, is_huge = a < c("0x1p-100"), a > c("0x1p100")
    scale = where(is_tiny, c("0x1p48"), where(is_huge, c("0x1p-48"), F32(1)))
    unscale = where(is_tiny, c("0x1p-16"), where(is_huge, c("0x1p16"), F32(1)))
    scaled = a * scale
    y = from_bits(integer_bits(scaled) // 3 + 709958130)
    for _ in range(2):
        cube = y * y * y
        y = y * ((cube + F32(2) * scaled) / (F32(2) * cube + scaled))
    square = y * y
    square_error = fma(y, y, -square)
    cube = square * y
    cube_error = fma(square, y, -cube) + square_error * y
    y = y - ((cube - scaled) + cube_error) / (F32(3) * square)
    y = y * unscale
    y = where((a == 0) | ~(a < INF), a, y)
    return where(np.isnan(x), x, np.copysign(y, x))


def log2_in_two(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    k, f = split(x)
    d = F32(2) + f
    d_low = f - (d - F32(2))
    s = f / d
    s_low = (fma(-s, d, f) - s * d_low) / d
    u = s * s
    u_low = fma(s, s, -u) + F32(2) * s * s_low
    q = polynomial(u, "0x1.2776c4p-1 0x1.a61948p-2 0x1.47b3f4p-2 0x1.203dd2p-2")
    c1, c1_low = c("0x1.ec709ep-1"), c("-0x1.e2fe02p-28")
    v = fma(u, q, c1_low)
    a = c1 + v
    a_low = (c1 - a) + v
    t = u * a
    t_low = fma(u, a, -t) + fma(u, a_low, u_low * a)
    c0, c0_low = c("0x1.715476p+1"), c("0x1.4ae0cp-25")
    b = c0 + t
    b_low = ((c0 - b) + t) + (t_low + c0_low)
    log_ = s * b
    log_low = fma(s, b, -log_) + fma(s, b_low, s_low * b)
    total = k + log_
    rest = ((k - total) + log_) + log_low
    high = total + rest
    return high, (total - high) + rest


def pow_(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    ordinary = where(a > 0, a, F32(1))
    ordinary = where(a < INF, ordinary, F32(1))
    log_high, log_low = log2_in_two(ordinary)
    exponent = clamp(y, -(2.0**60), 2.0**60)
    high = log_high * exponent
    low = fma(log_high, exponent, -high) + log_low * exponent
    low = where(np.abs(high) > F32(200), F32(0), low)
    magnitude = exp2_of(clamp(high, -200.0, 200.0), low)
    at_zero = where(y > 0, F32(0), INF)
    at_infinity = where(y > 0, INF, F32(0))
    magnitude = where(a == 0, at_zero, magnitude)
    magnitude = where(a == INF, at_infinity, magnitude)
    endless = where(a > 1, at_infinity, at_zero)
    endless = where(a == 1, F32(1), endless)
    magnitude = where(np.abs(y) == INF, endless, magnitude)
    half = F32(0.5) * y
    whole = np.trunc(y)
    odd_sign = np.where(np.trunc(half) == half, 0, 0x80000000)
    odd_sign = np.where(whole == y, odd_sign, 0)
    result = from_bits(integer_bits(magnitude) | (integer_bits(x) & odd_sign))
    negative = where(whole == y, result, NAN)
    negative = where(a < INF, negative, result)
    result = where(x < 0, negative, result)
    result = where(np.isnan(x), NAN, result)
    result = where(np.isnan(y), NAN, result)
    result = where(x == 1, F32(1), result)
    return where(y == 0, F32(1), result)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Circular and hyperbolic functions and their inverses; see `transcendentals`."""

from __future__ import annotations

import numpy as np

from .floats import F32, fma
from .transcendentals import (
    INF,
    NAN,
    SHIFT,
    c,
    clamp,
    exp,
    exp_scaled,
    integer_bits,
    log,
    log1p,
    log1p_of,
    nearest_whole,
    polynomial,
    where,
)

PI_HALF_HIGH, PI_HALF_LOW = c("0x1.921fb6p+0"), c("-0x1.777a5cp-25")
REDUCTION_LIMIT = F32(65536)
LN2 = c("0x1.62e43p-1")

Angle = tuple[np.ndarray, np.ndarray, np.ndarray]  # High and low part, quadrant.

# --- Sine, cosine, tangent --------------------------------------------------------------------------


def reduce_small(x: np.ndarray) -> Angle:
    x = where(np.abs(x) < REDUCTION_LIMIT, x, F32(0))
    value, number = nearest_whole(fma(x, c("0x1.45f306p-1"), SHIFT))
    first = fma(value, -PI_HALF_HIGH, x)
    product = value * PI_HALF_LOW
    product_error = fma(value, PI_HALF_LOW, -product)
    high = first - product
    back = high - first
    error = (first - (high - back)) - (product + back)
    return high, error - fma(value, c("-0x1.ee59dap-50"), product_error), number


_TWO_OVER_PI = 0x00000000_28BE60DB_9391054A_7F09D5F4_7D4D3770_36D8A566_4F10E410_7F9458EA


def reduce_large(x: np.ndarray) -> Angle:
    """Python's integers have room for the product; what does not matter of it is cut off as the text says."""
    fractions, quadrants = [], []
    for b in integer_bits(x).reshape(-1):
        significand = (int(b) & 0x7FFFFF) << 8 | 0x80000000
        exponent = ((int(b) >> 23) & 0xFF) - 126
        # Words 0, 1 and 2 from bit `exponent` on, the highest first.
        w0, w1, w2 = ((_TWO_OVER_PI >> (256 - 32 - exponent - 32 * i)) & 0xFFFFFFFF for i in range(3))
        product = significand * w1 + (significand * w2 >> 32) + ((significand * w0 & 0xFFFFFFFF) << 32)
        product &= 2**64 - 1
        fraction = product & (2**62 - 1)
        is_high_half = fraction >> 61
        fractions.append(fraction - (is_high_half << 62))
        quadrants.append((product >> 62) + is_high_half)
    fraction = np.array(fractions, np.int64).reshape(x.shape)
    quadrant = np.array(quadrants, np.int64).reshape(x.shape)
    high = fraction.astype(F32)
    low = (fraction - high.astype(np.int64)).astype(F32)
    angle = high * PI_HALF_HIGH
    error = fma(high, PI_HALF_HIGH, -angle) + fma(high, PI_HALF_LOW, low * PI_HALF_HIGH)
    total = angle + error
    error = ((angle - total) + error) * c("0x1p-62")
    total = total * c("0x1p-62")
    sign = np.signbit(x)
    return where(sign, -total, total), where(sign, -error, error), np.where(sign, -quadrant, quadrant)


def reduce(x: np.ndarray) -> Angle:
    is_large = (np.abs(x) >= REDUCTION_LIMIT) & (np.abs(x) < INF)
    large = reduce_large(where(is_large, x, REDUCTION_LIMIT))
    high, low, quadrant = (
        np.where(is_large, wide, narrow) for wide, narrow in zip(large, reduce_small(x), strict=True)
    )
    return high, low, quadrant


def sin_cos_of(high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, ...]:
    z = high * high
    s = polynomial(z, "-0x1.555556p-3 0x1.111176p-7 -0x1.a05ba4p-13 0x1.7cccf2p-19")
    half = F32(0.5) * z
    sine_rest = fma(z * high, s, fma(-half, low, low))
    sine = high + sine_rest
    p = polynomial(z, "0x1.555556p-5 -0x1.6c1762p-10 0x1.a075d2p-16 -0x1.3719a2p-22")
    w = F32(1) - half
    cosine_rest = ((F32(1) - w) - half) + fma(z * z, p, -high * low)
    cosine = w + cosine_rest
    return sine, cosine, (high - sine) + sine_rest, (w - cosine) + cosine_rest


def _sine(x: np.ndarray, turn: int) -> np.ndarray:
    high, low, quadrant = reduce(x)
    sine, cosine, _, _ = sin_cos_of(high, low)
    quadrant = quadrant + turn
    y = where(quadrant & 1 != 0, cosine, sine)
    y = where(quadrant & 2 != 0, -y, y)
    return where(np.abs(x) < INF, y, NAN)


def sin(x: np.ndarray) -> np.ndarray:
    return where(x == 0, x, _sine(x, 0))


def cos(x: np.ndarray) -> np.ndarray:
    return _sine(x, 1)


def tan(x: np.ndarray) -> np.ndarray:
    high, low, quadrant = reduce(x)
    sine, cosine, sine_low, cosine_low = sin_cos_of(high, low)
    is_odd = quadrant & 1 != 0
    n, n_low = where(is_odd, -cosine, sine), where(is_odd, -cosine_low, sine_low)
    d, d_low = where(is_odd, sine, cosine), where(is_odd, sine_low, cosine_low)
    y = n / d
    y = y + (fma(-y, d, n) + fma(-y, d_low, n_low)) / d
    y = where(x == 0, x, y)
    return where(np.abs(x) < INF, y, NAN)


# --- Hyperbolic functions ---------------------------------------------------------------------------


def tanh(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    z = x * x
    p = polynomial(
        z, "-0x1.555554p-2 0x1.111084p-3 -0x1.b9f4b6p-5 0x1.63d1b2p-6 -0x1.0d6024p-7 0x1.1e4d42p-9"
    )
    small = fma(z * x, p, x)
    large = F32(1) - F32(2) / (exp(F32(2) * clamp(a, 0.0, 20.0)) + F32(1))
    return np.copysign(where(a < F32(0.6), small, large), x)


def sinh(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    z = x * x
    p = polynomial(z, "0x1.555556p-3 0x1.1110e2p-7 0x1.a02156p-13 0x1.75a6f6p-19")
    small = fma(z * x, p, x)
    half = exp_scaled(a, -1)
    large = half - F32(0.25) / half
    return where(a < 1, small, np.copysign(large, x))


def cosh(x: np.ndarray) -> np.ndarray:
    half = exp_scaled(np.abs(x), -1)
    return half + F32(0.25) / half


def asinh(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    z = x * x
    p = polynomial(
        z,
        "-0x1.555554p-3 0x1.333278p-4 -0x1.6d93eap-5 0x1.eea562p-6 -0x1.5adba2p-6 0x1.a99b5ep-7 "
        "-0x1.346ebcp-8",
    )
    small = fma(z * x, p, x)
    root = np.sqrt(fma(a, a, F32(1)))
    medium = log1p(a + a * a / (F32(1) + root))
    large = log(a) + LN2
    y = where(a < c("0x1p14"), medium, large)
    return np.copysign(where(a < F32(0.6), small, y), x)


def acosh(x: np.ndarray) -> np.ndarray:
    t = x - F32(1)
    twice = F32(2) * t
    square = fma(t, t, twice)
    square_low = fma(t, t, twice - square)
    root = np.sqrt(square)
    root_low = (fma(-root, root, square) + square_low) / (F32(2) * root)
    total = t + root
    back = total - t
    low = (t - (total - back)) + (root - back) + root_low
    medium = log1p_of(total, where(t > 0, low, F32(0)))
    large = log(x) + LN2
    y = where(x < c("0x1p14"), medium, large)
    return where(x >= 1, y, NAN)


def atanh(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    z = x * x
    p = polynomial(
        z,
        "0x1.555558p-2 0x1.9997ap-3 0x1.24d148p-3 0x1.bfbb24p-4 0x1.ae969ap-4 0x1.1cf70cp-6 0x1.79f9e8p-3",
    )
    small = fma(z * x, p, x)
    large = F32(0.5) * log1p(F32(2) * a / (F32(1) - a))
    y = where(a < F32(0.5), small, np.copysign(large, x))
    return where(a <= 1, y, NAN)


# --- Inverse trigonometric functions ----------------------------------------------------------------


def atan_of(a: np.ndarray) -> np.ndarray:
    z = a * a
    p = polynomial(
        z,
        "-0x1.55554p-2 0x1.999266p-3 -0x1.24262ap-3 0x1.c0c956p-4 -0x1.58c084p-4 0x1.dcad8ep-5 "
        "-0x1.014e3cp-5 0x1.69bf5p-7 -0x1.dd8ce2p-10",
    )
    return fma(z * a, p, a)


def atan(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    inner = atan_of(where(a > 1, F32(1) / a, a))
    outer = PI_HALF_HIGH - (inner - PI_HALF_LOW)
    return np.copysign(where(a > 1, outer, inner), x)


def atan2(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    ax, ay = np.abs(x), np.abs(y)
    smaller, larger = where(ax < ay, ax, ay), where(ax < ay, ay, ax)
    ratio = smaller / larger
    ratio = where(larger == 0, F32(0), ratio)
    ratio = where(smaller == INF, F32(1), ratio)
    angle = atan_of(ratio)
    steep = PI_HALF_HIGH - (angle - PI_HALF_LOW)
    angle = where(ay > ax, steep, angle)
    left = F32(2) * PI_HALF_HIGH - (angle - F32(2) * PI_HALF_LOW)
    angle = where(np.signbit(x), left, angle)
    return where(np.isnan(x) | np.isnan(y), NAN, np.copysign(angle, y))


def asin_tail(z: np.ndarray) -> np.ndarray:
    return polynomial(
        z, "0x1.55554cp-3 0x1.3338aap-4 0x1.6ca7dcp-5 0x1.04cd0cp-5 0x1.d589f4p-7 0x1.349e46p-5"
    )


def asin_of_root(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    root = np.sqrt(z)
    root_error = fma(-root, root, z) / (F32(2) * root)
    root_error = where(z > 0, root_error, F32(0))
    return root, fma(root * z, asin_tail(z), root_error)


def asin(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    z = x * x
    small = fma(z * x, asin_tail(z), x)
    high, low = asin_of_root(F32(0.5) - F32(0.5) * a)
    large = PI_HALF_HIGH - (F32(2) * high - (PI_HALF_LOW - F32(2) * low))
    y = where(a <= F32(0.5), small, np.copysign(large, x))
    return where(a <= 1, y, NAN)


def acos(x: np.ndarray) -> np.ndarray:
    a = np.abs(x)
    z = x * x
    small = PI_HALF_HIGH - (x - (PI_HALF_LOW - z * x * asin_tail(z)))
    high, low = asin_of_root(F32(0.5) - F32(0.5) * a)
    positive = F32(2) * (high + low)
    negative = F32(2) * (PI_HALF_HIGH - (high - (PI_HALF_LOW - low)))
    y = where(x < 0, negative, positive)
    y = where(a <= F32(0.5), small, y)
    return where(a <= 1, y, NAN)

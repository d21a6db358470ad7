# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating point as ISA.md's chapter Numerics wants it, on arrays of numpy.

numpy rounds +, -, *, / and sqrt of f32 correctly; what it lacks is here: a fused multiply-add, the
conversions with the roundings stated, the orders of minimum and maximum, and the comparisons.
"""

from __future__ import annotations

import numpy as np

F32 = np.float32


def bits(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, F32).view(np.uint32)


def from_bits(b: np.ndarray | int) -> np.ndarray:
    """The low 32 bits of integers as f32."""
    return (np.asarray(b).astype(np.int64) & 0xFFFFFFFF).astype(np.uint32).view(F32)


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c in f32, rounded once.

    The product of two f32 is exact in f64. The sum is not: its error (Knuth's TwoSum) tells on which side
    of the rounded sum the true one lies, and rounding to odd keeps that in the last bit. f64 has more than
    twice the digits of f32 and two more, so rounding once more, to f32, gives what one rounding would.
    """
    product = np.asarray(a, np.float64) * np.asarray(b, np.float64)
    addend = np.broadcast_to(np.asarray(c, np.float64), np.broadcast_shapes(product.shape, np.shape(c)))
    total = np.atleast_1d(product + addend)
    virtual = total - product
    error = (product - (total - virtual)) + (addend - virtual)
    is_even = (total.view(np.int64) & 1) == 0
    is_inexact = np.isfinite(total) & (error != 0) & is_even
    # One step of the magnitude towards the true sum; adjacent to an even number are odd ones.
    step = np.where((error > 0) == (total > 0), 1, -1)
    odd = np.where(is_inexact, total.view(np.int64) + step, total.view(np.int64)).view(np.float64)
    return odd.astype(F32).reshape(np.shape(product + addend))


def _round_to(x: np.ndarray, digits: int, lowest_exponent: int, limit: float) -> np.ndarray:
    """To the nearest number with so many binary digits, ties to even; as f32.

    `lowest_exponent` is that of the smallest normal number; from `limit` on, half a step past the largest
    number, the result is an infinity.
    """
    wide = np.asarray(x, np.float64)
    finite = np.where(np.isfinite(wide), wide, 0.0)
    _, exponent = np.frexp(finite)  # In [1/2, 1) times 2^exponent.
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, lowest_exponent) - (digits - 1))
    rounded = np.rint(finite / quantum) * quantum  # Division by a power of two is exact; rint ties to even.
    rounded = np.where(np.abs(finite) >= limit, np.copysign(np.inf, finite), np.copysign(rounded, finite))
    return np.where(np.isfinite(wide), rounded, wide).astype(F32)


def round_bf16(x: np.ndarray) -> np.ndarray:
    return _round_to(x, 8, -126, 2.0**128 - 2.0**119)


def round_f16(x: np.ndarray) -> np.ndarray:
    return _round_to(x, 11, -14, 65520.0)


def widen(raw: np.ndarray, dtype: str) -> np.ndarray:
    """The f32 values of stored elements of a float type."""
    if dtype == "bf16":
        return from_bits(raw.view(np.uint16).astype(np.int64) << 16)
    return raw.view(np.float16 if dtype == "f16" else F32).astype(F32)


def narrow(x: np.ndarray, dtype: str) -> np.ndarray:
    """The stored elements of f32 values, rounded."""
    if dtype == "bf16":
        rounded = bits(np.where(np.isnan(x), F32(np.nan), round_bf16(x)))
        return (rounded >> 16).astype(np.uint16)
    if dtype == "f16":
        return round_f16(x).astype(np.float16)
    return np.asarray(x, F32)


def flush(x: np.ndarray) -> np.ndarray:
    """Subnormal numbers become zeros of their sign."""
    return np.where(np.abs(x) < F32(2.0**-126), np.copysign(F32(0), x), x).astype(F32)


# --- Orders -----------------------------------------------------------------------------------------


def _is_less(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """-0 is less than +0."""
    return np.where((a == 0) & (b == 0), np.signbit(a) & ~np.signbit(b), a < b)


def maximum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(a) | np.isnan(b), F32(np.nan), np.where(_is_less(a, b), b, a))


def minimum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(a) | np.isnan(b), F32(np.nan), np.where(_is_less(b, a), b, a))


def max_num(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, maximum(a, b)))


def min_num(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, minimum(a, b)))


def round_away(x: np.ndarray) -> np.ndarray:
    """To an integer, ties away from zero. f64 holds x + 1/2 exactly where x has a fraction."""
    wide = np.asarray(x, np.float64)
    return np.copysign(np.trunc(wide + np.copysign(0.5, wide)), wide).astype(F32)


def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.isinf(b) & np.isfinite(a), a, np.fmod(a, b)).astype(F32)


_RELATIONS = {"eq": np.equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal}


def compare(predicate: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    unordered = np.isnan(a) | np.isnan(b)
    if predicate in ("true", "false"):
        return np.full(unordered.shape, predicate == "true")
    if predicate in ("ord", "uno"):
        return unordered == (predicate == "uno")
    relation = a != b if predicate[1:] == "ne" else _RELATIONS[predicate[1:]](a, b)
    return np.where(unordered, predicate[0] == "u", relation)

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


def _odd_fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c in f64, rounded to odd.

    The product of two f32 is exact in f64. The sum is not: its error (Knuth's TwoSum) tells on which side
    of the rounded sum the true one lies. Rounding to odd keeps that in the last bit: of the two numbers
    around an inexact sum it takes the one whose last bit is set. f64 has more than twice the digits of
    f32 and two more, so rounding once more, to f32, gives what one rounding would.
    """
    product = np.multiply(a, b, dtype=np.float64)
    total = product + np.asarray(c, np.float64)
    virtual = total - product
    error = (product - (total - virtual)) + (c - virtual)
    pattern = np.ascontiguousarray(total).view(np.int64).reshape(np.shape(total))
    # Infinities and NaNs have an error that is a NaN.
    is_wrong = (error != 0) & (error == error) & ((pattern & 1) == 0)
    # One step of the magnitude towards the true sum; adjacent to an even number are odd ones.
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.asarray(pattern + step * is_wrong).view(np.float64)


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c in f32, rounded once."""
    return _odd_fma(a, b, c).astype(F32)


def flushed_fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The same, but zero if the result is subnormal when rounded as if exponents had no limit."""
    odd = _odd_fma(a, b, c)
    unlimited = _round_to(odd, 24, -1000, np.inf)
    is_tiny = np.abs(unlimited) < 2.0**-126
    return np.where(is_tiny, np.copysign(0.0, odd), odd).astype(F32)


def _round_to(x: np.ndarray, digits: int, lowest_exponent: int, limit: float) -> np.ndarray:
    """To the nearest number with so many binary digits, ties to even; as f64.

    `lowest_exponent` is that of the smallest normal number; from `limit` on, half a step past the largest
    number, the result is an infinity.
    """
    wide = np.asarray(x, np.float64)
    finite = np.where(np.isfinite(wide), wide, 0.0)
    _, exponent = np.frexp(finite)  # In [1/2, 1) times 2^exponent.
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, lowest_exponent) - (digits - 1))
    rounded = np.rint(finite / quantum) * quantum  # Division by a power of two is exact; rint ties to even.
    rounded = np.where(np.abs(finite) >= limit, np.copysign(np.inf, finite), np.copysign(rounded, finite))
    return np.where(np.isfinite(wide), rounded, wide)


def round_bf16(x: np.ndarray) -> np.ndarray:
    return _round_to(x, 8, -126, 2.0**128 - 2.0**119).astype(F32)


def round_f16(x: np.ndarray) -> np.ndarray:
    return _round_to(x, 11, -14, 65520.0).astype(F32)


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

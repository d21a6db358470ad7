# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`mm`: sums of products in the order of `num_mm`, all outputs at a time."""

from __future__ import annotations

from math import prod

import numpy as np

from .floats import F32, flush, flushed_fma, fma, narrow, widen
from .syntax import Mm

BLOCK = 32  # Elements of the depth that bf16 sums together.


def multiply(
    mm: Mm, activations: np.ndarray, weights: np.ndarray, old: np.ndarray, types: tuple[str, str]
) -> np.ndarray:
    """The stored elements of the output. `old` are those before, `types` those of operands and output."""
    operand, output = types
    batch = prod(activations.shape[: mm.batch])
    rows = prod(activations.shape[mm.batch : mm.batch + mm.rows])
    cols = prod(weights.shape[mm.batch : mm.batch + mm.cols])
    depth = prod(weights.shape[mm.batch + mm.cols :])
    a = activations.reshape(batch, rows, 1, depth)
    w = weights.reshape(batch, 1, cols, depth)
    start = old.reshape(batch, rows, cols) if mm.accumulate else None
    if operand == "i8":
        return _integers(a, w, start).reshape(old.shape)
    if depth == 0 and mm.accumulate:
        return old
    acc = np.zeros((batch, rows, cols), F32) if start is None else widen(start, output)
    chain = _blocks if operand == "bf16" else _chain
    return narrow(chain(widen(a, operand), widen(w, operand), acc), output).reshape(old.shape)


def _integers(a: np.ndarray, w: np.ndarray, start: np.ndarray | None) -> np.ndarray:
    total = (a.astype(np.int64) * w.astype(np.int64)).sum(axis=-1)
    total = total if start is None else total + start
    return total.astype(np.int32)  # The low 32 bits.


def _chain(a: np.ndarray, w: np.ndarray, acc: np.ndarray) -> np.ndarray:
    for k in range(a.shape[-1]):
        acc = fma(a[..., k], w[..., k], acc)
    return acc


def _blocks(a: np.ndarray, w: np.ndarray, acc: np.ndarray) -> np.ndarray:
    a, w, acc = flush(a), flush(w), flush(acc)
    for first in range(0, a.shape[-1], BLOCK):
        sums = []
        for parity in range(2):
            part = np.zeros_like(acc)
            for k in range(first + parity, min(first + BLOCK, a.shape[-1]), 2):
                part = flushed_fma(a[..., k], w[..., k], part)
            sums.append(part)
        acc = flushed_fma(acc, F32(1), flushed_fma(sums[0], F32(1), sums[1]))
    return acc

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The transcendental functions, read off docs/Transcendentals.md.

The page's sequences are Python but for their hexadecimal numbers and for a few words that it explains:
those are defined here, on arrays. Integers are Python's own (arrays of objects), since the page gives them
no limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from .floats import F32, fma, from_bits

PAGE = Path(__file__).parents[3] / "docs" / "Transcendentals.md"

_HEXADECIMAL = re.compile(r"\b0x[0-9a-f]+(?:\.[0-9a-f]+)?p[+-]?\d+")


def _number(literal: str) -> np.float32:
    value = float.fromhex(literal)
    if float(F32(value)) != value:
        raise ValueError(f"{literal} is no f32")
    return F32(value)


def _bits(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, F32).view(np.uint32).astype(object).reshape(np.shape(x))


def _signed(n: np.ndarray) -> np.ndarray:
    return ((n + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def _select(condition: np.ndarray, yes: object, no: object) -> np.ndarray:
    is_integer = all(np.asarray(x).dtype.kind in "Oi" for x in (yes, no))
    return np.where(condition, yes, no).astype(object if is_integer else F32)


def _sequences() -> str:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return _HEXADECIMAL.sub(lambda match: f'_hexadecimal("{match[0]}")', "\n".join(blocks))


@cache
def functions() -> dict[str, Callable[..., np.ndarray]]:
    """All functions of the page by name."""
    names = {
        "_hexadecimal": _number,
        "inf": F32(np.inf),
        "nan": F32(np.nan),
        "abs": np.abs,
        "copySign": np.copysign,
        "trunc": np.trunc,
        "sqrt": np.sqrt,
        "fma": fma,
        "select": _select,
        "bits": _bits,
        "float": from_bits,
        "s32": _signed,
        "toFloat": lambda n: np.asarray(n).astype(np.int64).astype(F32),
        "toInt": lambda x: x.astype(np.int64).astype(object),
    }
    page: dict[str, Callable[..., np.ndarray]] = {}
    exec(_sequences(), names, page)
    # Functions of the page call each other by their global names.
    names.update(page)
    return page


def evaluate(name: str, *inputs: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(functions()[name](*inputs), F32)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the generators take their decisions from: hypothesis, which can shrink them, or a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies

T = TypeVar("T")


class Choices:
    """`integers(low, high)` gives a number in that range, both included. Low ones are the simple ones."""

    def __init__(self, integers: Callable[[int, int], int]) -> None:
        self._integers = integers

    @staticmethod
    def drawn(draw: Callable[[Any], Any]) -> Choices:
        return Choices(lambda low, high: draw(_range(low, high)))

    @staticmethod
    def seeded(seed: int) -> Choices:
        return Choices(random.Random(seed).randint)

    def integer(self, low: int, high: int) -> int:
        return low if low == high else self._integers(low, high)

    def one_of(self, items: Sequence[T]) -> T:
        return items[self.integer(0, len(items) - 1)]

    def chance(self, percent: int) -> bool:
        """Shrinks to False."""
        return self.integer(0, 99) >= 100 - percent

    def shuffled(self, items: Sequence[T]) -> list[T]:
        left, result = list(items), []
        while left:
            result.append(left.pop(self.integer(0, len(left) - 1)))
        return result

    def numpy(self) -> np.random.Generator:
        """For data, of which there is too much to draw one by one."""
        return np.random.default_rng(self.integer(0, 2**32 - 1))


@cache
def _range(low: int, high: int) -> strategies.SearchStrategy[int]:
    return strategies.integers(low, high)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs: simulator and reference model agree bit for bit, whatever is open in how units run.

A failure prints the program that hypothesis has shrunk it to. Runs are made from fixed seeds, so they
can be repeated: `pytest test/python/test_reference_programs.py -k 'agree and 0'`.
"""

from __future__ import annotations

import itertools
from collections import Counter

import hypothesis
import numpy as np
import pytest
from reference import coverage, floats, harness, machine, matrix, memory, micro, vector
from reference.parser import parse
from reference.random_programs import Case, cases, seeded_case
from reference.syntax import Micro

SHORT = 150
LONG = 550  # A part of four.

#: Of what is open: when transfers happen, which unit goes next, how many threads.
RUNS = (
    ({}, {"dma": "late", "interleave": "random:1", "checks": "all"}),
    ({"dma": "random:2", "checks": "standard"}, {"interleave": "random:3", "threads": 1}),
    ({"dma": "late", "checks": "all"}, {"dma": "random:4", "interleave": "random:5", "timing": True}),
)


def agree(seed: int, examples: int) -> Counter[str]:
    """Runs so many programs and tells what they consisted of."""
    counts: Counter[str] = Counter()
    number = 0

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
    )
    @hypothesis.given(cases())
    def run(case: Case) -> None:
        nonlocal number
        number += 1
        outcome = harness.compare(case.program, case.arguments, RUNS[number % len(RUNS)], number)
        counts.update(coverage.features(case.program, outcome))

    run()
    counts["programs"] = number
    return counts


def test_random_programs_agree() -> None:
    counts = agree(0, SHORT)
    assert counts["programs"] >= SHORT
    assert not coverage.missing(counts, coverage.COMMON, 1)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 5))
def test_many_random_programs_agree(seed: int) -> None:
    counts = agree(seed, LONG)
    assert counts["programs"] >= LONG
    assert not coverage.missing(counts, coverage.ALL, 1)


def _unfused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return a * b + c


def _first_stays(self, name, dtype, addresses, values) -> None:
    _ORIGINAL_WRITE(self, name, dtype, addresses.reshape(-1)[::-1], np.asarray(values).reshape(-1)[::-1])


_ORIGINAL_WRITE = memory.Memories.write_at
_TRUNCATED = staticmethod(lambda x: floats.from_bits(floats.bits(x).astype(np.int64) & 0xFFFF0000)).__func__


def _masked(op: Micro, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a << (b & (micro.INTEGER_BITS[op.type] - 1))


#: A wrong model each: what to replace, by what.
WRONG = {
    "fewer partial results": (vector, "PARTIALS", 8),
    "longer blocks of bf16": (matrix, "BLOCK", 64),
    "subnormal sums kept": (matrix, "flushed_fma", floats.fma),
    "products rounded": (matrix, "fma", _unfused),
    "bf16 truncated": (floats, "round_bf16", _TRUNCATED),
    "the first element stays": (memory.Memories, "write_at", _first_stays),
    "iterations not counted": (machine, "resolve", lambda view, r, _: memory.resolve(view, r, (0, 0, 0, 0))),
    "shifts by the width": (micro._INTEGER, "shl_i", _masked),
}

#: For what the first random programs do not meet: a long sum, products with many and with tiny terms.
WITNESS = """
lpuisa.program @witness inputs [<"x", f32, [200]>, <"h", bf16, [200]>, <"t", bf16, [8]>]
    results [<"y", f32, [8], argument = 3>] outputs [<"y", f32, [8]>] {
  lpuisa.vec rank 1 parallel 0 views [<arg[0], f32, [200], [1], 0>, <arg[3], f32, [200], [0], 0>] {
    lpuisa.elements
    %x = lpuisa.micro load[0] : f32
    %sum = lpuisa.micro reduce<add_f>(%x) : (f32) -> f32
    lpuisa.rows
    lpuisa.micro store[1](%sum) : (f32) -> ()
  }
  lpuisa.stream <arg[1], bf16, [2, 100], [100, 1], 0> passes 1
  lpuisa.mm <arg[3], f32, [2], [1], 8> = <arg[1], bf16, [100], [2], 0> * <arg[1], bf16, [2, 100], [100, 1], 0>
      batch 0 rows 0 cols 1 depth 1
  lpuisa.stream <arg[2], bf16, [8], [1], 0> passes 1
  lpuisa.mm <arg[3], f32, [], [], 16> = <arg[2], bf16, [8], [1], 0> * <arg[2], bf16, [8], [1], 0>
      batch 0 rows 0 cols 0 depth 1
  lpuisa.halt
}
"""


def _witness() -> Case:
    x = np.random.default_rng(0).standard_normal(200).astype(np.float32)
    data = [
        x,
        floats.narrow(x, "bf16"),
        floats.narrow(x[:8] * np.float32(2.0**-64), "bf16"),
        np.zeros(8, np.float32),
    ]
    return Case(parse(WITNESS), [array.view(np.uint8) for array in data])


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_model_is_noticed(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert harness.compare(_witness().program, _witness().arguments) is None
    replace = monkeypatch.setitem if isinstance(WRONG[wrong][0], dict) else monkeypatch.setattr
    replace(*WRONG[wrong])
    with pytest.raises(harness.Mismatch):
        for case in itertools.chain([_witness()], map(seeded_case, range(100))):
            harness.compare(case.program, case.arguments)

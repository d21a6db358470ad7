# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sequences of docs/Transcendentals.md, evaluated as they stand there, against the simulator's bits."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from reference import harness, sequences
from reference.syntax import Micro

from torch_lpu import _simulator
from torch_lpu.mlir._mlir_libs import _lpu

OF_ONE = """exp exp2 expm1 log log2 log10 log1p erf erfc rsqrt cbrt sin cos tan tanh sinh cosh asinh acosh
    atanh atan asin acos""".split()
OF_TWO = ("pow", "atan2")


def halves() -> np.ndarray:
    """All bf16 and all f16."""
    bits = np.arange(1 << 16, dtype=np.uint32)
    return np.concatenate(
        [(bits << 16).view(np.float32), bits.astype(np.uint16).view(np.float16).astype("f4")]
    )


def spread(seed: int, size: int) -> np.ndarray:
    """Any f32, and more of them where functions bend."""
    generator = np.random.default_rng(seed)
    return np.concatenate(
        [
            generator.integers(0, 2**32, size, dtype=np.uint32).view(np.float32),
            (generator.standard_normal(size) * 4).astype(np.float32),
            (1 + generator.standard_normal(size) * 0.01).astype(np.float32),
            harness._SPECIAL,
        ]
    )


def on_the_simulator(name: str, inputs: list[np.ndarray]) -> np.ndarray:
    registers = ("%x0", "%x1")[: len(inputs)]
    op = Micro(f"{name}_f", "f32", "%r", registers, ("f32",) * len(inputs), result_type="f32")
    program, arguments = harness.single(op, inputs)
    loaded = _simulator.Program.load(_lpu.translate_to_binary(str(program)))
    assert harness.simulate(loaded, arguments) is None
    return arguments[-1].view(np.float32)


def expect_same(name: str, *inputs: np.ndarray) -> None:
    got, expected = on_the_simulator(name, list(inputs)), sequences.evaluate(name, *inputs)
    differs = (got.view(np.uint32) != expected.view(np.uint32)) & ~(np.isnan(got) & np.isnan(expected))
    first = np.flatnonzero(differs)[:3]
    assert not differs.any(), [(*(x[i].hex() for x in inputs), got[i], expected[i]) for i in first]


@pytest.mark.parametrize("name", OF_ONE)
def test_sequences_of_one(name: str) -> None:
    expect_same(name, np.concatenate([halves(), spread(1, 5000)]))


@pytest.mark.parametrize("name", OF_TWO)
def test_sequences_of_two(name: str) -> None:
    x, y = spread(2, 20000), spread(3, 20000)
    # Ordinary exponents, whole ones, and all pairs of special values.
    tame = (np.random.default_rng(4).standard_normal(x.size) * 8).astype(np.float32)
    special = harness._SPECIAL
    expect_same(
        name,
        np.concatenate([x, np.abs(x), x, np.repeat(special, special.size)]),
        np.concatenate([y, tame, np.rint(tame), np.tile(special, special.size)]),
    )


def test_coefficients() -> None:
    """The last bit of a small coefficient shows in too few results to be found by evaluation."""
    kernels = sequences.PAGE.parents[1] / "lib" / "Simulator" / "Kernels"
    names = ("Transcendentals.h", "Exponentials.inc", "Trigonometry.inc")
    code = "\n".join((kernels / name).read_text() for name in names)

    def constants(text: str, suffix: str) -> Counter[float]:
        hexadecimal = re.findall(rf"\b(0x1(?:\.[0-9a-f]+)?p[+-]?\d+){suffix}\b", text)
        decimal = re.findall(rf"\b(\d+\.\d+){suffix}\b", text)
        values = [float.fromhex(x) for x in hexadecimal] + [float(np.float32(x)) for x in decimal]
        # What is a whole number in one text and has a point in the other does not count.
        return Counter(x for x in values if x != int(x))

    on_page = "\n".join(re.findall(r"^```\n(.*?)^```$", sequences.PAGE.read_text(), re.M | re.S))
    strip = re.compile(r"(//|#).*")
    assert constants(strip.sub("", on_page), "") == constants(strip.sub("", code), "f")

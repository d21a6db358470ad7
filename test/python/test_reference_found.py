# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small programs on which simulator and model once differed, or that are hard to meet by chance."""

from __future__ import annotations

import numpy as np
import pytest
from reference import harness
from reference.parser import parse

PROGRAM = """
lpuisa.program @found
    inputs [<"x", f32, [32]>, <"k", i32, [32]>, <"h", bf16, [32]>, <"t", i32, [32]>]
    results [<"t.new", i32, [32], alias = 3, argument = 3>, <"y", f32, [64], argument = 4>,
             <"z", bf16, [32], argument = 5>]
    outputs [<"y", f32, [64]>, <"z", bf16, [32]>] {
%s
  lpuisa.halt
}
"""

FOUND = {
    # The copy went through the dimensions in the order that is fastest.
    "copy onto elements that share bytes keeps the last": """
  lpuisa.copy <arg[4], f32, [4, 3, 2], [4, 8, 1], 0> = <arg[0], f32, [4, 3, 2], [1, 8, 4], 0>""",
    "copy in tiles onto elements that share bytes": """
  lpuisa.copy <arg[4], f32, [3, 40], [4, 1], 0> = <arg[0], f32, [3, 40], [5, 0], 8>""",
    # Each sum began with what the one before it had left there.
    "accumulating into elements that share bytes": """
  lpuisa.stream <arg[0], f32, [2, 3, 4], [0, 4, 1], 0> passes 1
  lpuisa.mm <arg[4], f32, [2, 2, 3], [1, 3, 1], 16> = <arg[0], f32, [2, 2, 4], [4, 4, 1], 32>
      * <arg[0], f32, [2, 3, 4], [0, 4, 1], 0> batch 1 rows 1 cols 1 depth 1 accumulate""",
    # What follows an empty loop ran as if it was its body, and the loop around it was left.
    "an empty loop at the end of a loop": """
  lpuisa.loop 3 {
    lpuisa.copy <arg[4], f32, [1], [1], 0, loop_increments = [4]> = <arg[0], f32, [1], [1], 8>
    lpuisa.alu add r1 = r1, 4
    lpuisa.loop 2 {
    }
  }
  lpuisa.copy <arg[4], f32, [1], [1], 40, offset_register = r1, offset_bound = 64>
      = <arg[0], f32, [1], [1], 4>""",
    # With a row at a time the partial results of a reduction lay within each other.
    "a reduction beside a carry and a scatter": """
  lpuisa.vec rank 2 parallel 1 views [<arg[0], f32, [3, 10], [10, 1], 0>, <arg[4], f32, [3, 10], [1, 0], 0>,
                                      <arg[3], i32, [7], [1], 0>] {
    lpuisa.elements
    %start = lpuisa.micro const 7 : i32
    %count = lpuisa.micro carry(%start) : (i32) -> i32
    %x = lpuisa.micro load[0] : f32
    %one = lpuisa.micro const 1 : i32
    %more = lpuisa.micro add_i(%count, %one) : (i32, i32) -> i32
    lpuisa.micro next(%count, %more) : (i32, i32) -> ()
    %product = lpuisa.micro reduce<mul_f>(%x) : (f32) -> f32
    lpuisa.rows
    %six = lpuisa.micro const 6 : i64
    lpuisa.micro scatter<add_i>[2](%six, %count) : (i64, i32) -> ()
    lpuisa.micro store[1](%product) : (f32) -> ()
  }""",
}


@pytest.mark.parametrize("body", FOUND.values(), ids=FOUND)
def test_found(body: str) -> None:
    program = parse(PROGRAM % body)
    generator = np.random.default_rng(0)
    data = [
        generator.permutation(32).astype(np.float32) + 1,
        np.arange(32, dtype=np.int32),
        (generator.standard_normal(32).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16),
        generator.integers(-9, 9, 32).astype(np.int32),
        np.zeros(64, np.float32),
        np.zeros(32, np.uint16),
    ]
    arguments = [array.view(np.uint8) for array in data]
    assert harness.compare(program, arguments, ({}, {"dma": "late"}, {"threads": 1})) is None


def test_the_smallest_normal_number_is_not_subnormal() -> None:
    """num_mm: bf16 sums are flushed by what they are when rounded as if exponents had no limit."""
    tiny, step = 2.0**-75, 2.0**-75  # Products of 2^-150, a quarter of the step below 2^-126.
    program = parse(
        PROGRAM
        % """
  lpuisa.stream <arg[2], bf16, [1, 4], [4, 1], 0> passes 1
  lpuisa.mm <arg[4], f32, [3, 1], [1, 1], 0> = <arg[2], bf16, [3, 4], [4, 1], 8>
      * <arg[2], bf16, [1, 4], [4, 1], 0> batch 0 rows 1 cols 1 depth 1"""
    )
    numbers = np.zeros(32, np.float32)
    numbers[:4] = [2.0**-63, 0, step, 0]
    numbers[4:16] = [2.0**-63, 0, -tiny, 0, 2.0**-63, 0, -2 * tiny, 0, 2.0**-64, 0, tiny, 0]
    data = [
        np.zeros(32, np.float32),
        np.zeros(32, np.int32),
        (numbers.view(np.uint32) >> 16).astype(np.uint16),
    ]
    data += [np.zeros(32, np.int32), np.zeros(64, np.float32), np.zeros(32, np.uint16)]
    assert harness.compare(program, [array.view(np.uint8) for array in data]) is None

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each micro-operation on its own, on every type: the simulator against the model of `reference`."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from reference import harness
from reference.micro_table import OPERATIONS, Operation

SIZE = 1024


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_single_operation(operation: Operation) -> None:
    for op in operation.forms():
        generator = np.random.default_rng(zlib.crc32(str(op).encode()))
        inputs = [harness.values(generator, t, SIZE) for t in op.input_types]
        if op.opcode in ("bitcast_f_to_i", "copy_sign_f"):  # The bits of a NaN are open, its sign as well.
            inputs[-1] = np.where(np.isnan(inputs[-1]), np.float32(-1), inputs[-1])
        assert harness.compare(*harness.single(op, inputs)) is None


def test_no_operation_of_the_manual_is_missing() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "ISA.md").read_text()
    table = manual.split("<!-- micro-ops")[1].split("\n\n")[0]
    names = set(re.findall(r"^\| (\w+) \| 0x", table, re.MULTILINE))
    elsewhere = {"elements", "rows", "const", "load", "store", "gather", "scatter", "iota", "assert"}
    elsewhere |= {"reduce", "carry", "next"}
    assert {operation.name for operation in OPERATIONS} == names - elsewhere

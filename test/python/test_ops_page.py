# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/ops.md says what is so: rows are measured anew and compared with the page."""

import pytest
from core_calls import MAY_FALL_BACK, core_overloads

from benchmarks import core_ops

ROWS = core_ops.read_page()

# A short run has these, and all that may fall back.
SHORT = {"mm", "prod", "arange.start_step", "full", "index_put", "upsample_bilinear2d.vec"}


def test_the_page_has_every_core_overload():
    assert sorted(ROWS) == list(ROWS) == core_overloads()


def test_the_sums_are_those_of_the_lines():
    assert core_ops.PAGE.read_text() == core_ops.page(ROWS)


def test_only_those_that_may_fall_back_do_not_compile():
    compiled = {name: line.split("|")[2] for name, line in ROWS.items()}
    assert {name for name, types in compiled.items() if not types.strip()} <= MAY_FALL_BACK.keys()
    assert not [line for line in ROWS.values() if "**" in line]  # Wrong or crashed.


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in SHORT or name in MAY_FALL_BACK else [pytest.mark.long])
        for name in core_overloads()
    ],
)
def test_row(name):
    assert str(core_ops.row(name, list(core_ops.measure(name)))) == ROWS[name]

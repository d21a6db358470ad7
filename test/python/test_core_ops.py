# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every overload that PyTorch tags as core compiles, but for those that need not."""

import pytest
from checks import check
from core_calls import CALLS, MAY_FALL_BACK, core_overloads, overload

# A short run has the first call of each.
CASES = [
    pytest.param(name, call, id=f"{name}-{number}", marks=[pytest.mark.long] if number else [])
    for name, calls in CALLS.items()
    for number, call in enumerate(calls)
]


def test_every_core_overload_is_called():
    assert CALLS.keys() == set(core_overloads()) - MAY_FALL_BACK
    assert len(CALLS) == 177


@pytest.mark.parametrize(("name", "call"), CASES)
def test_core_overload(name, call):
    op = overload(name)

    def function(args, kwargs):
        return op(*args, **kwargs)

    check(function, call.args, call.kwargs)

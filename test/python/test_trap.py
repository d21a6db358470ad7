# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trap fires on a fallback, and not on a program that runs on the LPU alone."""

import pytest
import torch
from trap import HiddenFallback, trap


def test_catches_an_eager_op():
    x = torch.randn(3)
    with pytest.raises(HiddenFallback, match="aten::add"), trap():
        x + 1


def test_catches_what_a_dispatch_mode_cannot_see():
    x = torch.randn(3)
    with pytest.raises(HiddenFallback, match="aten::"), trap():
        with torch._C._DisableTorchDispatch():
            x + 1


def test_leaves_nothing_behind():
    x = torch.randn(3)
    with trap():
        pass
    assert torch.equal(x + 1, 1 + x)


def test_catches_a_deliberate_fallback():
    def function(x):
        return (x.double() * 2).float() + 1

    x = torch.randn(3)
    compiled = torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "allow"})
    torch.testing.assert_close(compiled(x), function(x))
    with pytest.raises(HiddenFallback), trap():
        compiled(x)


def test_a_program_runs_on_the_lpu_alone(lpu_compile):
    def function(x, y):
        return torch.relu(x @ y).sum(-1)

    x, y = torch.randn(3, 4), torch.randn(4, 5)
    compiled = lpu_compile(function)
    expected = function(x, y)
    compiled(x, y)  # Compilation itself may compute on the host.
    with trap():
        result = compiled(x, y)
    torch.testing.assert_close(result, expected)

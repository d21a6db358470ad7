# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of instructions in whole programs, and the waits between their units."""

import copy

import pytest
import torch
from test_models import OPTIONS, logits_of, tiny_llama
from waits import count_waits

from torch_lpu.decoding import make_cache
from torch_lpu.program import running
from torch_lpu.report import profile

LOAD = "lpuisa.copy <lmu> = <arg[0]>"
STORE = "lpuisa.copy <arg[1]> = <lmu>"


def test_waits_that_others_imply_are_counted():
    chain = [LOAD, "lpuisa.post sma, 5, 1", "lpuisa.wait vxe, 5, 1", "lpuisa.vec {"]
    assert count_waits("\n".join(chain)) == (1, 0)
    # A wait for the same copy once more.
    again = [LOAD, "lpuisa.post sma, 5, 1", *chain[1:], "lpuisa.wait vxe, 5, 1", "lpuisa.vec {"]
    assert count_waits("\n".join(again)) == (2, 1)
    # The product comes after the vec, which comes after the copy.
    round_about = [
        LOAD,
        "lpuisa.post sma, 5, 1",
        "lpuisa.post sma, 4, 1",
        "lpuisa.wait vxe, 5, 1",
        "lpuisa.vec {",
        "lpuisa.post vxe, 11, 1",
        "lpuisa.wait sxe, 4, 1",
        "lpuisa.wait sxe, 11, 1",
        "lpuisa.mm <lmu>",
    ]
    assert count_waits("\n".join(round_about)) == (3, 1)


@pytest.mark.parametrize("disable", [(), ("schedule",)], ids=str)
@torch.no_grad()
def test_a_step_has_few_waits_that_others_imply(tmp_path, disable):
    model = tiny_llama()
    options = {**OPTIONS, "dump_dir": str(tmp_path), "disable": disable}
    step = torch.compile(logits_of(model), backend="lpu", fullgraph=True, dynamic=False, options=options)
    with running(checks="standard"):
        step(torch.tensor([[5]]), make_cache(model, 32), torch.tensor([[0]]))
    (isa,) = tmp_path.rglob("70-isa.mlir")
    total, redundant = count_waits(isa.read_text())
    assert total > 20
    assert redundant <= 0.02 * total


@torch.no_grad()
def test_a_scheduled_step_gives_the_same_bits_in_less_time():
    model = tiny_llama()
    outcomes, cycles = [], []
    for disable in ((), ("schedule",)):
        options = {**OPTIONS, "disable": disable}
        step = torch.compile(logits_of(model), backend="lpu", fullgraph=True, dynamic=False, options=options)
        cache = make_cache(model, 32)
        with profile() as report, running(checks="standard"):
            logits = step(torch.tensor([[5]]), cache, torch.tensor([[0]]))
        cycles.append(report.cycles)
        outcomes.append([logits, *(copy.copy(layer.keys) for layer in cache.layers)])
    assert all(torch.equal(a, b) for a, b in zip(*outcomes, strict=True))
    assert cycles[0] < cycles[1]

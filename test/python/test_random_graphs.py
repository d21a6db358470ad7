# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random PyTorch programs on the LPU and in eager: same values, same changed inputs, nothing on the host.

A failure prints the program, shortened as far as it still fails in the same way, so that it can be pasted
into test_random_graphs_found.py. The long run has 12 parts of 250 programs with a seed each, so that it can
be made in pieces: `pytest test/python/test_random_graphs.py -m long -k part_3`.
"""

from __future__ import annotations

import warnings
from collections import Counter

import hypothesis
import pytest
import torch
from random_graphs import checking, program, strategy

SHORT = 40
PART = 250
PARTS = 12

#: Of so many programs one may be one on which PyTorch's own tracing differs from eager: views of inputs that
#: share memory, writes through `expand`. Hypothesis varies what it has drawn, so that they come in groups.
PYTORCH_SHARE = 25

SETTINGS: dict[str, object] = {
    "database": None,
    "deadline": None,
    "suppress_health_check": list(hypothesis.HealthCheck),
    "phases": (hypothesis.Phase.generate,),  # Programs are shortened as what they are: data.
}


def run(examples: int, seed: int | None) -> None:
    counts: Counter[str] = Counter()

    def one(graph: program.Program) -> None:
        failure = checking.check(graph)
        counts["PyTorch" if failure is not None and failure.kind == checking.PYTORCH else "compared"] += 1
        if failure is not None and failure.kind != checking.PYTORCH:
            pytest.fail(checking.report(graph, failure), pytrace=False)

    test = hypothesis.given(strategy.programs())(one)
    if seed is not None:
        test = hypothesis.seed(seed)(test)
    hypothesis.settings(max_examples=examples, derandomize=seed is None, **SETTINGS)(test)()
    assert counts.total() >= examples
    assert counts["PyTorch"] * PYTORCH_SHARE <= counts.total()


def test_some_agree() -> None:
    run(SHORT, None)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(PARTS), ids=lambda seed: f"part_{seed}")
def test_agree(seed: int) -> None:
    run(PART, seed)


def test_programs_have_what_they_should() -> None:
    found: Counter[str] = Counter()
    for seed in range(200):
        graph = strategy.seeded_program(seed)
        assert strategy.MIN_OPS <= len(graph.statements) <= strategy.MAX_OPS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of variances of nothing.
            found.update(strategy.features(graph))
    assert {feature for feature in strategy.expected_features() if not found[feature]} == set()


def test_wide_values_have_memory_of_their_own() -> None:
    """A change in place is made once in each."""
    inputs = [torch.arange(6).view(2, 3), torch.ones(3)]
    inputs.append(inputs[0].mT)
    wide = program.widen(inputs)
    wide[0].add_(1)
    wide[1].add_(1)
    assert inputs[0].sum() == 15 and inputs[1].sum() == 3
    assert torch.equal(wide[2], inputs[2] + 1)


def test_what_pytorch_refuses_is_not_ours() -> None:
    """Under any backend Dynamo refuses to change one element of a tensor that repeats it."""
    graph = program.Program(
        (program.Input("x0", "repeated(values((8,), torch.float32, 'plain', 0), 0, 8)"),),
        (
            program.Statement("slice", ("v0",), "x0[-1:8]"),
            program.Statement("exp_", (), "v0.exp_()", changes="v0"),
            program.Statement("neg", ("v1",), "torch.neg(v0)"),
        ),
        ("v1",),
    )
    failure = checking.check(graph)
    assert failure is not None and failure.kind == checking.PYTORCH
    assert "more than one element of the written-to tensor" in failure.text


def test_a_wrong_result_is_noticed() -> None:
    """A result that is off by little more than roundings, and a changed input that is not."""
    graph = program.Program(
        (program.Input("x0", "values((4,), torch.float32, 'wide', 1)"),),
        (
            program.Statement("sin", ("v0",), "torch.sin(x0)", rounds=torch.float32),
            program.Statement("add_", (), "x0.add_(1)", changes="x0", exact=torch.float32),
        ),
        ("v0",),
    )
    assert checking.check(graph) is None
    inputs = program.load(str(graph))["inputs"]
    (wide, *_) = graph.run_wide(program.widen(inputs()), program.Wide())
    (moved, *_) = graph.run_wide(program.widen(inputs()), program.Wide(1))
    right = wide.float()
    assert checking._difference(right, right, wide, [moved], False) is None
    assert checking._difference(right * (1 + 3e-6), right, wide, [moved], False) is not None
    assert checking._difference(right, right, wide, [moved], True) is None
    assert checking._difference(right.nextafter(right + 1), right, wide, [moved], True) is not None


def test_shrinking_keeps_what_fails() -> None:
    graph = strategy.seeded_program(5)
    wanted = next(s for s in reversed(graph.statements) if s.targets and len(s.operands()) == 2)
    shorter = program.shrink(graph, lambda candidate: wanted in candidate.statements)
    assert wanted in shorter.statements and len(shorter.statements) < len(graph.statements)
    namespace = program.load(str(shorter))
    assert len(namespace["function"](*namespace["inputs"]())) == len(shorter.results)

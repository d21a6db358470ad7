# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sweep over PyTorch's operator database: its workers, its judgement and its report."""

import json
import os
import time

import pytest
import torch

from benchmarks import coverage, samples
from benchmarks.agreement import disagreement
from benchmarks.workers import Task, run_tasks


def misbehave(entry, dtype, start, stop):
    for step in range(start, stop):
        if (entry, step) == ("dies", 1):
            os._exit(3)
        if (entry, step) == ("hangs", 0):
            time.sleep(60)
        yield f"{entry} {step}"


def test_a_step_that_dies_or_hangs_is_lost_alone():
    tasks = [Task((name, "float32"), 3) for name in ("dies", "hangs", "ends")]
    done = {task.arguments[0]: task.outcomes for task in run_tasks(misbehave, tasks, 2, 5.0, str)}
    assert done == {
        "dies": ["dies 0", "crashed: exit code 3", "dies 2"],
        "hangs": ["hung", "hangs 1", "hangs 2"],
        "ends": ["ends 0", "ends 1", "ends 2"],
    }


@pytest.mark.parametrize(
    ("result", "expected", "truth", "message"),
    [
        (1.0, 1.0 + 1e-7, None, None),
        (1.0, 1.5, None, "1 of 1 elements (float32), first at []: 1.0, eager gives 1.5"),
        (float("nan"), float("nan"), None, None),
        (float("nan"), 1.0, None, "eager gives 1.0"),
        # Eager is off, and we are on the other side of the truth: about as far, or too far.
        (0.998, 1.002, 1.0, None),
        (0.99, 1.002, 1.0, "1 of 1 elements"),
        # What eager computes has nothing to do with the float64 result.
        (3.0, 1.0, 2.0, "eager gives 1.0"),
    ],
)
def test_judgement(result, expected, truth, message):
    truth = None if truth is None else torch.tensor(truth, dtype=torch.float64)
    found = disagreement(torch.tensor(result), torch.tensor(expected), truth)
    assert found is None if message is None else message in found


def test_judgement_of_cancellation():
    truth = torch.tensor([0.0, 0.0, 1e6], dtype=torch.float64)
    eager = torch.tensor([0.0, 0.001, 1e6])
    assert disagreement(torch.tensor([0.001, 0.0, 1e6]), eager, truth) is None
    assert disagreement(torch.tensor([0.003, 0.0, 1e6]), eager, truth) is not None
    # An error that is small beside its own element is no measure for others.
    eager = torch.tensor([0.0, 0.0, 1e6 + 0.5])
    assert disagreement(torch.tensor([0.001, 0.0, 1e6]), eager, truth) is not None


def test_judgement_of_types():
    one = torch.ones(2)
    assert disagreement(one, one.double()) == "result 0: dtype torch.float32, eager gives torch.float64"
    assert disagreement(one, torch.ones(2, 1)).startswith("result 0: shape torch.Size([2])")
    assert disagreement([one], [one, one]) == "1 results, eager gives 2"
    assert "eager gives 3" in disagreement(torch.tensor(2), torch.tensor(3), torch.tensor(2.0))


def status(name, dtype="float32", place=0):
    op = samples.entries()[name]
    (sample,) = samples.samples_of(op, dtype, place, place + 1)
    return samples.run_sample(op, sample)


def test_what_becomes_of_a_sample(monkeypatch):
    assert status("add") == ("compiled", "")
    assert status("t") == ("compiled", "")
    assert status("nonzero") == ("not captured", "graph break: Dynamic shape operator")
    what, why = status("linalg.lu")
    assert what == "fell back"
    assert why.startswith("aten.linalg_lu (float32): it is LAPACK's, which the host has")
    # Where the compiler does not tell, the trap does.
    monkeypatch.setattr(samples, "_fallback_reasons", lambda record: [])
    assert status("linalg.lu") == ("fell back", "linalg_lu ran on the host")


def test_a_wrong_result_is_wrong(monkeypatch):
    from torch_lpu import corrections
    from torch_lpu.decompositions import decomposition_table

    monkeypatch.setitem(corrections.CORRECTIONS, torch.ops.aten.relu.default, lambda x: x * 1.001)
    decomposition_table.cache_clear()
    try:
        what, why = status("nn.functional.relu", place=1)
    finally:
        decomposition_table.cache_clear()
    assert what == "wrong" and "eager gives" in why


def test_report(tmp_path, capsys):
    path, kept = tmp_path / "numbers.json", tmp_path / "kept.jsonl"
    arguments = ["--op", "linalg.lu*_ex", "--dtype", "float32,int64", "--samples", "1"]
    coverage.main([*arguments, "--json", str(path), "--resume", str(kept)])
    result = json.loads(path.read_text())
    (row,) = result["entries"]
    assert (row["entry"], row["dtype"], row["status"]) == ("linalg.lu_factor_ex", "float32", "fell back")
    assert result["totals"]["float32"]["samples"] == {"fell back": 1}
    printed = capsys.readouterr().out
    assert "fell back" in printed and "linalg.lu_factor_ex (excluded)" in printed
    assert f"1 of {len(samples.entries())} entries" in printed.replace("\n", " ")
    # What the file has is not run again.
    lines = kept.read_text()
    coverage.main([*arguments, "--resume", str(kept)])
    assert kept.read_text() == lines


def test_summary():
    outcomes = {
        ("add", "float32"): ["compiled", "compiled"],
        ("sub", "float32"): ["compiled", "fell back"],
        ("mul", "float32"): ["refused", "refused"],
        ("qr", "float32"): ["fell back", "not captured"],
    }
    made = {key: [samples.Outcome(status) for status in value] for key, value in outcomes.items()}
    totals = coverage.summary(made)["totals"]["float32"]
    assert totals["entries"] == {"compiled": 1, "fell back": 2, "refused": 1}
    assert totals["entries_not_excluded"] == {"compiled": 1, "fell back": 1, "refused": 1}
    assert totals["share_compiled"] == 0.5


def test_a_type_that_is_not_there(capsys):
    with pytest.raises(SystemExit):
        coverage.main(["--dtype", "float32,complex64"])
    assert "no type complex64; there are float32, bfloat16" in capsys.readouterr().err


def test_the_list_is_short_and_known():
    listed = coverage.excluded()
    assert len(listed) <= 130 and listed.keys() <= samples.entries().keys()
    assert all(listed.values())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machines: presets and files, what the command line says of them, and a model on each."""

import subprocess

import pytest
import torch

import torch_lpu
from torch_lpu import cli
from torch_lpu.machines import machine, machine_text, machine_toml, preset_names

PRESETS = ("lpu-hbm3", "lpu-lpddr5x", "lpu-u55c", "tiny")


def test_presets():
    assert preset_names() == PRESETS


def test_every_parameter_has_a_unit_a_range_and_a_source():
    for name in PRESETS:
        for p in machine(name).parameters:
            assert p.unit in ("count", "bytes", "cycles", "GHz", "GB/s", "ns", "share"), p
            assert p.source.split(":")[0] in ("published", "derived", "choice"), p
            assert p.minimum <= float(p.value) <= p.maximum, p


def test_command_lists_presets_with_unit_value_and_source(capsys):
    assert cli.main(["machines"]) == 0
    output = capsys.readouterr().out
    for name in PRESETS:
        assert f"\n{name}" in f"\n{output}"
        for p in machine(name).parameters:
            row = next(line for line in output.splitlines() if line.split()[:2] == [p.name, p.value])
            assert p.unit in row and p.description in row
            assert p.source in output


def test_command_lists_one_machine(capsys):
    assert cli.main(["machines", "lpu-u55c"]) == 0
    output = capsys.readouterr().out
    assert "published: Alveo U55C data sheet" in output and "tiny" not in output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["lpu-u55"], "did you mean 'lpu-u55c'"),
        (["no such.toml"], "no such.toml: cannot be read"),
        (["--toml"], "--toml needs a machine, one of lpu-hbm3"),
    ],
)
def test_command_says_what_is_wrong(arguments, message, capsys):
    assert cli.main(["machines", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and not captured.out


@pytest.mark.parametrize("name", PRESETS)
def test_written_file_is_the_same_machine_and_explains_itself(name, tmp_path, capsys):
    assert cli.main(["machines", name, "--toml"]) == 0
    path = tmp_path / "a file of mine.toml"
    path.write_text(capsys.readouterr().out)
    _, _, values = machine_text(name).partition("\n")
    assert machine_text(str(path)) == f'name = "custom"\n{values}'  # No plain name has blanks.
    # What it says of each value survives, so it can be written once more.
    assert machine(str(path)).parameters == machine(name).parameters
    plain = tmp_path / "mine.toml"
    plain.write_text(machine_toml(machine(str(path))))
    assert machine_text(str(plain)) == f'name = "mine"\n{values}'


@pytest.mark.parametrize(
    "text, message",
    [
        ("\ntrees = 1.5", r"m.toml:2: 'trees' is 1.5, expected an integer in \[1, 1000000\]"),
        ("clock_ghz = 'fast'", r"m.toml:1: 'clock_ghz' is 'fast', expected a number in"),
        ("trees = 4\nhbm_efficiency = 2", r"m.toml:2: 'hbm_efficiency' is 2.0, expected a value in"),
        ("base = 'gpu'", r"m.toml:1: 'base' is 'gpu', expected one of lpu-hbm3, lpu-lpddr5x, lpu-u55c, tiny"),
        ("treez = 4", r"m.toml:1: unknown key 'treez', expected one of base, name, clock_ghz"),
        ("trees 4", r"m.toml:1: "),
        ("[trees]\nx = 1", r"m.toml:1: 'trees' is "),
    ],
)
def test_a_bad_file_names_line_key_what_was_found_and_what_was_expected(text, message, tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(torch_lpu.OptionError, match=message):
        machine(str(path))


def test_a_folder_is_no_machine(tmp_path):
    (tmp_path / "m.toml").mkdir()
    with pytest.raises(torch_lpu.OptionError, match=r"m.toml: cannot be read"):
        machine(str(tmp_path / "m.toml"))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(32)
        self.up = torch.nn.Linear(32, 96)
        self.down = torch.nn.Linear(96, 32)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def _run(machine_name):
    torch.manual_seed(0)
    model, x = Block(), torch.randn(9, 32)
    compiled = torch.compile(model, backend="lpu", options={"machine": machine_name, "fallback": "error"})
    with torch.no_grad(), torch_lpu.profile() as report:
        result = compiled(x)
    torch.testing.assert_close(result, model(x), rtol=1e-4, atol=1e-5)
    return result, report


def test_a_model_runs_on_every_preset():
    seconds = {}
    for name in PRESETS:
        _, report = _run(name)
        assert [run.machine for run in report.runs] == [name]
        seconds[name] = report.seconds
    # The card has a seventh of the bandwidth and a quarter of the clock.
    assert seconds["lpu-hbm3"] < seconds["lpu-u55c"] < seconds["tiny"] * 10


def test_a_file_is_the_preset_that_it_was_written_from(tmp_path):
    path = tmp_path / "my card.toml"
    path.write_text(machine_toml(machine("lpu-u55c")))
    result, report = _run(str(path))
    expected, expected_report = _run("lpu-u55c")
    assert torch.equal(result, expected)
    assert report.cycles == expected_report.cycles


def test_the_pipeline_takes_a_file(tmp_path):
    path = tmp_path / "my machine.toml"
    path.write_text("base = 'lpu-u55c'\nname = 'card'\ntrees = 8\n")
    done = subprocess.run(
        ["lpu-opt", f"--lpu-pipeline=to=lpu machine='{path}'"],
        input="module {}",
        capture_output=True,
        text=True,
        check=True,
    )
    assert 'name = "card"' in done.stdout and "trees = 8" in done.stdout

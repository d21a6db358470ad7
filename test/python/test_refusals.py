# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every reason for which an op is refused, as a user reads it: op, dtype, line, reason, what to do."""

import warnings

import pytest
import torch
from torch._higher_order_ops.effects import EffectType

import torch_lpu
from torch_lpu import diagnostics, support

X = torch.randn(3, 4)


@torch.library.custom_op("lpu_tests::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@twice.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("lpu_tests::said", mutates_args=())
def said(x: torch.Tensor) -> None:
    pass


@said.register_fake
def _(x):
    pass


said.register_effect(EffectType.ORDERED)

OTHERWISE = "write it with other operations, or leave it on the host with options={'fallback': 'allow'}"

CASES = {
    "float64": (
        lambda x: x.double(),
        "aten._to_copy (float64)",
        "the machine has no float64 and never narrows it silently",
        "convert to float32 before it (`x.float()`) if that is precise enough",
    ),
    "complex": (
        lambda x: torch.view_as_real(x.to(torch.complex64) * 2),
        "aten.mul.Tensor (complex64)",
        "the machine has no complex64",
        "convert to one of float32, bfloat16, float16 or an integer type before it",
    ),
    "fp8": (
        lambda x: x.to(torch.float8_e4m3fn).float(),
        "aten._to_copy (float8_e4m3fn)",
        "the machine has no float8_e4m3fn",
        "convert to one of float32, bfloat16, float16 or an integer type before it",
    ),
    "unsigned": (
        lambda x: x.to(torch.uint16),
        "aten._to_copy (uint16)",
        "the machine has no uint16",
        "convert to one of float32, bfloat16, float16 or an integer type before it",
    ),
    "random": (
        lambda x: x + torch.rand(3, 4),
        "aten.rand (float32)",
        "random numbers come from the host's generator",
        "draw the numbers outside of the compiled function and pass them in",
    ),
    "custom": (
        lambda x: twice(x) + 1,
        "lpu_tests.twice (float32)",
        "custom operations are not lowered",
        "give it a decomposition into ATen operations",
    ),
    "higher order": (
        lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)),
        "cond (float32)",
        "higher-order and Python operations are not lowered",
        "write it with ATen operations",
    ),
    "check": (
        lambda x: torch.linalg.cholesky(x @ x.T + 4 * torch.eye(3)),
        "aten._linalg_check_errors (float32)",
        "an assertion has to be able to stop the program",
        OTHERWISE,
    ),
    "effects": (
        lambda x: (said(x), x + 1)[1],
        "lpu_tests.said (float32)",
        "it has effects besides its results, which a program has not",
        OTHERWISE,
    ),
    "sizes": (
        lambda x: x.nonzero(),
        "aten.nonzero (int64)",
        "a size is known only at run time",
        "use a fixed size and a mask",
    ),
    "values": (
        lambda x: x.sum().to(torch.int64).item() + x,
        "aten._local_scalar_dense (no tensor)",
        "its value decides what Python does next",
        "keep the value in a tensor, or use torch.where or torch.cond",
    ),
    "integers": (
        lambda x: x.to(torch.int64) - 2**63,
        "aten.sub.Tensor (int64)",
        "a Python integer in it does not fit int64",
        OTHERWISE,
    ),
    "number that does not fit": (
        lambda x: torch.addcmul(x.half(), x.half(), x.half(), value=1e5),
        "aten.addcmul (float16)",
        "100000.0 does not fit float16, which eager may answer with an error",
        OTHERWISE,
    ),
    "gaps": (
        lambda x: x.new_empty_strided((2, 3), (6, 1)).fill_(0) + torch.empty_strided((2, 3), (6, 1)),
        "aten.empty_strided (float32)",
        "its elements do not lie side by side, as those that a program writes do",
        OTHERWISE,
    ),
    "series": (
        lambda x: torch.igamma(x.abs(), x.abs()),
        "aten.igamma (float32)",
        "how many terms its series takes depends on values",
        OTHERWISE,
    ),
    "degree": (
        lambda x: torch.special.legendre_polynomial_p(x, x),
        "aten.special_legendre_polynomial_p (float32)",
        "its degree, which is the number of its steps, is a value",
        OTHERWISE,
    ),
    "squares": (
        lambda x: torch.linalg.matrix_exp(x[:, :3]),
        "aten.linalg_matrix_exp (float32)",
        "how often it squares depends on values",
        OTHERWISE,
    ),
    "image of bytes": (
        lambda x: torch.ops.aten._upsample_bilinear2d_aa(x.to(torch.uint8).view(1, 1, 3, 4), [2, 2], False),
        "aten._upsample_bilinear2d_aa (uint8)",
        "eager has a fixed point of its own for it",
        OTHERWISE,
    ),
    "steps": (
        lambda x: torch.linspace(x[0, 0], x[0, 1], 3, dtype=torch.int64),
        "aten.linspace.Tensor_Tensor (int64)",
        "eager has float64 steps for integers",
        OTHERWISE,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_as_a_warning_an_error_and_an_account(name):
    function, op, reason, what = CASES[name]
    text = f"{__file__}:{function.__code__.co_firstlineno}: {op} runs in eager PyTorch: {reason}; {what}"
    capture = torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)
    with torch.no_grad(), capture:
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            torch.compile(function, backend="lpu", fullgraph=True)(X)
        assert f"torch-lpu: {text}" in [str(warning.message) for warning in record]

        torch._dynamo.reset()
        with pytest.raises(Exception, match="not everything compiles for the LPU") as raised:
            torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "error"})(X)
        error = raised.value.inner_exception
        assert isinstance(error, torch_lpu.FallbackError)
        assert f"\n  {text}" in str(error) and text in map(str, error.fallbacks)

        rows = {f"{row.op} ({row.dtype})": row for row in torch_lpu.explain(function, X).fallbacks}
        assert (rows[op].reason, rows[op].advice, rows[op].stage) == (reason, what, "fx")
        assert (rows[op].file, rows[op].line) == (__file__, function.__code__.co_firstlineno)


def node_of(target, *values):
    graph = torch.fx.Graph()
    operands = []
    for number, value in enumerate(values):
        operands.append(graph.placeholder(f"x{number}"))
        operands[-1].meta["val"] = value
    node = graph.call_function(target, tuple(operands))
    node.meta["val"] = values[0]
    return node


@pytest.mark.parametrize(
    ("target", "value", "reason"),
    [
        (torch.ops.aten.relu.default, X.to_sparse(), "torch.sparse_coo tensors are not lowered"),
        (
            torch.ops.aten.relu_.default,
            X,
            "it changes its operand in place, which a functional graph cannot say",
        ),
        (len, X, "higher-order and Python operations are not lowered"),
    ],
)
def test_what_only_graphs_made_by_hand_hold(target, value, reason):
    assert support.reason_to_refuse(node_of(target, value)) == reason


def test_what_eager_refuses_of_constants_is_left_to_eager():
    """To compile it is no error, and to run it is eager's."""
    reason = "eager raises 'ZeroDivisionError' for its constants"

    def function(x):
        return x + torch.full((4,), 5) // torch.full((4,), 0)

    assert [op.reason for op in torch_lpu.explain(function, X).fallbacks] == [reason]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.compile(function, backend="lpu", options={"fallback": "allow"})(X)


def test_a_determinant_that_needs_another_order_of_rows():
    """LAPACK exchanges them; torch-mlir's elimination has no pivots, and stops."""
    x = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    compiled = torch.compile(torch.linalg.det, backend="lpu", options={"fallback": "allow"})
    assert torch.equal(compiled(x), torch.linalg.det(x))


def test_an_assertion_is_left_to_eager():
    node = node_of(torch.ops.aten._assert_async.msg, X)
    assert support.reason_to_refuse(node) == "an assertion has to be able to stop the program"


def test_what_is_no_operation_is_refused():
    graph = torch.fx.Graph()
    node = graph.call_module("layer", (graph.placeholder("x"),))
    assert support.reason_to_refuse(node) == "call_module nodes are not ATen operations"


def test_tensors_of_another_device_are_refused():
    class Elsewhere(torch.Tensor):
        device = torch.device("xla:1")

    node = node_of(torch.ops.aten.relu.default, X.as_subclass(Elsewhere))
    reason = support.reason_to_refuse(node)
    assert reason == "tensors on xla:1 are not the host's"
    assert diagnostics.advice(reason) == "move it to the host before it (`x.cpu()`)"


def test_advice_for_sparse_tensors_and_failures_of_ours():
    assert diagnostics.advice("torch.sparse_coo tensors are not lowered") == (
        "make it a dense tensor before it (`x.to_dense()`)"
    )
    for reason in ("internal failure, stage 'tiled' does not lower it (no)", "stage 'tiled' failed: a bug"):
        assert diagnostics.advice(reason) == "please report it with the command"


@pytest.mark.parametrize("target", support._REFUSED, ids=str)
def test_ops_that_are_refused_by_name_say_why(target):
    reason = support._REFUSED[target]
    fallback = diagnostics.make_fallback(node_of(target, X), reason)
    assert support.reason_to_refuse(node_of(target, X)) == reason
    assert str(fallback).startswith(
        f"FX node {fallback.where.split()[-1]}: {diagnostics.op_name(node_of(target, X))} (float32)"
    )
    assert str(fallback).endswith(f"runs in eager PyTorch: {reason}; {fallback.advice}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs in eager says so, once, with the reason and the line; and computes the same."""

import re
import warnings

import pytest
import torch
import torch.nn.functional as F

import torch_lpu
from torch_lpu import backend, compiler, support, torchmlir
from torch_lpu.diagnostics import StageError

aten = torch.ops.aten


def half_in_float64(x):
    y = (x.double() * 3).float()  # The line that the warning has to name.
    return y + 1


LINE = half_in_float64.__code__.co_firstlineno + 1


def compile_(function, **options):
    return torch.compile(function, backend="lpu", fullgraph=True, options=options)


def messages(record):
    return [str(w.message) for w in record if issubclass(w.category, torch_lpu.FallbackWarning)]


def test_float64_warns_with_op_dtype_reason_and_line():
    x = torch.randn(3)
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        result = compile_(half_in_float64)(x)
    assert torch.equal(result, half_in_float64(x))
    (mul,) = [m for m in messages(record) if "aten.mul" in m]
    assert f"test_fallback.py:{LINE}" in mul
    assert "(float64)" in mul and "no float64 and never narrows it silently" in mul


def test_once_per_op():
    def function(x):
        y = x.double()
        return ((y * 2) * 3 * 4).float()

    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        compile_(function)(torch.randn(3))
        torch._dynamo.reset()
        compile_(function)(torch.randn(3))
    assert len([m for m in messages(record) if "aten.mul" in m]) == 1


def test_a_float64_model():
    model = torch.nn.Linear(3, 4).double()
    x = torch.randn(2, 3, dtype=torch.float64)
    with pytest.warns(torch_lpu.FallbackWarning, match=r"aten\.addmm \(float64\).*no float64"):
        result = compile_(model)(x)
    torch.testing.assert_close(result, model(x))


def test_error_lists_all_of_them():
    with pytest.raises(Exception, match=rf"(?s)not everything compiles.*{LINE}: aten\._to_copy.*aten\.mul"):
        compile_(half_in_float64, fallback="error")(torch.randn(3))


def test_allow_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error", torch_lpu.FallbackWarning)
        compile_(half_in_float64, fallback="allow")(torch.randn(3))


def test_what_torch_mlir_does_not_lower():
    def function(x):
        return torch.special.zeta(x * 2, x) + torch.igamma(x, x / 10)

    x = torch.rand(4) + 1
    with pytest.warns(torch_lpu.FallbackWarning) as record:
        result = compile_(function)(x)
    torch.testing.assert_close(result, function(x))
    told = messages(record)
    assert any("aten.special_zeta" in m for m in told) and any("aten.igamma" in m for m in told)
    assert not any("aten.mul" in m or "aten.div" in m for m in told)


def test_failures_are_learned(monkeypatch):
    monkeypatch.delitem(support._REFUSED, torch.ops.aten.linalg_cholesky_ex.default)
    compile_(lambda x: torch.linalg.cholesky_ex(x)[0], fallback="allow")(torch.eye(4))
    traced = torch.fx.Graph()
    x = traced.placeholder("x")
    x.meta["val"] = torch.empty(4, 4)
    node = traced.call_function(torch.ops.aten.linalg_cholesky_ex.default, (x,))
    node.meta["val"] = torch.empty(4, 4), torch.empty((), dtype=torch.int32)
    assert "torch-mlir does not lower it" in support.reason_to_refuse(node)


def test_an_op_that_insists_on_bytes(caplog):
    """Others compute as 32-bit integers."""
    pack = torch.ops.aten._convert_weight_to_int4pack_for_cpu
    w = torch.arange(16 * 64, dtype=torch.int32).view(16, 64) % 16
    product = torch.ops.aten._weight_int4pack_mm_for_cpu
    packed, x, scales = pack(w, 1), torch.randn(4, 64), torch.randn(2, 16, 2)
    compiled = compile_(lambda x, packed, scales: product(x, packed, 32, scales) + 1, fallback="allow")
    torch.testing.assert_close(compiled(x, packed, scales), product(x, packed, 32, scales) + 1)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize(
    ("dtype", "to", "reason"),
    [
        (torch.float32, torch.int16, "elements of another size are another view of the memory"),
        (torch.float16, torch.int16, "the machine cannot take the bits of a float16"),
    ],
)
def test_bits_that_the_machine_does_not_take(dtype, to, reason):
    x = torch.randn(4).to(dtype)
    graph = torch.fx.Graph()
    placeholder = graph.placeholder("x")
    placeholder.meta["val"] = x
    node = graph.call_function(torch.ops.aten.view.dtype, (placeholder, to))
    node.meta["val"] = x.view(to)
    assert support.reason_to_refuse(node) == reason

    def function(x):
        return x.view(to) + 1

    assert torch.equal(compile_(function)(x), function(x))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.nn.functional.dropout(x, 0.5),
        lambda x: x + torch.rand(3),
        lambda x: torch.randn_like(x),
    ],
)
def test_random_numbers_come_from_the_host(function):
    x = torch.randn(3)
    torch.manual_seed(3)
    expected = function(x)
    torch.manual_seed(3)
    with pytest.warns(torch_lpu.FallbackWarning, match="random numbers"):
        assert torch.equal(compile_(function)(x), expected)


def test_a_gradient():
    def function(x):
        return (torch.sin(x) @ x).relu().sum()

    x = torch.randn(3, 3, requires_grad=True)
    (expected,) = torch.autograd.grad(function(x), x)
    (result,) = torch.autograd.grad(compile_(function)(x), x)
    torch.testing.assert_close(result, expected)


@pytest.mark.parametrize(
    ("script", "seconds", "reason"),
    [
        ("kill -SEGV $$", 60.0, "torch-mlir-opt died of SIGSEGV"),
        ("kill -KILL $$", 60.0, "torch-mlir-opt was killed, perhaps for want of memory"),
        ("kill -40 $$", 60.0, "torch-mlir-opt died of signal 40"),
        ("echo 'PLEASE submit a bug report' >&2; exit 3", 60.0, "torch-mlir-opt crashed with status 3"),
        ("exec sleep 60", 0.2, "no result within 0 s"),
        ("echo 'a.mlir:1:2: error: odd' >&2; exit 1", 60.0, "odd"),
    ],
)
def test_a_torch_mlir_that_crashes_or_hangs_or_fails(monkeypatch, script, seconds, reason):
    monkeypatch.setattr(torchmlir, "command", lambda: ("sh", "-c", script))
    monkeypatch.setattr(torchmlir, "TIMEOUT_SECONDS", seconds)
    x = torch.randn(3)
    with pytest.warns(torch_lpu.FallbackWarning) as record:
        result = compile_(lambda x: x + 1, cache=False)(x)
    assert torch.equal(result, x + 1)
    (told,) = messages(record)
    assert re.fullmatch(
        rf"torch-lpu: .*test_fallback.py:\d+: aten.add.Tensor \(float32\) runs in eager PyTorch: torch-mlir "
        rf"does not lower it \({reason}\); write it with other operations, or leave it on the host with "
        r"options={'fallback': 'allow'}",
        told,
    )


def test_a_torch_mlir_that_crashes_on_no_op_alone(monkeypatch):
    """Each op lowers, and yet the graph of both does not."""
    script = 'case "$(cat)" in *aten.sin*aten.cos*) kill -ABRT $$;; esac'
    monkeypatch.setattr(torchmlir, "command", lambda: ("sh", "-c", script))
    x = torch.randn(3)
    with pytest.warns(torch_lpu.FallbackWarning) as record:
        result = compile_(lambda x: x.sin().cos(), cache=False)(x)
    assert torch.equal(result, x.sin().cos())
    (told,) = messages(record)
    failure, replay, cost = told.splitlines()
    assert failure == "torch-lpu: internal failure, stage 'linalg' failed: torch-mlir-opt died of SIGABRT"
    assert re.fullmatch(r"Replay with: sh -c .*failed-linalg.*\.mlir", replay)
    assert re.fullmatch(
        r"The whole graph up to .*test_fallback.py:\d+ runs in eager PyTorch: aten.sin, aten.cos; "
        "please report it with the command",
        cost,
    )


def broken_stage(text, options):
    raise StageError("tiled", "a bug", text=text, command=("lpu-opt", "--some-pass"))


def test_an_internal_failure_leaves_a_reproducer_and_runs_in_eager(monkeypatch, tmp_path):
    monkeypatch.setitem(compiler.STAGES, "tiled", broken_stage)
    x = torch.randn(3)
    with pytest.warns(
        torch_lpu.FallbackWarning, match=r"stage 'tiled' failed: a bug\nReplay with: lpu-opt --some-pass"
    ):
        result = compile_(lambda x: x + 1, dump_dir=tmp_path)(x)
    assert torch.equal(result, x + 1)
    assert "func.func @main" in (tmp_path / "failed-tiled.mlir").read_text()


def test_an_internal_failure_is_an_error_if_asked(monkeypatch, tmp_path):
    monkeypatch.setitem(compiler.STAGES, "tiled", broken_stage)
    message = r"stage 'tiled' failed: a bug; replay with: lpu-opt --some-pass"
    with pytest.raises(Exception, match=message) as raised:
        compile_(lambda x: x + 1, dump_dir=tmp_path, fallback="error")(torch.randn(3))
    (fallback,) = raised.value.inner_exception.fallbacks
    assert (fallback.op, fallback.dtype) == ("aten.add.Tensor", "float32")
    assert fallback.reason == "stage 'tiled' failed: a bug" and "report it" in fallback.advice


def test_retries_are_bounded(monkeypatch):
    calls = []

    def always(gm, signature, options, cache):
        calls.append(gm)
        node = next(node for node in gm.graph.nodes if node.op == "call_function")
        raise StageError("alloc", "never works", nodes=(node.name,))

    monkeypatch.setattr(compiler, "compile_graph", always)

    def function(x):
        for i in range(40):
            x = x * (i + 1)
        return x

    x = torch.ones(2, dtype=torch.int64)
    assert torch.equal(compile_(function, fallback="allow")(x), function(x))
    assert len(calls) <= backend.MAX_RETRIES


def test_what_eager_runs_computes_in_its_own_type():
    """The LPU would have computed in a wider type; PyTorch has kernels for bytes that are others."""
    x = torch.arange(0, 240, 5, dtype=torch.uint8).view(1, 3, 4, 4)

    def function(x):
        return F.interpolate(x + 1, size=(5, 4), mode="bicubic", antialias=True) + 2

    text = r"_upsample_bicubic2d_aa \(uint8\)"
    with pytest.warns(torch_lpu.FallbackWarning, match=text):
        assert torch.equal(compile_(function, fallback="warn")(x), function(x))
    with pytest.raises(Exception, match=text):  # What was learned is known from the start.
        compile_(function, fallback="error")(x)


@pytest.mark.parametrize(
    ("target", "function", "dtypes"),
    [
        (aten.sum.dim_IntList, lambda x: x.sum(0, dtype=x.dtype) + 1, (torch.int8, torch.uint8)),
        (aten.clamp.default, lambda x: x.clamp(1, 3) * 2, (torch.int8, torch.uint8)),
        (aten.sort.default, lambda x: [y + 1 for y in x.sort()], (torch.int8, torch.uint8)),
        (aten.sigmoid.default, lambda x: x.sigmoid() * 2, (torch.float16, torch.bfloat16)),
        (aten.native_layer_norm.default, lambda x: F.layer_norm(x, (5,)), (torch.float16, torch.bfloat16)),
    ],
    ids=["sum", "clamp", "several results", "sigmoid", "norm"],
)
def test_what_turns_out_not_to_lower_computes_in_its_own_type(monkeypatch, target, function, dtypes):
    compile_graph = compiler.compile_graph

    def refuse(gm, *args):
        for node in gm.graph.find_nodes(op="call_function", target=target):
            raise StageError("torch", "not this one", nodes=(node.name,))
        return compile_graph(gm, *args)

    monkeypatch.setattr(compiler, "compile_graph", refuse)
    for dtype in dtypes:
        x = torch.arange(1, 6).to(dtype)
        name = str(dtype).removeprefix("torch.")
        op = re.escape(str(target).removesuffix(".default"))
        with pytest.warns(torch_lpu.FallbackWarning, match=rf"{op} \(.*\b{name}\)"):
            result = compile_(function, fallback="warn")(x)
        torch.testing.assert_close(result, function(x))


def test_nested_tensors_are_left_to_eager():
    rows = [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0])]
    x = torch.nested.nested_tensor(rows, layout=torch.jagged)
    text = r"test_fallback.py:\d+: mul \(float32\) runs in eager PyTorch: nested tensors are not lowered"
    with pytest.warns(torch_lpu.FallbackWarning, match=text):
        assert torch.equal(compile_(lambda x: x * 2, fallback="warn")(x).values(), x.values() * 2)
    with pytest.raises(Exception, match=text):
        compile_(lambda x: x * 2, fallback="error")(x)
    with pytest.raises(Exception, match="nested tensors are not lowered, so explain cannot follow"):
        torch_lpu.explain(lambda x: x * 2, x)


def test_a_stage_without_memory(monkeypatch):
    from torch_lpu.mlir._mlir_libs import _lpu

    def without_memory(text, passes):
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(_lpu, "run_pipeline", without_memory)
    with pytest.raises(Exception, match=r"stage 'lpu' failed: it takes more memory than there is"):
        compile_(lambda x: x * 2.25, fallback="error")(torch.randn(7))

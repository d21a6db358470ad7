# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiling changes no bit and saves bytes: functions that exceed a small on-chip memory."""

import copy

import pytest
import torch
import torch.nn.functional as F
from checks import runs
from test_fusion_bits import floats, mlp, rotate_half, same_bits
from torch.utils._pytree import tree_leaves

from torch_lpu.program import running
from torch_lpu.report import profile


def layer_norm(x, weight, bias, residual):
    hidden = x + residual
    return hidden, F.layer_norm(hidden, x.shape[-1:], weight, bias)


def softmax(x, bias, w):
    return F.softmax(x * 0.125 + bias, dim=-1) @ w


def block(x, wqkv, wo, bias, gate, up, down):
    batch, rows, size = x.shape
    q, k, v = (F.linear(x, wqkv, bias)).split(size, dim=-1)
    q, k, v = (t.view(batch, rows, 2, size // 2).transpose(1, 2) for t in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + out.transpose(1, 2).reshape(batch, rows, size) @ wo.T
    return mlp(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), gate, up, down)


def convolution(x, weight, bias, second):
    return F.conv2d(F.relu(F.conv2d(x, weight, bias, padding=1)), second)


def transposed(x, w, b):
    return torch.tanh((x.T @ w).T + b).T * 2


def embedding(ids, table, positions, w):
    return F.gelu((table[ids] + positions) @ w) + 1


def positions(x, w):
    rows = torch.arange(x.shape[0])[:, None] * 0.5
    return torch.sin(x + rows) @ w, (x * rows).cos()


def columns(x, w, b):
    return torch.sigmoid(x @ w + b) * 3


def heads(x, w):
    return F.relu(x.view(16, 8, 32) @ w).reshape(128, 24) + 1


def sliced(x, w):
    y = F.relu(x @ w)
    return torch.cat((y[:, :8] * 2, y[:, 8:]), 1) + 1, y[-1:] - 3, y[5:20]


def again(x, w):
    """A product whose rows all depend on all rows of the one before."""
    y = F.relu(x @ w)
    return y @ F.relu(y.T @ x)


# Each needs more than the 16 KiB of machine `tiny` at a time.
TILED = {
    "layer-norm": (layer_norm, [floats(100, 48), floats(48), floats(48), floats(100, 48)]),
    "softmax": (softmax, [floats(70, 90), floats(90), floats(90, 20)]),
    "mlp": (mlp, [floats(75, 24), floats(56, 24), floats(56, 24), floats(24, 56)]),
    "mlp-bf16": (mlp, [floats(*shape).bfloat16() for shape in ((130, 24), (60, 24), (60, 24), (24, 60))]),
    "block": (
        block,
        [floats(*shape) for shape in ((2, 40, 32), (96, 32), (32, 32), (96,), (48, 32), (48, 32), (32, 48))],
    ),
    "convolution": (convolution, [floats(6, 3, 16, 16), floats(8, 3, 3, 3), floats(8), floats(4, 8, 2, 2)]),
    "transposed": (transposed, [floats(32, 128), floats(32, 48), floats(48, 128)]),
    "embedding": (
        embedding,
        [torch.arange(150) * 7 % 50, floats(50, 32), floats(150, 32), floats(32, 32)],
    ),
    "positions": (positions, [floats(99, 48), floats(48, 16)]),
    "rotary": (rotate_half, [floats(1, 4, 60, 32), floats(60, 32), floats(60, 32)]),
    "columns": (columns, [floats(1, 16), floats(16, 4000), floats(4000)]),
    "heads": (heads, [floats(128, 32), floats(16, 32, 24)]),
    "sliced": (sliced, [floats(130, 24), floats(24, 32)]),
}


def cumulated(x):
    return x.cumsum(-1)


# What cannot be tiled (rows that are too long, sums along them), and what gains nothing by it.
NOT_TILED = {
    "long-rows": (lambda x: F.softmax(x * 2, dim=-1), [floats(2, 5000)]),
    "cumulated": (cumulated, [floats(3, 3000)]),
    "small": (mlp, [floats(3, 16), floats(40, 16), floats(40, 16), floats(16, 40)]),
    "again": (again, [floats(100, 24), floats(24, 24)]),
}


# A contraction that is finished tile by tile needs less memory itself: leave that out to see what tiles of
# chains do.
WITHIN = ("fuse-epilogues", "fuse-prologues", "tile-contractions")


def compile_for(machine, function, disable=(), **options):
    torch._dynamo.reset()
    return torch.compile(
        function,
        backend="lpu",
        fullgraph=True,
        dynamic=False,
        options={"fallback": "error", "machine": str(machine), "disable": disable, **options},
    )


@torch.no_grad()
def outcomes(compiled, arguments):
    """Results under every order of transfers, and the report of the first run."""
    compiled(*copy.deepcopy(arguments))  # Compiles.
    results = []
    with profile() as report:
        for one in runs():
            with running(**one):
                results.append(tree_leaves(compiled(*copy.deepcopy(arguments))))
    return results, report.runs[0]


def check_bits(machine, function, arguments, dump_dir):
    """Same bits tiled and untiled; whether it is tiled, and both reports."""
    tiled, after = outcomes(compile_for(machine, function, WITHIN, dump_dir=str(dump_dir)), arguments)
    whole, before = outcomes(compile_for(machine, function, ("tile", *WITHIN)), arguments)
    for other in (*tiled[1:], *whole):
        for a, b in zip(tiled[0], other, strict=True):
            assert same_bits(a, b)
    text = next(dump_dir.rglob("40-tiled.mlir")).read_text()
    return "alloc_tensor" in text, "lpu.exceeds_lmu" in text, before, after


@pytest.mark.parametrize("name", TILED)
def test_tiles_have_the_bits_of_the_whole(name, tmp_path):
    is_tiled, _, before, after = check_bits("tiny", *TILED[name], tmp_path)
    assert is_tiled
    assert after.hbm_bytes <= before.hbm_bytes


@pytest.mark.parametrize("name", NOT_TILED)
def test_what_is_not_tiled_still_runs(name, tmp_path):
    is_tiled, is_marked, *_ = check_bits("tiny", *NOT_TILED[name], tmp_path)
    assert not is_tiled
    assert is_marked == (name != "small")


def test_a_prompt_through_an_mlp_moves_fewer_bytes_in_fewer_cycles(tmp_path):
    machine = tmp_path / "small.toml"
    machine.write_text('base = "lpu-hbm3"\nlmu_bytes = 524288\n')
    arguments = [floats(512, 192), floats(512, 192), floats(512, 192), floats(192, 512)]
    is_tiled, _, before, after = check_bits(machine, mlp, arguments, tmp_path / "dump")
    print(f"bytes {before.hbm_bytes} -> {after.hbm_bytes}, cycles {before.cycles} -> {after.cycles}")
    assert is_tiled
    assert after.hbm_bytes < 0.8 * before.hbm_bytes
    assert after.cycles < 0.95 * before.cycles

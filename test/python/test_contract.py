# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions with the vector unit before and behind them, and with many rows."""

import copy

import pytest
import torch
import torch.nn.functional as F
from checks import check

from torch_lpu import profile
from torch_lpu.program import running

PASSES = ("fuse-epilogues", "fuse-prologues", "tile-contractions")


def floats(*shape, dtype=torch.float32):
    values = torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))
    return (values / shape[-1] ** 0.5).to(dtype)


def gelu(x, w, b):
    return F.gelu(F.linear(x, w, b))


def swiglu(x, gate, up, down):
    return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)


def residual(x, w, b):
    return x + F.linear(x, w, b)


def convolution(x, w, b):
    return F.relu(F.conv2d(x, w, b, padding=1))


def batched(x, y, b):
    return torch.tanh(x @ y + b)


def transposed(x, w):
    return torch.relu(F.linear(x, w)).transpose(0, 1).contiguous()


def positions(x, w):
    return F.linear(x, w) * torch.arange(w.shape[0], dtype=torch.float32)


def autocast(x, w, b):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return F.linear(x, w, b)


def dequantized(x, w, scale):
    return F.linear(x, w.float() * scale[:, None])


def integers(n, k):
    return torch.randint(-127, 128, (n, k), dtype=torch.int8, generator=torch.Generator().manual_seed(n))


CASES = {
    "gelu": (gelu, (floats(1, 64), floats(96, 64), floats(96))),
    "gelu-rows": (gelu, (floats(19, 64), floats(200, 64), floats(200))),
    "gelu-bf16": (gelu, tuple(floats(*s, dtype=torch.bfloat16) for s in ((9, 64), (160, 64), (160,)))),
    "gelu-f16": (gelu, tuple(floats(*s, dtype=torch.float16) for s in ((9, 64), (160, 64), (160,)))),
    "swiglu": (swiglu, (floats(1, 48), floats(256, 48), floats(256, 48), floats(48, 256))),
    "swiglu-rows": (swiglu, (floats(37, 48), floats(256, 48), floats(256, 48), floats(48, 256))),
    "residual": (residual, (floats(3, 96), floats(96, 96), floats(96))),
    "convolution": (convolution, (floats(2, 3, 12, 10), floats(64, 3, 3, 3), floats(64))),
    "batched": (batched, (floats(6, 5, 32), floats(6, 32, 20), floats(20))),
    "transposed": (transposed, (floats(12, 32), floats(160, 32))),
    "positions": (positions, (floats(2, 32), floats(160, 32))),
    "autocast": (autocast, (floats(2, 96), floats(320, 96), floats(320))),
    "autocast-rows": (autocast, (floats(21, 96), floats(320, 96), floats(320))),
    "dequantized": (dequantized, (floats(2, 96), integers(320, 96), floats(320) / 127)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("machine", ["lpu-hbm3", "tiny"])
def test_regions_change_no_bit(name, machine):
    function, args = CASES[name]
    check(function, *args, machine=machine)


@pytest.mark.parametrize("name", CASES)
def test_each_pass_alone_changes_no_bit(name):
    function, args = CASES[name]
    outcomes = []
    for disable in ((), *((p,) for p in PASSES), PASSES):
        torch._dynamo.reset()
        options = {"fallback": "error", "disable": disable, "machine": "tiny"}
        compiled = torch.compile(function, backend="lpu", fullgraph=True, dynamic=False, options=options)
        with torch.no_grad(), running(dma="late", checks="all"):
            outcomes.append(compiled(*copy.deepcopy(args)))
    for outcome in outcomes[1:]:
        assert torch.equal(outcomes[0], outcome)


@pytest.mark.parametrize("machine", ["lpu-hbm3", "lpu-lpddr5x", "tiny"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rows", [9, 37, 64, 200])
def test_many_rows(rows, dtype, machine):
    x, w = floats(rows, 160, dtype=dtype), floats(288, 160, dtype=dtype)
    check(lambda x, w: F.linear(x, w), x, w, machine=machine)


def measure(function, *args, **options):
    torch._dynamo.reset()
    options = {"fallback": "error", **options}
    compiled = torch.compile(function, backend="lpu", fullgraph=True, dynamic=False, options=options)
    with torch.no_grad():
        compiled(*args)
        with profile() as report:
            compiled(*args)
    return report


def test_a_weight_is_read_once_for_all_rows():
    x, w = floats(200, 1024, dtype=torch.bfloat16), floats(2048, 1024, dtype=torch.bfloat16)
    report = measure(F.linear, x, w)
    assert report.hbm_bytes <= 1.1 * report.compulsory_bytes
    again = measure(F.linear, x, w, disable=("tile-contractions",))
    assert again.hbm_bytes > 5 * report.compulsory_bytes
    assert report.cycles <= 1.05 * again.cycles


def test_a_slow_memory_is_read_once_and_the_run_is_quicker():
    x, w = floats(300, 1024), floats(2048, 1024)
    report = measure(F.linear, x, w, machine="lpu-lpddr5x")
    again = measure(F.linear, x, w, machine="lpu-lpddr5x", disable=("tile-contractions",))
    assert report.hbm_bytes <= 1.1 * report.compulsory_bytes
    assert report.cycles < 0.7 * again.cycles


def test_the_activation_overlaps_with_the_product():
    args = floats(37, 576), floats(1536, 576), floats(1536, 576), floats(576, 1536)
    report = measure(swiglu, *args)
    apart = measure(swiglu, *args, disable=PASSES)
    assert report.cycles < apart.cycles - 0.7 * report.units["vxe"]["busy"]


def test_a_converted_weight_is_not_written():
    args = floats(2, 1024), floats(2048, 1024), floats(2048)
    report = measure(autocast, *args)
    apart = measure(autocast, *args, disable=PASSES)
    assert report.hbm_bytes <= 1.1 * report.compulsory_bytes
    assert report.cycles < apart.cycles

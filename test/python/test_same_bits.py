# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program's results are the same bits however it is run, and its cycles are the same on every host.

Programs are compiled once, with their arguments, and run by `lpu-sim` in processes of their own, since
the set of inner loops is chosen when a process starts.
"""

import itertools
import json
import os
import shutil
import subprocess

import pytest
import torch
from families import CACHE_LENGTH, Decoding, forward_of, make_model
from torch_lpu._simulator import kernel_sets

from torch_lpu.decoding import make_cache

MODELS = {"llama": torch.float32, "qwen3": torch.bfloat16, "opt": torch.float16}
KERNELS = ("portable", "avx2", "avx512", "amx")
ORDERS = [
    ["--dma", dma, "--interleave", interleave]
    for dma in ("early", "late", "random:1", "random:2")
    for interleave in ("fixed", "random:1", "random:2", "random:3")
]


def integers(x, y, index):
    """Sums, products, divisions, bits, comparisons and indices."""
    quotient = torch.div(x, y.abs() + 1, rounding_mode="floor") ^ (y << 2)
    table = torch.cumsum(quotient, dim=0).clamp(-1000, 1000)
    return table[index] * 3 - y, (x > y).sum(dim=1), (x.to(torch.int8) * y.to(torch.int8)).to(torch.int32)


def compile_integers(options):
    torch.manual_seed(0)
    x, y = (torch.randint(-100, 100, (40, 40)) for _ in range(2))
    compiled = torch.compile(integers, backend="lpu", dynamic=False, options=options)
    compiled(x, y, torch.randint(0, 40, (40,)))


def compile_model(family, options):
    model = make_model(family, MODELS[family])
    step = torch.compile(forward_of(model), backend="lpu", fullgraph=True, dynamic=False, options=options)
    ids, arguments = Decoding(family, steps=1, cache_length=CACHE_LENGTH).inputs(None)
    step(ids, make_cache(model, CACHE_LENGTH), **arguments)


@pytest.fixture(scope="module", params=[*MODELS, "integers"])
def program(request, tmp_path_factory):
    """A directory with a binary, its arguments, and what `lpu-sim` makes of them when told nothing."""
    directory = tmp_path_factory.mktemp(request.param)
    options = {"fallback": "error", "dump_dir": str(directory)}
    with torch.no_grad():
        if request.param == "integers":
            compile_integers(options)
        else:
            compile_model(request.param, options)
    (binary,) = directory.rglob("80-bin.lpubin")
    return binary.parent, run(binary.parent, [])


def run(directory, options, kernels=None):
    """The bytes of all results, and the report."""
    out = directory / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    command = [
        "lpu-sim",
        str(directory / "80-bin.lpubin"),
        "--out",
        str(out),
        "--report",
        str(out / "report"),
    ]
    for argument in sorted((directory / "arguments").iterdir()):
        command += ["--arg", str(argument)]
    environment = {**os.environ, "LPU_SIM_ISA": kernels} if kernels else None
    subprocess.run(command + options, env=environment, check=True, capture_output=True, text=True)
    results = {path.name: path.read_bytes() for path in sorted(out.glob("*.npy"))}
    assert results
    return results, json.loads((out / "report").read_text())


@pytest.mark.parametrize("kernels", KERNELS)
def test_on_every_host(program, kernels):
    if kernels not in kernel_sets():
        pytest.skip(f"no {kernels} kernels on this CPU, which has those for {', '.join(kernel_sets())}")
    directory, (expected, report) = program
    for threads, clock in itertools.product("12", ([], ["--no-timing"])):
        results, other = run(directory, ["--threads", threads, *clock], kernels)
        assert results == expected
        if not clock:
            assert other == report


def test_in_every_order(program):
    directory, (expected, report) = program
    for order in ORDERS:
        results, other = run(directory, [*order, "--check", "all"])
        assert results == expected, order
        assert other == report, order

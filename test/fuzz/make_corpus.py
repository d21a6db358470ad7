# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the seeds of the fuzzers' corpus: one small program for each feature.

The programs are compiled from PyTorch for the machine `tiny`, or assembled from
the tests that are written in `lpuisa`. A seed is written again only if the
binary format or what the compiler emits should change it; `crash-*` files, the
inputs of failures that were repaired, are kept as they are.

    python test/fuzz/make_corpus.py
"""

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).resolve().parent / "corpus"
ASSEMBLY = ("test/Target", "test/Simulator", "test/Dialect/LPUISA")
MAX_BYTES = 16384


def update_cache(cache: torch.Tensor, row: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
    cache[:, position] = row
    return cache.sum(1)


def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(query, key, value)


def norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, (8,), w) * torch.sigmoid(x)


def half(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return functional.relu(x.bfloat16() @ w.bfloat16().t()).half().float()


def scatter_add(x: torch.Tensor, i: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.index_add(0, i, y)


def integers(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(a > b, a // b.clamp(min=1), a & b)


def programs() -> dict[str, tuple[Callable, tuple[torch.Tensor, ...]]]:
    torch.manual_seed(0)
    x, w = torch.randn(4, 8), torch.randn(8, 8)
    image = torch.randn(1, 2, 6, 6)
    index = torch.tensor([1, 3])
    heads = torch.randn(1, 2, 4, 8)
    numbers = torch.arange(6)
    return {
        "matmul": (torch.matmul, (x, w)),
        "linear-bf16": (half, (x, w)),
        "softmax": (lambda t: functional.softmax(t, -1), (x,)),
        "norm": (norm, (x, torch.randn(8))),
        "attention": (attend, (heads, heads, heads)),
        "embedding": (lambda i, t: functional.embedding(i, t), (index, w)),
        "kv-cache": (update_cache, (torch.zeros(2, 8, 4), torch.randn(2, 1, 4), torch.tensor([3]))),
        "convolution": (functional.conv2d, (image, torch.randn(3, 2, 3, 3))),
        "pool": (lambda t: functional.max_pool2d(t, 2), (image,)),
        "cumsum": (lambda t: t.cumsum(1), (x,)),
        "argmax": (lambda t: t.argmax(-1), (x,)),
        "scatter-add": (scatter_add, (x, index, torch.randn(2, 8))),
        "transpose": (lambda t: t.t().contiguous() + 1, (w,)),
        "integers": (integers, (numbers, numbers.flip(0))),
        "transcendentals": (lambda t: t.sin() + t.exp().log1p() + t.erf() + t.abs().pow(0.3), (x,)),
        "batched": (torch.bmm, (torch.randn(2, 3, 4), torch.randn(2, 4, 5))),
        "concat": (lambda a, b: torch.cat([a, b], 1), (x, x)),
    }


def save(name: str, binary: Path) -> None:
    """Keeps a program, with source files named from the checkout on."""
    to = CORPUS / f"seed-{name}.lpubin"
    text = binary.with_suffix(".mlir")
    subprocess.run(["lpu-translate", "--lpubin-to-mlir", str(binary), "-o", str(text)], check=True)
    text.write_text(text.read_text().replace(f"{ROOT}/", ""))
    subprocess.run(["lpu-translate", "--mlir-to-lpubin", str(text), "-o", str(to)], check=True)
    if to.stat().st_size > MAX_BYTES:
        to.unlink()
    else:
        print(f"{to.stem}: {to.stat().st_size} bytes")


def compile_programs() -> None:
    for name, (function, arguments) in programs().items():
        with tempfile.TemporaryDirectory() as folder:
            torch._dynamo.reset()
            options = {"machine": "tiny", "dump_dir": folder, "cache": False, "fallback": "error"}
            torch.compile(function, backend="lpu", options=options)(*arguments)
            for number, path in enumerate(sorted(Path(folder).rglob("*.lpubin"))):
                save(f"{name}-{number}" if number else name, path)


def assemble_tests() -> None:
    for folder in ASSEMBLY:
        for path in sorted((ROOT / folder).glob("*.mlir")):
            if "invalid" in path.name:
                continue
            with tempfile.TemporaryDirectory() as directory:
                binary = Path(directory) / "program.lpubin"
                command = ["lpu-translate", "--mlir-to-lpubin", str(path), "-o", str(binary)]
                if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                    save(f"{path.parent.name}-{path.stem}".lower(), binary)


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    CORPUS.mkdir(exist_ok=True)
    for old in CORPUS.glob("seed-*.lpubin"):
        old.unlink()
    assemble_tests()
    compile_programs()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all Python tests share: a clean compiler before each test, and `lpu_compile`."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("PYTORCH_TESTING_DEVICE_ONLY_FOR", "cpu")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import checks
import pytest
import torch


def pytest_configure(config: pytest.Config) -> None:
    checks.thorough = "not long" not in config.option.markexpr


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    """No compilation, learned failure or reported fallback of another test."""
    from torch_lpu import diagnostics, support

    torch.manual_seed(0)
    torch._dynamo.reset()
    diagnostics.reset()
    support.forget()
    yield
    torch._dynamo.reset()


@pytest.fixture
def lpu_compile() -> Callable[..., Callable[..., Any]]:
    """Compiles a function whose every op has to run on the LPU."""

    def compile_(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        return torch.compile(
            function, backend="lpu", fullgraph=True, dynamic=False, options={"fallback": "error", **options}
        )

    return compile_


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Grows by one whenever a graph is compiled for concrete sizes."""
    from torch_lpu import backend

    compiled: list[Any] = []
    original = backend.compile_dynamo

    def count(gm: Any, *args: Any) -> Any:
        compiled.append(gm)
        return original(gm, *args)

    monkeypatch.setattr(backend, "compile_dynamo", count)
    return compiled


@pytest.fixture
def readme_example() -> Callable[[str], tuple[str, str]]:
    """The code and the output that README.md shows under a heading, as two blocks."""

    def read(heading: str) -> tuple[str, str]:
        text = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
        section = text.split(f"### `{heading}`\n")[1].split("\n#")[0]
        code, printed = section.split("```python\n")[1].split("```")[0], section.split("```text\n")[1]
        return code, printed.split("```")[0].strip()

    return read

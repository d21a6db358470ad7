# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first 64 tokens of SmolLM2-135M in one pass, into a static cache of 128."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import passes


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    return passes.run("prefill", passes.options(__doc__ or "", tokens=64, position=0), arguments)


if __name__ == "__main__":
    main()

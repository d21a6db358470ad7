# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One token of SmolLM2-135M at position 100 of a static cache of 128."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import passes

# Bytes moved over compulsory bytes.
BYTES_LIMIT = 1.05


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = passes.options(__doc__ or "", tokens=1, position=100)
    return passes.run("decode", options, arguments, BYTES_LIMIT)


if __name__ == "__main__":
    main()

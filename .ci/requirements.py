# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the pinned requirements of pyproject.toml, one a line.

usage: requirements.py [extra | "build" ...]

The run-time dependencies are always printed: pip must see torch's pin in the
same call as everything that depends on torch, or it may choose another build.
"""

import sys
import tomllib
from pathlib import Path

with open(Path(__file__).parent.parent / "pyproject.toml", "rb") as file:
    pyproject = tomllib.load(file)

requirements = list(pyproject["project"]["dependencies"])
for group in sys.argv[1:]:
    if group == "build":
        requirements += pyproject["build-system"]["requires"]
    else:
        requirements += pyproject["project"]["optional-dependencies"][group]
print("\n".join(dict.fromkeys(requirements)))

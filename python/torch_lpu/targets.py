# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the command line is asked about: `FILE.py[:NAME]`.

`NAME` (by default `example`) is a function of the file without arguments that
returns what to call and with what: `(fn, args)` or `(fn, args, kwargs)`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DEFAULT_NAME = "example"


class TargetError(ValueError):
    """The command line names nothing that can be called."""


@dataclass(frozen=True)
class Target:
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def load_target(text: str) -> Target:
    path, separator, name = text.rpartition(":")
    if not separator or name.endswith(".py"):
        path, name = text, DEFAULT_NAME
    if not os.path.isfile(path):
        raise TargetError(f"{path}: no such file; expected FILE.py or FILE.py:NAME")
    make = getattr(_load(path), name, None)
    if not callable(make):
        raise TargetError(f"{path}: no function {name!r}; it has to return (fn, args) or (fn, args, kwargs)")
    made = make()
    if not isinstance(made, tuple) or len(made) not in (2, 3) or not callable(made[0]):
        raise TargetError(
            f"{path}: {name}() has to return (fn, args) or (fn, args, kwargs), got {type(made).__name__}"
        )
    function, args, *rest = made
    return Target(function, tuple(args), dict(rest[0]) if rest else {})


def _load(path: str) -> Any:
    """The file as a module, which finds its neighbours as it would as a script."""
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(module)
    return module

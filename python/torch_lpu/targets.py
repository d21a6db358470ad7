# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the command line is asked about: `FILE.py[:NAME]`.

`NAME` (by default `example`) is a function of the file without arguments that
returns what to call and with what: `(fn, args)` or `(fn, args, kwargs)`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    with _told(path):
        module = _load(path)
    make = getattr(module, name, None)
    if not callable(make):
        raise TargetError(f"{path}: no function {name!r}; it has to return {_EXPECTED}")
    with _told(f"{path}: {name}()"):
        made = make()
    if not isinstance(made, tuple) or len(made) not in (2, 3) or not callable(made[0]):
        raise TargetError(f"{path}: {name}() has to return {_EXPECTED}, got {type(made).__name__}")
    function, args, *rest = made
    kwargs = rest[0] if rest else {}
    if not isinstance(args, tuple | list) or not isinstance(kwargs, dict):
        got = f"args of type {type(args).__name__}" + (
            f" and kwargs of type {type(kwargs).__name__}" if rest else ""
        )
        raise TargetError(f"{path}: {name}() has to return {_EXPECTED} with a tuple and a dict, got {got}")
    return Target(function, tuple(args), kwargs)


_EXPECTED = "(fn, args) or (fn, args, kwargs)"


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Errors of the file's own code become one line."""
    try:
        yield
    except TargetError:
        raise
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.lineno else ""
        raise TargetError(f"{what} is not valid Python: {error.msg}{line}") from error
    except SystemExit as error:
        raise TargetError(
            f"{what} called sys.exit({error.code!r}); what is for a script belongs under "
            "`if __name__ == '__main__':`"
        ) from error
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = "" if frame.filename == __file__ else f" at {frame.filename}:{frame.lineno}"
        raise TargetError(f"{what} raised {type(error).__name__}: {error}{place}") from error


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

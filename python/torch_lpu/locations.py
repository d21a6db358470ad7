# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where an FX node comes from: the innermost Python frame that is not PyTorch's own.

That frame is the line of the model (or of the library that holds the model)
and is what warnings, errors, the IR and the trace show.
"""

from __future__ import annotations

import os
import re
import sysconfig
from dataclasses import dataclass
from functools import cache

import torch
from torch.fx import Node

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


@dataclass(frozen=True)
class SourceLine:
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@cache
def _torch_root() -> str:
    return os.path.dirname(torch.__file__) + os.sep


@cache
def _site_packages() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths["purelib"] + os.sep, paths["platlib"] + os.sep})


@cache
def portable(file: str) -> str:
    """`transformers/models/x.py` for an installed file, so that IR does not depend on the environment."""
    for root in _site_packages():
        if file.startswith(root):
            return file[len(root) :]
    return file


@cache
def innermost_frame(stack_trace: str) -> SourceLine | None:
    """Of frames as Python prints them: the last one that is not PyTorch's, or the last one."""
    frames = _FRAME.findall(stack_trace)
    own = [frame for frame in frames if not frame[0].startswith(_torch_root())]
    if not (own or frames):
        return None
    file, line = (own or frames)[-1]
    return SourceLine(file, int(line))


def source_line(node: Node) -> SourceLine | None:
    """The line that a user would call the origin of `node`, if known."""
    stack_trace = node.meta.get("stack_trace")
    return innermost_frame(stack_trace) if stack_trace else None


def describe(node: Node) -> str:
    """`model.py:12`, or the node's name when no line is known."""
    line = source_line(node)
    return str(line) if line else f"FX node {node.name}"


_MODULE = re.compile(r"\['?(\w+)'?\]|\.(\w+)")


def module_path(node: Node) -> str:
    """The path of the innermost nn.Module that the node is of (`layers.0.norm`), or ""."""
    modules = list(node.meta.get("nn_module_stack", {}).values())
    if not modules:
        return ""
    path = modules[-1][0].replace("_modules", "")
    names = [a or b for a, b in _MODULE.findall(path)]
    return ".".join(name for name in names if name not in ("self", "fn"))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors that are the user's own, in one line for the command line.

What is raised in the user's code, or by PyTorch about it, is told with its
line. What is raised in this package for no such reason is a fault of ours,
and keeps its traceback.
"""

from __future__ import annotations

import os
import re
import traceback

from .explanation import first_line
from .locations import innermost_frame

_OWN = os.path.dirname(__file__) + os.sep


def describe_mistake(error: BaseException) -> str | None:
    """The error in a line, or None if it is no mistake of the user's."""
    from torch._dynamo.exc import BackendCompilerFailed, TorchDynamoException

    if isinstance(error, BackendCompilerFailed):
        error = error.inner_exception
        return str(error) if str(error).startswith("torch-lpu: ") else None
    text = str(error)
    if text.startswith("torch-lpu: "):
        return text
    if isinstance(error, TorchDynamoException):
        return f"torch-lpu: {_summary(text)}{_at(text)}"
    frames = "".join(traceback.format_tb(error.__traceback__))
    if _is_ours(error) and not isinstance(error, MemoryError) and "allocate memory" not in text:
        return None
    return f"torch-lpu: {type(error).__name__}: {first_line(text)}{_at(frames)}"


def _is_ours(error: BaseException) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].filename.startswith(_OWN)


def _summary(text: str) -> str:
    """Dynamo's title, and its explanation if it has one."""
    explanation = re.search(r"^\s*Explanation: (.*)$", text, re.MULTILINE)
    first = first_line(text)
    return f"{first}: {explanation.group(1)}" if explanation else first


def _at(frames: str) -> str:
    frame = innermost_frame(frames)
    return f" at {frame}" if frame and not frame.file.startswith((_OWN, "<")) else ""

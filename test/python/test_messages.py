# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every error, warning and reason of the package is cited by a test.

A message counts as cited if three words in a row of it, or all of it if it is
shorter, are part of a string in a test. This finds messages that no test has
ever seen; whether a test checks them well is for its reader.
"""

import ast
import pathlib
import re
from collections.abc import Iterator

import pytest

import torch_lpu

WORDS = 3
PACKAGE = pathlib.Path(torch_lpu.__file__).parent
# Calls whose text a user reads, and where tables and returned strings are texts of that kind.
SPEAKING = ("warnings.warn", "print", "Failure", "NothingToMinify")
TABLES = ("support.py", "diagnostics.py", "sharing.py", "partition.py")

# What no user can see.
UNSEEN = {
    "stage '": "is looked for in reasons, and no text of its own",
    "are not the host's": "is looked for in reasons, and no text of its own",
    "explain runs nothing": "stands for a call that never comes",
    "reads bits, which are others in float64": "is caught: the op is then held against eager",
}


def pieces(node: ast.expr) -> list[str]:
    """The literal parts of a message."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return [part for value in node.values for part in pieces(value)]
    if isinstance(node, ast.BinOp):
        return pieces(node.left) + pieces(node.right)
    if isinstance(node, ast.IfExp):
        return pieces(node.body) + pieces(node.orelse)
    return []


def messages_of(path: pathlib.Path) -> Iterator[tuple[int, list[str]]]:
    for node in ast.walk(ast.parse(path.read_text())):
        found: list[ast.expr] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            found = node.exc.args
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in SPEAKING:
            found = node.args
        elif path.name in TABLES and isinstance(node, ast.Return) and node.value is not None:
            found = [node.value]
        elif path.name in TABLES and isinstance(node, ast.Dict):
            found = node.values
        elif path.name == "diagnostics.py" and isinstance(node, ast.Tuple):
            found = node.elts
        for value in found:
            parts = [part for part in pieces(value) if len(part.split()) >= 2]
            if parts:
                yield value.lineno, parts


def words(text: str) -> list[str]:
    return re.sub(r"[^\w.=']+", " ", text).split()


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[i : i + length]) for i in range(max(len(found) - length + 1, 1))}


@pytest.fixture(scope="module")
def cited() -> set[tuple[str, ...]]:
    """All runs of up to three words in strings of tests."""
    result: set[tuple[str, ...]] = set()
    for path in pathlib.Path(__file__).parent.rglob("test_*.py"):
        if path == pathlib.Path(__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value.replace("\\", "")
                for length in range(1, WORDS + 1):
                    result |= runs(text, length)
    return result


FILES = sorted(path for path in PACKAGE.rglob("*.py") if "mlir" not in path.parts)


def test_every_message_is_cited(cited):
    silent = []
    for path in FILES:
        for line, parts in messages_of(path):
            if " ".join(parts).strip() in UNSEEN:
                continue
            if not any(runs(part, min(WORDS, len(words(part)))) & cited for part in parts):
                silent.append(f"{path.relative_to(PACKAGE)}:{line}: {' ... '.join(parts)}")
    assert not silent, "no test cites:\n" + "\n".join(silent)


def test_messages_are_found():
    """Or the test above would pass for nothing."""
    found = {path.name: len(list(messages_of(path))) for path in FILES}
    assert sum(found.values()) > 60
    assert all(found[name] > 1 for name in ("support.py", "options.py", "targets.py", "program.py"))

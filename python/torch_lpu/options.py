# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of the backend: one frozen dataclass, checked where the user wrote them.

`torch.compile(..., options={...})` hands over a plain dictionary and checks
nothing, so an unknown name or value is an error here that lists the valid ones.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

# Values of each enumerated option; the first one is the default. SEED stands
# for a number of 64 bits.
CHOICES: dict[str, tuple[str, ...]] = {
    "entry": ("aten",),
    "fallback": ("warn", "error", "allow"),
    "checks": ("none", "standard", "all"),
    "dma": ("early", "late", "random:SEED"),
    "interleave": ("fixed", "prompt", "random:SEED"),
}

# Spellings that the interface reserves but this version does not have.
NOT_AVAILABLE: dict[str, tuple[str, ...]] = {
    "entry": ("dynamo", "inductor"),
}

# What the simulator is told, beside the program and its arguments.
RUN_OPTIONS = ("dma", "interleave", "checks")
# Likewise; not given, they are what no real program reaches.
RUN_LIMITS = ("max_instructions", "max_work", "max_host_bytes", "max_queued")

# Optimisations on the FX graph. Those on IR are known to the compiler.
FX_OPTIMIZATIONS = ("attention", "scatter", "grouped-query", "repeated-layers")


class OptionError(ValueError):
    """A wrong option, with what would be right."""


@cache
def _stages_of_optimizations() -> dict[str, str]:
    """Each optimisation that can be switched off by name, with the stage whose pass it is."""
    from .mlir._mlir_libs._lpu import optimizations

    return {**dict.fromkeys(FX_OPTIMIZATIONS, "fx"), **optimizations()}


def optimizations() -> tuple[str, ...]:
    """The names that the option `disable` takes."""
    return tuple(_stages_of_optimizations())


def suggest(name: str, valid: tuple[str, ...]) -> str:
    """The end of a message: `; did you mean 'x'?`, or a full stop when no valid name is near."""
    close = difflib.get_close_matches(name, valid, n=1)
    return f"; did you mean {close[0]!r}?" if close else "."


@dataclass(frozen=True)
class Options:
    """What the user may choose; the names are the keys of `options={...}`."""

    machine: str = "lpu-hbm3"
    entry: str = CHOICES["entry"][0]
    fallback: str = CHOICES["fallback"][0]
    dump_dir: str | None = None
    cache: bool = True
    disable: tuple[str, ...] = ()
    checks: str = CHOICES["checks"][0]
    dma: str = CHOICES["dma"][0]
    interleave: str = CHOICES["interleave"][0]
    max_instructions: int | None = None
    max_work: int | None = None
    max_host_bytes: int | None = None
    max_queued: int | None = None

    def __post_init__(self) -> None:
        for name in CHOICES:
            check_choice(name, getattr(self, name))
        for name in self.disable:
            if name not in optimizations():
                raise OptionError(
                    f"option 'disable': there is no optimisation {name!r}{suggest(name, optimizations())}"
                    f" Valid names: {', '.join(optimizations())}."
                )

    @property
    def run_options(self) -> dict[str, Any]:
        """Those of the simulator."""
        given = {name: getattr(self, name) for name in (*RUN_OPTIONS, *RUN_LIMITS)}
        return {name: value for name, value in given.items() if value is not None}

    def disabled_in(self, stage: str) -> tuple[str, ...]:
        """What is switched off of a stage's own optimisations."""
        return tuple(name for name in self.disable if _stages_of_optimizations()[name] == stage)

    def enabled(self, optimization: str) -> bool:
        assert optimization in optimizations(), optimization
        return optimization not in self.disable

    @staticmethod
    def from_user(options: Mapping[str, Any] | None) -> Options:
        """Checks names and types of a user's dictionary."""
        valid = tuple(field.name for field in dataclasses.fields(Options))
        checked: dict[str, Any] = {}
        for name, value in (options or {}).items():
            if name not in valid:
                raise OptionError(
                    f"unknown option {name!r}{suggest(str(name), valid)} Valid options: {', '.join(valid)}."
                )
            checked[name] = _CONVERT.get(name, _to_string)(name, value)
        return Options(**checked)


def check_choice(name: str, value: str) -> None:
    """Raises an error that lists the values which an enumerated option takes."""
    valid = CHOICES[name]
    if any(_is_choice(value, choice) for choice in valid):
        return
    listed = ", ".join(repr(v) for v in valid)
    if value in NOT_AVAILABLE.get(name, ()):
        raise OptionError(
            f"option {name!r}: {value!r} is not available in this version; available: {listed}."
        )
    raise OptionError(f"option {name!r}: {value!r} is not one of {listed}{suggest(str(value), valid)}")


def _is_choice(value: str, choice: str) -> bool:
    name, _, wanted = choice.partition(":")
    if wanted != "SEED":
        return value == choice
    given, _, seed = value.partition(":")
    return given == name and seed.isascii() and seed.isdigit() and int(seed) < 1 << 64


def _to_string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"option {name!r} takes a string, got {type(value).__name__} {value!r}.")
    return value


def _to_path(name: str, value: Any) -> str:
    if not isinstance(value, str | os.PathLike):
        raise OptionError(f"option {name!r} takes a path, got {type(value).__name__} {value!r}.")
    path = os.fspath(value)
    if not isinstance(path, str) or not path:
        raise OptionError(f"option {name!r} takes a path, got {path!r}.")
    return path


def _to_machine(name: str, value: Any) -> str:
    """A preset's name, or a file, absolute so that it can be replayed from anywhere."""
    machine = _to_path(name, value)
    return os.path.abspath(machine) if machine.endswith(".toml") else machine


def _to_optional_path(name: str, value: Any) -> str | None:
    return None if value is None else _to_path(name, value)


def _to_bool(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"option {name!r} takes True or False, got {value!r}.")
    return value


def _to_limit(name: str, value: Any) -> int | None:
    if value is not None and (type(value) is not int or not 0 <= value < 1 << 63):
        raise OptionError(f"option {name!r} takes a number from 0 to 2^63 - 1, got {value!r}.")
    return value


def _to_names(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, Iterable):
        raise OptionError(f"option {name!r} takes names, got {type(value).__name__} {value!r}.")
    names = (value,) if isinstance(value, str) else tuple(value)
    return tuple(sorted({_to_string(name, item) for item in names}))


_CONVERT = {
    "machine": _to_machine,
    "dump_dir": _to_optional_path,
    "cache": _to_bool,
    "disable": _to_names,
    **dict.fromkeys(RUN_LIMITS, _to_limit),
}

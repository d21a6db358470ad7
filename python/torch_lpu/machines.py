# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machines that can be named: presets, and TOML files of parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .options import OptionError, suggest

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Parameter:
    """One number of a machine. The source begins with "published", "derived" or "choice"."""

    name: str
    unit: str
    value: str
    source: str
    description: str
    minimum: float
    maximum: float


@dataclass(frozen=True)
class Machine:
    name: str
    about: str
    parameters: tuple[Parameter, ...]


def preset_names() -> tuple[str, ...]:
    from ._simulator import preset_names as names

    return tuple(names())


def machine_text(name_or_path: str) -> str:
    """The canonical text of a machine's parameters; a wrong name or file is an error of the option."""
    from ._simulator import machine_text as text

    try:
        return text(name_or_path)
    except ValueError as error:
        message = f"{error}."
        if not name_or_path.endswith(".toml"):
            names = preset_names()
            message = (
                f"unknown machine {name_or_path!r}{suggest(name_or_path, names)} "
                f"Presets: {', '.join(names)}; or the path of a .toml file."
            )
        raise OptionError(f"option 'machine': {message}") from None


def machine(name_or_path: str) -> Machine:
    """A machine with the unit, range and source of every parameter."""
    from ._simulator import machine_parameters

    machine_text(name_or_path)  # Raises the option's error.
    name, about, parameters = machine_parameters(name_or_path)
    return Machine(name, about, tuple(Parameter(*fields) for fields in parameters))


def machine_table(machine: Machine) -> Table:
    """Every parameter with its unit, value and source."""
    from rich.table import Table

    table = Table(title=machine.name, title_justify="left", box=None, pad_edge=False)
    for heading in ("parameter", "value", "unit", "source", ""):
        table.add_column(
            heading, justify="right" if heading == "value" else "left", no_wrap=heading not in ("source", "")
        )
    for p in machine.parameters:
        table.add_row(p.name, p.value, p.unit, p.source, p.description)
    return table


def machine_toml(machine: Machine) -> str:
    """A machine file with all parameters, to be edited. Its name will be that of the file."""
    lines = [
        f"# A machine that begins as {machine.name}. Edit it and name the file as the machine, with",
        '# options={"machine": "path/to/file.toml"}. A line that is left out has the value of',
        f'# the base: base = "{machine.name}" or another preset, {preset_names()[0]} if there is none.',
    ]
    width = max(len(f"{p.name} = {p.value}") for p in machine.parameters)
    for p in machine.parameters:
        lines += [
            "",
            f"# {p.description} In {p.unit}, from {p.minimum:.12g} to {p.maximum:.12g}.",
            f"{f'{p.name} = {p.value}':{width}}  # {p.source}".rstrip(" #"),
        ]
    return "\n".join(lines) + "\n"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machines that can be named: presets, and TOML files of parameters."""

from __future__ import annotations

from .options import OptionError, suggest


def preset_names() -> tuple[str, ...]:
    from ._simulator import preset_names as names

    return tuple(names())


def machine_text(name_or_path: str) -> str:
    """The canonical text of a machine's parameters; a wrong name or file is an error of the option."""
    from ._simulator import machine_text as text

    try:
        return text(name_or_path)
    except ValueError as error:
        hint = "" if name_or_path.endswith(".toml") else suggest(name_or_path, preset_names())
        raise OptionError(
            f"option 'machine': {error}{hint} Presets: {', '.join(preset_names())}; or a .toml file."
        ) from None

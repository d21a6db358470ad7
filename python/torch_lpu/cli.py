# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `torch-lpu`."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .targets import Target

DEFAULT_PROMPT = "What is a language processing unit?"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="torch-lpu", description="A compiler and a simulator for an LPU.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    demo = commands.add_parser("demo", help="let SmolLM2-135M answer a prompt on the simulated machine")
    demo.add_argument("--prompt", default=DEFAULT_PROMPT, help="what to ask (default: %(default)r)")
    demo.add_argument(
        "--tokens", type=_positive, default=64, help="at most this many tokens (default: %(default)s)"
    )
    demo.add_argument("--machine", default="lpu-hbm3", help="preset or TOML file (default: %(default)s)")
    demo.add_argument("--trace", metavar="FILE", help="write a Perfetto trace of the decode steps")
    demo.set_defaults(run=_demo)

    machines = commands.add_parser("machines", help="list the machines and their parameters")
    machines.add_argument("machine", nargs="?", help="only this preset or TOML file")
    machines.add_argument("--toml", action="store_true", help="print a machine file to be edited")
    machines.set_defaults(run=_machines)

    explain = commands.add_parser("explain", help="say what of a function does not run on the LPU, and why")
    _add_target(explain)
    explain.add_argument("--json", action="store_true", help="print JSON instead of tables")
    explain.set_defaults(run=_explain)

    compare = commands.add_parser("compare", help="run a function and compare every op of it with float64")
    _add_target(compare)
    compare.add_argument("--json", action="store_true", help="print JSON instead of tables")
    compare.set_defaults(run=_compare)

    minify = commands.add_parser("minify", help="write the smallest reproducer of a failure")
    _add_target(minify)
    minify.add_argument(
        "-o", "--output", metavar="FILE", default="reproducer.py", help="default: %(default)s"
    )
    minify.set_defaults(run=_minify)

    parsed = parser.parse_args(arguments)
    try:
        return parsed.run(parsed)
    except KeyboardInterrupt:
        return 130


def _add_target(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "target",
        metavar="FILE.py[:NAME]",
        help="NAME (default: example) is a function that returns (fn, args) or (fn, args, kwargs)",
    )
    command.add_argument("--machine", default="lpu-hbm3", help="preset or TOML file (default: %(default)s)")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return int(text)


def _demo(arguments: argparse.Namespace) -> int:
    from .demo import run_demo
    from .machines import machine_text
    from .options import OptionError

    try:
        machine_text(arguments.machine)
    except OptionError as error:
        print(f"torch-lpu: {error}", file=sys.stderr)
        return 2
    return run_demo(arguments.prompt, arguments.tokens, arguments.machine, arguments.trace)


def _machines(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from .machines import machine, machine_table, machine_toml, preset_names
    from .options import OptionError

    if arguments.toml and not arguments.machine:
        print(f"torch-lpu: --toml needs a machine, one of {', '.join(preset_names())}", file=sys.stderr)
        return 2
    names = [arguments.machine] if arguments.machine else preset_names()
    try:
        machines = [machine(name) for name in names]
    except OptionError as error:
        print(f"torch-lpu: {error}", file=sys.stderr)
        return 2
    if arguments.toml:
        print(machine_toml(machines[0]), end="")
        return 0
    # A pipe has no width of its own; a line a parameter is easiest to read.
    console = Console(width=None if sys.stdout.isatty() else 240, highlight=False)
    for one in machines:
        console.print(machine_table(one))
        console.print(one.about, style="dim")
    return 0


def _explain(arguments: argparse.Namespace) -> int:
    def run(target: Target) -> int:
        from .explaining import explain

        explanation = explain(target.function, *target.args, options=_options(arguments), **target.kwargs)
        _print(explanation, arguments.json)
        return 0 if explanation.ok else 1

    return _with_target(arguments, run)


def _compare(arguments: argparse.Namespace) -> int:
    def run(target: Target) -> int:
        from .comparing import compare

        comparison = compare(target.function, *target.args, options=_options(arguments), **target.kwargs)
        _print(comparison, arguments.json)
        return 0 if comparison.ok else 1

    return _with_target(arguments, run)


def _minify(arguments: argparse.Namespace) -> int:
    directory = os.path.dirname(os.path.abspath(arguments.output))
    if not os.path.isdir(directory):
        print(f"torch-lpu: --output: there is no directory {directory}", file=sys.stderr)
        return 2

    def run(target: Target) -> int:
        from .minifying import NothingToMinify, minify

        try:
            found = minify(
                target.function,
                *target.args,
                path=arguments.output,
                options=_options(arguments),
                **target.kwargs,
            )
        except NothingToMinify as nothing:
            print(nothing)
            return 1
        print(found)
        return 0

    return _with_target(arguments, run)


def _options(arguments: argparse.Namespace) -> dict[str, str]:
    return {"machine": arguments.machine}


def _with_target(arguments: argparse.Namespace, run: Callable[[Target], int]) -> int:
    from .mistakes import describe_mistake
    from .options import OptionError
    from .targets import TargetError, load_target

    try:
        target = load_target(arguments.target)
        with _without_logs():
            return run(target)
    except (OptionError, TargetError) as error:
        print(f"torch-lpu: {error}", file=sys.stderr)
    except Exception as error:
        mistake = describe_mistake(error)
        if mistake is None:
            raise
        print(mistake, file=sys.stderr)
    return 2


@contextmanager
def _without_logs() -> Iterator[None]:
    """PyTorch logs tracebacks of errors that it raises as well."""

    logger = logging.getLogger("torch")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _print(result: Any, as_json: bool) -> None:
    if as_json:
        print(result.to_json())
        return
    from rich.console import Console

    Console().print(result.table())


if __name__ == "__main__":
    sys.exit(main())

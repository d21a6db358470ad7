# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The textual assembly as plain data: `str` of an object is its text, `parser` is the way back."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

#: Bytes of an element.
WIDTHS = {"f32": 4, "bf16": 2, "f16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "u8": 1, "bool": 1}


@dataclass(frozen=True)
class Tensor:
    """An entry of the signature; `alias` and `argument` are of results."""

    name: str
    dtype: str
    sizes: tuple[int, ...]
    alias: int | None = None
    argument: int | None = None

    @property
    def nbytes(self) -> int:
        return prod(self.sizes) * WIDTHS[self.dtype]

    def __str__(self) -> str:
        alias = "" if self.alias is None else f", alias = {self.alias}"
        argument = "" if self.argument is None else f", argument = {self.argument}"
        return f'<"{self.name}", {self.dtype}, {list(self.sizes)}{alias}{argument}>'


@dataclass(frozen=True)
class View:
    space: str
    argument: int
    dtype: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    offset_register: int | None = None
    offset_bound: int = 0
    dynamic_dim: int | None = None
    size_register: int | None = None
    loop_increments: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.sizes)

    def __str__(self) -> str:
        space = f"arg[{self.argument}]" if self.space == "arg" else self.space
        parts = [space, self.dtype, str(list(self.sizes)), str(list(self.strides)), str(self.offset)]
        if self.offset_register is not None:
            parts.append(f"offset_register = r{self.offset_register}, offset_bound = {self.offset_bound}")
        if self.dynamic_dim is not None:
            parts.append(f"dynamic_dim = {self.dynamic_dim}, size_register = r{self.size_register}")
        if self.loop_increments:
            parts.append(f"loop_increments = {list(self.loop_increments)}")
        return f"<{', '.join(parts)}>"


class Statement:
    """What stands in a program or in the body of a loop."""


@dataclass(frozen=True)
class Halt(Statement):
    def __str__(self) -> str:
        return "lpuisa.halt"


@dataclass(frozen=True)
class Li(Statement):
    rd: int
    value: int

    def __str__(self) -> str:
        return f"lpuisa.li r{self.rd} = {self.value}"


@dataclass(frozen=True)
class Ld(Statement):
    rd: int
    source: View

    def __str__(self) -> str:
        return f"lpuisa.ld r{self.rd} = {self.source}"


@dataclass(frozen=True)
class Alu(Statement):
    function: str
    rd: int
    rs: int
    rt: int | None = None
    immediate: int | None = None

    def __str__(self) -> str:
        right = f"r{self.rt}" if self.rt is not None else str(self.immediate)
        return f"lpuisa.alu {self.function} r{self.rd} = r{self.rs}, {right}"


@dataclass(frozen=True)
class Label(Statement):
    name: str

    def __str__(self) -> str:
        return f"lpuisa.label {self.name}"


@dataclass(frozen=True)
class Branch(Statement):
    condition: str
    rs: int | None
    target: str

    def __str__(self) -> str:
        register = "" if self.rs is None else f"r{self.rs}, "
        return f"lpuisa.branch {self.condition} {register}{self.target}"


@dataclass(frozen=True)
class Loop(Statement):
    trips: int
    register: int | None
    body: tuple[Statement, ...]

    def __str__(self) -> str:
        trips = f"r{self.register} to {self.trips}" if self.register is not None else str(self.trips)
        return f"lpuisa.loop {trips} {{\n{_block(self.body)}}}"


@dataclass(frozen=True)
class Wait(Statement):
    unit: str
    semaphore: int
    count: int

    def __str__(self) -> str:
        return f"lpuisa.wait {self.unit}, {self.semaphore}, {self.count}"


@dataclass(frozen=True)
class Post(Statement):
    unit: str
    semaphore: int
    count: int

    def __str__(self) -> str:
        return f"lpuisa.post {self.unit}, {self.semaphore}, {self.count}"


@dataclass(frozen=True)
class Trace(Statement):
    message: str

    def __str__(self) -> str:
        return f'lpuisa.trace "{self.message}"'


@dataclass(frozen=True)
class Fault(Statement):
    kind: str
    message: str

    def __str__(self) -> str:
        return f'lpuisa.fault {self.kind}, "{self.message}"'


@dataclass(frozen=True)
class Copy(Statement):
    destination: View
    source: View

    def __str__(self) -> str:
        return f"lpuisa.copy {self.destination} = {self.source}"


@dataclass(frozen=True)
class Gather(Statement):
    destination: View
    source: View
    index: View
    axis: int
    wrap_negative: bool = False

    def __str__(self) -> str:
        wrap = " wrap_negative" if self.wrap_negative else ""
        return f"lpuisa.gather {self.destination} = {self.source}[{self.index}] axis {self.axis}{wrap}"


@dataclass(frozen=True)
class Scatter(Statement):
    destination: View
    source: View
    index: View
    axis: int
    wrap_negative: bool = False

    def __str__(self) -> str:
        wrap = " wrap_negative" if self.wrap_negative else ""
        return f"lpuisa.scatter {self.destination}[{self.index}] = {self.source} axis {self.axis}{wrap}"


@dataclass(frozen=True)
class Stream(Statement):
    source: View
    passes: int

    def __str__(self) -> str:
        return f"lpuisa.stream {self.source} passes {self.passes}"


@dataclass(frozen=True)
class Mm(Statement):
    output: View
    lhs: View
    streamed: View
    batch: int
    rows: int
    cols: int
    depth: int
    accumulate: bool = False

    def __str__(self) -> str:
        accumulate = " accumulate" if self.accumulate else ""
        return (
            f"lpuisa.mm {self.output} = {self.lhs} * {self.streamed} batch {self.batch} "
            f"rows {self.rows} cols {self.cols} depth {self.depth}{accumulate}"
        )


@dataclass(frozen=True)
class Micro:
    """One micro-operation. `type` is the one it works on: that of the result, or of what it
    stores or compares. `immediate` is the number, for f32 the bits."""

    opcode: str
    type: str
    result: str | None = None
    inputs: tuple[str, ...] = ()
    input_types: tuple[str, ...] = ()
    result_type: str | None = None
    selector: str | None = None
    operand: int | None = None
    message: str | None = None
    immediate: int | None = None

    def __str__(self) -> str:
        text = f"{self.result} = " if self.result else ""
        text += f"lpuisa.micro {self.opcode}"
        if self.opcode == "const":
            if self.type == "i1":
                return f"{text} {'true' if self.immediate else 'false'}"
            value = f"0x{self.immediate:08X}" if self.type == "f32" else str(self.immediate)
            return f"{text} {value} : {self.type}"
        text += f"<{self.selector}>" if self.selector else ""
        text += f"[{self.operand}]" if self.operand is not None else ""
        if not self.inputs:
            return f"{text} : {self.result_type}"
        text += f"({', '.join(self.inputs)})"
        text += f' "{self.message}"' if self.message is not None else ""
        return f"{text} : ({', '.join(self.input_types)}) -> {self.result_type or '()'}"


@dataclass(frozen=True)
class Section:
    kind: str
    ops: tuple[Micro, ...]

    def __str__(self) -> str:
        return f"lpuisa.{self.kind}\n{_block(self.ops)}"


@dataclass(frozen=True)
class Vec(Statement):
    rank: int
    parallel: int
    views: tuple[View, ...]
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        views = ", ".join(map(str, self.views))
        head = f"lpuisa.vec rank {self.rank} parallel {self.parallel} views [{views}]"
        return f"{head} {{\n{_block(self.sections)}}}"


@dataclass(frozen=True)
class Program:
    name: str
    scratch: int
    lmu: int
    inputs: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    rodata: bytes
    body: tuple[Statement, ...]
    machine: dict[str, str] = field(default_factory=lambda: {"base": '"tiny"'})

    @property
    def arguments(self) -> tuple[Tensor, ...]:
        return self.inputs + self.outputs

    def __str__(self) -> str:
        parts = [f"lpuisa.program @{self.name}"]
        parts += [f"scratch {self.scratch}"] if self.scratch else []
        parts += [f"lmu {self.lmu}"] if self.lmu else []
        for name in ("inputs", "results", "outputs"):
            if tensors := getattr(self, name):
                parts.append(f"\n    {name} [{', '.join(map(str, tensors))}]")
        if self.rodata:
            data = self.rodata.hex().upper()
            parts.append(f'\n    rodata dense<"0x{data}"> : tensor<{len(self.rodata)}xi8>')
        machine = ", ".join(f"{key} = {value}" for key, value in self.machine.items())
        attributes = f"module attributes {{lpu.machine = #lpu.machine<{{{machine}}}>}}"
        return f"{attributes} {{\n{' '.join(parts)} {{\n{_block(self.body)}}}\n}}\n"


def _block(items: tuple[object, ...]) -> str:
    lines = "\n".join(map(str, items)).splitlines()
    return "".join(f"  {line}\n" for line in lines)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of the `lpuisa` dialect to the data of `syntax`, by recursive descent.

It takes what the disassembler writes and what people write by hand: one program, in a module or
alone, with or without locations. What is wrong with a program is for the real assembler to say.
"""

from __future__ import annotations

import re
import struct

from .syntax import (
    Alu,
    Branch,
    Copy,
    Fault,
    Gather,
    Halt,
    Label,
    Ld,
    Li,
    Loop,
    Micro,
    Mm,
    Post,
    Program,
    Scatter,
    Section,
    Statement,
    Stream,
    Tensor,
    Trace,
    Vec,
    View,
    Wait,
)

_TOKEN = re.compile(
    r"""\s*(?://[^\n]*\n\s*)*(
      "(?:[^"\\]|\\.)*"                                        # a string
    | -?0x[0-9A-Fa-f]+ | -?\d+\.\d*(?:[eE][+-]?\d+)? | -?\d+   # a number
    | [%\#@]?[A-Za-z_0-9][\w.$]*                               # a name
    | -> | .                                                   # a mark
    )""",
    re.VERBOSE,
)


def parse(text: str) -> Program:
    # Locations at the end of the file name nothing that the values depend on.
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return _Parser(text).module()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = [t for t in _TOKEN.findall(text + "\n") if t.strip()]
        self.position = 0

    # --- Tokens -----------------------------------------------------------------
    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def expect(self, token: str) -> None:
        found = self.take()
        if found != token:
            near = " ".join(self.tokens[max(0, self.position - 8) : self.position + 4])
            raise ValueError(f"found {found!r}, expected {token!r} near: {near}")

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.position += 1
        return True

    def integer(self) -> int:
        return int(self.take(), 0)

    def register(self) -> int:
        return int(self.take().removeprefix("r"))

    def string(self) -> str:
        return self.take()[1:-1]

    def integers(self) -> tuple[int, ...]:
        return tuple(self.list_of(self.integer))

    def list_of(self, item, opening: str = "[", closing: str = "]") -> list:
        self.expect(opening)
        items = []
        while not self.accept(closing):
            items.append(item())
            self.accept(",")
        return items

    def skip_location(self) -> None:
        if not self.accept("loc"):
            return
        self.expect("(")
        depth = 1
        while depth:
            token = self.take()
            depth += (token == "(") - (token == ")")

    # --- The program ------------------------------------------------------------
    def module(self) -> Program:
        machine: dict[str, str] = {}
        if self.accept("module"):
            while self.peek() not in ("lpuisa.program", ""):
                if self.take() == "#lpu.machine":
                    machine = self.machine()
        self.expect("lpuisa.program")
        return self.program(machine or {"base": '"tiny"'})

    def machine(self) -> dict[str, str]:
        self.expect("<")
        self.expect("{")
        entries = {}
        while not self.accept("}"):
            key = self.take()
            self.expect("=")
            entries[key] = self.take()
            if self.accept(":"):
                self.take()
            self.accept(",")
        self.expect(">")
        return entries

    def program(self, machine: dict[str, str]) -> Program:
        name = self.take().removeprefix("@")
        parts: dict = {"scratch": 0, "lmu": 0, "inputs": (), "results": (), "outputs": (), "rodata": b""}
        while not self.accept("{"):
            key = self.take()
            if key in ("scratch", "lmu"):
                parts[key] = self.integer()
            elif key == "rodata":
                parts[key] = self.bytes()
            else:
                parts[key] = tuple(self.list_of(self.tensor))
        return Program(name=name, machine=machine, body=self.block(), **parts)

    def bytes(self) -> bytes:
        self.expect("dense")
        self.expect("<")
        if self.peek().startswith('"'):
            data = bytes.fromhex(self.string().removeprefix("0x"))
        elif self.peek() == "[":
            data = bytes(value & 0xFF for value in self.integers())
        else:
            data = bytes([self.integer() & 0xFF])
        self.expect(">")
        self.expect(":")
        self.expect("tensor")
        self.expect("<")
        count = self.integer()
        self.expect("xi8")
        self.expect(">")
        return data if len(data) == count else data * count

    def tensor(self) -> Tensor:
        self.expect("<")
        name = self.string()
        self.expect(",")
        dtype = self.take()
        self.expect(",")
        tensor = {"name": name, "dtype": dtype, "sizes": self.integers()}
        while self.accept(","):
            key = self.take()
            self.expect("=")
            tensor[key] = self.integer()
        self.expect(">")
        return Tensor(**tensor)

    def view(self) -> View:
        self.expect("<")
        space, argument = self.take(), 0
        if space == "arg":
            self.expect("[")
            argument = self.integer()
            self.expect("]")
        self.expect(",")
        dtype = self.take()
        self.expect(",")
        sizes = self.integers()
        self.expect(",")
        strides = self.integers()
        self.expect(",")
        offset = self.integer()
        named = {
            "offset_register": self.register,
            "offset_bound": self.integer,
            "dynamic_dim": self.integer,
            "size_register": self.register,
            "loop_increments": self.integers,
        }
        parts = {}
        while self.accept(","):
            key = self.take()
            self.expect("=")
            parts[key] = named[key]()
        self.expect(">")
        return View(space, argument, dtype, sizes, strides, offset, **parts)

    # --- Instructions -----------------------------------------------------------
    def block(self) -> tuple[Statement, ...]:
        statements = []
        while not self.accept("}"):
            statements.append(self.statement())
            self.skip_location()
        return tuple(statements)

    def statement(self) -> Statement:
        opcode = self.take()
        if not opcode.startswith("lpuisa."):
            raise ValueError(f"found {opcode!r}, expected an instruction")
        return getattr(self, f"_{opcode.removeprefix('lpuisa.')}")()

    def _halt(self) -> Halt:
        return Halt()

    def _li(self) -> Li:
        rd = self.register()
        self.expect("=")
        return Li(rd, self.integer())

    def _ld(self) -> Ld:
        rd = self.register()
        self.expect("=")
        return Ld(rd, self.view())

    def _alu(self) -> Alu:
        function, rd = self.take(), self.register()
        self.expect("=")
        rs = self.register()
        self.expect(",")
        if self.peek().startswith("r"):
            return Alu(function, rd, rs, rt=self.register())
        return Alu(function, rd, rs, immediate=self.integer())

    def _label(self) -> Label:
        return Label(self.take())

    def _branch(self) -> Branch:
        condition, rs = self.take(), None
        if condition != "always":
            rs = self.register()
            self.expect(",")
        return Branch(condition, rs, self.take())

    def _loop(self) -> Loop:
        register = None
        if self.peek().startswith("r"):
            register = self.register()
            self.expect("to")
        trips = self.integer()
        self.expect("{")
        return Loop(trips, register, self.block())

    def semaphore(self) -> tuple[str, int, int]:
        unit = self.take()
        self.expect(",")
        number = self.integer()
        self.expect(",")
        return unit, number, self.integer()

    def _wait(self) -> Wait:
        return Wait(*self.semaphore())

    def _post(self) -> Post:
        return Post(*self.semaphore())

    def _trace(self) -> Trace:
        return Trace(self.string())

    def _fault(self) -> Fault:
        kind = self.take()
        self.expect(",")
        return Fault(kind, self.string())

    def _copy(self) -> Copy:
        destination = self.view()
        self.expect("=")
        return Copy(destination, self.view())

    def index(self) -> View:
        self.expect("[")
        index = self.view()
        self.expect("]")
        return index

    def axis(self) -> tuple[int, bool]:
        self.expect("axis")
        return self.integer(), self.accept("wrap_negative")

    def _gather(self) -> Gather:
        destination = self.view()
        self.expect("=")
        source, index = self.view(), self.index()
        return Gather(destination, source, index, *self.axis())

    def _scatter(self) -> Scatter:
        destination, index = self.view(), self.index()
        self.expect("=")
        source = self.view()
        return Scatter(destination, source, index, *self.axis())

    def _stream(self) -> Stream:
        source = self.view()
        self.expect("passes")
        return Stream(source, self.integer())

    def _mm(self) -> Mm:
        output = self.view()
        self.expect("=")
        lhs = self.view()
        self.expect("*")
        streamed = self.view()
        counts = []
        for name in ("batch", "rows", "cols", "depth"):
            self.expect(name)
            counts.append(self.integer())
        return Mm(output, lhs, streamed, *counts, accumulate=self.accept("accumulate"))

    # --- Micro-programs ---------------------------------------------------------
    def _vec(self) -> Vec:
        self.expect("rank")
        rank = self.integer()
        self.expect("parallel")
        parallel = self.integer()
        views = tuple(self.list_of(self.view)) if self.accept("views") else ()
        self.expect("{")
        sections: list[tuple[str, list[Micro]]] = []
        while not self.accept("}"):
            if self.peek() in ("lpuisa.elements", "lpuisa.rows"):
                sections.append((self.take().removeprefix("lpuisa."), []))
            else:
                sections[-1][1].append(self.micro())
            self.skip_location()
        return Vec(rank, parallel, views, tuple(Section(kind, tuple(ops)) for kind, ops in sections))

    def micro(self) -> Micro:
        result = None
        if self.peek().startswith("%"):
            result = self.take()
            self.expect("=")
        self.expect("lpuisa.micro")
        opcode = self.take()
        if opcode == "const":
            return self.constant(result)
        parts: dict = {}
        if self.accept("<"):
            parts["selector"] = self.take()
            self.expect(">")
        if self.accept("["):
            parts["operand"] = self.integer()
            self.expect("]")
        if self.peek() == "(":
            parts["inputs"] = tuple(self.list_of(self.take, "(", ")"))
        if self.peek().startswith('"'):
            parts["message"] = self.string()
        self.expect(":")
        if self.peek() != "(":
            type_ = self.take()
            return Micro(opcode, type_, result, result_type=type_, **parts)
        parts["input_types"] = tuple(self.list_of(self.take, "(", ")"))
        self.expect("->")
        if not self.accept("("):
            parts["result_type"] = self.take()
        else:
            self.expect(")")
        stored = opcode in ("store", "scatter", "next") or opcode.startswith("cmp_")
        type_ = parts["input_types"][-1] if stored else parts.get("result_type", "")
        return Micro(opcode, type_, result, **parts)

    def constant(self, result: str | None) -> Micro:
        literal = self.take()
        if literal in ("true", "false"):
            return Micro("const", "i1", result, result_type="i1", immediate=int(literal == "true"))
        self.expect(":")
        type_ = self.take()
        if type_ != "f32" or "x" in literal:
            value = int(literal, 0)
        else:
            value = struct.unpack("<I", struct.pack("<f", float(literal)))[0]
        return Micro("const", type_, result, result_type=type_, immediate=value)

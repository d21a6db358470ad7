# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random `vec` instructions: typed micro-programs over random domains.

Nothing of them is open (`micro_order`): an operand that is written shares bytes with another one only if
both are one view of distinct elements, and the bits of a NaN reach neither an integer nor a sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .choices import Choices
from .micro import INTEGER_BITS
from .micro_table import ALL, OPERATIONS, combines
from .random_views import Buffer, Context, Shape, shape, view
from .syntax import Micro, Section, Vec, View

#: The micro-type that holds an element.
HELD = {"bf16": "f32", "f16": "f32", "bool": "i1"}


#: Taken more often than others, since they have so many predicates.
_COMPARISONS = [operation for operation in OPERATIONS if operation.name.startswith("cmp_")]


@dataclass
class Register:
    name: str
    type: str
    is_row: bool  # Known for the whole row: what a carry can start with.


@dataclass
class Operand:
    buffer: Buffer
    view: View
    is_written: bool = False
    is_shared: bool = False  # A view that may be both loaded and stored: its elements are distinct.


@dataclass
class MicroGenerator:
    """Makes one instruction."""

    context: Context
    buffers: Sequence[Buffer]
    fault: str | None = None  # The kind of the one that it may raise.
    rank: int = 0
    parallel: int = 0
    domain: Shape = field(default_factory=lambda: Shape(()))
    operands: list[Operand] = field(default_factory=list)
    tables: set[int] = field(default_factory=set)
    visible: list[Register] = field(default_factory=list)
    results: list[Register] = field(default_factory=list)  # Of reduce and carry, for later sections.
    ops: list[Micro] = field(default_factory=list)
    kind: str = "rows"
    count: int = 0

    @property
    def choices(self) -> Choices:
        return self.context.choices

    def vec(self) -> Vec:
        self.rank = self.choices.one_of((0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8))
        self.parallel = self.choices.integer(0, self.rank)
        self.domain = shape(self.context, self.rank, self.choices.one_of((24, 24, 80)))
        if self.parallel < self.rank and self.choices.chance(25):
            # A row so long that reductions use a partial twice.
            sizes = (1,) * (self.rank - 1) + (self.choices.integer(65, 120),)
            self.domain = Shape(sizes)
        sections: list[Section] = []
        for _ in range(self.choices.integer(1, 4)):
            self.kind = self.choices.one_of(("elements", "elements", "rows"))
            before = list(self.visible)
            self.ops, self.results = [], []
            self._section()
            if self.kind == "elements":
                self.visible = before + self.results
            sections.append(Section(self.kind, tuple(self.ops)))
        if self.results and self.choices.chance(70):
            self.kind, self.ops = "rows", []
            for result in self.results:
                self._store_result(result)
            sections.append(Section("rows", tuple(self.ops)))
        if all(n in self.tables for n in range(len(self.operands))) and self.rank:
            self._section_with_a_load(sections)
        return Vec(self.rank, self.parallel, tuple(o.view for o in self.operands), tuple(sections))

    def _section_with_a_load(self, sections: list[Section]) -> None:
        """vec_c10: something has to say what the domain is."""
        self.kind, self.ops = "rows", []
        self._load(_held(next(b.dtype for b in self.buffers if not b.writable)))
        sections.append(Section("rows", tuple(self.ops)))

    def _section(self) -> None:
        carries = []
        if self.kind == "elements" and self.choices.chance(20):
            start = self._register(self.choices.one_of(ALL), row=True)
            carry = self._emit("carry", start.type, (start,))
            carries.append(carry)
        for _ in range(self.choices.integer(1, 8)):
            self._operation()
        for carry in carries:
            following = self._register(carry.type)
            self._emit("next", carry.type, (carry, following), result=None)
            self.results.append(Register(carry.name, carry.type, True))
        if self.kind == "elements" and self.choices.chance(50):
            type_ = self.choices.one_of(("f32", "f32", *ALL))
            value = self._load(type_) if self.choices.chance(40) else self._register(type_)
            how = self.choices.one_of(combines(value.type))
            result = self._emit("reduce", value.type, (value,), selector=how)
            self.visible.remove(result)
            self.results.append(Register(result.name, result.type, True))
        for _ in range(self.choices.integer(1, 2)):
            self._store()

    # --- Operations -------------------------------------------------------------
    def _operation(self) -> None:
        kind = self.choices.integer(0, 19)
        if kind == 0:
            self._gather()
        elif kind == 1:
            self._scatter()
        elif kind == 2:
            self._iota()
        elif kind == 3:
            self._assert()
        elif kind <= 6:
            self._load(self.choices.one_of(ALL))
        else:
            self._compute()

    def _compute(self) -> None:
        operations = _COMPARISONS if self.choices.chance(12) else OPERATIONS
        op = self.choices.one_of(self.choices.one_of(operations).forms())
        inputs = [self._register(t) for t in op.input_types]
        if op.opcode in ("bitcast_f_to_i", "copy_sign_f"):
            inputs[-1] = self._number(inputs[-1])
        self._emit(op.opcode, op.type, inputs, op.result_type, op.selector)

    def _number(self, x: Register) -> Register:
        """x, or a constant if it is a NaN."""
        is_number = self._emit("cmp_f", "f32", (x, x), "i1", "ord")
        return self._emit("select", "f32", (is_number, x, self._constant("f32", 0xBF800000)), "f32")

    def _iota(self) -> None:
        limit = self.rank if self.kind == "elements" else self.parallel
        if limit:
            self._emit("iota", "i64", (), operand=self.choices.integer(0, limit - 1))

    def _assert(self) -> None:
        truth = self._constant("i1", 1)
        if self.choices.chance(50):
            x = self._register(self.choices.one_of(ALL[1:]))
            truth = self._emit("cmp_i", x.type, (x, x), "i1", self.choices.one_of(("eq", "ule", "uge")))
        kind = self.choices.one_of(("index", "runtime"))
        if self.fault and self.choices.chance(60):
            kind, truth = self.fault, self._register("i1")
        self._emit("assert", "", (truth,), None, kind, message="asserted")

    def _element_number(self, size: int) -> Register:
        """An i64 in [0, size), from anything."""
        x = self._register("i64")
        if self.fault == "index" and self.choices.chance(30):
            return x
        if size == 1:
            return self._constant("i64", 0)
        if self.choices.chance(50):
            return self._emit("rem_ui", "i64", (x, self._constant("i64", size)), "i64")
        low = self._emit("max_si", "i64", (x, self._constant("i64", 0)), "i64")
        return self._emit("min_si", "i64", (low, self._constant("i64", size - 1)), "i64")

    def _table(self, written: bool) -> int | None:
        buffers = [b for b in self.buffers if self._is_free(b, written)]
        if not buffers:
            return None
        buffer = self.choices.one_of(buffers)
        table = Shape((self.choices.integer(1, 9),))
        kind = "distinct" if written else "any"
        self.operands.append(Operand(buffer, view(self.context, buffer, table, kind), written))
        self.tables.add(len(self.operands) - 1)
        return len(self.operands) - 1

    def _gather(self) -> None:
        number = self._table(written=False)
        if number is not None:
            operand = self.operands[number]
            index = self._element_number(operand.view.sizes[0])
            self._emit("gather", _held(operand.buffer.dtype), (index,), operand=number)

    def _scatter(self) -> None:
        number = self._table(written=True)
        if number is not None:
            operand = self.operands[number]
            type_ = _held(operand.buffer.dtype)
            index, value = self._element_number(operand.view.sizes[0]), self._register(type_)
            how = self.choices.one_of(["set", *combines(type_)])
            self._emit("scatter", type_, (index, value), None, how, operand=number)

    # --- Operands ---------------------------------------------------------------
    def _is_free(self, buffer: Buffer, written: bool) -> bool:
        """Whether an access touches nothing that another operand writes (or reads, if it writes)."""
        if written and not buffer.writable:
            return False
        same = [o for o in self.operands if o.buffer == buffer]
        return not same if written else not any(o.is_written for o in same)

    def _load(self, type_: str) -> Register:
        known = [
            n
            for n, o in enumerate(self.operands)
            if n not in self.tables and _held(o.buffer.dtype) == type_ and (o.is_shared or not o.is_written)
        ]
        if known and self.choices.chance(40):
            return self._emit("load", type_, (), operand=self.choices.one_of(known))
        buffers = [b for b in self.buffers if _held(b.dtype) == type_ and self._is_free(b, written=False)]
        if not buffers:
            return self._constant(type_)
        buffer = self.choices.one_of(buffers)
        shared = buffer.writable and self.choices.chance(25)
        taken = view(self.context, buffer, self.domain, "distinct" if shared else "any")
        self.operands.append(Operand(buffer, taken, is_shared=shared))
        return self._emit("load", type_, (), operand=len(self.operands) - 1)

    def _store(self) -> None:
        # Over an operand that is loaded or stored, or into a buffer of its own.
        shared = [n for n, o in enumerate(self.operands) if o.is_shared and self._is_alone(n)]
        if shared and self.choices.chance(40):
            number = self.choices.one_of(shared)
            if self.choices.chance(30):
                self.operands.append(self.operands[number])
                number = len(self.operands) - 1
            self.operands[number].is_written = True
        else:
            buffers = [b for b in self.buffers if self._is_free(b, written=True)]
            if not buffers:
                return
            buffer = self.choices.one_of(buffers)
            kind = self.choices.one_of(("distinct", "stores"))
            taken = view(self.context, buffer, self.domain, kind)
            self.operands.append(Operand(buffer, taken, True, kind == "distinct"))
            number = len(self.operands) - 1
        type_ = _held(self.operands[number].buffer.dtype)
        self._emit("store", type_, (self._register(type_),), None, operand=number)

    def _store_result(self, result: Register) -> None:
        """What a row has come to, so that something depends on it."""
        buffers = [
            b for b in self.buffers if _held(b.dtype) == result.type and self._is_free(b, written=True)
        ]
        if buffers:
            buffer = self.choices.one_of(buffers)
            self.operands.append(
                Operand(buffer, view(self.context, buffer, self.domain, "distinct"), True, True)
            )
            self._emit("store", result.type, (result,), None, operand=len(self.operands) - 1)

    def _is_alone(self, number: int) -> bool:
        """Whether no other view reaches into the buffer of this operand."""
        this = self.operands[number]
        return all(o.buffer != this.buffer or o.view is this.view for o in self.operands)

    # --- Registers --------------------------------------------------------------
    def _register(self, type_: str, row: bool = False) -> Register:
        known = [r for r in self.visible if r.type == type_ and (r.is_row or not row)]
        if known and self.choices.chance(85):
            # Rather a late one, so that values go through many operations.
            return known[-1 - min(self.choices.integer(0, 3), len(known) - 1)]
        if row or self.choices.chance(25):
            return self._constant(type_)
        return self._load(type_)

    def _constant(self, type_: str, value: int | None = None) -> Register:
        if value is None:
            value = _constant(self.choices, type_)
        return self._emit("const", type_, (), immediate=value)

    def _emit(
        self,
        opcode: str,
        type_: str,
        inputs: Sequence[Register],
        result: str | None = "",
        selector: str | None = None,
        **parts: object,
    ) -> Register:
        result = type_ if result == "" else result
        name = None
        if result:
            name = f"%{self.count}"
            self.count += 1
        names = tuple(r.name for r in inputs)
        types = tuple(r.type for r in inputs)
        self.ops.append(Micro(opcode, type_, name, names, types, result, selector, **parts))
        register = Register(name or "", result or "", opcode == "const" or self.kind == "rows")
        if result:
            self.visible.append(register)
        return register


def _held(dtype: str) -> str:
    return HELD.get(dtype, dtype)


_BITS = (0, 0x80000000, 0x3F800000, 0xC0490FDB, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x80400000, 0x42C80000)


def _constant(choices: Choices, type_: str) -> int:
    if type_ == "i1":
        return choices.integer(0, 1)
    if type_ == "f32":
        return choices.one_of(_BITS) if choices.chance(60) else choices.integer(0, 2**32 - 1)
    half = 2 ** (INTEGER_BITS[type_] - 1)
    return choices.integer(-3, 9) if choices.chance(60) else choices.integer(-half, half - 1)

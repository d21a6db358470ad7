# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random programs consist of, so that a generator which grows narrow is noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .micro_table import COMBINES_F, COMBINES_I, OPERATIONS, PREDICATES_F, PREDICATES_I
from .random_instructions import operands, walk
from .syntax import (
    Alu,
    Branch,
    Gather,
    Label,
    Ld,
    Loop,
    Mm,
    Post,
    Program,
    Scatter,
    Statement,
    Vec,
    View,
    Wait,
)

_OPCODES = "halt li ld alu branch loop wait post trace copy gather scatter stream mm vec"
_MICRO = "const load store gather scatter iota assert reduce carry next"
_SPECIAL = """
branch:backwards branch:always branch:zero branch:not_zero
loop:depth1 loop:depth2 loop:depth3 loop:depth4 loop:register loop:none loop:empty
view:negative view:broadcast view:window view:nothing view:offset_register view:size_register
view:increment0 view:increment1 view:increment2 view:increment3 view:increment_negative
mm:accumulate mm:f32->f32 mm:bf16->bf16 mm:f16->f16 mm:bf16->f32 mm:f16->f32 mm:i8->i32
mm:blocks mm:before_stream index:wrap vec:long_row vec:in_place section:elements section:rows section:4
wait:icp wait:sma wait:sxe wait:vxe post:sma post:sxe post:vxe
"""

#: Everything that a long run has to meet.
ALL = frozenset(
    [
        *(f"op:{name}" for name in _OPCODES.split()),
        *(f"alu:{name}" for name in "add sub mul min max cmp_eq cmp_lt cmp_le".split()),
        *(f"micro:{name}" for name in _MICRO.split()),
        *(f"micro:{operation.name}" for operation in OPERATIONS),
        *(f"combine:{name}" for name in ["set", *COMBINES_F, *COMBINES_I]),
        *(f"predicate:{name}" for name in [*PREDICATES_F, *PREDICATES_I]),
        *(f"type:{name}" for name in "f32 bf16 f16 i64 i32 i16 i8 bool".split()),
        *(f"rank:{rank}" for rank in range(9)),
        *(f"space:{space}" for space in ("arg", "scratch", "constant", "lmu")),
        *_SPECIAL.split(),
        *(f"outcome:{kind}" for kind in (None, "index", "runtime", "deadlock")),
    ]
)

#: What a short run has to meet: single micro-operations have a test of their own, deep loops are rare.
COMMON = frozenset(
    name
    for name in ALL - {"view:increment2", "view:increment3"}
    if name.split(":")[0] in ("op", "alu", "type", "rank", "space", "view", "section")
)


def features(program: Program, outcome: str | None) -> set[str]:
    found = {f"outcome:{outcome}"}
    for statement in walk(program.body):
        name = type(statement).__name__.lower()
        found |= {f"op:{name}"} if name != "label" else set()
        found |= set(_of(statement))
        for view in _views(statement):
            found |= set(_of_view(view))
    found |= set(_of_block(program.body, 0))
    return found


def missing(counts: Counter[str], expected: frozenset[str], times: int) -> dict[str, int]:
    return {name: counts[name] for name in sorted(expected) if counts[name] < times}


def _views(statement: Statement) -> list[View]:
    if isinstance(statement, Vec):
        return list(statement.views)
    if isinstance(statement, Ld):
        return [statement.source]
    reads, writes = operands(statement)
    return reads + writes


def _of(s: Statement) -> Iterator[str]:
    match s:
        case Alu():
            yield f"alu:{s.function}"
        case Branch():
            yield f"branch:{s.condition}"
        case Wait() | Post():
            yield f"{type(s).__name__.lower()}:{s.unit}"
        case Gather() | Scatter() if s.wrap_negative:
            yield "index:wrap"
        case Mm():
            yield f"mm:{s.lhs.dtype}->{s.output.dtype}"
            if s.accumulate:
                yield "mm:accumulate"
            if s.lhs.dtype == "bf16" and any(size > 32 for size in s.lhs.sizes[s.batch + s.rows :]):
                yield "mm:blocks"
        case Vec():
            yield from _of_vec(s)


def _of_vec(s: Vec) -> Iterator[str]:
    if len(s.sections) >= 4:
        yield "section:4"
    accesses: dict[View, set[str]] = {}
    for section in s.sections:
        yield f"section:{section.kind}"
        for op in section.ops:
            yield f"micro:{op.opcode}"
            if op.opcode in ("reduce", "scatter"):
                yield f"combine:{op.selector}"
            if op.opcode.startswith("cmp_"):
                yield f"predicate:{op.selector}"
            if op.operand is not None and op.opcode in ("load", "store"):
                accesses.setdefault(s.views[op.operand], set()).add(op.opcode)
    for view, opcodes in accesses.items():
        if any(size > 24 for size in view.sizes[s.parallel :]):
            yield "vec:long_row"
        if len(opcodes) == 2:
            yield "vec:in_place"


def _of_view(view: View) -> Iterator[str]:
    yield f"type:{view.dtype}"
    yield f"rank:{view.rank}"
    yield f"space:{view.space}"
    steps = [(abs(t), s) for s, t in zip(view.sizes, view.strides, strict=True) if s > 1]
    if any(stride < 0 for stride in view.strides):
        yield "view:negative"
    if any(stride == 0 for stride, _ in steps):
        yield "view:broadcast"
    if any(0 < a < b * n and a > b > 0 for a, _ in steps for b, n in steps):
        yield "view:window"
    if 0 in view.sizes:
        yield "view:nothing"
    if view.offset_register is not None:
        yield "view:offset_register"
    if view.size_register is not None:
        yield "view:size_register"
    for level, increment in enumerate(view.loop_increments):
        if increment:
            yield f"view:increment{level}"
        if increment < 0:
            yield "view:increment_negative"


def _of_block(body: Sequence[Statement], depth: int) -> Iterator[str]:
    labels: set[str] = set()
    streams = 0
    for s in body:
        if isinstance(s, Label):
            labels.add(s.name)
        elif isinstance(s, Branch) and s.target in labels:
            yield "branch:backwards"
        elif isinstance(s, Loop):
            yield f"loop:depth{depth + 1}"
            if s.register is not None:
                yield "loop:register"
            if s.trips == 0:
                yield "loop:none"
            if not s.body:
                yield "loop:empty"
            yield from _of_block(s.body, depth + 1)
        elif type(s).__name__ == "Stream":
            streams += 1
        elif isinstance(s, Mm):
            streams -= 1
            if streams < 0:
                yield "mm:before_stream"

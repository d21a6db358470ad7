# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations that compute, and the types that they take: the table of ISA.md, for generators."""

from __future__ import annotations

from dataclasses import dataclass

from .syntax import Micro

ALL = ("f32", "i64", "i32", "i16", "i8", "i1")
INTEGERS = ("i64", "i32", "i16", "i8", "i1")
WIDE = ("i64", "i32", "i16", "i8")  # All but i1.

PREDICATES_F = (
    "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()  # In the encoding's order.
)
PREDICATES_I = "eq ne slt sle sgt sge ult ule ugt uge".split()
COMBINES_F = "add_f mul_f maximum_f minimum_f max_num_f min_num_f".split()
COMBINES_I = "add_i mul_i max_si min_si max_ui min_ui and_i or_i xor_i".split()


def predicates(type_: str) -> list[str]:
    """What cmp_f or cmp_i takes on a type."""
    if type_ == "f32":
        return PREDICATES_F
    return [p for p in PREDICATES_I if type_ != "i1" or not p.startswith("s")]


def combines(type_: str) -> list[str]:
    """What reduce takes on a type; scatter also takes `set`."""
    if type_ == "f32":
        return COMBINES_F
    return [c for c in COMBINES_I if type_ != "i1" or not c.endswith("si")]


@dataclass(frozen=True)
class Operation:
    name: str
    types: tuple[str, ...]  # Of the field `type`.
    inputs: tuple[str, ...]  # T, i1, f32, int (any integer), narrower or wider (than T).
    result: str = "T"

    def forms(self) -> list[Micro]:
        """The operation on every type, with inputs %x0, %x1, ..."""
        found = []
        for type_ in self.types:
            for sources in self._sources(type_):
                names = tuple(f"%x{n}" for n in range(len(sources)))
                result = type_ if self.result == "T" else self.result
                selectors = predicates(type_) if self.name.startswith("cmp_") else [None]
                found += [
                    Micro(self.name, type_, "%y", names, sources, result, selector) for selector in selectors
                ]
        return found

    def _sources(self, type_: str) -> list[tuple[str, ...]]:
        rank = INTEGERS[::-1].index
        free = {
            "int": INTEGERS,
            "narrower": [t for t in INTEGERS if type_ != "f32" and rank(t) < rank(type_)],
            "wider": [t for t in INTEGERS if type_ != "f32" and rank(t) > rank(type_)],
        }
        if self.inputs[0] in free:
            return [(source,) for source in free[self.inputs[0]]]
        return [tuple(type_ if source == "T" else source for source in self.inputs)]


def _named(names: str, types: tuple[str, ...], inputs: tuple[str, ...], result: str = "T") -> list[Operation]:
    return [Operation(name, types, inputs, result) for name in names.split()]


OPERATIONS = (
    *_named("neg_f abs_f sqrt_f floor_f ceil_f trunc_f round_f round_even_f", ("f32",), ("T",)),
    *_named("exp_f exp2_f expm1_f log_f log2_f log10_f log1p_f sin_f cos_f tan_f", ("f32",), ("T",)),
    *_named("tanh_f erf_f erfc_f rsqrt_f atan_f asin_f acos_f sinh_f cosh_f", ("f32",), ("T",)),
    *_named("asinh_f acosh_f atanh_f cbrt_f round_bf16 round_f16", ("f32",), ("T",)),
    *_named("add_f sub_f mul_f div_f maximum_f minimum_f max_num_f min_num_f", ("f32",), ("T", "T")),
    *_named("rem_f copy_sign_f pow_f atan2_f", ("f32",), ("T", "T")),
    *_named("fma_f", ("f32",), ("T", "T", "T")),
    *_named("add_i sub_i mul_i and_i or_i xor_i min_ui max_ui", INTEGERS, ("T", "T")),
    *_named("div_si div_ui rem_si rem_ui floor_div_si ceil_div_si", WIDE, ("T", "T")),
    *_named("shl_i shr_si shr_ui min_si max_si", WIDE, ("T", "T")),
    *_named("cmp_f", ("f32",), ("T", "T"), "i1"),
    *_named("cmp_i", INTEGERS, ("T", "T"), "i1"),
    *_named("select", ALL, ("i1", "T", "T")),
    *_named("si_to_f ui_to_f", ("f32",), ("int",)),
    *_named("f_to_si", WIDE, ("f32",)),
    *_named("f_to_ui", INTEGERS, ("f32",)),
    *_named("ext_s ext_u", WIDE, ("narrower",)),
    *_named("trunc_i", INTEGERS, ("wider",)),
    *_named("bitcast_f_to_i", ("i32",), ("f32",)),
    *_named("bitcast_i_to_f", ("f32",), ("i32",)),
)

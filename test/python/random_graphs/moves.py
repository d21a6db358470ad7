# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move data: views, joins, gathers and scatters, and changes in place."""

from __future__ import annotations

import math

import torch

from .drawing import MOVES, Drawing, Value
from .operations import OPERATIONS, apart, is_float, keeps_bits, operation, tensor


def _dim(d: Drawing, x: Value) -> int:
    return d.choices.integer(-len(x.shape), len(x.shape) - 1)


def _factors(d: Drawing, count: int) -> tuple[int, ...]:
    """A shape of so many elements."""
    shape, rest = [], count
    for _ in range(d.choices.integer(0, 3)):
        size = d.choices.one_of([n for n in range(1, rest + 1) if rest % n == 0][:6] or [0])
        shape.append(size)
        rest = rest // size if size else 0
    place = d.choices.integer(0, len(shape))
    return (*shape[:place], rest, *shape[place:])


# --- Views ------------------------------------------------------------------------


@operation("view", "view", "reshape", "flatten")
def _view(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: name != "view" or t.is_contiguous())
    if x is None:
        return False
    if name == "flatten":
        return d.add(name, f"{x}.flatten()", [x])
    shape = _factors(d, math.prod(x.shape))
    text = str(shape)
    if shape and math.prod(shape) and d.choices.chance(30):
        text = str((-1, *shape[1:]))
    return d.add(name, f"{x}.{name}({text})", [x])


@operation("view", "permute", "transpose", "mT", "movedim")
def _permute(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() >= 2)
    if x is None:
        return False
    if name == "permute":
        order = tuple(d.choices.shuffled(range(len(x.shape))))
        return d.add(name, f"{x}.permute({order})", [x])
    if name == "mT":
        return d.add(name, f"{x}.mT", [x])
    return d.add(name, f"{x}.{name}({_dim(d, x)}, {_dim(d, x)})", [x])


def _slice(d: Drawing, size: int) -> str:
    start = d.choices.integer(-1, max(0, size - 1))
    step = d.choices.one_of((1, 1, 2, 3))
    stop = d.choices.one_of(("", str(size), "-1", str(size + 2)))
    return f"{start or ''}:{stop}{f':{step}' if step > 1 else ''}"


def sliced(d: Drawing, x: Value) -> str:
    """Brackets with a slice, a number, None or an ellipsis for the dimensions."""
    parts = []
    for size in x.shape:
        kind = d.choices.integer(0, 9)
        if kind < 4:
            parts.append(":")
        elif kind < 8:
            parts.append(_slice(d, size))
        elif kind == 8 and size:
            parts.append(str(d.choices.integer(-size, size - 1)))
        else:
            parts += ["None", ":"] if len(x.shape) < 4 else [":"]
    if d.choices.chance(20):
        return f"[..., {parts[-1]}]"
    return f"[{', '.join(parts)}]"


@operation("view", "slice", "select", "narrow", "index with numbers")
def _part(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0)
    if x is None:
        return False
    dim = _dim(d, x)
    size = x.shape[dim]
    if name == "index with numbers":
        return d.add(name, f"{x}{sliced(d, x)}", [x])
    if name == "slice":
        return d.add(name, f"{x}[{', '.join([':'] * (dim % len(x.shape)) + [_slice(d, size)])}]", [x])
    if name == "select":
        return size > 0 and d.add(name, f"{x}.select({dim}, {d.choices.integer(-size, size - 1)})", [x])
    start = d.choices.integer(0, size)
    return d.add(name, f"{x}.narrow({dim}, {start}, {d.choices.integer(0, size - start)})", [x])


@operation("view", "expand", "unsqueeze", "squeeze", "squeeze all")
def _expand(d: Drawing, name: str) -> bool:
    if name == "unsqueeze":
        x = d.pick(lambda t: t.dim() < 5)
        return x is not None and d.add(name, f"{x}.unsqueeze({d.choices.integer(-1, len(x.shape))})", [x])
    x = d.pick(lambda t: 1 in t.shape)
    if x is None:
        x = d.pick(lambda t: t.dim() < 4) if name == "expand" else None
    if x is None:
        return False
    if name == "squeeze all":
        return d.add(name, f"{x}.squeeze()", [x])
    if name == "squeeze":
        return d.add(name, f"{x}.squeeze({_dim(d, x)})", [x])
    sizes = [d.choices.integer(1, 4) if size == 1 else -1 for size in x.shape]
    front = [d.choices.integer(1, 3)] if 1 not in x.shape or d.choices.chance(30) else []
    return d.add(name, f"{x}.expand({tuple(front + sizes)})", [x])


@operation("view", "diagonal", "unfold", "as_strided")
def _strided(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() >= (2 if name == "diagonal" else 1) and t.is_contiguous() and t.numel() > 0)
    if x is None:
        return False
    if name == "diagonal":
        return d.add(name, f"torch.diagonal({x}, {d.choices.integer(-1, 1)}, 0, {len(x.shape) - 1})", [x])
    if name == "unfold":
        dim = _dim(d, x)
        size = d.choices.integer(1, max(1, x.shape[dim]))
        # A copy: PyTorch's functional form of a write to such a view clears what lies between windows.
        return d.add(name, f"{x}.unfold({dim}, {size}, {d.choices.integer(1, 2)}).clone()", [x])
    # Relative to where x begins, as the functional form has nothing before it.
    count = math.prod(x.shape)
    rows = d.choices.integer(1, 3)
    step = d.choices.integer(0, max(0, (count - 1) // rows))
    cols = d.choices.integer(1, max(1, min(6, count - step * (rows - 1))))
    return x.tensor.storage_offset() == 0 and d.add(
        name, f"{x}.as_strided(({rows}, {cols}), ({step}, 1))", [x]
    )


@operation("view", "split", "chunk", "unbind", "tensor_split")
def _split(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0 and any(1 < size <= 8 for size in t.shape))
    if x is None:
        return False
    dim = d.choices.one_of([i for i, size in enumerate(x.shape) if 1 < size <= 8])
    size = x.shape[dim]
    if name == "unbind":
        return size <= 4 and d.add(name, f"{x}.unbind({dim})", [x], targets=size)
    if name == "split":
        part = -(-size // d.choices.integer(2, min(3, size)))
        return d.add(name, f"{x}.split({part}, {dim})", [x], targets=-(-size // part))
    if name == "chunk":
        count = d.choices.integer(2, min(3, size))
        return d.add(name, f"{x}.chunk({count}, {dim})", [x], targets=len(x.tensor.chunk(count, dim)))
    return d.add(name, f"{x}.tensor_split({min(3, size)}, {dim})", [x], targets=min(3, size))


# --- Copies -----------------------------------------------------------------------


@operation(
    "copy", "clone", "contiguous", "flip", "roll", "repeat", "repeat_interleave", "tril", "triu", "rot90"
)
def _copy(d: Drawing, name: str) -> bool:
    least = {"flip": 1, "roll": 1, "repeat_interleave": 1, "tril": 2, "triu": 2, "rot90": 2}.get(name, 0)
    x = d.pick(lambda t: t.dim() >= least)
    if x is None:
        return False
    if name in ("clone", "contiguous"):
        return d.add(name, f"{x}.{name}()", [x])
    if name == "flip":
        dims = d.choices.shuffled(range(len(x.shape)))[: d.choices.integer(1, len(x.shape))]
        return d.add(name, f"{x}.flip({tuple(dims)})", [x])
    if name == "roll":
        return d.add(name, f"torch.roll({x}, {d.choices.integer(-3, 3)}, {_dim(d, x)})", [x])
    if name == "repeat":
        return d.add(name, f"{x}.repeat({tuple(d.choices.integer(1, 2) for _ in x.shape) or (2,)})", [x])
    if name == "repeat_interleave":
        return d.add(name, f"torch.repeat_interleave({x}, {d.choices.integer(1, 3)}, {_dim(d, x)})", [x])
    if name == "rot90":
        return d.add(name, f"torch.rot90({x}, {d.choices.integer(1, 3)}, (0, 1))", [x])
    return d.add(name, f"torch.{name}({x}, {d.choices.integer(-2, 2)})", [x])


@operation("join", "cat", "stack")
def _join(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0 or name == "stack")
    if x is None:
        return False
    if name == "stack":
        others = [d.pick(lambda t: t.shape == x.shape) for _ in range(d.choices.integer(1, 2))]
        dim = d.choices.integer(-len(x.shape) - 1, len(x.shape))
    else:
        dim = _dim(d, x) % len(x.shape)
        rest = x.shape[:dim] + x.shape[dim + 1 :]
        others = [
            d.pick(lambda t: t.dim() == len(x.shape) and (*t.shape[:dim], *t.shape[dim + 1 :]) == rest)
            for _ in range(d.choices.integer(1, 2))
        ]
    parts = [x, *(other for other in others if other is not None)]
    result = parts[0].dtype
    for part in parts:
        result = torch.promote_types(result, part.dtype)
    if not keeps_bits(result, *parts):
        return False
    return d.add(name, f"torch.{name}([{', '.join(map(str, parts))}], {dim})", parts)


@operation("pad", "constant", "reflect", "replicate", "circular")
def _pad(d: Drawing, name: str) -> bool:
    if name == "constant":
        x = d.pick(lambda t: t.dim() > 0)
        if x is None:
            return False
        count = d.choices.integer(1, min(2, len(x.shape)))
        amounts = tuple(d.choices.integer(-1, 3) for _ in range(2 * count))
        value = 1 if x.dtype == torch.bool else d.choices.integer(0, 3)
        return d.add(f"pad {name}", f"torch.nn.functional.pad({x}, {amounts}, value={value})", [x])
    x = d.pick(lambda t: is_float(t) and t.dim() in (3, 4) and t.numel() > 0)
    if x is None:
        return False
    amounts = tuple(d.choices.integer(0, 2) for _ in range(2 * (len(x.shape) - 2)))
    return d.add(f"pad {name}", f"torch.nn.functional.pad({x}, {amounts}, mode='{name}')", [x])


# --- Indices ----------------------------------------------------------------------


def _indices(d: Drawing, shape: tuple[int, ...], bound: int) -> Value:
    return d.new_input(f"indices({shape}, {bound}, {d.seed()})")


@operation(
    "gather",
    "index_select",
    "gather",
    "index",
    "index pair",
    "index mask of rows",
    "take_along_dim",
    "embedding",
    "take",
)
def _gather(d: Drawing, name: str) -> bool:
    least = {"index pair": 2, "embedding": 2}.get(name, 1)
    x = d.pick(lambda t: t.dim() >= least and t.numel() > 0 and (name != "embedding" or t.dim() == 2))
    if x is None:
        return False
    dim = d.choices.integer(0, len(x.shape) - 1)
    count = d.choices.integer(1, 4)
    if name == "index_select":
        index = _indices(d, (count,), x.shape[dim])
        return d.add(name, f"{x}.index_select({dim}, {index})", [x])
    if name == "take":
        index = _indices(d, (count, 2), math.prod(x.shape))
        return d.add(name, f"torch.take({x}, {index})", [x])
    if name == "embedding":
        index = _indices(d, (count, 2), x.shape[0])
        return d.add(name, f"torch.nn.functional.embedding({index}, {x})", [x])
    if name in ("gather", "take_along_dim"):
        shape = tuple(count if i == dim else size for i, size in enumerate(x.shape))
        index = _indices(d, shape, x.shape[dim])
        return d.add(
            name,
            f"torch.{name}({x}, {dim}, {index})"
            if name == "gather"
            else f"torch.{name}({x}, {index}, {dim})",
            [x],
        )
    if name == "index pair":
        rows, cols = _indices(d, (count, 1), x.shape[0]), _indices(d, (3,), x.shape[-1])
        middle = ", ..." if d.choices.chance(50) and len(x.shape) > 2 else ", :" * (len(x.shape) - 2)
        return d.add(name, f"{x}[{rows}{middle}, {cols}]", [x])
    if name == "index mask of rows":
        rows = _indices(d, (count,), x.shape[0])
        return d.add(name, f"{x}[{rows} - {x.shape[0]}]", [x])  # Counted from the end.
    index = _indices(d, d.choices.one_of(((count,), (2, count))), x.shape[dim])
    return d.add(name, f"{x}[{', '.join([':'] * dim + [index.name])}]", [x])


def _mask(d: Drawing, x: Value) -> Value:
    found = d.pick(lambda t: t.dtype == torch.bool and torch.broadcast_shapes(t.shape, x.shape) == x.shape)
    return found or d.new_input(f"values({x.shape}, torch.bool, 'plain', {d.seed()})")


@operation(
    "scatter",
    "masked_fill",
    "scatter",
    "scatter_add",
    "scatter amax",
    "index_add",
    "index_copy",
    "index_put",
    "index_put sum",
    "select_scatter",
    "slice_scatter",
    "diagonal_scatter",
    "scatter number",
)
def _scatter(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0 and t.numel() > 0)
    if x is None:
        return False
    dim = d.choices.integer(0, len(x.shape) - 1)
    size = x.shape[dim]
    count = d.choices.integer(1, size)
    shape = tuple(count if i == dim else n for i, n in enumerate(x.shape))
    if name == "masked_fill":
        mask = _mask(d, x)
        return d.add(name, f"torch.masked_fill({x}, {mask}, {d.choices.one_of((0, 1, 3))})", [x, mask])
    if name == "diagonal_scatter":
        if len(x.shape) != 2:
            return False
        source = tensor(d, tuple(x.tensor.diagonal().shape), x.dtype)
        return d.add(name, f"torch.diagonal_scatter({x}, {source})", [x, source])
    if name == "select_scatter":
        source = tensor(d, x.shape[:dim] + x.shape[dim + 1 :], x.dtype)
        return d.add(name, f"torch.select_scatter({x}, {source}, {dim}, {count - 1})", [x, source])
    source = tensor(d, shape, x.dtype)
    if name == "slice_scatter":
        return d.add(name, f"torch.slice_scatter({x}, {source}, {dim}, 0, {count})", [x, source])
    if name in ("index_copy", "index_put"):
        at = d.new_input(f"positions({count}, {size}, {d.seed()})")
        if name == "index_copy":
            return d.add(name, f"torch.index_copy({x}, {dim}, {at}, {source})", [x, source])
        index = ", ".join(["None"] * dim + [at.name])
        return dim == 0 and d.add(name, f"torch.index_put({x}, ({index},), {source})", [x, source])
    if name in ("index_add", "index_put sum"):
        at = _indices(d, (count,), size)
        if name == "index_add":
            return d.add(name, f"torch.index_add({x}, {dim}, {at}, {source})", [x, source], inexact=True)
        text = f"torch.index_put({x}, ({at},), {source}, accumulate=True)"
        return dim == 0 and d.add(name, text, [x, source], inexact=True)
    if name in ("scatter", "scatter number"):
        at = d.new_input(f"positions({count}, {size}, {d.seed()})")
        around = "".join("None, " if i != dim else ":, " for i in range(len(x.shape)))
        index = f"{at}[{around.strip(', ')}].expand({shape})"
        if name == "scatter number":
            return d.add(name, f"torch.scatter({x}, {dim}, {index}, 2)", [x])
        return d.add(name, f"torch.scatter({x}, {dim}, {index}, {source})", [x, source])
    index = _indices(d, shape, size)
    if name == "scatter_add":
        return d.add(name, f"torch.scatter_add({x}, {dim}, {index}, {source})", [x, source], inexact=True)
    text = f"torch.scatter_reduce({x}, {dim}, {index}, {source}, 'amax')"
    return x.dtype != torch.bool and d.add(name, text, [x, source])


@operation("creation", "zeros_like", "ones_like", "full_like", "arange", "eye", "new_zeros")
def _create(d: Drawing, name: str) -> bool:
    x = d.pick()
    if x is None:
        return False
    if name == "arange":
        return d.add(name, f"torch.arange({d.choices.integer(1, 8)}, dtype={x.dtype})")
    if name == "eye":
        return d.add(name, f"torch.eye({d.choices.integer(1, 4)}, dtype={x.dtype})")
    if name == "new_zeros":
        return d.add(name, f"torch.zeros({x.shape}, dtype={x.dtype})")
    number = ", 1" if name == "full_like" else ""
    return d.add(name, f"torch.{name}({x}{number})")


# --- In place ---------------------------------------------------------------------


def _target(d: Drawing, suits=lambda t: True) -> Value | None:
    """What may be written: no element lies where another does."""
    return d.pick(lambda t: not _overlaps_itself(t) and suits(t))


def _overlaps_itself(tensor: torch.Tensor) -> bool:
    memory = torch.arange(tensor.untyped_storage().nbytes() // tensor.itemsize)
    places = memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    return places.unique().numel() != tensor.numel()


def _other(d: Drawing, x: Value, suits=lambda t: True) -> Value | None:
    """An operand for x in place, of other memory."""
    memory = x.tensor.untyped_storage()._cdata
    return d.pick(
        lambda t: (
            t.untyped_storage()._cdata != memory
            and torch.broadcast_shapes(t.shape, x.shape) == x.shape
            and torch.can_cast(t.dtype, x.dtype)
            and suits(t)
        )
    )


@operation("in place", "add_", "sub_", "mul_", "div_")
def _arithmetic_(d: Drawing, name: str) -> bool:
    x = _target(d, lambda t: t.dtype != torch.bool)
    y = _other(d, x, apart(0.25) if name == "div_" else lambda t: True) if x is not None else None
    if x is None or y is None or (not is_float(y.tensor) and not keeps_bits(x.dtype, y)):
        return False
    inexact = name == "div_" or not keeps_bits(x.dtype, y)
    return d.add(name, f"{x}.{name}({y})", [x, y], changes=x, inexact=inexact)


@operation("in place", "add_ number", "mul_ number", "fill_", "zero_", "relu_", "neg_", "clamp_", "x += x")
def _number_(d: Drawing, name: str) -> bool:
    x = _target(d, lambda t: t.dtype != torch.bool or name in ("fill_", "zero_"))
    if x is None:
        return False
    number = d.choices.one_of((2, 1, 3))
    text = {
        "add_ number": f"{x}.add_({number})",
        "mul_ number": f"{x}.mul_({number})",
        "fill_": f"{x}.fill_({number})",
        "zero_": f"{x}.zero_()",
        "relu_": f"torch.relu_({x})",
        "neg_": f"{x}.neg_()",
        "clamp_": f"{x}.clamp_({number - 1}, {number})",
        "x += x": f"{x}.add_({x})",
    }[name]
    return d.add(name, text, [x], changes=x)


@operation("in place", "sin_", "exp_", "sigmoid_", "tanh_")
def _function_(d: Drawing, name: str) -> bool:
    x = _target(d, lambda t: is_float(t) and bool((t.abs() < 5).all()))
    return x is not None and d.add(name, f"{x}.{name}()", [x], changes=x, inexact=True)


@operation("in place", "copy_", "copy_ of another type", "copy into a part", "fill a part")
def _copy_(d: Drawing, name: str) -> bool:
    x = _target(d, lambda t: t.dim() > 0 or "part" not in name)
    if x is None:
        return False
    if name == "copy_":
        y = _other(d, x, lambda t: t.dtype == x.dtype)
        return y is not None and d.add(name, f"{x}.copy_({y})", [x, y], changes=x)
    if name == "copy_ of another type":
        y = _other(d, x, lambda t: t.dtype != x.dtype)
        if y is None or not keeps_bits(x.dtype, y):
            return False
        return d.add(name, f"{x}.copy_({y})", [x, y], changes=x)
    part = sliced(d, x)
    if name == "fill a part":
        return d.add(name, f"{x}{part} = {d.choices.integer(0, 3)}", [x], changes=x)
    try:
        view = Value("part", eval(f"x{part}", {"x": x.tensor}))
    except (IndexError, ValueError):
        return False
    y = _other(d, view, lambda t: t.dtype == x.dtype)
    return y is not None and d.add(name, f"{x}{part} = {y}", [x, y], changes=x)


@operation(
    "in place",
    "masked_fill_",
    "index_put_",
    "index_put_ sum",
    "index_copy_",
    "index_add_",
    "scatter_",
    "index_fill_",
)
def _scatter_(d: Drawing, name: str) -> bool:
    x = _target(d, lambda t: t.dim() > 0 and t.numel() > 0)
    if x is None:
        return False
    if name == "masked_fill_":
        mask = _mask(d, x)
        if mask.tensor.untyped_storage()._cdata == x.tensor.untyped_storage()._cdata:
            return False
        return d.add(name, f"{x}.masked_fill_({mask}, 1)", [x, mask], changes=x)
    dim = d.choices.integer(0, len(x.shape) - 1) if name.startswith("index_") and "put" not in name else 0
    size = x.shape[dim]
    count = d.choices.integer(1, size)
    at = d.new_input(f"positions({count}, {size}, {d.seed()})")
    if name == "index_fill_":
        return d.add(name, f"{x}.index_fill_({dim}, {at}, 1)", [x], changes=x)
    shape = tuple(count if i == dim else n for i, n in enumerate(x.shape))
    memory = x.tensor.untyped_storage()._cdata
    y = d.pick(
        lambda t: t.dtype == x.dtype and tuple(t.shape) == shape and t.untyped_storage()._cdata != memory
    )
    y = y or d.new_input(f"values({shape}, {x.dtype}, 'plain', {d.seed()})")
    if name == "index_put_":
        return d.add(name, f"{x}[{at}] = {y}", [x, y], changes=x)
    if name == "index_put_ sum":
        text = f"{x}.index_put_(({at},), {y}, accumulate=True)"
        return d.add(name, text, [x, y], changes=x, inexact=True)
    if name == "scatter_":
        index = f"{at}[{', '.join([':', *['None'] * (len(x.shape) - 1)])}].expand({shape})"
        return d.add(name, f"{x}.scatter_(0, {index}, {y})", [x, y], changes=x)
    return d.add(name, f"{x}.{name}({dim}, {at}, {y})", [x, y], changes=x, inexact=name == "index_add_")


MOVES |= {*OPERATIONS["view"], *OPERATIONS["copy"], *OPERATIONS["gather"], *OPERATIONS["join"]}
MOVES |= {f"pad {name}" for name in OPERATIONS["pad"]}
MOVES |= {"neg", "abs", "relu", "positive", "masked_fill", "scatter", "scatter number"}
MOVES |= {"index_copy", "index_put", "select_scatter", "slice_scatter", "diagonal_scatter"}
MOVES |= {"neg_", "relu_", "fill_", "zero_", "copy_", "copy into a part", "fill a part", "masked_fill_"}
MOVES |= {"index_put_", "index_copy_", "scatter_", "index_fill_"}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of every overload that PyTorch tags as core and that computes: name -> calls.

A call is made of small float32 tensors from a generator of its own, so it is the
same wherever it is asked for; `of_dtype` makes the same call for another type.
`MAY_FALL_BACK` has the overloads that need not compile, with calls of them as well: the others
are covered without exception, which `test_core_ops.py` checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map_only


def core_overloads() -> list[str]:
    """All of them, without the namespace and `.default`."""
    names = (name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::"))
    return sorted(name.removeprefix("aten::") for name in names if torch.Tag.core in overload(name).tags)


def overload(name: str) -> Any:
    packet, _, variant = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, packet), variant or "default")


@dataclass(frozen=True)
class Call:
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


def of_dtype(call: Call, dtype: torch.dtype) -> Call:
    """The call with its data in another type; indices, masks and numbers are what they were.

    Data are the floating-point tensors, in a call without any the integers, else the
    booleans; complex numbers have one type. A call without tensors is asked for the type of its result.
    """
    kinds = [_kind(leaf) for leaf in tree_leaves(call.args) if isinstance(leaf, Tensor)]
    if not kinds:
        return Call(call.args, {**call.kwargs, "dtype": dtype})
    data = min(kinds)
    seen: list[Tensor] = []

    def convert(tensor: Tensor) -> Tensor:
        if _kind(tensor) != data or tensor.is_complex():
            return tensor
        seen.append(tensor)
        return _convert(tensor, dtype, zeros=len(seen) == 1)

    args, kwargs = tree_map_only(Tensor, convert, (call.args, call.kwargs))
    return Call(args, kwargs)


def _kind(tensor: Tensor) -> int:
    return 0 if tensor.is_floating_point() else 2 if tensor.dtype == torch.bool else 1


def _convert(tensor: Tensor, dtype: torch.dtype, zeros: bool) -> Tensor:
    """As integers multiples of a quarter, and in int64 some that do not fit into 32 bits.

    Zeros are left in the first tensor alone: the others may be divisors.
    """
    if tensor.dtype == dtype or dtype.is_floating_point:
        return tensor.to(dtype)
    if dtype == torch.bool:
        return tensor > 0
    if tensor.is_floating_point():
        tensor = (tensor.nan_to_num(0, 25, -25) * 4).round()
    wide = tensor.long().abs() if dtype == torch.uint8 else tensor.long()
    if not zeros:
        wide = torch.where(wide == 0, 1, wide)
    if dtype == torch.int64:
        wide = torch.where(wide % 3 == 2, wide * (2**33 + 1), wide)
    return wide.to(dtype)


def normal(*shape: int) -> Tensor:
    """Different numbers for different shapes, and always the same for one."""
    generator = torch.Generator().manual_seed(sum(size * 31**place for place, size in enumerate(shape)))
    return torch.randn(shape, generator=generator)


def between(low: float, high: float, *shape: int) -> Tensor:
    return low + (high - low) * normal(*shape).sigmoid()


def integers(high: int, *shape: int) -> Tensor:
    return (normal(*shape).abs() * 1000).long() % high


def indices(*values: Any) -> Tensor:
    return torch.tensor(values)


X, Y = normal(3, 4), normal(1, 4)
POSITIVE = between(0.1, 3, 3, 4)
UNIT = between(-0.95, 0.95, 3, 4)
INTS, JNTS = integers(9, 3, 4), integers(7, 1, 4)
A, B = X > 0, Y > 0
ODD = torch.tensor([0.0, -0.0, 1.5, -2.5, float("inf"), -float("inf"), float("nan"), 0.5])
IMAGE, VOLUME = normal(2, 3, 6, 7), normal(2, 3, 4, 5, 6)


def _each(names: str, *calls: Call) -> dict[str, Sequence[Call]]:
    return {name: calls for name in names.split()}


_MAXIMA = torch.nn.functional.max_pool2d(IMAGE, 2, return_indices=True)[1]
_LAYER = torch.ops.aten.native_layer_norm(X, [4], None, None, 1e-5)
_GROUP = torch.ops.aten.native_group_norm(normal(2, 4, 5), None, None, 2, 4, 5, 2, 1e-5)

CALLS: dict[str, Sequence[Call]] = {
    # Elementwise.
    **_each("abs ceil floor neg relu round sign trunc", call(X), call(ODD)),
    **_each("cos cosh erf exp expm1 sigmoid sin sinh tan tanh atan asinh", call(X), call(ODD[:4])),
    **_each("acos asin atanh", call(UNIT)),
    **_each("acosh", call(between(1.1, 3, 3, 4))),
    **_each("log log10 log1p log2 reciprocal rsqrt sqrt", call(POSITIVE), call(ODD)),
    **_each("isinf isnan logical_not", call(X), call(ODD)),
    **_each("bitwise_not", call(INTS), call(A)),
    **_each("bitwise_and.Scalar bitwise_or.Scalar bitwise_xor.Scalar", call(INTS, 5), call(A, True)),
    **_each("bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor", call(INTS, JNTS), call(A, B)),
    **_each("add.Scalar sub.Scalar", call(X, 2.5), call(X, 2.5, 0.5), call(INTS, 3)),
    **_each("add.Tensor sub.Tensor", call(X, Y), call(X, Y, alpha=0.5), call(INTS, JNTS, alpha=2)),
    **_each("mul.Scalar div.Scalar", call(X, 2.5), call(INTS, 2)),
    **_each("mul.Tensor div.Tensor atan2", call(X, Y), call(INTS, JNTS + 1)),
    **_each("atan2.out", call(X, normal(3, 4), out=torch.zeros(3, 4))),
    "div.Scalar_mode": [call(X, 0.7, rounding_mode=mode) for mode in (None, "trunc", "floor")],
    "div.Tensor_mode": [call(X, Y, rounding_mode=mode) for mode in (None, "trunc", "floor")],
    **_each("fmod.Scalar remainder.Scalar", call(X, 0.7), call(X, -0.7), call(INTS - 4, 3)),
    **_each("fmod.Tensor remainder.Tensor", call(X, Y), call(INTS - 4, JNTS + 1)),
    **_each("maximum minimum", call(X, Y), call(ODD, ODD.flip(0)), call(INTS, JNTS)),
    **_each("pow.Scalar", call(2.5, X)),
    **_each("pow.Tensor_Scalar", call(POSITIVE, 1.7), call(X, 2), call(X, 3), call(POSITIVE, -0.5)),
    **_each("pow.Tensor_Tensor", call(POSITIVE, Y)),
    **_each("eq.Scalar ge.Scalar gt.Scalar le.Scalar lt.Scalar ne.Scalar", call(ODD, 0.5), call(INTS, 4)),
    **_each(
        "eq.Tensor ge.Tensor gt.Tensor le.Tensor lt.Tensor ne.Tensor",
        call(X, Y),
        call(INTS, JNTS),
        call(A, B),
    ),
    **_each("logical_and logical_or logical_xor", call(A, B), call(X, Y)),
    **_each("clamp", call(X, -0.5, 0.5), call(ODD, 0.0), call(INTS, None, 4)),
    **_each("clamp.Tensor", call(X, -Y.abs(), Y.abs()), call(X, None, Y)),
    **_each("hardtanh", call(X), call(ODD, -0.5, 0.5)),
    **_each("elu", call(X), call(X, 0.5, 2.0, 1.5)),
    **_each("gelu", call(X), call(X, approximate="tanh")),
    **_each("leaky_relu", call(X), call(ODD[:6], 0.2)),
    **_each("where.self", call(A, X, Y), call(B, INTS, JNTS)),
    **_each(
        "_to_copy", call(X, dtype=torch.int64), call(INTS, dtype=torch.float32), call(X, dtype=torch.bfloat16)
    ),
    **_each("copy", call(X, Y), call(X, INTS)),
    # Reductions.
    **_each("amax amin", call(X), call(VOLUME, [1, -1], True)),
    **_each("any", call(A), call(X)),
    **_each("any.dim", call(A, 1), call(X, 0, True)),
    **_each("any.dims", call(VOLUME > 2, [0, 2]), call(A, None, True)),
    **_each("argmax argmin", call(X), call(X, 1), call(INTS, 0, True)),
    **_each("cumsum", call(X, 1), call(INTS, 0), call(X, 0, dtype=torch.float32)),
    **_each("max.dim min.dim", call(X, 1), call(INTS, 0, True), call(IMAGE, -2)),
    **_each("mean", call(X), call(INTS, dtype=torch.float32)),
    **_each("mean.dim sum.dim_IntList", call(X, [1]), call(VOLUME, [0, -1], True), call(X, None)),
    **_each("prod", call(UNIT), call(INTS[:1, :3])),
    **_each("prod.dim_int", call(UNIT, 1), call(UNIT, 0, True)),
    **_each("var.correction", call(X), call(X, [1], correction=0), call(X, [0], correction=2, keepdim=True)),
    **_each("var.dim", call(X, [1]), call(X, [0], False, True)),
    **_each("sort", call(X), call(X, 0, True), call(INTS, 1)),
    **_each("topk", call(X, 2), call(X, 3, 0, False), call(INTS, 1)),
    # Softmax and norms.
    **_each("_softmax _log_softmax", call(X, 1, False), call(IMAGE, 1, False)),
    **_each(
        "native_layer_norm",
        call(X, [4], normal(4), normal(5)[:4], 1e-5),
        call(IMAGE, [6, 7], None, None, 1e-5),
    ),
    **_each(
        "native_layer_norm_backward",
        call(normal(4, 3).T, X, [4], _LAYER[1], _LAYER[2], normal(4), normal(4), [True, True, True]),
        call(normal(4, 3).T, X, [4], _LAYER[1], _LAYER[2], None, None, [True, False, False]),
    ),
    **_each("native_group_norm", call(normal(2, 4, 5), normal(4), normal(5)[:4], 2, 4, 5, 2, 1e-5)),
    **_each(
        "native_group_norm_backward",
        call(
            normal(2, 4, 5).flip(0),
            normal(2, 4, 5),
            _GROUP[1],
            _GROUP[2],
            normal(4),
            2,
            4,
            5,
            2,
            [True, True, True],
        ),
    ),
    **_each(
        "_native_batch_norm_legit",
        *(
            call(normal(2, 3, 5), normal(3), None, normal(3), between(0.5, 2, 3), t, 0.1, 1e-5)
            for t in (True, False)
        ),
    ),
    **_each(
        "_native_batch_norm_legit.no_stats", call(normal(2, 3, 5), normal(3), normal(4)[:3], True, 0.1, 1e-5)
    ),
    **_each(
        "_native_batch_norm_legit_no_training",
        call(normal(2, 3, 5), normal(3), normal(4)[:3], normal(3), between(0.5, 2, 3), 0.1, 1e-5),
    ),
    # Products and convolutions.
    **_each("mm", call(normal(3, 5), normal(5, 4))),
    **_each("bmm", call(normal(2, 3, 5), normal(2, 5, 4))),
    **_each(
        "addmm", call(Y, normal(3, 5), normal(5, 4)), call(X, normal(3, 5), normal(5, 4), beta=0.5, alpha=2)
    ),
    "convolution": [
        call(normal(2, 4, 9), normal(6, 2, 3), normal(6), [2], [1], [1], False, [0], 2),
        call(normal(2, 4, 6, 7), normal(6, 4, 3, 2), None, [1, 2], [1, 0], [2, 1], False, [0, 0], 1),
        call(
            normal(1, 2, 4, 5, 6),
            normal(3, 2, 2, 3, 2),
            normal(3),
            [1, 1, 2],
            [1, 0, 1],
            [1, 1, 1],
            False,
            [0] * 3,
            1,
        ),
        call(normal(2, 4, 9), normal(4, 3, 3), normal(6), [2], [1], [1], True, [1], 2),
        call(normal(2, 4, 5, 4), normal(4, 3, 3, 2), None, [2, 1], [1, 0], [1, 2], True, [1, 0], 1),
        call(
            normal(1, 2, 3, 4, 3),
            normal(2, 3, 2, 3, 2),
            normal(3),
            [1, 2, 1],
            [0] * 3,
            [1] * 3,
            True,
            [0, 1, 0],
            1,
        ),
    ],
    "convolution_backward": [
        call(
            normal(2, 6, 5), normal(2, 4, 9), normal(6, 2, 3), [6], [2], [1], [1], False, [0], 2, [True] * 3
        ),
        call(
            normal(2, 6, 4, 3),
            normal(2, 4, 6, 7),
            normal(6, 4, 3, 2),
            None,
            [1, 2],
            [0, 0],
            [1, 1],
            False,
            [0, 0],
            1,
            [True, True, False],
        ),
        call(
            normal(2, 3, 11), normal(2, 4, 5), normal(4, 3, 3), [3], [2], [0], [1], True, [0], 1, [True] * 3
        ),
    ],
    # Pooling and windows.
    **_each("adaptive_avg_pool1d", call(normal(2, 3, 8), [4]), call(normal(2, 3, 7), [3])),
    **_each("_adaptive_avg_pool2d", call(IMAGE, [3, 7]), call(IMAGE, [4, 3])),
    **_each(
        "_adaptive_avg_pool2d_backward", call(normal(2, 3, 3, 7), IMAGE), call(normal(2, 3, 4, 3), IMAGE)
    ),
    **_each("_adaptive_avg_pool3d", call(VOLUME, [2, 5, 3]), call(VOLUME, [3, 2, 4])),
    **_each(
        "avg_pool1d", call(normal(2, 3, 8), [3], [2], [1]), call(normal(2, 3, 8), [3], [2], [1], True, False)
    ),
    **_each(
        "avg_pool2d",
        call(IMAGE, [2, 3]),
        call(IMAGE, [3, 3], [2, 2], [1, 1], True, False),
        call(IMAGE, [2, 2], [], [0], False, True, 3),
    ),
    **_each(
        "avg_pool2d_backward", call(normal(2, 3, 3, 3), IMAGE, [2, 2], [2, 2], [0, 0], False, True, None)
    ),
    **_each("avg_pool3d", call(VOLUME, [2, 2, 3]), call(VOLUME, [3] * 3, [2] * 3, [1] * 3, True, False)),
    **_each(
        "max_pool2d_with_indices", call(IMAGE, [2, 2]), call(IMAGE, [3, 2], [2, 1], [1, 1], [1, 2], True)
    ),
    **_each(
        "max_pool2d_with_indices_backward",
        call(normal(2, 3, 3, 3), IMAGE, [2, 2], [2, 2], [0, 0], [1, 1], False, _MAXIMA),
    ),
    **_each(
        "max_pool3d_with_indices",
        call(VOLUME, [2, 2, 2]),
        call(VOLUME, [3] * 3, [2] * 3, [1] * 3, [1] * 3, True),
    ),
    **_each("col2im", call(normal(2, 12, 20), [5, 6], [2, 2], [1, 1], [0, 0], [1, 1])),
    **_each("reflection_pad1d", call(X, [2, 1])),
    **_each("reflection_pad2d", call(IMAGE, [2, 1, 3, 0])),
    **_each("reflection_pad3d", call(VOLUME, [2, 1, 3, 0, 1, 1])),
    **_each("replication_pad2d", call(IMAGE, [2, 1, 3, 0])),
    **_each("replication_pad3d", call(VOLUME, [2, 1, 3, 0, 1, 1])),
    **_each("constant_pad_nd", call(X, [1, 2]), call(X, [-1, 2, 1, 0], 1.5)),
    **_each("upsample_nearest2d.vec", call(IMAGE, [9, 5], None), call(IMAGE, None, [2.0, 1.5])),
    **_each("upsample_bilinear2d.vec", call(IMAGE, [9, 5], True, None), call(IMAGE, None, False, [2.0, 1.5])),
    "grid_sampler_2d": [
        call(IMAGE, between(-1.2, 1.2, 2, 4, 5, 2), mode, padding, align)
        for mode, padding, align in ((0, 0, False), (1, 1, True), (0, 2, True), (2, 0, False))
    ],
    # Distances.
    "_cdist_forward": [
        call(normal(2, 3, 4), normal(2, 5, 4), p, mode) for p, mode in ((2.0, None), (1.0, 2), (3.0, None))
    ],
    "_pdist_forward": [call(normal(5, 4), p) for p in (2.0, 1.0, 3.0)],
    # Reading and writing at indices.
    **_each("embedding", call(normal(7, 4), indices([0, 6], [3, 3]))),
    **_each(
        "embedding_dense_backward",
        call(normal(2, 2, 4), indices([0, 6], [3, 3]), 7, -1, False),
        call(normal(2, 2, 4), indices([0, 6], [3, 3]), 7, 3, True),
    ),
    "_embedding_bag": [
        call(normal(7, 4), indices(0, 6, 3, 3, 1), indices(0, 2, 2), False, mode, False, weights, False, -1)
        for mode, weights in ((0, None), (0, normal(5)), (1, None), (2, None))
    ],
    **_each("gather", call(X, 1, indices([0, 3], [2, 2], [1, 0])), call(X, 0, indices([0, 2, 1, 1]))),
    **_each(
        "index.Tensor", call(X, [indices(0, 2, -1)]), call(IMAGE, [None, indices(0, 2), indices([1], [5])])
    ),
    **_each("index_select", call(X, 1, indices(3, 0, 0))),
    **_each(
        "index_put",
        call(X, [indices(2, 0)], normal(2, 4)),
        call(X, [indices(2, 2), indices(1, 1)], normal(2), True),
        call(X, [A], torch.tensor(1.5)),
    ),
    **_each("masked_scatter", call(X, A, normal(12))),
    **_each("scatter.src scatter_add", call(X, 1, indices([0, 3], [2, 1], [1, 0]), normal(3, 2))),
    **_each("scatter.value", call(X, 0, indices([0, 2, 1, 1]), 1.5)),
    "scatter_reduce.two": [
        call(X, 1, indices([0, 0, 3], [2, 1, 2], [1, 1, 1]), normal(3, 3), reduce, include_self=include)
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for include in (True, False)
    ],
    **_each("select_scatter", call(X, normal(3), 1, 2), call(X, normal(4), 0, -1)),
    **_each("slice_scatter", call(X, normal(3, 2), 1, 0, 4, 2)),
    # Views, moves and constants.
    **_each("alias clone", call(X)),
    **_each("as_strided", call(X, [2, 3], [1, 2], 1)),
    **_each("cat", call([X, Y]), call([X, normal(3, 2)], 1)),
    **_each("diagonal", call(X, 1), call(IMAGE, 0, 1, 3)),
    **_each("expand", call(Y, [3, 4])),
    **_each("flip", call(X, [0, 1])),
    **_each("permute", call(IMAGE, [2, 0, 3, 1])),
    **_each("repeat", call(X, [2, 1, 3])),
    **_each("select.int", call(X, 1, -1)),
    **_each("slice.Tensor", call(X, 1, 1, 4, 2)),
    **_each("split_with_sizes", call(X, [1, 3], 1)),
    **_each("squeeze.dim", call(Y, 0)),
    **_each("squeeze.dims", call(normal(1, 3, 1), [0, 2])),
    **_each("unsqueeze", call(X, 1)),
    **_each("view", call(X, [2, 6])),
    **_each("arange.start_step", call(1, 9, 2), call(1.5, 9.0, 2.5)),
    **_each("fill.Scalar", call(X, 1.5)),
    **_each("full", call([2, 3], 1.5), call([2], 7)),
    **_each("full_like", call(X, 1.5)),
    **_each("scalar_tensor", call(1.5)),
}

# Random numbers, values that decide what Python does next, sizes, memory without values, complex numbers.
MAY_FALL_BACK: dict[str, Sequence[Call]] = {
    **_each("_fft_c2r", call(torch.fft.rfft(X), [1], 0, 4)),
    **_each("_fft_r2c", call(X, [1], 0, True)),
    **_each("_local_scalar_dense", call(normal(1))),
    **_each("empty.memory_format", call([2, 3])),
    **_each("empty_strided", call([2, 3], [3, 1])),
    **_each("native_dropout", call(X, 0.5, True)),
    **_each("nonzero", call(X)),
    **_each("rand randn", call([2, 3])),
    **_each("randperm", call(5)),
    **_each("resize_", call(X, [2, 2])),
    **_each("sym_is_contiguous sym_numel sym_storage_offset", call(X)),
    **_each("sym_size.int sym_stride.int", call(X, 1)),
}

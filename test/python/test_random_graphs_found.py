# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random programs failed on, each as small as it got."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from checks import check
from random_graphs.values import indices, stepped, values

X = torch.float32
BYTE, SIGNED, SHORT, LONG, BOOL, BF16 = (
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int64,
    torch.bool,
    torch.bfloat16,
)


def plain(shape: tuple[int, ...], dtype: torch.dtype = X) -> torch.Tensor:
    return values(shape, dtype, "plain", 1)


def fill_bytes(x):
    x.fill_(1)


def add_to_bytes(x):
    x.add_(2)
    return x + 1


def part_of_empty(x, at, empty):
    """Of the gathered tensor only the shape is used."""
    found = torch.take_along_dim(x, at, 0)
    found.zero_()
    return torch.cat([empty, found])


def unfold_and_fill(x, at):
    """The backward of unfold has 32-bit indices."""
    a, _ = x.take(at).unfold(-1, 1, 1).split(1)
    a.copy_(at[:1, :, None])
    return a + 1


def overwrite(x, y):
    """As a result, the copy has memory of its own."""
    z = x.sum(1, keepdim=True)
    z[:, :] = y
    return z, z.as_strided((3, 1), (1, 1))


def fill_if_contiguous(x):
    """`contiguous` is its operand, if that lies so in eager."""
    y = x.permute(2, 1, 0).logcumsumexp(1)
    y.contiguous().fill_(2)
    return y


FOUND: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "bytes changed in place": (add_to_bytes, (plain((2, 3, 1), BYTE),)),
    "bytes filled in place": (fill_bytes, (plain((3,), BYTE),)),
    "bytes and a wider type joined": (
        lambda x, y: torch.cat([x, y]),
        (plain((3,), BYTE), plain((2,), SHORT)),
    ),
    "signed bytes times a number": (lambda x: x * 2, (plain((3,), SIGNED),)),
    "signed bytes and bools": (lambda x, y: torch.where(y, x, y), (plain((3,), SIGNED), plain((3,), BOOL))),
    "a count of bytes": (lambda x: torch.arange(5, dtype=BYTE) + x, (plain((1,), BYTE),)),
    "a shift by a number": (lambda x: (x << 2, x >> 70, 3 << x.clamp(0, 3)), (plain((5,), LONG),)),
    "a shift by another type": (lambda x, y: x << y, (plain((5,), SHORT), indices((5,), 4, 1))),
    "bools less than integers": (lambda x, y: (x < y, y >= x), (plain((9,), BOOL), plain((9,), LONG))),
    "bools less than a number": (lambda x: (x < -2, x > 0, x >= 1, x < 0.5), (plain((9,), BOOL),)),
    "a choice between equal values": (
        lambda c, x: torch.where(c, x, x),
        (plain((2, 3), BOOL), plain((1, 3))),
    ),
    "a negative number beside a constant": (
        lambda x: (torch.full((2,), 2.0) + -3, torch.full((2,), 2.0) * -3, torch.ones(2, dtype=BF16) - x),
        (plain((), BF16),),
    ),
    "functions of constants": (
        lambda x: (torch.trunc(torch.ones_like(x)), torch.full((2,), 2) % -3, -torch.ones(2, 1).expand(2, 3)),
        (plain((2,), BF16),),
    ),
    "a window of one place": (
        lambda x, at: torch.take_along_dim(x.unfold(-1, 4, 2), at, 0) / -3,
        (plain((5,)), indices((1, 4), 1, 1)),
    ),
    "windows of which one is taken": (lambda x: x.unfold(-1, 4, 2)[1] * 3, (plain((9,)),)),
    "a convolution with one place": (
        lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1, groups=2),
        (plain((2, 2, 2)), plain((4, 1, 3)), plain((4,))),
    ),
    "indices that nothing is read at": (
        part_of_empty,
        (plain((3,), LONG), indices((2,), 3, 1), torch.empty(0, dtype=torch.int32)),
    ),
    "short indices of a sum": (unfold_and_fill, (plain((1,)), indices((2, 2), 1, 1))),
    "a transposed convolution of groups": (
        lambda x, w, b: F.conv_transpose1d(x, w, b, stride=2, padding=1, dilation=2, groups=2),
        (plain((2, 4, 3)), plain((4, 1, 3)), plain((2,))),
    ),
    "lerp of a scalar": (lambda x: torch.lerp(x.sum(), x.sum(), x), (plain((1, 1, 1)),)),
    "a whole value overwritten": (overwrite, (plain((8, 1)), plain((1,)))),
    "a strided view of an element": (
        lambda x: x.argmin(0).flatten().as_strided((1, 1), (0, 1)),
        (plain((4,)),),
    ),
    "a sum of rows and a sum of columns": (
        lambda x, y: torch.matmul(torch.matmul(x, x.mT), torch.matmul(x, y)),
        (plain((2, 1), torch.float16), plain((1,), torch.float16)),
    ),
    "a scan that is contiguous": (fill_if_contiguous, (plain((2, 1, 4)),)),
    "elu of a small number": (F.elu, (stepped(values((8,), X, "wide", 1)) / 100,)),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    function, arguments = FOUND[name]
    check(function, *arguments)


def test_elu_is_as_precise_as_eager(lpu_compile: Callable[..., Any]) -> None:
    x = torch.tensor([-0.0114, -1e-5, -1e-8, -3.0, 0.0, 1.0, -88.0])
    torch.testing.assert_close(lpu_compile(F.elu)(x), F.elu(x), rtol=1e-6, atol=0)


def test_a_copy_of_an_input_is_not_the_input(lpu_compile: Callable[..., Any]) -> None:
    def overwrite(x, y):
        z = x + 1
        z.copy_(y)
        return z

    x, y = plain((3, 2)), plain((3, 2))
    result = lpu_compile(overwrite)(x, y)
    assert torch.equal(result, y)
    assert result.untyped_storage().data_ptr() != y.untyped_storage().data_ptr()

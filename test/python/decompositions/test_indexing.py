# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes at indices, at masks and into views."""

import torch
from checks import check
from samples import ROWS, matrix

aten = torch.ops.aten


def test_writes_at_indices():
    x, source = matrix(), matrix(3, 6, seed=1)
    for reduce in ("prod", "mean", "amax", "amin"):
        for include in (True, False):
            check(
                lambda x, i, s, r=reduce, n=include: x.index_reduce(0, i, s, r, include_self=n),
                x,
                ROWS,
                source,
            )
    index = torch.tensor([[0, 1], [0, 0], [3, 3]])
    check(lambda x, i, s: x.scatter_reduce(-1, i, s, "mean"), x, index, matrix(3, 2))
    check(lambda x, i, s: x.scatter_reduce(1, i, s, "mean", include_self=False), (x * 9).long(), index, index)
    check(lambda x, i, s: x.scatter(-1, i, s, reduce="add"), x, index, matrix(3, 2))
    check(lambda x, i: x.scatter(1, i, 2.0, reduce="multiply"), x, index)
    check(lambda x, i, s: x.put(i, s, accumulate=True), x, torch.tensor([[0, -1], [5, 5]]), matrix(2, 2))
    check(lambda x, i: x.take(i), x, torch.tensor([[0, -1], [5, 5]]))
    check(lambda x, i, s: x.index_copy(0, i, s), torch.tensor(1.0), torch.tensor(0), torch.tensor(2.0))


def test_writes_at_masks():
    x, mask = matrix(), matrix(seed=2) > 0
    check(lambda x, m, s: x.masked_scatter(m, s), x, mask, matrix(5, 6, seed=3))
    check(lambda x, m, s: x.masked_scatter(m, s), x, mask[:1], matrix(5, 6, seed=3))
    check(lambda x, m: x.index_put((m,), torch.tensor(2.0)), x, mask)
    check(lambda x, m, v: x.index_put((m,), v, accumulate=True), x, mask, matrix(1, int(mask.sum()))[0])
    check(lambda x, m, v: x.index_put((m,), v), x, mask[:, 0], matrix(1, 6))
    check(lambda x, m, v: aten.index_put(x, [None, m], v), x, mask[0], matrix(4, int(mask[0].sum())))


def test_writes_into_views():
    x = matrix()
    for offset in (-2, 0, 1):
        size = x.diagonal(offset).shape[0]
        check(lambda x, s, o=offset: torch.diagonal_scatter(x, s, o), x, torch.arange(float(size)))
    check(lambda x, s: torch.diagonal_scatter(x, s, 1, 2, 0), matrix(4, 6).view(4, 2, 3), matrix(2, 3))
    check(lambda x, s: torch.as_strided_scatter(x, s, (2, 3), (7, 2), 1), x, matrix(2, 3))


def test_squeezed_dimensions():
    def in_place(x):
        x.squeeze((0, 2)).add_(1)
        return x

    check(in_place, torch.ones(1, 3, 1, 2))
    check(lambda x: (x.permute(2, 1, 0, 3).squeeze((0, 2)), x.sum()), torch.ones(1, 3, 1, 2))
    check(lambda x: torch.unravel_index(x, (4, 5)), torch.tensor([3, 19, 7]))

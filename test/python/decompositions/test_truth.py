# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truth values where numbers are combined."""

import torch
from checks import check
from samples import ROWS, matrix


def test_truth_values():
    a, b = matrix() > 0, matrix(seed=1) > 0
    check(torch.maximum, a, b)
    check(torch.minimum, a, b)
    check(lambda a, b: a.clamp_max(b), a, b)
    check(lambda a, b: a.clamp_min(b), a, b)


def test_truth_values_that_are_combined():
    x, source = matrix() > 0, matrix(3, 6, seed=1) > 0
    index = torch.tensor([[0, 1, 3, 3, 2, 0], [0, 0, 0, 0, 0, 0], [3, 3, 3, 3, 3, 0]])
    for reduce in ("sum", "prod", "amax", "amin"):
        check(lambda x, i, s, r=reduce: x.scatter_reduce(0, i, s, r), x, index, source)
    check(lambda x, i, s: x.scatter_add(0, i, s), x, index, source)
    check(lambda x, i, s: x.index_add(0, i, s), x, ROWS, source)
    check(lambda x, i, s: x.index_put((i,), s, accumulate=True), x, ROWS, source)
    check(lambda x, i, s: x.index_put((i,), s), x, ROWS[:2], source[:2])
    check(lambda x: x.sort(dim=1, stable=True), x)
    check(lambda x, i: x.scatter(0, i, 2), x, index)
    check(lambda x: torch.full((3,), 2, dtype=torch.bool) & x[:3, 0], x)


def test_sums_of_truth_values():
    x = torch.ones(4, 3, dtype=torch.bool)
    check(lambda x: (x.sum(dtype=torch.bool), x.sum(0, dtype=torch.bool), x.sum(1, keepdim=True)), x)
    check(lambda x: x.sum((0, 1), keepdim=True, dtype=torch.bool), x)
    check(lambda x: x.nansum(0, dtype=torch.bool), x)
    check(lambda x: (x.sum(1, dtype=torch.bool), (x * 0).sum(0, dtype=torch.bool)), torch.full((2, 4), 0.5))

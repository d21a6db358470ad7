# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of a sort: medians, modes, searches and histograms."""

import pytest
import torch
from checks import check
from samples import INF, NAN, matrix


def test_medians():
    distinct = torch.tensor([[2.0, 1.0, 7.0, NAN, 0.0, 5.0], [3.0, 4.0, -1.0, 5.0, INF, -INF]])
    for function in (torch.median, torch.nanmedian):
        check(function, distinct)
        check(lambda x, f=function: f(x, 1), distinct)
        check(lambda x, f=function: f(x, 0, True), distinct)
        check(function, torch.tensor(1.5))


def test_mode():
    check(lambda x: torch.mode(x, 1), torch.tensor([[2, 1, 2, 1, 0, 1], [3, 3, -1, 3, 5, 5]]))
    check(lambda x: torch.mode(x, 0, True).values, matrix())


def test_searches():
    edges = torch.tensor([-1.0, 0.0, 0.0, 1.5])
    values = torch.tensor([[-2.0, 0.0, 1.5], [NAN, 9.0, -1.0]])
    for right in (False, True):
        check(lambda s, v, r=right: torch.searchsorted(s, v, right=r), edges, values)
        check(lambda s, v, r=right: torch.bucketize(v, s, right=r, out_int32=True), edges, values)
    rows = matrix(2, 5).sort(1).values
    check(lambda s, v: torch.searchsorted(s, v, side="right"), rows, values)
    check(lambda s: torch.searchsorted(s, 0.5), edges)
    check(
        lambda s, o, v: torch.searchsorted(s, v, sorter=o), edges.flip(0), torch.tensor([3, 2, 1, 0]), values
    )


def test_histograms():
    x = matrix()
    check(lambda x: torch.histc(x, 5), x)
    check(lambda x: torch.histc(x, 5, -1, 1), x)
    check(lambda x: torch.histc(x, 4), torch.ones(3))
    check(lambda x: torch.histogram(x, 5, range=(-1.0, 1.5), density=True), x)
    check(lambda x, e, w: torch.histogram(x, e, weight=w), x, torch.tensor([-1.0, 0.0, 0.5, 2.0]), x.abs())


@pytest.mark.parametrize("density", [False, True])
def test_histograms_of_rows(density):
    rows, weight = matrix(30, 2), torch.rand(30, generator=torch.Generator().manual_seed(0))
    edges = [torch.tensor([-1.0, 0.0, 0.5]), torch.tensor([-2.0, -1.0, 1.0, 1.5])]
    check(lambda x: torch.histogramdd(x, (3, 2), density=density), rows)
    check(lambda x: torch.histogramdd(x, (3, 2), range=(-1.0, 1.0, 0.0, 2.0), density=density), rows)
    check(lambda x, w, *e: torch.histogramdd(x, list(e), weight=w, density=density), rows, weight, *edges)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distances between rows."""

import pytest
import torch
import torch.nn.functional as F
from checks import check
from samples import INF, matrix


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, INF])
def test_distances(p):
    check(lambda a, b: torch.cdist(a, b, p), matrix(), matrix(3, 6, seed=1))
    check(lambda a: F.pdist(a, p), matrix())

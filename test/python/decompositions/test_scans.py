# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running extrema and sums."""

import pytest
import torch
from checks import check
from samples import INF, NAN, matrix

TIES = torch.tensor([[2.0, 1.0, 2.0, NAN, 0.0, 2.0], [3.0, 3.0, -1.0, 5.0, INF, -INF]])


@pytest.mark.parametrize("function", [torch.cummax, torch.cummin], ids=["cummax", "cummin"])
def test_running_extrema(function):
    check(lambda x: function(x, 1), TIES)
    check(lambda x: function(x, 0), matrix(7, 3))
    check(lambda x: function(x, 0), torch.tensor(1.5))
    check(lambda x: function(x, 1), torch.tensor([[3, 1, 3, 2], [1, 1, 0, 2]]))


def test_logcumsumexp():
    check(
        lambda x: torch.logcumsumexp(x, 1),
        torch.tensor([[-INF, 1.0, 300.0, -300.0, 2.0], [INF, 1, INF, 0, 0]]),
    )

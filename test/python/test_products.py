# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices with a summand."""

import pytest
import torch
import torch.nn.functional as F
from checks import check
from samples import matrix


def test_products_of_integers_with_a_summand():
    a, b, c = (matrix(4, 4, seed) * 1e10 for seed in range(3))
    a, b, c = a.long(), b.long(), c.long()
    check(lambda a, b, c: torch.addmm(a, b, c, beta=2, alpha=3), a, b, c)
    check(lambda a, b, c: torch.addmm(a, b, c, beta=0), a, b, c)
    check(lambda a, b, c: torch.addmm(a, b, c, beta=0.6, alpha=2.7), a, b, c)
    check(lambda a, b, c: torch.addbmm(a, b[None], c[None], beta=0.6, alpha=2.7), a, b, c)
    check(lambda a, b, c: torch.baddbmm(a, b[None], c[None]), a, b, c)
    check(lambda a, b, c: F.linear(a, b, c[0]), a, b, c)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_a_sum_of_products(dtype):
    rows, left, right = matrix(3, 5), matrix(6, 4, seed=1).view(2, 3, 4), matrix(8, 5, seed=2).view(2, 4, 5)
    operands = [(9 * value).to(dtype) for value in (rows, left, right)]
    # Eager rounds after each product of the batch.
    tolerances = (2e-2, 2.0) if dtype == torch.bfloat16 else None
    check(torch.addbmm, *operands, tolerances=tolerances)
    check(lambda a, b, c: torch.addbmm(a, b, c, beta=0, alpha=2), *operands, tolerances=tolerances)

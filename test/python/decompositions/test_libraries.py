# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that some library registers."""

import importlib

import pytest
import torch
from checks import check
from samples import matrix


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_cross_entropy_in_chunks(reduction):
    importlib.import_module("torch.nn.modules.linear_cross_entropy")  # Registers the operations.
    rows, weight = matrix(8, 6), matrix(5, 6, seed=1)
    target = torch.tensor([0, 1, 4, 2, 2, 3, -100, 1])
    operands = rows, weight, target, matrix(1, 5, seed=2)[0], torch.rand(5)
    if reduction == "none":
        check(
            torch.ops.torch_nn._linear_cross_entropy_batch_chunked_no_reduction,
            *operands,
            -100,
            3,
            "balanced",
            torch.float32,
        )
        return
    check(
        torch.ops.torch_nn._linear_cross_entropy_batch_chunked,
        *operands,
        reduction,
        -100,
        0.0,
        3,
        "balanced",
        torch.float32,
        False,
        False,
        False,
        False,
    )

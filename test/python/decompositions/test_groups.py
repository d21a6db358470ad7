# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped matrix products, the heart of mixtures of experts, on the LPU alone."""

import pytest
import torch
from checks import check, check_gradients


def ends(*numbers):
    return torch.tensor(numbers, dtype=torch.int32)


def grouped_mm(left, right, offs):
    return torch.nn.functional.grouped_mm(left, right, offs=offs)


# More rows than matrices, and fewer; groups may be empty.
@pytest.mark.parametrize("offs", [ends(1, 1, 6, 9), ends(0, 2, 2, 3)], ids=["many", "few"])
def test_rows_by_matrices(offs):
    rows = int(offs[-1])
    left, right = torch.randn(rows, 16).bfloat16(), torch.randn(4, 16, 8).bfloat16()
    check(grouped_mm, left, right, offs)


def test_matrices_by_columns():
    check(grouped_mm, torch.randn(3, 8, 16).bfloat16(), torch.randn(16, 16).bfloat16(), ends(2, 2, 16))


def test_groups_of_outer_products():
    check(grouped_mm, torch.randn(8, 16).bfloat16(), torch.randn(16, 8).bfloat16(), ends(5, 5, 16))


def test_an_infinite_matrix_stays_with_its_rows():
    right = torch.randn(2, 16, 8).bfloat16()
    right[1] = float("inf")
    check(grouped_mm, torch.randn(6, 16).bfloat16(), right, ends(4, 6))


def test_the_operation_of_transformers_and_its_gradients():
    import transformers.integrations.moe  # noqa: F401

    product = torch.ops.transformers.grouped_mm_fallback
    offs = torch.tensor([1, 1, 6])  # The last row is of no group.
    check_gradients(lambda x, w: product(x, w, offs), torch.empty(7, 5), torch.empty(3, 5, 4))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over bags and segments of rows."""

import pytest
import torch
import torch.nn.functional as F
from checks import check
from samples import matrix


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bag(mode):
    table, index, offsets = matrix(7, 4), torch.tensor([0, 6, 3, 3, 1]), torch.tensor([0, 2, 2])
    check(lambda w, i, o: F.embedding_bag(i, w, o, mode=mode), table, index, offsets)
    check(lambda w, i, o: F.embedding_bag(i, w, o, mode=mode, padding_idx=3), table, index, offsets)
    check(lambda w, i: F.embedding_bag(i, w, mode=mode), table, index[:4].view(2, 2))
    last = torch.tensor([0, 2, 5])
    check(lambda w, i, o: F.embedding_bag(i, w, o, mode=mode, include_last_offset=True), table, index, last)


@pytest.mark.long
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_segment_reduce(reduce):
    lengths = torch.tensor([1, 0, 3])
    check(lambda x, n: torch.segment_reduce(x, reduce, lengths=n, unsafe=True), matrix(), lengths)
    check(
        lambda x, n: torch.segment_reduce(x, reduce, lengths=n, unsafe=True, initial=1.0), matrix(), lengths
    )
    check(
        lambda x, o: torch.segment_reduce(x, reduce, offsets=o, axis=1, unsafe=True),
        matrix(2, 6),
        torch.tensor([[0, 1, 6], [0, 3, 6]]),
    )

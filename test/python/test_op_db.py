# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own operator database on the LPU: the first float32 sample of every entry.

An entry compiles without any fallback unless `op_db_fallbacks.txt` lists it;
one that is listed must fall back (so the list cannot rot) and be right anyway.
"""

import copy
import warnings
from pathlib import Path

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

from torch_lpu.diagnostics import FallbackWarning
from torch_lpu.program import running

# Cannot be compared: uninitialised results, random numbers, CUDA only; or Dynamo itself leaves them to eager.
SKIPPED_PREFIXES = ("empty", "new_empty", "jiterator", "linalg.", "fft.", "sparse.", "masked.", "special.")


def name_of(op):
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def _lines(file):
    lines = (Path(__file__).parent / file).read_text().splitlines()
    return {line.split("#")[0].strip() for line in lines} - {""}


FALLS_BACK = _lines("op_db_fallbacks.txt")
NOT_CAPTURED = _lines("op_db_not_captured.txt")

ENTRIES = [
    op
    for op in op_db
    if torch.float32 in op.dtypes
    and not name_of(op).startswith(SKIPPED_PREFIXES)
    and name_of(op) not in NOT_CAPTURED
]


def test_the_database_covers_enough():
    assert len([op for op in ENTRIES if name_of(op) not in FALLS_BACK]) >= 300


@pytest.mark.parametrize("op", ENTRIES, ids=name_of)
def test_first_sample(op):
    sample = next(iter(op.sample_inputs("cpu", torch.float32)))

    def function(input, args, kwargs):
        return op.op(input, *args, **kwargs)

    falls_back = name_of(op) in FALLS_BACK
    arguments = sample.input, sample.args, sample.kwargs
    expected_arguments = copy.deepcopy(arguments)
    compiled = torch.compile(
        function, backend="lpu", dynamic=False, options={"fallback": "warn" if falls_back else "error"}
    )
    with torch.no_grad(), warnings.catch_warnings(record=True) as record, running(dma="late", checks="all"):
        warnings.simplefilter("always")
        expected = function(*expected_arguments)
        result = compiled(*arguments)
    torch.testing.assert_close(result, expected, rtol=3e-5, atol=3e-5, equal_nan=True)
    assert falls_back == any(issubclass(w.category, FallbackWarning) for w in record)

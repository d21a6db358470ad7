# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks: each prints a table, and a ratio is of numbers measured side by side in one run."""

import os

os.environ.setdefault("TQDM_DISABLE", "1")  # Read when tqdm is imported, which torch does.

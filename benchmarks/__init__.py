# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks: each prints a table, and a ratio is of numbers measured side by side in one run."""

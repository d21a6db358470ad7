# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lpu dialect."""

from ._lpu_ops_gen import *  # noqa: F403

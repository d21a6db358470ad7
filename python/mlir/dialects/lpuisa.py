# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lpuisa dialect."""

from ._lpuisa_ops_gen import *  # noqa: F403

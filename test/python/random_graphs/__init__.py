# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random PyTorch programs, and how one is compared with eager."""

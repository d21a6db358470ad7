# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch-lpu: a compiler and a simulator for an LPU, as a torch.compile backend."""

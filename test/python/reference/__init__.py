# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second implementation of the machine, to hold the simulator against.

It reads the textual assembly (`syntax`, `parser`) and computes what docs/ISA.md says (`machine`,
`memory`, `floats`, `sequences`, `matrix`, `micro`, `vector`), with numpy and no line of the
simulator. `generator` makes random valid programs. It knows no time.
"""

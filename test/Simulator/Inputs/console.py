# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the console blocks of a page and compares what they print.

usage: console.py PAGE FOLDER

A block ```lang FILE is written to FILE in the folder. In a block ```console a
line that begins with `$ ` is a command for sh; what follows it is all of its
output. A line of `...` stands for any lines.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

page, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
ran = 0
for head, body in re.findall(r"^```(.*?)\n(.*?)^```$", page.read_text(), re.M | re.S):
    language, _, name = head.partition(" ")
    if name:
        (folder / name).write_text(body)
    if language != "console":
        continue
    for step in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, expected = step.partition("\n")
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
        )
        output = done.stdout + done.stderr
        pattern = ".*".join(re.escape(part) for part in expected.split("...\n"))
        if not re.fullmatch(pattern, output, re.S):
            sys.exit(f"{page}: $ {command}\nexpected\n{expected}\ngot\n{output}")
        ran += 1
print(f"{ran} commands print what the page says")

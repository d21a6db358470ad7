# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the fuzz driver under ASan and UBSan, replays the corpus and mutates it.

Only what the driver needs is built, in the tree of the `asan` preset. A JUnit
file says what was done, as for the other suites: one test for each file of the
corpus, and one for the mutations.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).resolve().parent / "corpus"


def build(tree: Path) -> None:
    configure = ["cmake", "--preset", "asan", "-B", str(tree), "--log-level=WARNING"]
    if shutil.which("ccache"):
        configure += [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")]
    subprocess.run(configure, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    command = ["cmake", "--build", str(tree), "--target", "lpu-fuzz"]
    built = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.stdout)


def add_case(
    suite: ElementTree.Element, name: str, seconds: float, result: subprocess.CompletedProcess
) -> bool:
    case = ElementTree.SubElement(suite, "testcase", classname="fuzz", name=name, time=f"{seconds:.3f}")
    if result.returncode != 0:
        failure = ElementTree.SubElement(case, "failure", message=f"exit code {result.returncode}")
        failure.text = result.stderr[-10000:].encode("ascii", "replace").decode()
        print(f"{name}: exit code {result.returncode}\n{result.stderr[-4000:]}")
    return result.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, default=ROOT / "build/asan", help="build tree of the driver")
    parser.add_argument("--seconds", type=float, default=60, help="how long to mutate")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations")
    parser.add_argument("--report", type=Path, help="JUnit file to write")
    arguments = parser.parse_args()

    build(arguments.tree)
    driver = arguments.tree / "bin/lpu-fuzz"
    saved = arguments.tree / "fuzz-failure.lpubin"
    # A failure must not wait for a symbolizer that is not there.
    environment = {**os.environ, "ASAN_OPTIONS": "", "UBSAN_OPTIONS": ""}

    def run(*options: str) -> tuple[subprocess.CompletedProcess, float]:
        start = time.monotonic()
        command = [str(driver), "--save", str(saved), *options]
        result = subprocess.run(
            command, env=environment, check=False, capture_output=True, text=True, errors="replace"
        )
        return result, time.monotonic() - start

    suite = ElementTree.Element("testsuite", name="fuzz")
    ok = True
    for path in sorted(CORPUS.glob("*.lpubin")):
        result, seconds = run(str(path))
        ok &= add_case(suite, path.name, seconds, result)
    result, seconds = run(str(CORPUS), "--seconds", str(arguments.seconds), "--seed", str(arguments.seed))
    print(result.stdout, end="")
    ok &= add_case(suite, f"mutations of seed {arguments.seed}", seconds, result)
    if result.returncode != 0:
        print(f"the input is in {saved}: see it fail again with {driver} {saved}")
    if arguments.report is not None:
        ElementTree.ElementTree(suite).write(arguments.report)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs gtest, lit, the fuzzer and pytest, and closes with one line that counts all of them.

Each suite writes a JUnit file, which is what is counted: a suite that ran no
test fails, whatever its exit code says.
"""

import argparse
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    passed: int
    failed: int
    skipped: int


def count(report: Path) -> Outcome:
    """Counts the test cases of a JUnit file; a missing file counts nothing."""
    if not report.exists():
        return Outcome(0, 0, 0)
    passed = failed = skipped = 0
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return Outcome(passed, failed, skipped)


def suites(build: Path, reports: Path, long: bool) -> dict[str, list[str]]:
    """The command of each suite; its report is <reports>/<name>.xml."""
    gtest = [str(build / "bin/lpu-unit-tests"), "--gtest_brief=1"]
    # Not `python -m lit.main`, which runs nothing and exits 0.
    lit = [sys.executable, "-c", "from lit.main import main; main()", "-sv"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *(["-m", ""] if long else [])]
    fuzz = [sys.executable, "test/fuzz/run.py", "--tree", str(build.parent / "asan")]
    return {
        "gtest": [*gtest, f"--gtest_output=xml:{reports / 'gtest.xml'}"],
        "lit": [*lit, f"--xunit-xml-output={reports / 'lit.xml'}", str(build / "test")],
        "fuzz": [*fuzz, "--report", str(reports / "fuzz.xml")],
        "pytest": [*pytest, f"--junitxml={reports / 'pytest.xml'}"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build/dev"), help="build tree to test")
    parser.add_argument("--long", action="store_true", help="run the slow tests as well")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    reports = build / "test-reports"
    reports.mkdir(parents=True, exist_ok=True)

    ok = True
    total = Outcome(0, 0, 0)
    for name, command in suites(build, reports, arguments.long).items():
        report = reports / f"{name}.xml"
        report.unlink(missing_ok=True)
        print(f"--- {name}", flush=True)
        start = time.monotonic()
        code = subprocess.run(command, cwd=Path(__file__).parent.parent, check=False).returncode
        outcome = count(report)
        ran = outcome.passed + outcome.failed
        print(f"--- {name}: {ran} tests in {time.monotonic() - start:.1f} s", flush=True)
        if ran == 0:
            print(f"error: {name} ran no test (exit code {code})")
            ok = False
        elif code != 0:
            print(f"error: {name} failed (exit code {code})")
            ok = False
        # A suite that died, or that counts nothing as failed but failed, is one failure.
        failed = outcome.failed or int(code != 0 or outcome.passed == 0)
        total = Outcome(
            total.passed + outcome.passed,
            total.failed + failed,
            total.skipped + outcome.skipped,
        )

    skipped = f", {total.skipped} skipped" if total.skipped else ""
    print(f"{total.passed} passed, {total.failed} failed{skipped}")
    return 0 if ok and total.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

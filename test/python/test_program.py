# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The binary and its callable: determinism, replay, wrong files, wrong arguments, faults."""

import os
import random
import subprocess
import sys
import threading

import pytest
import torch
import torch.nn.functional as F

from torch_lpu import _simulator, backend
from torch_lpu.cache import process_cache
from torch_lpu.compiler import FILES
from torch_lpu.program import Program, running


def decode_step(cache, at, row, query, weight):
    cache.index_copy_(2, at, row)
    attended = F.scaled_dot_product_attention(query, cache, cache)
    return torch.softmax(attended @ weight, -1)


def arguments():
    torch.manual_seed(1)
    row, query = torch.randn(1, 2, 1, 4), torch.randn(1, 4, 1, 4)
    return (
        torch.randn(1, 2, 8, 4).repeat_interleave(2, 1),
        torch.tensor([3]),
        row.repeat_interleave(2, 1),
        query,
        torch.randn(4, 4),
    )


@pytest.fixture
def dump(tmp_path, lpu_compile):
    lpu_compile(decode_step, dump_dir=tmp_path, machine="tiny")(*arguments())
    return tmp_path


def test_every_stage_is_dumped(dump):
    assert {path.name for path in dump.iterdir()} == {*FILES.values(), "repro.sh", "arguments"}
    assert all((dump / name).stat().st_size > 0 for name in FILES.values())


def test_later_programs_get_directories_of_their_own(tmp_path, lpu_compile):
    for size in (2, 3):
        lpu_compile(lambda x: x + 1, dump_dir=tmp_path)(torch.randn(size))
    assert (tmp_path / "80-bin.lpubin").exists() and (tmp_path / "graph-1" / "80-bin.lpubin").exists()


def test_a_process_does_not_dump_where_another_one_does(tmp_path):
    from torch_lpu.dump import next_directory

    script = (
        "import sys; from torch_lpu.dump import next_directory as n; print(n(sys.argv[1]), n(sys.argv[1]))"
    )

    def in_another_process(path):
        done = subprocess.run(
            [sys.executable, "-c", script, path], check=True, capture_output=True, text=True
        )
        return [os.path.relpath(directory, path) for directory in done.stdout.split()]

    assert in_another_process(tmp_path) == [".", "graph-1"]
    assert next_directory(str(tmp_path)) == tmp_path  # The other process has ended.
    first, second = in_another_process(tmp_path)
    assert first.startswith("process-") and second == f"{first}/graph-1"
    assert next_directory(str(tmp_path)) == tmp_path / "graph-1"


def test_other_threads_do_not_run_as_this_one():
    program = make_program(lambda x: x + 1, torch.ones(2))
    seen = []
    program.executable.run = lambda pointers, **options: seen.append(options["dma"])
    with running(dma="late"):
        program(torch.ones(2))
        with running(dma="random:3"):
            program(torch.ones(2))
        thread = threading.Thread(target=program, args=(torch.ones(2),))
        thread.start()
        thread.join()
        program(torch.ones(2))
    program(torch.ones(2))
    assert seen == ["late", "random:3", "early", "late", "early"]


@pytest.mark.parametrize("limit", ["max_instructions", "max_work", "max_host_bytes", "max_queued"])
def test_a_run_ends_at_a_limit(limit):
    compiled = torch.compile(
        lambda x: (x @ x).exp(), backend="lpu", options={"checks": "standard", "cache": False, limit: 1 << 40}
    )
    x = torch.ones(64, 64)
    compiled(x)
    with (
        running(**{limit: 1}),
        pytest.raises(RuntimeError, match=f"raise {limit.replace('_', '-')}") as error,
    ):
        compiled(x)
    assert error.value.kind == "limit"


def test_limits_are_replayed(tmp_path, lpu_compile):
    lpu_compile(lambda x: x + 1, dump_dir=tmp_path, max_work=12345)(torch.ones(2))
    assert "--max-work 12345" in (tmp_path / "repro.sh").read_text()


def test_an_unknown_kernel_set_is_an_error():
    script = "import test_program; test_program.run_with_unknown_kernels()"
    environment = {**os.environ, "LPU_SIM_ISA": "mmx", "PYTHONPATH": _python_path()}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


def run_with_unknown_kernels():
    compiled = torch.compile(lambda x: x + 1, backend="lpu")
    sets = ", ".join(_simulator.kernel_sets())
    message = rf"LPU_SIM_ISA is 'mmx', expected a kernel set of this CPU: {sets}$"
    for _ in range(2):
        with pytest.raises(ValueError, match=message) as error:
            compiled(torch.ones(2))
        assert error.value.kind == "invalid"


def _python_path():
    return os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])


def test_repro_script_replays_every_stage_byte_for_byte(dump):
    tools = os.path.dirname(sys.executable)
    path = os.pathsep.join([tools, *_tool_directories(), os.environ["PATH"]])
    done = subprocess.run(
        [str(dump / "repro.sh")], env={**os.environ, "PATH": path}, capture_output=True, text=True, cwd="/"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for stage, name in FILES.items():
        if stage not in ("fx", "torch"):
            assert (dump / "replay" / name).read_bytes() == (dump / name).read_bytes(), name


def _tool_directories():
    """Where a developer's tree and an installed wheel keep lpu-opt."""
    package = os.path.dirname(os.path.realpath(_simulator.__file__))
    return [os.path.join(package, "..", "..", "bin"), os.path.join(package, "bin")]


SCRIPT = """
import sys, torch
sys.path.insert(0, {here!r})
import test_program
torch.compile(test_program.decode_step, backend="lpu", options={{"dump_dir": {dump!r}, "machine": "tiny"}})(
    *test_program.arguments()
)
"""


def test_two_processes_make_the_same_bytes(dump, tmp_path):
    other = tmp_path / "other"
    script = SCRIPT.format(here=os.path.dirname(__file__), dump=str(other))
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    for stage, name in FILES.items():
        if stage not in ("trace", "report"):
            assert (other / name).read_bytes() == (dump / name).read_bytes(), name


def test_disassembled_and_reassembled_the_binary_is_the_same(dump):
    from torch_lpu.mlir._mlir_libs._lpu import translate_from_binary, translate_to_binary

    binary = (dump / FILES["bin"]).read_bytes()
    text = translate_from_binary(binary)
    assert "lpuisa.program" in text
    assert translate_to_binary(text) == binary


def test_truncated_and_flipped_binaries_are_refused(dump):
    binary = (dump / FILES["bin"]).read_bytes()
    generator = random.Random(0)
    cuts = [
        0,
        1,
        16,
        63,
        64,
        len(binary) // 2,
        len(binary) - 1,
        *(generator.randrange(len(binary)) for _ in range(32)),
    ]
    for cut in cuts:
        with pytest.raises(ValueError):
            _simulator.Program.load(binary[:cut])
    for _ in range(200):
        flipped = bytearray(binary)
        flipped[generator.randrange(len(binary))] ^= 1 << generator.randrange(8)
        with pytest.raises(ValueError):
            _simulator.Program.load(bytes(flipped))


def test_an_error_of_a_binary_names_the_byte(dump):
    binary = (dump / FILES["bin"]).read_bytes()
    with pytest.raises(ValueError, match=r"\d"):
        _simulator.Program.load(b"\x7fELF" + bytes(60))
    with pytest.raises(ValueError, match=r"\d"):
        _simulator.Program.load(binary[: len(binary) // 2])


def test_an_identical_graph_is_compiled_once(lpu_compile):
    process_cache.clear()
    x = torch.randn(3)
    results = []
    for _ in range(2):
        torch._dynamo.reset()
        results.append(lpu_compile(lambda x: torch.relu(x) + 3)(x))
    assert (process_cache.misses, process_cache.hits) == (1, 1)
    assert torch.equal(*results)
    lpu_compile(lambda x: torch.relu(x) + 3, cache=False)(x)
    assert process_cache.misses == 1


@pytest.mark.parametrize("token", [10, -1, 1 << 40])
def test_a_token_out_of_range_is_an_index_error(lpu_compile, token):
    table = torch.randn(10, 4)
    compiled = lpu_compile(lambda ids: F.embedding(ids, table))
    ids = torch.tensor([[1, 9]])
    torch.testing.assert_close(compiled(ids), F.embedding(ids, table))
    with pytest.raises(IndexError):
        compiled(torch.tensor([[1, token]]))
    torch.testing.assert_close(compiled(ids), F.embedding(ids, table))  # The next call is fine.


def test_a_row_write_out_of_range_is_an_index_error(lpu_compile):
    def function(cache, at, row):
        cache.index_copy_(1, at, row)

    compiled = lpu_compile(function)
    with pytest.raises(IndexError):
        compiled(torch.zeros(2, 8, 4), torch.tensor([8]), torch.ones(2, 1, 4))


class _Recorder:
    """An executable that only notes what it is called with."""

    def run(self, pointers, **options):
        self.pointers = pointers


def make_program(function, *args):
    programs = []
    original = backend.Program

    def record(executable, *rest):
        programs.append(original(_Recorder(), *rest))
        return programs[-1]

    backend.Program = record
    try:
        torch.compile(function, backend="lpu", options={"fallback": "error"})(*args)
    finally:
        backend.Program = original
    return programs[0]


def test_wrong_arguments_are_named():
    program = make_program(lambda x, y: x + y, torch.ones(2, 3), torch.ones(3))
    assert isinstance(program, Program)
    with pytest.raises(TypeError, match=r"argument x: expected f32\[2, 3\], got f32\[2, 4\]"):
        program(torch.ones(2, 4), torch.ones(3))
    with pytest.raises(TypeError, match=r"argument y: expected f32\[3\], got i64\[3\]"):
        program(torch.ones(2, 3), torch.ones(3, dtype=torch.int64))
    with pytest.raises(TypeError, match=r"argument y: expected a tensor in host memory, got one on meta"):
        program(torch.ones(2, 3), torch.ones(3, device="meta"))
    with pytest.raises(TypeError, match=r"argument y: expected f32\[3\], got float"):
        program(torch.ones(2, 3), 1.0)


def test_arguments_are_handed_over_without_copies():
    weight, x = torch.ones(3, 4).t(), torch.ones(2, 4)
    program = make_program(lambda x, w: x @ w, x, weight)
    program(x, weight)
    assert set(program.executable.pointers[:2]) == {x.data_ptr(), weight.data_ptr()}

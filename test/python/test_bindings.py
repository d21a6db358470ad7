# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two extension modules: what they export, and how they report errors."""

import pytest

from torch_lpu import _simulator
from torch_lpu.mlir import ir, passmanager
from torch_lpu.mlir._mlir_libs import _lpu
from torch_lpu.mlir.dialects import lpuisa

HALT = "lpuisa.program @halt {\n  lpuisa.halt\n}"


def test_run_pipeline_returns_the_module_with_locations() -> None:
    result = _lpu.run_pipeline(HALT, "builtin.module(canonicalize)")
    assert "lpuisa.halt" in result
    assert 'loc("input":2:3)' in result


@pytest.mark.parametrize(
    ("program", "pipeline", "message"),
    [
        ("lpuisa.hat", "builtin.module(cse)", "input:1:1: error: custom op 'lpuisa.hat' is unknown"),
        (HALT, "builtin.module(canonise)", "'canonise' does not refer to a registered pass"),
    ],
    ids=["parse error", "unknown pass"],
)
def test_run_pipeline_raises_with_the_diagnostics(program: str, pipeline: str, message: str) -> None:
    with pytest.raises(RuntimeError) as error:
        _lpu.run_pipeline(program, pipeline)
    assert message in str(error.value)


def test_errors_name_the_node() -> None:
    program = 'lpuisa.program @p {\n  lpuisa.li r0 = 1 loc("add_3"("model.py":7:0))\n}'
    with pytest.raises(RuntimeError) as error:
        _lpu.run_pipeline(program, "builtin.module(lpuisa.program(lpuisa-verify))")
    assert str(error.value).startswith('loc("add_3"("model.py":7:0)): error: ')


def test_translation_there_and_back() -> None:
    binary = _lpu.translate_to_binary(HALT)
    assert binary.startswith(b"\x7fELF")
    text = _lpu.translate_from_binary(binary)
    assert "lpuisa.program @halt" in text
    assert _lpu.translate_to_binary(text) == binary


def test_translation_raises_with_the_diagnostics() -> None:
    with pytest.raises(RuntimeError, match=r"found 0 lpuisa\.program, expected one"):
        _lpu.translate_to_binary("module {}")
    with pytest.raises(RuntimeError, match="the file ends inside of the ELF header"):
        _lpu.translate_from_binary(b"\x7fELF")


def test_contexts_know_our_dialects_and_passes() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse("lpuisa.program @empty {\n}")
        with ir.InsertionPoint(module.body.operations[0].regions[0].blocks[0]):
            lpuisa.HaltOp()
        passmanager.PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
        assert "lpuisa.halt" in str(module)


def test_bindings_live_beside_torch_mlir() -> None:
    torch_mlir_ir = pytest.importorskip("torch_mlir.ir")
    with torch_mlir_ir.Context() as theirs, ir.Context() as ours:
        assert type(theirs) is not type(ours)
        assert str(torch_mlir_ir.Module.parse("module {}", theirs)) == str(ir.Module.parse("module {}", ours))


def test_simulator_states_its_instruction_set() -> None:
    assert _simulator.isa_version() >= 1

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`profile()`: what it counts, shows and writes."""

import json

import pytest
import torch

from torch_lpu import profile


def product(x, w):
    return torch.relu(x @ w)


@pytest.fixture
def compiled(lpu_compile):
    function = lpu_compile(product)
    function(torch.randn(1, 256), torch.randn(256, 512))
    return function


def test_counts_every_run_inside_and_none_outside(compiled):
    x, w = torch.randn(1, 256), torch.randn(256, 512)
    with profile() as report:
        compiled(x, w)
        compiled(x, w)
    compiled(x, w)
    assert len(report.runs) == 2
    assert report.cycles == 2 * report.runs[0].cycles > 0
    weight = 256 * 512 * 4
    assert report.compulsory_bytes == 2 * (weight + 256 * 4 + 512 * 4)
    assert report.hbm_bytes >= report.compulsory_bytes
    assert 0 < report.utilization < 1


def test_tells_memory_and_what_the_matrix_unit_multiplied(lpu_compile):
    function = lpu_compile(product, disable=("tile-contractions",))  # One product is one instruction.
    for dtype in (torch.float32, torch.bfloat16):
        function(torch.randn(1, 256, dtype=dtype), torch.randn(256, 512, dtype=dtype))
    with profile() as report:
        for dtype in (torch.float32, torch.bfloat16, torch.bfloat16):
            function(torch.randn(1, 256, dtype=dtype), torch.randn(256, 512, dtype=dtype))
    assert report.mm_operands == {"f32": 1, "bf16": 2}
    assert report.instructions["mm"] == 3
    assert report.lmu_bytes == max(run.lmu_bytes for run in report.runs) >= 256 * 4
    assert report.scratch_bytes == 0
    assert "matrix instructions: 1 f32, 2 bf16" in str(report)


def test_the_cycles_of_every_unit_add_up(compiled):
    with profile() as report:
        compiled(torch.randn(1, 256), torch.randn(256, 512))
    assert set(report.units) == {"icp", "sma", "sxe", "vxe"}
    for row in report.units.values():
        assert sum(row.values()) == report.cycles
    assert report.units["sxe"]["busy"] > 0


def test_waits_for_data_are_told_apart(compiled):
    with profile() as report:
        compiled(torch.randn(1, 256), torch.randn(256, 512))
    for unit, kinds in report.data_waits.items():
        assert set(kinds) == {"bandwidth", "latency", "buffer_space", "overlap", "supply"}
        assert sum(kinds.values()) == report.units[unit]["waiting_for_data"]
    assert report.data_waits["sxe"]["latency"] > 0


@pytest.mark.parametrize("by", ["line", "node"])
def test_the_critical_path_adds_up_and_names_lines(compiled, by):
    with profile() as report:
        compiled(torch.randn(1, 256), torch.randn(256, 512))
        compiled(torch.randn(1, 256), torch.randn(256, 512))
    rows = report.critical_path(by=by)
    assert sum(row.cycles for row in rows) == report.cycles
    assert sum(row.share for row in rows) == pytest.approx(1)
    assert [row.cycles for row in rows] == sorted((row.cycles for row in rows), reverse=True)
    # The weight has to come from the HBM, at the line that multiplies with it. 512 KiB take
    # 140 cycles at 3276.8 * 0.91 / 0.8 bytes a cycle; hiding its latency of 400 takes more work.
    line = product.__code__.co_firstlineno + 1
    assert rows[0].reason == "hbm latency"
    weight = next(row for row in rows if (row.opcode, row.reason) == ("stream", "hbm bandwidth"))
    assert weight.unit == "sma" and weight.file == __file__ and weight.line == line
    assert weight.cycles == pytest.approx(2 * 140, abs=4)
    assert bool(weight.name) == (by == "node")
    top = report.critical_path(top=2, by=by)
    assert len(top) == 3 and top[:2] == rows[:2]
    assert top[2].name == "rest" and sum(row.cycles for row in top) == report.cycles
    with pytest.raises(ValueError, match="expected 'line' or 'node'"):
        report.critical_path(by="opcode")


@pytest.mark.parametrize("machine", ["lpu-hbm3", "lpu-lpddr5x", "tiny"])
def test_everything_adds_up_on_every_machine(lpu_compile, machine):
    def layer(x, w, v):
        return torch.softmax(torch.nn.functional.layer_norm(x @ w, (192,)) @ v, -1)

    function = lpu_compile(layer, machine=machine)
    with profile(trace=False) as report:
        function(torch.randn(5, 64), torch.randn(64, 192), torch.randn(192, 48))
    assert sum(row.cycles for row in report.critical_path()) == report.cycles > 0
    for unit, row in report.units.items():
        assert sum(row.values()) == report.cycles
        assert sum(report.data_waits[unit].values()) == row["waiting_for_data"]


def test_prints_the_critical_path(compiled):
    with profile() as report:
        compiled(torch.randn(1, 256), torch.randn(256, 512))
    text = str(report)
    assert "critical path" in text and "hbm bandwidth" in text
    assert "waiting for data" in text and "buffer space" in text
    assert f"test_report.py:{product.__code__.co_firstlineno + 1}" in text


def test_nests(compiled):
    x, w = torch.randn(1, 256), torch.randn(256, 512)
    with profile(trace=False) as outer:
        compiled(x, w)
        with profile() as inner:
            compiled(x, w)
    assert (len(outer.runs), len(inner.runs)) == (2, 1)


def test_the_table_shows_units_and_bytes(compiled):
    with profile() as report:
        compiled(torch.randn(1, 256), torch.randn(256, 512))
    text = str(report)
    assert "sxe" in text and "share of peak" in text and "compulsory 527.36 kB" in text


def test_the_trace_names_nodes_and_lines(compiled, tmp_path):
    x, w = torch.randn(1, 256), torch.randn(256, 512)
    with profile() as report:
        compiled(x, w)
        compiled(x, w)
    report.to_perfetto(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    bars = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    line = product.__code__.co_firstlineno + 1
    assert any(f"test_report.py:{line}" in json.dumps(bar) for bar in bars)
    assert max(bar["ts"] for bar in bars) > report.runs[0].seconds * 1e6


def test_a_trace_has_to_be_asked_for(compiled, tmp_path):
    with profile(trace=False) as report:
        compiled(torch.randn(1, 256), torch.randn(256, 512))
    with pytest.raises(ValueError, match=r"profiled without a trace: use profile\(trace=True\)"):
        report.to_perfetto(tmp_path / "trace.json")

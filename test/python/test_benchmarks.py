# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmarks run, on something small, and write the numbers that they promise."""

import json

import pytest

from benchmarks import architectures, core_ops, decode, dynamic, harness, ops, prefill, simulator
from benchmarks import compile as compile_benchmark

TINY = ["--model", "tiny", "--machine", "tiny", "--cache", "16"]


def numbers(main, path, *arguments):
    main([*arguments, "--json", str(path)])
    result = json.loads(path.read_text())
    assert {"cpu", "threads", "date", "load"} <= result["host"].keys()
    assert result["machine"] == "tiny"
    return result


@pytest.mark.parametrize(
    ("main", "position"), [(decode.main, 5), (prefill.main, 0)], ids=["decode", "prefill"]
)
def test_passes(main, position, tmp_path, capsys):
    arguments = [*TINY, "--position", str(position), "--dtypes", "f32", "--repetitions", "2"]
    tokens = 1 if main is decode.main else 4
    result = numbers(main, tmp_path / "numbers.json", *arguments, "--tokens", str(tokens))
    measured = result["dtypes"]["f32"]
    for name in ("lpu", "eager"):
        assert measured["host"][name]["wall_ms"] >= measured["host"][name]["wall_ms_min"] > 0
    assert measured["host_ratio"]["eager"] > 0
    assert measured["same_token"] == {"eager": True}
    assert measured["cycles"] > 0 and 0 < measured["share_of_peak"] < 1
    assert measured["bytes_ratio"] == measured["bytes_moved"] / measured["compulsory_bytes"]
    assert measured["lmu_bytes"] > 0
    assert measured["mm_operands"]["f32"] == measured["instructions"]["mm"]
    printed = capsys.readouterr().out
    assert "moved / compulsory" in printed and "CPU ms" in printed


def test_compile(tmp_path, capsys):
    arguments = [*TINY, "--position", "5", "--peers", "aot_eager"]
    result = numbers(compile_benchmark.main, tmp_path / "numbers.json", *arguments)
    assert set(result["stages_s"]) == {"torch", "linalg", "lpu", "tiled", "buffer", "alloc", "isa", "bin"}
    assert 0 < result["stages_total_s"] < result["first_call_s"]["lpu"]
    assert result["ratio"]["aot_eager"] > 0 and result["first_call_cpu_s"]["lpu"] > 0
    assert "all stages" in capsys.readouterr().out


def test_ops(tmp_path, capsys):
    result = numbers(ops.main, tmp_path / "numbers.json", "--machine", "tiny", "--ops", "rms_norm 1x8192")
    assert [(row["op"], row["dtype"]) for row in result["ops"]] == [
        ("rms_norm 1x8192", "f32"),
        ("rms_norm 1x8192", "bf16"),
    ]
    for row in result["ops"]:
        assert row["cycles"] >= row["least_cycles"] > 0
        assert row["bound"] in ("hbm", "sxe", "vxe")
    assert "cycles / least" in capsys.readouterr().out


def test_simulator(tmp_path, capsys):
    arguments = [*TINY, "--position", "5", "--dtypes", "f32", "--repetitions", "2"]
    result = numbers(simulator.main, tmp_path / "numbers.json", *arguments)
    measured = result["dtypes"]["f32"]
    assert set(measured["host"]) == set(simulator.KINDS)
    assert measured["instructions"] > 0 and measured["cycles"] > 0
    for name, time in measured["host"].items():
        speed = measured["instructions"] / time["wall_ms"] * 1e3
        assert measured["instructions_per_second"][name] == pytest.approx(speed)
    assert time["wall_ms"] > 0 and result["limit_ms"] == 50
    printed = capsys.readouterr().out
    assert "instructions / s" in printed and "limit 50" in printed


def test_takes_turns():
    order = []
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    times = harness.measure_in_turns(calls, 2, lambda: order.append("-"))
    assert order == ["-", "a", "-", "b", "-", "a", "-", "b"]
    assert len(times["a"].wall) == len(times["b"].cpu) == 2


def test_architectures(tmp_path, capsys):
    path = tmp_path / "facts.json"
    architectures.main(["--only", "convnext", "--json", str(path)])
    facts = json.loads(path.read_text())["convnext"]
    assert facts["complete"] and facts["graphs"] == 1 and not facts["breaks"] and not facts["fallbacks"]
    assert f"| convnext | vision | {facts['ops']} | 1 | 0 | none |" in capsys.readouterr().out


def test_core_ops(tmp_path, capsys):
    path = tmp_path / "rows.json"
    core_ops.main(["--op", "bitwise_not,randperm", "--json", str(path)])
    rows = {row["name"]: row for row in json.loads(path.read_text())["rows"]}
    assert rows["bitwise_not"]["compiled"] == ["i64", "i32", "i16", "i8", "u8", "bool"]
    assert rows["bitwise_not"]["refused"] == ["f32", "bf16", "f16"]
    assert rows["randperm"]["others"]["i64"][0] == "fell back"
    assert "2 operations in 9 types: 6 compile" in capsys.readouterr().out


def test_dynamic(tmp_path, capsys):
    arguments = [
        "--machine",
        "tiny",
        "--layers",
        "1",
        "--width",
        "16",
        "--sizes",
        "2",
        "--peers",
        "aot_eager",
    ]
    result = numbers(dynamic.main, tmp_path / "numbers.json", *arguments)
    assert result["sizes"] == [19, 22] and result["dynamo_graphs"]["lpu"] == 0
    assert result["dynamo_graphs"]["aot_eager"] == 2 and result["ratio"]["aot_eager"] > 0
    assert result["parts_ms"]["Dynamo"] == 0 < result["parts_ms"]["passes"] < result["new_ms"]["lpu"]
    assert result["seen_ms"]["lpu"] < result["new_ms"]["lpu"]
    assert "by what it is spent on" in capsys.readouterr().out

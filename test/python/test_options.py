# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong options are errors that say what is right."""

import pytest
import torch

from torch_lpu.compiler import pipeline
from torch_lpu.options import OptionError, Options, optimizations


def test_defaults():
    options = Options.from_user(None)
    assert options == Options.from_user({})
    assert (options.machine, options.entry, options.fallback) == ("lpu-hbm3", "aten", "warn")


@pytest.mark.parametrize(
    ("user", "message"),
    [
        (
            {"machin": "tiny"},
            r"unknown option 'machin'; did you mean 'machine'\? Valid options: machine, entry",
        ),
        ({"fallback": "warm"}, r"'warm' is not one of 'warn', 'error', 'allow'; did you mean 'warn'\?"),
        ({"entry": "dynamo"}, r"'dynamo' is not available in this version; available: 'aten'"),
        ({"entry": "inductor"}, r"not available in this version"),
        ({"cache": 1}, r"'cache' takes True or False, got 1"),
        ({"machine": 3}, r"option 'machine' takes a path, got int 3"),
        ({"fallback": 3}, r"option 'fallback' takes a string, got int 3"),
        ({"disable": (3,)}, r"option 'disable' takes a string, got int 3"),
        ({"dump_dir": 3}, r"'dump_dir' takes a path, got int 3"),
        ({"disable": 5}, "'disable' takes names, got int 5"),
        ({"dump_dir": ""}, "'dump_dir' takes a path, got ''"),
        ({"disable": ("atention",)}, r"no optimisation 'atention'; did you mean 'attention'\?"),
        ({"dma": "now"}, r"'now' is not one of 'early', 'late', 'random:SEED'"),
        ({"dma": "random"}, r"'random' is not one of .*; did you mean 'random:SEED'\?"),
        ({"dma": "random:-1"}, r"'random:-1' is not one of"),
        ({"dma": f"random:{1 << 64}"}, r"is not one of"),
        ({"interleave": "early"}, r"'early' is not one of 'fixed', 'prompt', 'random:SEED'"),
        ({"checks": "races"}, r"'races' is not one of 'none', 'standard', 'all'"),
        ({"max_work": -1}, r"'max_work' takes a number from 0 to 2\^63 - 1, got -1"),
        ({"max_queued": 1.5}, r"'max_queued' takes a number from 0 to 2\^63 - 1, got 1.5"),
        ({"max_instructions": True}, r"'max_instructions' takes a number .*, got True"),
    ],
)
def test_wrong_options(user, message):
    with pytest.raises(OptionError, match=message):
        Options.from_user(user)


def test_a_random_order_has_a_seed():
    assert Options.from_user({"dma": "random:18446744073709551615"}).dma == "random:18446744073709551615"


def test_what_the_simulator_is_told():
    options = Options.from_user({"dma": "late", "interleave": "random:3", "checks": "all"})
    assert options.run_options == {"dma": "late", "interleave": "random:3", "checks": "all"}


def test_limits_are_told_only_if_given():
    limits = {"max_instructions": 1, "max_work": 2, "max_host_bytes": 0, "max_queued": 4}
    assert Options.from_user(limits).run_options == {**Options().run_options, **limits}
    assert Options.from_user({"max_work": None}).run_options == Options().run_options


def test_disable_takes_every_listed_name():
    options = Options.from_user({"disable": optimizations()})
    assert not any(options.enabled(name) for name in optimizations())


def test_what_is_disabled_on_ir_reaches_the_pipeline():
    options = Options.from_user({"disable": ["fuse-vectors", "attention", "elide-copies"]})
    assert "disable=fuse-vectors,elide-copies}" in pipeline(options, "linalg", "isa")
    assert options.disabled_in("fx") == ("attention",)


def test_a_wrong_name_lists_the_passes_as_well():
    with pytest.raises(OptionError, match=r"did you mean 'fuse-vectors'\? Valid names: .*elide-copies"):
        Options.from_user({"disable": "fuse-vector"})


def test_a_disabled_optimization_compiles_and_replays(tmp_path):
    options = {"disable": ("fuse-elementwise", "stage-operands"), "dump_dir": tmp_path, "fallback": "error"}
    x = torch.randn(4)
    compiled = torch.compile(lambda x: x.exp() + 1, backend="lpu", options=options)
    torch.testing.assert_close(compiled(x), x.exp() + 1)
    (script,) = tmp_path.rglob("repro.sh")
    assert "disable=fuse-elementwise,stage-operands}" in script.read_text()


def test_the_error_reaches_the_user_of_torch_compile():
    compiled = torch.compile(lambda x: x + 1, backend="lpu", options={"machines": "tiny"})
    with pytest.raises(Exception, match="unknown option 'machines'; did you mean 'machine'"):
        compiled(torch.ones(2))


def test_an_unknown_machine_lists_the_presets():
    compiled = torch.compile(lambda x: x + 1, backend="lpu", options={"machine": "lpu-hbm4"})
    with pytest.raises(
        Exception,
        match=r"option 'machine': unknown machine 'lpu-hbm4'; did you mean 'lpu-hbm3'.*Presets: lpu-hbm3",
    ):
        compiled(torch.ones(2))


def test_a_malformed_machine_file_names_file_line_and_key(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "tiny"\ntreez = 4\n')
    compiled = torch.compile(lambda x: x + 1, backend="lpu", options={"machine": str(path)})
    with pytest.raises(Exception, match=r"mine\.toml.*2.*treez"):
        compiled(torch.ones(2))


@pytest.mark.parametrize("name", ["my machine.toml", 'it\'s "mine".toml', "a}{b\\x41.toml"])
def test_a_machine_file_with_blanks_and_quotes(name, tmp_path):
    path = tmp_path / name
    path.write_text('base = "tiny"\nname = "mine"\n')
    options = {"machine": str(path), "fallback": "error", "dump_dir": tmp_path / "dump"}
    torch.compile(lambda x: x + 1, backend="lpu", options=options)(torch.ones(2))
    assert 'name = "mine"' in (tmp_path / "dump" / "30-lpu.mlir").read_text()


def test_a_directory_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").write_text("")
    options = {"dump_dir": tmp_path / "file" / "dump"}
    with pytest.raises(Exception, match=r"option 'dump_dir': cannot write to .*: Not a directory"):
        torch.compile(lambda x: x + 1, backend="lpu", options=options)(torch.ones(2))

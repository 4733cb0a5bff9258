"""What `--target` takes by name is listed, by the window and by `pruner targets`, without TVM."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from pruner_engine.cli.main import cli
from pruner_engine.errors import UserError
from pruner_engine.processes.child import environment
from pruner_engine.targets import Device, detect_host, named, named_targets
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target


def test_every_preset_is_listed_and_taken():
    listed = {target.name: target for target in named_targets() if not target.here}
    assert listed.keys() == load_presets().keys()
    for name, preset in load_presets().items():
        assert (listed[name].device, listed[name].kind) == (preset.profile.name, preset.profile.kind)
        for figure in ("peak_flops", "peak_flops_core", "dram_bandwidth", "dram_bandwidth_core"):
            assert getattr(listed[name].figures, figure) == getattr(preset.profile, figure)
        gpu = preset.profile.gpu
        assert listed[name].figures.tensor_flops == ((gpu.tensor_flops or None) if gpu else None)
        assert resolve_target(name).attrs["model"] == name


def test_the_first_gpu_is_cuda_and_another_needs_to_be_made_the_first(monkeypatch):
    gpus = [
        Device("cuda", name, "f", "sm_90", 132, 2048, 32, index=index) for name, index in (("H100", 1), ("H200", 3))
    ]
    monkeypatch.setattr(named, "detect_gpus", lambda: gpus)
    here = [(target.name, target.device, target.needs) for target in named_targets() if target.here]
    assert here[1:] == [("cuda", "H100", ""), ("cuda:1", "H200", "CUDA_VISIBLE_DEVICES=3")]


@pytest.mark.parametrize("text", ["{", "[]", '{"profile": 3}'])
def test_what_is_no_device_description_is_a_sentence(tmp_path, monkeypatch, text):
    (tmp_path / "pruner-studio" / "devices").mkdir(parents=True)
    (tmp_path / "pruner-studio" / "devices" / "broken.json").write_text(text)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(UserError, match=r"broken\.json is not a device description"):
        named_targets()


def test_the_terminal_lists_them():
    told = CliRunner().invoke(cli, ["targets", "--json"])
    first, *others = json.loads(told.output)["targets"]
    assert (first["name"], first["device"], first["cores"]) == ("auto", detect_host().name, detect_host().cores)
    assert {"h100", "zen4"} <= {target["name"] for target in others}
    line = next(line for line in CliRunner().invoke(cli, ["targets"]).output.splitlines() if "h100" in line)
    assert "66.9 TFLOP/s" in line and "3.35 TB/s" in line


def test_listing_does_without_tvm():
    code = "import sys; from pruner_engine.targets import named_targets as n; n(); print('tvm' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"

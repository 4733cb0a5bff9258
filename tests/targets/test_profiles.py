"""Profiles: presets as data, the micro-benchmark, and what is kept of it."""

import dataclasses
import json
import os
import time
from pathlib import Path

import msgspec
import psutil
import pytest

from pruner_engine.errors import StoppedError, UserError
from pruner_engine.jobs.commands.profiles import profile
from pruner_engine.jobs.job import JobContext
from pruner_engine.protocol import Profile
from pruner_engine.targets import benchmark_process, presets, profiling
from pruner_engine.targets.device import Device
from pruner_engine.targets.estimate import estimate
from pruner_engine.targets.microbench import _beyond_caches
from pruner_engine.targets.profile import CacheProfile, DeviceProfile
from pruner_engine.targets.profiling import keep_calibration, known_profile, measure_profile, profile_for
from pruner_engine.targets.target import device_of, resolve_target

PAPER = {  # GFLOP/s, GB/s, multiprocessors
    "k80": (8226, 480, 26),
    "t4": (8141, 320, 40),
    "titan-v": (14900, 651, 80),
    "orin": (2660, 204, 16),
    "a100-40g": (19490, 1555, 108),
    "a100-80g": (19490, 1935, 108),
}


@pytest.mark.parametrize("name", PAPER)
def test_presets_have_the_paper_s_figures(name):
    profile = profile_for(resolve_target(name))
    found = round(profile.peak_flops / 1e9), round(profile.dram_bandwidth / 1e9), profile.cores
    assert found == PAPER[name] and profile.source == "preset"


@pytest.mark.parametrize("name", [p.id for p in presets.load_presets().values() if p.profile.kind == "cpu"])
def test_an_estimate_knows_the_vector_units_of_the_presets(name):
    target, preset = resolve_target(name), presets.load_presets()[name].profile
    at_one_gigahertz = estimate(target, dataclasses.replace(device_of(target), clock_hz=1e9))
    gigahertz = preset.peak_flops_core / at_one_gigahertz.peak_flops_core
    assert 1.3 < gigahertz < 3.6
    assert at_one_gigahertz.in_order == preset.in_order


def test_every_preset_is_complete():
    loaded = presets.load_presets()
    assert {"h100", "h200", "rtx-4090", "zen3", "zen4", "sapphire-rapids", "graviton3", "apple-m1"} <= set(loaded)
    for preset in loaded.values():
        profile = preset.profile
        assert preset.source and profile.peak_flops > profile.peak_flops_core > 0
        assert (profile.gpu is not None) == (profile.kind == "cuda")
        assert profile_for(resolve_target(preset.id)).peak_flops == profile.peak_flops


def test_a_detected_gpu_is_found_by_its_name():
    target = resolve_target('{"kind":"cuda","arch":"sm_90a"}')
    gpu = Device("cuda", "NVIDIA H200", "x", "sm_90", 132, 2048, 32)
    assert presets.preset_for(target, gpu).name == "NVIDIA H200"


# multiprocessors, MHz, GB/s, TFLOP/s in float32 and of Tensor Cores, as the makers' data sheets have them
_OTHERS = {
    "NVIDIA L4": ("sm_89", 58, 2040, 300, 30.3, 121),
    "NVIDIA L40S": ("sm_89", 142, 2520, 864, 91.6, 362),
    "NVIDIA GeForce RTX 4060 Ti": ("sm_89", 34, 2535, 288, 22.1, 44),
    "NVIDIA H100 PCIe": ("sm_90", 114, 1755, 2039, 51.2, 756),
}


def profile_of(gpu, monkeypatch):
    monkeypatch.setattr(profiling, "device_of", lambda _: gpu)
    monkeypatch.setattr(benchmark_process, "module_command", lambda *_: ["false"])
    return profile_for(resolve_target(json.dumps({"kind": "cuda", "arch": gpu.arch})))


@pytest.mark.parametrize("name", _OTHERS)
def test_a_detected_gpu_is_told_from_others_of_its_generation(monkeypatch, name):
    arch, cores, megahertz, bandwidth, floats, halves = _OTHERS[name]
    clocks = {"clock_hz": megahertz * 1e6, "memory_bandwidth": bandwidth * 1e9}
    found = profile_of(Device("cuda", name, "x", arch, cores, 0, 32, **clocks), monkeypatch)
    assert (found.name, found.fingerprint, found.source, found.cores) == (name, "x", "estimated", cores)
    assert found.dram_bandwidth == bandwidth * 1e9
    assert found.peak_flops == pytest.approx(floats * 1e12, rel=0.02)
    assert found.gpu.tensor_flops == pytest.approx(halves * 1e12, rel=0.02)


def test_a_gpu_of_a_preset_whose_driver_tells_little_is_the_presets(monkeypatch):
    gpu = Device("cuda", "NVIDIA GeForce RTX 4090", "x", "sm_89", 1, 1536, 32, clock_hz=3.1e9)
    found, known = profile_of(gpu, monkeypatch), presets.load_presets()["rtx-4090"].profile
    assert (found.source, found.cores, found.peak_flops) == ("preset", 128, known.peak_flops)
    assert (found.gpu, found.caches) == (known.gpu, known.caches)


def test_a_generation_is_found_whatever_its_features():
    """sm_90a is sm_90 with the instructions of no other."""
    assert known_profile(resolve_target('{"kind":"cuda","arch":"sm_90"}')).profile.name == "NVIDIA H100 SXM"


_OF_A_MULTIPROCESSOR = ("max_threads_sm", "max_blocks_sm", "shared_memory_sm", "shared_memory_reserved", "lanes")


@pytest.mark.parametrize("name", ["t4", "titan-v", "orin", "rtx-4090", "a100-40g", "a100-80g", "h100", "h200"])
def test_an_estimate_knows_the_multiprocessors_of_the_presets(name):
    """Their limits are equal, and Tensor Cores as fast, measured against the other units, as the data sheets say."""
    profile = presets.load_presets()[name].profile
    arch = str(resolve_target(name).attrs["arch"]).rstrip("a")
    clock = profile.peak_flops_core / 2 / profile.gpu.lanes
    gpu = Device("cuda", profile.name, "x", arch, profile.cores, 0, 32, clock_hz=clock)
    estimated = estimate(resolve_target(name), gpu)
    for limit in _OF_A_MULTIPROCESSOR:
        assert getattr(estimated.gpu, limit) == getattr(profile.gpu, limit), limit
    assert estimated.peak_flops == pytest.approx(profile.peak_flops)
    assert estimated.gpu.tensor_flops == pytest.approx(profile.gpu.tensor_flops, rel=0.12)
    assert estimated.caches[0].bytes == pytest.approx(profile.caches[0].bytes, rel=0.02)


@pytest.mark.parametrize(
    ("name", "arch", "cores", "megahertz", "halves", "megabytes"),
    [
        ("NVIDIA B200", "sm_100", 148, 1860, 2250, 126.5),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "sm_120", 188, 2617, 504, 128),
        ("NVIDIA GeForce RTX 5090", "sm_120", 170, 2407, 209.5, 96),
        ("NVIDIA A10", "sm_86", 72, 1695, 125, 6),
        ("NVIDIA Thor", "sm_110", 20, 1575, 258, 32),
    ],
)
def test_an_estimate_is_what_data_sheets_say(name, arch, cores, megahertz, halves, megabytes):
    """Tensor Cores in TFLOP/s of halves that are added in float32, and the second-level cache, within a fifth."""
    gpu = Device("cuda", name, "x", arch, cores, 0, 32, clock_hz=megahertz * 1e6)
    found = estimate(resolve_target(json.dumps({"kind": "cuda", "arch": arch})), gpu)
    assert found.gpu.tensor_flops == pytest.approx(halves * 1e12, rel=0.02)
    assert found.caches[0].bytes == pytest.approx(megabytes * (1 << 20), rel=0.2)


@pytest.mark.parametrize(
    ("arch", "threads", "blocks", "kilobytes"),
    [("sm_86", 1536, 16, 100), ("sm_100", 2048, 32, 228), ("sm_110", 1536, 24, 228), ("sm_120", 1536, 24, 100)],
)
def test_what_no_preset_describes_is_estimated_from_its_generation(arch, threads, blocks, kilobytes):
    found = known_profile(resolve_target(json.dumps({"kind": "cuda", "arch": arch}))).profile
    assert found.source == "estimated" and found.gpu.tensor_flops > found.peak_flops
    assert (found.gpu.max_threads_sm, found.gpu.max_blocks_sm) == (threads, blocks)
    assert found.gpu.shared_memory_sm == kilobytes << 10


@pytest.mark.parametrize(("name", "has_it"), [("t4", False), ("orin", True), ("h100", True)])
def test_bfloat16_is_arithmetic_from_compute_capability_8_on(name, has_it):
    assert known_profile(resolve_target(name)).profile.gpu.bfloat16 == has_it


@pytest.fixture
def add_device(tmp_path, monkeypatch):
    """Writes a device description of the user's, like the shipped one of a T4 but for some fields."""
    folder = tmp_path / "pruner-studio" / "devices"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def add(name, **other):
        known = msgspec.to_builtins(presets.load_presets()["t4"]) | other
        del known["id"]
        (folder / f"{name}.json").write_text(json.dumps(known))
        presets.load_presets.cache_clear()

    yield add
    monkeypatch.undo()
    presets.load_presets.cache_clear()


def test_users_add_devices_as_data(add_device):
    add_device("my-gpu", source="mine")
    assert presets.load_presets()["my-gpu"].source == "mine"
    add_device("broken", target=3)
    with pytest.raises(UserError, match=r"broken\.json is not a device description"):
        presets.load_presets()


def test_a_users_device_that_tvm_knows_no_target_for_is_a_sentence(add_device):
    add_device("my-gpu", target={"kind": "coda"})
    with pytest.raises(UserError, match=r'"my-gpu" is not a target.*its kind "coda" is neither llvm nor cuda'):
        resolve_target("my-gpu")
    assert known_profile(resolve_target('{"kind":"cuda","arch":"sm_75"}')).profile.cores == PAPER["t4"][2]


def test_matrix_units_make_eight_times_the_products_of_vectors():
    found = profile_for(resolve_target("sapphire-rapids"))
    assert found.matrix_flops == pytest.approx(8 * found.peak_flops)
    assert profile_for(resolve_target('{"kind":"llvm","mcpu":"icelake-server"}')).matrix_flops == 0


def test_json_round_trip_and_refusal_of_foreign_json():
    target = resolve_target("auto")
    profile = estimate(target, device_of(target))
    assert DeviceProfile.from_json(json.loads(json.dumps(profile.as_json()))) == profile
    with pytest.raises(msgspec.ValidationError):
        DeviceProfile.from_json({"kind": "cpu"})


def test_the_host_is_measured_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    target = resolve_target("auto")
    profile = profile_for(target)
    assert profile.source == "measured" and profile.fingerprint == device_of(target).fingerprint
    assert 1e9 < profile.peak_flops_core <= profile.peak_flops < 1e14
    assert profile.caches[0].bandwidth_core > profile.dram_bandwidth_core > 1e8
    assert 1e-8 < profile.parallel_overhead_s < 1e-2
    (kept,) = tmp_path.rglob("*.json")
    monkeypatch.setattr(benchmark_process, "module_command", lambda *_: ["false"])
    assert profile_for(target) == profile
    kept.write_text(kept.read_text().replace(f'"cores":{profile.cores},', f'"cores":{profile.cores + 1},'))
    assert profile_for(target).source == "estimated", "it was kept of a device with other cores"
    kept.write_text("torn")
    assert profile_for(target).source == "estimated"


@pytest.mark.parametrize(("cores", "megabytes"), [(1, 128), (8, 128), (16, 256), (64, 512), (128, 1024)])
def test_what_is_read_from_memory_is_in_no_cache(cores, megabytes):
    """A processor of chiplets, each of eight cores with a cache of their own."""
    target = resolve_target("auto")
    rough = estimate(target, device_of(target))
    chiplets = dataclasses.replace(rough, caches=(CacheProfile(3, 32 << 20, 8, 0.0, 0.0),))
    assert _beyond_caches(chiplets, cores) == megabytes << 20


def test_a_micro_benchmark_that_fails_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        benchmark_process, "module_command", lambda *_: ["sh", "-c", "echo no kernel image >&2; exit 1"]
    )
    told = []
    assert profile_for(resolve_target("auto"), lambda *notice: told.append(notice)).source == "estimated"
    ((level, text, hint),) = told
    assert level == "warning" and "could not be measured" in text and text.endswith("no kernel image.")
    assert "an estimate" in hint and "pruner doctor" in hint
    monkeypatch.setattr(benchmark_process, "_LIMIT_S", 0.5)
    monkeypatch.setattr(
        benchmark_process, "module_command", lambda *_: ["sh", "-c", "echo warming up >&2; exec sleep 9"]
    )
    assert profile_for(resolve_target("auto"), lambda *notice: told.append(notice)).source == "estimated"
    _, text, _ = told[-1]
    assert "timed out" in text and text.endswith("warming up.")


def test_a_profile_from_a_busy_machine_is_measured_again_when_quiet_and_the_better_figures_win(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = resolve_target("auto")
    rough = estimate(target, device_of(target))
    slow = dataclasses.replace(rough, peak_flops=1.0, dram_bandwidth=9e12, source="measured")
    answers = iter([slow, dataclasses.replace(slow, peak_flops=5e9, dram_bandwidth=1.0)])

    def command(*_):
        path = tmp_path / "answer.json"
        path.write_text(json.dumps(next(answers).as_json()))
        return ["cat", str(path)]

    monkeypatch.setattr(benchmark_process, "module_command", command)
    monkeypatch.setattr(os, "getloadavg", lambda: (3.0, 3.0, 3.0))
    assert profile_for(target).peak_flops == 1.0
    assert profile_for(target).peak_flops == 1.0, "a busy machine is not asked twice"
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 3.0, 3.0))
    again = profile_for(target)
    assert (again.peak_flops, again.dram_bandwidth) == (5e9, 9e12)
    assert not list(Path(tmp_path).rglob("*.tmp"))


def test_a_calibration_is_kept_with_its_device(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target, other = resolve_target("t4"), resolve_target("a100-40g")
    keep_calibration(target, {"compute": 1.5, "memory": 0.7})
    assert profile_for(target).calibration == {"compute": 1.5, "memory": 0.7}
    assert profile_for(other).calibration == {}
    (kept,) = tmp_path.rglob("*.calibration.json")
    kept.write_text('{"compute": -1}')
    assert profile_for(target).calibration == {}


def test_where_no_calibration_ranks_better_none_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = resolve_target("t4")
    keep_calibration(target, {})
    keep_calibration(target, {"compute": 1.5})
    keep_calibration(target, {})
    assert profile_for(target).calibration == {}
    assert not list(tmp_path.rglob("*.calibration.json"))


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """What the micro-benchmark finds, one after another, as (peak, memory's bandwidth)."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    target = resolve_target("auto")
    rough = dataclasses.replace(estimate(target, device_of(target)), source="measured")
    waiting = []

    def command(*_):
        peak, bandwidth = waiting.pop(0)
        found = dataclasses.replace(rough, peak_flops=peak, dram_bandwidth=bandwidth)
        (tmp_path / "answer.json").write_text(json.dumps(found.as_json()))
        return ["cat", str(tmp_path / "answer.json")]

    monkeypatch.setattr(benchmark_process, "module_command", command)
    return waiting


def figures(known):
    return known.profile.peak_flops, known.profile.dram_bandwidth


def test_a_device_is_measured_when_it_is_asked_for_and_the_day_is_kept(answers, monkeypatch):
    target, begin = resolve_target("auto"), time.time()
    before = known_profile(target)
    assert before.measured_at is None and before.profile.source == "estimated" and not before.quiet
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    answers += [(5e9, 8e9), (4e9, 9e9), (3e9, 7e9)]
    assert figures(measure_profile(target)) == (5e9, 8e9)
    assert figures(measure_profile(target)) == (4e9, 9e9), "of a quiet machine the newest figures hold"
    monkeypatch.setattr(os, "getloadavg", lambda: (9.0 * before.profile.cores, 0.0, 0.0))
    assert figures(measure_profile(target)) == (4e9, 9e9), "other programs only make them worse"
    known = known_profile(target)
    assert begin <= known.measured_at <= time.time() and known.quiet and figures(known) == (4e9, 9e9)
    assert profile_for(target) == known.profile


def test_what_cannot_be_kept_is_told_and_counts_all_the_same(answers, tmp_path, monkeypatch):
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    answers.append((5e9, 8e9))
    told = []
    assert figures(measure_profile(resolve_target("auto"), on_notice=lambda *notice: told.append(notice))) == (5e9, 8e9)
    keep_calibration(resolve_target("t4"), {"compute": 1.5}, lambda *notice: told.append(notice))
    assert len(told) == 2
    for level, text, hint in told:
        assert (
            level == "warning" and text.endswith(".json cannot be kept: Not a directory.") and "XDG_CACHE_HOME" in hint
        )


def test_what_cannot_be_measured_is_a_sentence_and_leaves_what_is_kept(answers, monkeypatch):
    with pytest.raises(UserError, match="T4 is not a device of this machine"):
        measure_profile(resolve_target("t4"))
    answers.append((5e9, 8e9))
    target = resolve_target("auto")
    measure_profile(target)
    monkeypatch.setattr(
        benchmark_process, "module_command", lambda *_: ["sh", "-c", "echo no kernel image >&2; exit 1"]
    )
    with pytest.raises(UserError, match=r"(?s)could not be measured: .*no kernel image"):
        measure_profile(target)
    assert figures(known_profile(target)) == (5e9, 8e9)


def test_a_measurement_that_is_stopped_ends_its_process_says_so_and_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    started = tmp_path / "started"
    script = f"echo $$ > {started}.new; mv {started}.new {started}; exec sleep 600"
    monkeypatch.setattr(benchmark_process, "module_command", lambda *_: ["sh", "-c", script])
    job = JobContext(emit=lambda _: None)
    job.control.stop.is_set = started.exists  # stopped while it is measured
    with pytest.raises(StoppedError, match=r"It was stopped\. The same command begins anew\."):
        profile(Profile(), job)
    assert not psutil.pid_exists(int(started.read_text())) and not list(tmp_path.rglob("*.json"))


def test_a_profile_of_an_older_release_has_no_day(answers, tmp_path):
    answers.append((5e9, 8e9))
    target = resolve_target("auto")
    measure_profile(target)
    (kept,) = (tmp_path / "pruner-studio").rglob("*.json")
    stored = json.loads(kept.read_text())
    del stored["measured_at"]
    kept.write_text(json.dumps(stored))
    assert (known_profile(target).measured_at, figures(known_profile(target))) == (None, (5e9, 8e9))

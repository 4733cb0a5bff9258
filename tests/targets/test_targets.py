"""What a user may name as a target, and what comes of it."""

import dataclasses
import subprocess
import sys

import pytest
from tvm.target import Target

from pruner_engine.errors import UserError
from pruner_engine.space.rules.machine import Machine
from pruner_engine.targets import Device, cpu, detect_gpus, detect_host, named, refusal
from pruner_engine.targets import target as targets
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import (
    architecture_of,
    cpu_features,
    device_of,
    refuse_foreign,
    resolve_target,
    runs_here,
    target_json,
    threads_of,
    vector_bits_of,
)


def test_auto_is_this_host_with_its_real_features_and_all_its_cores():
    target = resolve_target("auto")
    assert target.kind.name == "llvm" and target.attrs["mcpu"]
    assert threads_of(target) == detect_host().cores
    decisive = {"avx", "avx2", "avx512f", "avx512vnni", "amx-tile", "fma"} & {*cpu_features(target)}
    assert decisive == {"avx", "avx2", "avx512f", "avx512vnni", "amx-tile", "fma"} & {*detect_host().features}
    assert device_of(target) == detect_host()


def test_what_a_hypervisor_masks_of_an_arm_core_is_not_used():
    implied = {"neon", "dotprod", "fullfp16", "sve", "bf16"}
    guest = dataclasses.replace(detect_host(), arch="aarch64", features=("bf16", "dotprod", "fullfp16", "neon"))
    assert targets.masked(guest, implied) == ["-sve"]
    assert targets.masked(dataclasses.replace(guest, features=()), implied) == [], "where nothing is told"


def test_what_a_hypervisor_masks_of_a_newer_processor_is_not_used(monkeypatch):
    """As a cluster does whose machines are to look like the oldest of them: models stay what they are."""
    monkeypatch.setattr(cpu, "_cpuinfo", lambda: {"flags": "sse4_2 avx avx2 avx512f abm bmi1 bmi2 movbe popcnt"})
    assert {"avx512vbmi", "avx512vbmi2", "gfni"} < {*cpu.lacking()} and not {"bmi2", "lzcnt"} & {*cpu.lacking()}
    monkeypatch.setattr(targets, "lacking", lambda: ["popcnt", "no-such-feature"])
    assert "popcnt" not in cpu_features(targets.host_target())


@pytest.mark.parametrize("name", ["auto", "nvidia/nvidia-a100", '{"kind":"cuda","arch":"sm_90"}', *load_presets()])
def test_a_target_survives_its_own_text(name):
    text = target_json(resolve_target(name))
    assert target_json(resolve_target(text)) == text


@pytest.mark.parametrize("name", ["nvidia/nvidia-h100", '{"kind":"cuda","arch":"sm_80"}', "t4"])
def test_cuda_targets_carry_the_limits_that_schedule_rules_ask_for(name):
    target = resolve_target(name)
    for limit in ("max_threads_per_block", "max_shared_memory_per_block", "thread_warp_size"):
        assert int(target.attrs[limit]) > 0
    assert target.host is not None and threads_of(target) == detect_host().cores


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nope",
        "[]",
        "{",
        '{"kind":"llvm","mcpu":"pentium-9000"}',
        '{"kind":"llvm","bogus":1}',
        "opencl",
        "vulkan",
        '{"kind":"llvm","num-cores":-3}',
        "cuda:\u00b2",  # a digit, and no number
        '{"kind":' * 100_000,
    ],
    ids=lambda text: text[:40],
)
def test_what_is_no_target_is_said_in_a_sentence(text):
    with pytest.raises(UserError) as refused:
        resolve_target(text)
    assert refused.value.hint and "\n" not in str(refused.value)


@pytest.mark.skipif(bool(detect_gpus()), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_said():
    with pytest.raises(UserError, match="no GPU"):
        resolve_target("cuda")


def test_another_gpu_than_the_first_is_refused_with_the_way_to_it(monkeypatch):
    gpus = [Device("cuda", "H200", "f", "sm_90", 132, 2048, 32, index=index) for index in (1, 3)]
    monkeypatch.setattr(targets, "detect_gpus", lambda: gpus)
    assert resolve_target("cuda:0").attrs["arch"] == "sm_90a"
    with pytest.raises(UserError) as refused:
        resolve_target("cuda:1")
    assert "CUDA_VISIBLE_DEVICES=3" in refused.value.hint
    with pytest.raises(UserError, match="2 found"):
        resolve_target("cuda:2")


def test_older_instruction_sets_run_here_and_foreign_devices_do_not():
    if detect_host().arch == "x86_64":
        older = resolve_target('{"kind":"llvm","mcpu":"nehalem","num-cores":1}')
        assert runs_here(older) and device_of(older) == detect_host() and threads_of(older) == 1
    foreign = resolve_target("graviton3" if detect_host().arch == "x86_64" else "zen4")
    assert not runs_here(foreign)
    assert device_of(foreign).fingerprint != detect_host().fingerprint


def test_a_processor_that_only_another_architecture_has_is_of_that():
    """A project that was tuned as "auto" on such a machine does not say so."""
    model, arch = ("neoverse-v1", "aarch64") if detect_host().arch == "x86_64" else ("znver4", "x86_64")
    found = resolve_target(f'{{"kind":"llvm","mcpu":"{model}","num-cores":2}}')
    assert architecture_of(found) == arch and not runs_here(found)
    assert target_json(resolve_target(target_json(found))) == target_json(found)
    with pytest.raises(UserError, match=f"LLVM knows no CPU .{model}. for riscv64"):
        resolve_target(f'{{"kind":"llvm","mcpu":"{model}","mtriple":"riscv64-linux-gnu"}}')


def test_kernels_of_foreign_devices_are_refused_with_what_is_missing(monkeypatch):
    refuse_foreign(resolve_target("auto"))
    other = ("graviton3", "aarch64") if detect_host().arch == "x86_64" else ("zen4", "x86_64")
    with pytest.raises(UserError, match=f"for {other[1]} cannot run"):
        refuse_foreign(resolve_target(other[0]))
    gpus = [Device("cuda", "A40", "f", "sm_86", 84, 1536, 32)]
    monkeypatch.setattr(targets, "detect_gpus", lambda: gpus)
    for own in ("sm_80", "sm_86"):
        refuse_foreign(resolve_target(f'{{"kind":"cuda","arch":"{own}"}}'))
    # machine code of another generation is not loaded, of an older one neither
    for foreign in ("sm_75", "sm_89", "sm_90a"):
        with pytest.raises(UserError, match="the GPU here is sm_86"):
            refuse_foreign(resolve_target(f'{{"kind":"cuda","arch":"{foreign}"}}'))


A40, H100 = (
    Device("cuda", name, name, arch, 84, 1536, 32, index=index)
    for index, (name, arch) in enumerate([("A40", "sm_86"), ("H100", "sm_90")])
)


def test_what_only_another_gpu_runs_is_refused_with_the_way_to_it(monkeypatch):
    monkeypatch.setattr(targets, "detect_gpus", lambda: [A40, H100])
    hopper = resolve_target("h100")
    with pytest.raises(
        UserError, match=r"the first GPU here is sm_86, and CUDA_VISIBLE_DEVICES=1 chooses one of sm_90"
    ):
        refuse_foreign(hopper)
    assert device_of(hopper).name != "H100", "kernels run on the first"
    monkeypatch.setattr(targets, "detect_gpus", lambda: [H100, A40])
    refuse_foreign(hopper)
    assert device_of(hopper) is H100


@pytest.mark.parametrize(
    ("driver", "arch", "why_not"),
    [
        (("535.183.01", (12, 2)), "sm_90", "driver 535.183.01 runs CUDA 12.2 at most, and CUDA 13 needs 580 or newer"),
        (("580.65.06", (13, 0)), "sm_70", "CUDA 13 runs on no GPU older than sm_75, and this is sm_70"),
    ],
)
def test_a_gpu_that_tvms_runtime_runs_nothing_on_is_refused_before_a_run(monkeypatch, driver, arch, why_not):
    monkeypatch.setattr(targets, "detect_gpus", lambda: [dataclasses.replace(H100, arch=arch)])
    monkeypatch.setattr(named, "detect_driver", lambda: driver)
    with pytest.raises(UserError, match=f"No kernels run on H100: .*{why_not}"):
        resolve_target("cuda")
    with pytest.raises(UserError, match=f"cannot run: .*{why_not}"):
        refuse_foreign(resolve_target(f'{{"kind":"cuda","arch":"{arch}"}}'))


@pytest.mark.skipif(detect_host().arch != "x86_64", reason="names a feature of x86")
def test_a_missing_instruction_set_is_named(monkeypatch):
    older = dataclasses.replace(detect_host(), features=())
    monkeypatch.setattr(targets, "detect_host", lambda: older)
    with pytest.raises(UserError, match=r"this processor has no .*avx2"):
        refuse_foreign(resolve_target('{"kind":"llvm","mcpu":"haswell"}'))


@pytest.mark.parametrize(
    ("cpu", "bits"), [("nehalem", 128), ("haswell", 256), ("znver3", 256), ("skylake-avx512", 512)]
)
def test_vectors_are_those_of_the_target_not_the_widest_of_its_family(cpu, bits):
    target = resolve_target(f'{{"kind":"llvm","mcpu":"{cpu}","mtriple":"x86_64-linux-gnu"}}')
    assert vector_bits_of(target) == bits == Machine.of(target).vector_bits


def test_two_targets_of_other_devices_have_two_fingerprints():
    names = [name for name, preset in load_presets().items() if preset.profile.kind == "cpu"]
    assert len({device_of(resolve_target(name)).fingerprint for name in names}) == len(names)


def test_a_target_object_needs_no_tag():
    assert '"tag"' not in target_json(Target({"kind": "llvm", "mcpu": "haswell"}))


@pytest.mark.parametrize(
    ("text", "why", "hint"),
    [
        ("foo", "no device has this name, and it is neither llvm nor cuda", "a device: a100-40g, "),
        ("", "no device has this name, and it is neither llvm nor cuda", "a device: a100-40g, "),
        ("H1000", "no device has this name, and it is neither llvm nor cuda", 'Perhaps "h100" is meant'),
        (
            "geforce-rtx-3090",
            "no device has this name, and it is neither llvm nor cuda",
            'Perhaps "nvidia/geforce-rtx-3090" is meant',
        ),
        ("nvidia/geforce-rtx-3009", "nothing has this name", 'Perhaps "nvidia/geforce-rtx-3090" is meant'),
        ("opencl", "no device has this name, and it is neither llvm nor cuda", "a device: a100-40g, "),
        ("{", "it is no JSON from its character 2 on", "Such as {"),
        ("{}", "it does not tell its kind, llvm or cuda", "Such as {"),
        ('{"kind":"lvm"}', 'its kind "lvm" is neither llvm nor cuda', "Such as {"),
        ('{"kind":"llvm","mcpuu":"x"}', 'no option is called "mcpuu"; perhaps "mcpu" is meant', "Such as {"),
        ('{"kind":"llvm","zzz":"x"}', 'no option of this kind is called "zzz"', "Such as {"),
        ('{"kind":"llvm","num-cores":"x"}', 'the value of its option "num-cores" is of the wrong kind', "Such as {"),
        ('{"kind":"llvm","mattr":"+avx2"}', 'the value of its option "mattr" is of the wrong kind', "Such as {"),
        ("llvm -mcpu=skylake", "options are given as JSON", "Such as {"),
        ("a big one", "no device has this name, and it is neither llvm nor cuda", "a device: a100-40g, "),
        ('{"kind":"cuda","arch":"foo"}', 'its option "arch" has to be such as sm_90', "Such as {"),
        ('{"kind":' * 100_000, "it is nested too deeply", "Such as {"),
        ("raspberry-pi/4b-aarch64-gpu", "nothing has this name", ""),
        ('{"tag":"foo"}', 'there is no tag "foo"', "Such as {"),
    ],
)
def test_what_is_no_target_is_told_in_a_sentence_that_names_what_is(text, why, hint):
    with pytest.raises(UserError) as refused:
        resolve_target(text)
    assert refused.value.message.startswith(f'"{text}" is not a target: {why}.') and hint in refused.value.hint
    assert "Target creation" not in refused.value.message


_LOADED = (
    "from pruner_engine.tvm_import import import_tvm; import_tvm(); from tvm.s_tir import TensorIntrin, meta_schedule;"
    "from pruner_engine.targets.target import resolve_target; target = resolve_target({!r});"
    "meta_schedule.TuneContext(target=target);"
    "print(*(TensorIntrin.get(name, allow_missing=True) is not None for name in {}))"
)
_INSTRUCTIONS = [
    "dot_16x4_vnni",
    "dot_4x4_i8i8s32_sdot",
    "wmma_sync_16x16x16_f16f16f32",
    "wmma_sync_16x16x16_bf16bf16f32",
]


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("zen4", "True False False False"),
        ("graviton3", "False True False False"),
        ('{"kind":"cuda","arch":"sm_90"}', "False False True True"),
    ],
)
def test_a_process_reads_the_instructions_of_its_target_and_no_others(name, has):
    command = [sys.executable, "-c", _LOADED.format(name, _INSTRUCTIONS)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert told.stdout.strip() == has, told.stderr


@pytest.mark.parametrize("known", ["llvm", "Zen4", "nvidia/nvidia-a100", '{"kind":"llvm","mcpu":"haswell"}', " cpu "])
def test_what_is_a_target_is_not_refused_without_tvm(known):
    assert resolve_target(known) and refusal(known) is None


@pytest.mark.parametrize(
    "text",
    ["nope", "opencl", "LLVM", "llvm -x", "my cpu", "[]", "{", '{"kind":"opencl"}', '{"a":1}', "cuda:99"],
)
def test_what_is_refused_without_tvm_is_no_target(text):
    with pytest.raises(UserError) as raised:
        resolve_target(text)
    refused = refusal(text)
    assert refused and refused.hint and refused.message.split(":")[0] == raised.value.message.split(":")[0]

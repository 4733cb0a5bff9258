"""From what a user names to a TVM target."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, Literal

import tvm
from tvm.target import Target, codegen, list_tags

from pruner_engine.errors import UserError
from pruner_engine.lowering.generations import generation
from pruner_engine.lowering.tensor_intrinsics import load_tensor_intrinsics
from pruner_engine.targets.cpu import ARM_FEATURES, X86_FEATURES, detect_host, lacking, vector_bits
from pruner_engine.targets.device import COMMON_CACHES, Device, architecture, fingerprint
from pruner_engine.targets.gpu import detect_gpus
from pruner_engine.targets.misnamed import OF_A_GPU, OF_THIS_CPU, no_target, why_not, why_not_for_tvm
from pruner_engine.targets.named import ELSEWHERE, first_gpu, why_no_gpu_runs
from pruner_engine.targets.presets import load_presets
from pruner_engine.tvm_import import import_tvm

# what design-space generation asks for and every NVIDIA GPU since Volta has
_CUDA = {
    "max_threads_per_block": 1024,
    "max_num_threads": 1024,
    "thread_warp_size": 32,
    "max_shared_memory_per_block": 49152,
    "registers_per_block": 65536,
}
_DECIDING = {*X86_FEATURES, *ARM_FEATURES}  # LLVM lists many more, which kernels do not use
_TRIPLES = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}


def resolve_target(text: str) -> Target:
    """The TVM target that `text` names, ready to apply schedules for it.

    Args:
        text: "auto" or "cpu" for this host's CPU, "cuda" or "cuda:0" for the first detected GPU, the name of a device
            preset (such as "h100"), a TVM tag (such as "nvidia/nvidia-a100"), a target kind, or a target as JSON.

    Raises:
        UserError: nothing of that name is known, or the JSON is not a target for a CPU or an NVIDIA GPU.
    """
    import_tvm()  # in a program that uses the engine as a library nobody else has
    target = _named(text)
    load_tensor_intrinsics(target)
    return target


def _named(text: str) -> Target:
    name = text.strip()
    if name in OF_THIS_CPU:
        return host_target()
    if name.partition(":")[0] in OF_A_GPU:
        return gpu_target(first_gpu(name, detect_gpus()))
    presets = load_presets()
    if why := why_not(name, presets):
        raise no_target(text, why, presets, _tags())
    preset = presets.get(name.lower())
    try:
        return _build(preset.target if preset else json.loads(name) if name.startswith("{") else name)
    except ValueError as error:
        raise no_target(text, why_not_for_tvm(name, error), presets, _tags()) from error


def _tags() -> list[str]:
    """What TVM calls targets that can be tuned for."""
    return [tag for tag in map(str, list_tags()) if tag.startswith("nvidia/")]


def host_target() -> Target:
    """This host's CPU: LLVM's name of it, the features it really has, all cores that may be used."""
    host = detect_host()
    mcpu = codegen.llvm_get_system_cpu()
    config: dict[str, Any] = {"kind": "llvm", "mcpu": mcpu, "num-cores": host.cores}
    implied = codegen.llvm_get_cpu_features(Target(config))
    if mattr := [*masked(host, implied), *(f"-{feature}" for feature in lacking() if feature in implied)]:
        config["mattr"] = mattr
    return Target(config)


def masked(host: Device, implied: Collection[str]) -> list[str]:
    """What a CPU has or lacks against what its model implies, as LLVM's attributes.

    LLVM guesses the model; hypervisors mask models and features, so the kernel's list decides, where there is one.
    """
    known = X86_FEATURES if host.arch == "x86_64" else ARM_FEATURES if "neon" in host.features else ()
    return [("+" if f in host.features else "-") + f for f in known if (f in host.features) != (f in implied)]


def gpu_target(gpu: Device) -> Target:
    """The target of a detected GPU."""
    return _with_defaults({"kind": "cuda", "arch": gpu.arch + ("a" if gpu.arch == "sm_90" else "")})


def target_json(target: Target) -> str:
    """The target as canonical JSON text: equal targets give equal text, and `resolve_target` reads it."""
    return json.dumps(_plain(target.export()), sort_keys=True, separators=(",", ":"))


def threads_of(target: Target) -> int:
    """Threads that a kernel of this target runs with on its host."""
    return int(cpu_of(target).attrs.get("num-cores", 0)) or detect_host().cores


def device_kind(target: Target) -> Literal["cpu", "cuda"]:
    """What the target's kernels run on."""
    return "cpu" if target.kind.name == "llvm" else "cuda"


def cpu_of(target: Target) -> Target:
    """The CPU side: the target itself, or the host of a GPU's."""
    return target.host if target.kind.name != "llvm" and target.host is not None else target


def cpu_features(target: Target) -> tuple[str, ...]:
    """LLVM's names of the instruction-set features that kernels of this target may use on the CPU side, sorted."""
    return tuple(sorted(str(f) for f in codegen.llvm_get_cpu_features(cpu_of(target))))


def vector_bits_of(target: Target) -> int:
    """Width of the widest vector registers of the CPU side; TVM's own answer is 512 for every x86-64."""
    return vector_bits(cpu_features(target))


def device_of(target: Target) -> Device:
    """The detected device that runs this target, or a stand-in that only knows what the target says.

    The stand-in's fingerprint is the target's own, so that its rows are never taken for this host's.
    """
    if target.kind.name == "llvm":
        return detect_host() if runs_here(target) else _stand_in(target)
    first = detect_gpus()[:1]  # which kernels run on
    same = (gpu for gpu in first if str(target.attrs.get("arch", "")).rstrip("a") == gpu.arch)
    return next(same, None) or _stand_in(target)


def runs_here(target: Target) -> bool:
    """Whether this host's CPU can run kernels of an llvm target, and is not another's preset.

    An older instruction set of it counts.
    """
    return not target.attrs.get("model") and not why_not_here(target)


def refuse_foreign(target: Target) -> None:
    """Raises UserError where no device of this machine runs kernels of the target."""
    if why_not := why_not_here(target):
        raise UserError(why_not, ELSEWHERE)


def why_not_here(target: Target) -> str:
    """Why kernels of the target cannot run here, in a sentence; empty where they can."""
    host, name = detect_host(), str(target.attrs.get("model") or target.attrs.get("mcpu") or target.kind.name)
    if target.kind.name != "llvm":
        arch = str(target.attrs.get("arch", ""))
        return why_no_gpu_runs(arch or name, detect_gpus(), lambda gpu: _loads(arch, gpu.arch))
    if not is_of_this_architecture(target):
        return f"Kernels for {architecture_of(target)} cannot run on this {host.arch} processor."
    missing = sorted(set(cpu_features(target)) & _DECIDING - set(host.features))
    return f"Kernels for {name} cannot run: this processor has no {', '.join(missing)}." if missing else ""


def is_of_this_architecture(target: Target) -> bool:
    """Whether code for the target's CPU side is of this machine's kind."""
    return architecture_of(target) == detect_host().arch


def architecture_of(target: Target) -> str:
    """Architecture of the target's CPU side, as a `Device` tells it: x86_64, aarch64."""
    return architecture(str(cpu_of(target).attrs.get("mtriple", ""))) or detect_host().arch


def _loads(wanted: str, here: str) -> bool:
    """Whether a GPU loads machine code of an architecture: of its own generation and no later, with an "a" its own."""
    code, gpu = generation(wanted), generation(here)
    return code == gpu or (code // 10 == gpu // 10 and code < gpu and not wanted.endswith("a"))


def _stand_in(target: Target) -> Device:
    arch = str(target.attrs.get("arch") or target.attrs.get("mcpu") or target.kind.name)
    cpu = target.kind.name == "llvm"
    return Device(
        kind="cpu" if cpu else "cuda",
        name=str(target.tag or arch),
        fingerprint=fingerprint(target_json(target)),
        arch=arch,
        cores=threads_of(target) if cpu else 80,
        threads=threads_of(target) if cpu else 2048,
        vector_bits=vector_bits_of(target) if cpu else 32,
        caches=COMMON_CACHES if cpu else (),
    )


def _build(config: str | dict[str, Any]) -> Target:
    attrs = _plain(Target(config).export())
    if attrs["kind"] not in ("llvm", "cuda"):
        raise ValueError(f'kind "{attrs["kind"]}" cannot be tuned, only llvm and cuda can')
    triple = attrs.get("mtriple") or _TRIPLES.get(detect_host().arch, "")
    if "mcpu" in attrs and triple and not codegen.llvm_is_valid_cpu(attrs["mcpu"], triple):
        other = next((t for t in _TRIPLES.values() if codegen.llvm_is_valid_cpu(attrs["mcpu"], t)), None)
        if "mtriple" in attrs or other is None:
            raise ValueError(f'LLVM knows no CPU "{attrs["mcpu"]}" for {triple}')
        attrs["mtriple"] = other  # a project's "auto" that was tuned on such a machine
    if int(attrs.get("num-cores", 1)) < 1:
        raise ValueError(f"num-cores is {attrs['num-cores']}, and a CPU has one at least")
    return _with_defaults(attrs)


def _with_defaults(attrs: dict[str, Any]) -> Target:
    """The target with what tuning needs filled in: cores of a CPU, limits and host of a GPU."""
    if attrs["kind"] == "llvm":
        return Target({"num-cores": detect_host().cores, **attrs})
    target = Target({**_CUDA, **attrs})
    return target if target.host is not None else Target(target, host=host_target())


def _plain(value: Any) -> Any:
    """TVM's containers as plain JSON values, empty tags left out."""
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "items"):
        return {str(k): _plain(v) for k, v in value.items() if (k, v) != ("tag", "")}
    if isinstance(value, (list, tuple, tvm.ir.Array)):
        return [_plain(v) for v in value]
    return value

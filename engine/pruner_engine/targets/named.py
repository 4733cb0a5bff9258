"""The names that `--target` takes: the devices of this machine and the presets; found without TVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pruner_engine.errors import UserError
from pruner_engine.lowering.generations import generation
from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.device import Device
from pruner_engine.targets.gpu import CUDA, DRIVER, GENERATION, detect_driver, detect_gpus
from pruner_engine.targets.misnamed import OF_A_GPU, no_target, why_not
from pruner_engine.targets.preset_files import preset_files, read_preset

ELSEWHERE = "Measure on a device that can, with --rpc and --key (`pruner serve` lends one), or tune for auto."


@dataclass(frozen=True)
class Figures:
    """What a device can do at best, by its data sheet: float32 operations and bytes a second, of all cores and of one.

    `tensor_flops` are those of a GPU's Tensor Cores, None without.
    """

    peak_flops: float
    peak_flops_core: float
    dram_bandwidth: float
    dram_bandwidth_core: float
    tensor_flops: float | None = None


@dataclass(frozen=True)
class NamedTarget:
    """A device, and the name that `--target` takes for it.

    Attributes:
        name: as given for `--target`.
        device: the maker's name of it.
        kind: cpu or cuda.
        cores: physical cores, or multiprocessors of a GPU.
        here: detected on this machine; of the others, kernels are measured here only where a device runs them.
        needs: what must be set in the environment before it is the GPU that kernels run on; empty where it is.
        figures: of a preset; those of a device that is here are measured.
    """

    name: str
    device: str
    kind: Literal["cpu", "cuda"]
    cores: int
    here: bool = True
    needs: str = ""
    figures: Figures | None = None


@dataclass(frozen=True)
class _Gpu:
    tensor_flops: float = 0.0


@dataclass(frozen=True)
class _Profile:
    name: str
    kind: Literal["cpu", "cuda"]
    cores: int
    peak_flops: float
    peak_flops_core: float
    dram_bandwidth: float
    dram_bandwidth_core: float
    gpu: _Gpu | None = None

    @property
    def figures(self) -> Figures:
        tensor = self.gpu.tensor_flops if self.gpu else 0.0
        return Figures(
            self.peak_flops, self.peak_flops_core, self.dram_bandwidth, self.dram_bandwidth_core, tensor or None
        )


@dataclass(frozen=True)
class _Preset:
    """As much of a device description as tells it from others."""

    id: str
    profile: _Profile


def named_targets() -> list[NamedTarget]:
    """The CPU of this machine, its NVIDIA GPUs, then the presets.

    Raises:
        UserError: a file of the user's is not a device description.
    """
    host = detect_host()
    here = [NamedTarget("auto", host.name, "cpu", host.cores)]
    for place, gpu in enumerate(detect_gpus()):
        name, needs = (f"cuda:{place}", f"CUDA_VISIBLE_DEVICES={gpu.index}") if place else ("cuda", "")
        here.append(NamedTarget(name, gpu.name, "cuda", gpu.cores, needs=needs))
    presets = (read_preset(path, _Preset) for path in preset_files().values())
    return here + [
        NamedTarget(p.id, p.profile.name, p.profile.kind, p.profile.cores, here=False, figures=p.profile.figures)
        for p in presets
    ]


def refusal(text: str, *, on_boards: bool = False) -> UserError | None:
    """Why a run for what a user names would be refused, as far as that is known without TVM; None where it may go.

    Args:
        on_boards: boards measure, and not this machine.
    """
    name, presets, gpus = text.strip(), preset_files(), detect_gpus()
    if why := why_not(text, presets):
        return no_target(text, why, presets)
    try:
        if name.partition(":")[0] in OF_A_GPU:
            first_gpu(name, gpus)
        path = None if gpus or on_boards else presets.get(name.lower())
        if path and read_preset(path, _Preset).profile.kind == "cuda":
            return UserError(why_no_gpu_runs(name, gpus), ELSEWHERE)
    except UserError as error:
        return error
    return None


def first_gpu(name: str, gpus: Sequence[Device]) -> Device:
    """The GPU that kernels run on, which "cuda" and "cuda:0" name.

    Raises:
        UserError: it is not there, or is not the one that is named.
    """
    index = name.partition(":")[2] or "0"
    if index not in map(str, range(len(gpus))):
        found = f"{len(gpus)} found" if gpus else "no NVIDIA driver answers on this machine"
        raise UserError(
            f'There is no GPU "{name}": {found}.',
            'Name its architecture instead, such as {"kind":"cuda","arch":"sm_90"}.',
        )
    if int(index):
        raise UserError(
            f'"{name}" is not the GPU that kernels would run on: that is always the first.',
            f'Set CUDA_VISIBLE_DEVICES={gpus[int(index)].index} and use "cuda".',
        )
    if why := why_runs_nothing(gpus[0]):
        raise UserError(f"No kernels run on {gpus[0].name}: {why}.", "`pruner doctor` tells what is there.")
    return gpus[0]


def why_no_gpu_runs(what: str, gpus: Sequence[Device], fits: Callable[[Device], bool] = lambda _: False) -> str:
    """Why kernels for something do not run on the first of these GPUs; empty where they do.

    Args:
        fits: whether a GPU loads them.
    """
    if not gpus:
        here = "no NVIDIA driver answers here"
    elif why_not := why_runs_nothing(gpus[0]):
        here = why_not
    elif fits(gpus[0]):
        return ""
    elif other := next(filter(fits, gpus), None):
        here = (
            f"the first GPU here is {gpus[0].arch}, and CUDA_VISIBLE_DEVICES={other.index} chooses one of {other.arch}"
        )
    else:
        here = f"the GPU here is {gpus[0].arch}"
    return f"Kernels for {what} cannot run: {here}."


def why_runs_nothing(gpu: Device) -> str:
    """Why TVM's runtime runs no kernel on a GPU of this machine, whatever it was made for; empty where it may."""
    driver, newest = detect_driver()
    if (0, 0) < newest < CUDA:
        return (
            f"the NVIDIA driver {driver} runs CUDA {newest[0]}.{newest[1]} at most, and CUDA 13 needs {DRIVER} or newer"
        )
    if generation(gpu.arch) < GENERATION:
        return f"CUDA 13 runs on no GPU older than sm_{GENERATION}, and this is {gpu.arch}"
    return ""

"""The names that `--target` takes: the devices of this machine and the presets; found without TVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pruner_engine.targets.cpu import detect_host
from pruner_engine.targets.gpu import detect_gpus
from pruner_engine.targets.preset_files import preset_files, read_preset


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

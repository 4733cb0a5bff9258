"""Devices as data: shipped ones, and the user's own in the configuration folder."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

from tvm.target import Target

from pruner_engine.lowering.generations import generation
from pruner_engine.targets.device import Device
from pruner_engine.targets.multiprocessors import multiprocessor
from pruner_engine.targets.preset_files import preset_files, read_preset
from pruner_engine.targets.profile import CacheProfile, DeviceProfile, GpuLimits


@dataclass(frozen=True)
class Preset:
    """A known device.

    Attributes:
        id: short name, as given for `--target`.
        target: TVM target as a mapping.
        source: where the figures come from.
        profile: the figures.
        matches: lower-case parts of a detected GPU's name that say it is this one.
    """

    id: str
    target: dict[str, Any]
    source: str
    profile: DeviceProfile
    matches: tuple[str, ...] = ()


@functools.cache
def load_presets() -> dict[str, Preset]:
    """All presets by id; the user's own replace shipped ones of the same id.

    Raises:
        UserError: a file of the user's is not a device description.
    """
    return {name: read_preset(path, Preset) for name, path in preset_files().items()}


def preset_for(target: Target, device: Device) -> DeviceProfile | None:
    """The preset that the target was made from, else of a GPU of that name, else of one of that generation."""
    presets = load_presets()
    if named := presets.get(str(target.attrs.get("model", ""))):
        return named.profile
    if target.kind.name != "cuda":
        return None
    gpus = [p for p in presets.values() if p.profile.kind == "cuda"]
    alike = [p for p in gpus if any(text in device.name.lower() for text in p.matches)]
    wanted = generation(str(target.attrs.get("arch", "")))
    same = [p for p in gpus if generation(str(p.target.get("arch", ""))) == wanted]
    return next((p.profile for p in alike + same), None)


def on_device(profile: DeviceProfile, gpu: Device) -> DeviceProfile:
    """A preset for a detected GPU, which may be a smaller or larger one of the same name or architecture.

    What a multiprocessor does in a cycle stays, what all of them do or share goes with their number.
    """
    limits = profile.gpu or GpuLimits()
    cores = gpu.cores if gpu.cores > 1 else profile.cores  # 1: the driver does not tell
    share = cores / profile.cores
    clock = profile.peak_flops_core / (2 * limits.lanes)
    # a driver tells the highest clock, which lasts no longer than a moment where it is above the data sheet's
    slower = min(1.0, round(gpu.clock_hz / clock, 2)) if gpu.clock_hz else 1.0
    number = generation(gpu.arch)
    halves = multiprocessor(number, gpu.name).halves / multiprocessor(number, profile.name).halves
    memory = gpu.memory_bandwidth or profile.dram_bandwidth * share

    def sized(cache: CacheProfile) -> CacheProfile:
        whole = cache.shared_by >= profile.cores
        size, sharers = (round(cache.bytes * share), cores) if whole else (cache.bytes, cache.shared_by)
        return replace(cache, bytes=size, shared_by=sharers, bandwidth=cache.bandwidth * share)

    return replace(
        profile,
        name=gpu.name,
        fingerprint=gpu.fingerprint,
        source=profile.source if share == slower == 1 else "estimated",
        cores=cores,
        peak_flops=profile.peak_flops * share * slower,
        peak_flops_core=profile.peak_flops_core * slower,
        caches=tuple(map(sized, profile.caches)),
        dram_bandwidth=memory,
        dram_bandwidth_core=min(memory, memory / cores * 4),
        gpu=replace(limits, tensor_flops=limits.tensor_flops * share * slower * halves),
    )

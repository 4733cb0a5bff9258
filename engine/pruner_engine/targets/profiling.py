"""The best known profile of a target's device: measured here and kept, or a preset, or an estimate; its calibration."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec
from tvm.target import Target

from pruner_engine.errors import UserError, first_words
from pruner_engine.lowering.generations import FIRST_WITH_BFLOAT16, generation
from pruner_engine.lowering.words.products import BYTES
from pruner_engine.lowering.words.tile_nests import TILE_RATE, multiplies_tiles
from pruner_engine.notices import OnNotice, logged
from pruner_engine.processes.bystanders import is_quiet
from pruner_engine.targets.benchmark_process import FAILURES, measured, reason
from pruner_engine.targets.estimate import estimate
from pruner_engine.targets.kept_files import keep, kept_file, read_kept
from pruner_engine.targets.presets import on_device, preset_for
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.target import device_of, runs_here

ANALYZER = "2"  # counted up with a change of the analyzer's time components or of their meaning
_DEVICES_HERE = "`pruner targets` lists what is here."
_CHECK = "`pruner doctor` checks whether kernels run here."
_Factor = Annotated[float, msgspec.Meta(gt=0)]


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    """A measured profile in the cache; quiet: nothing else worked while it was measured."""

    profile: DeviceProfile
    quiet: bool
    measured_at: float | None = None  # an older release did not say


@dataclass(frozen=True)
class KnownProfile:
    """What is known of a device now.

    Attributes:
        profile: its figures.
        measured_at: when they were measured, in seconds of the epoch; None where they were not, or nobody noted it.
        quiet: nothing else worked meanwhile.
    """

    profile: DeviceProfile
    measured_at: float | None = None
    quiet: bool = False


def profile_for(target: Target, on_notice: OnNotice = logged) -> DeviceProfile:
    """The profile of the device that runs `target`.

    A CPU or GPU of this host is measured once (some seconds) and kept in the user's cache. A profile that was measured
    while other programs worked is measured again when they do not, and the better of each figure is kept. Other devices
    are looked up among the presets, else estimated. All come with the calibration that was kept for them.

    Args:
        on_notice: told where it cannot be measured, so that it is estimated, or cannot be kept.
    """
    return _for_target(_uncalibrated(target, on_notice), target)


def keep_calibration(target: Target, factors: dict[str, float], on_notice: OnNotice = logged) -> None:
    """Keep the draft's calibration with the device, for later runs; a read-only home costs only that.

    Args:
        factors: empty where no calibration ranks better: what was kept before is given up.
        on_notice: told where that cannot be.
    """
    file = _calibration_file(target)
    if factors:
        keep(file, factors, on_notice)
        return
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        on_notice(
            "warning", f"{file} cannot be removed: {first_words(error)}.", "Remove it: the draft is better off without."
        )


def known_profile(target: Target) -> KnownProfile:
    """The profile that is kept of the target's device, or its preset or estimate: nothing is measured."""
    rough, measurable = _rough(target)
    kept = _kept(target, rough) if measurable else None
    return _known(kept or _Kept(rough, quiet=False), target)


def measure_profile(
    target: Target, stopped: Callable[[], bool] = lambda: False, on_notice: OnNotice = logged
) -> KnownProfile:
    """Measure the target's device now and keep what comes of it, whatever was kept before.

    While other programs work, the better of each figure is kept: they only make figures worse.

    Args:
        stopped: whether nobody waits for it any more.
        on_notice: told where it cannot be kept.

    Raises:
        StoppedError: nobody does.
        UserError: the device is not here, or the micro-benchmark does not work on it.
    """
    rough, measurable = _rough(target)
    if not measurable:
        raise UserError(f"{rough.name} is not a device of this machine: it cannot be measured here.", _DEVICES_HERE)
    kept, quiet = _kept(target, rough), is_quiet(rough.cores)
    try:
        profile = measured(target, rough, stopped)
    except FAILURES as error:
        raise UserError(f"{rough.name} could not be measured: {reason(error)}.", _CHECK) from error
    if kept and not quiet:
        profile = _better(profile, kept.profile)
    kept = _Kept(profile, quiet or (kept is not None and kept.quiet), time.time())
    keep(_profile_file(target), kept, on_notice)
    return _known(kept, target)


def _known(kept: _Kept, target: Target) -> KnownProfile:
    return KnownProfile(_for_target(kept.profile, target), kept.measured_at, kept.quiet)


def _for_target(profile: DeviceProfile, target: Target) -> DeviceProfile:
    """The profile with what the target names, limits of a block and matrix units, and the device's calibration."""
    limits = profile.gpu and replace(
        profile.gpu,
        max_threads_block=int(target.attrs["max_threads_per_block"]),
        shared_memory_block=int(target.attrs["max_shared_memory_per_block"]),
        bfloat16=generation(str(target.attrs["arch"])) >= FIRST_WITH_BFLOAT16,
    )
    # while vectors make two multiplications and additions a cycle
    matrix = profile.peak_flops * TILE_RATE / (2 * profile.lanes) if multiplies_tiles(target, BYTES) else 0.0
    calibration = read_kept(_calibration_file(target), dict[str, _Factor]) or {}
    return replace(profile, gpu=limits, matrix_flops=matrix, calibration=calibration)


def _uncalibrated(target: Target, on_notice: OnNotice) -> DeviceProfile:
    rough, measurable = _rough(target)
    return _measured(target, rough, on_notice) if measurable else rough


def _rough(target: Target) -> tuple[DeviceProfile, bool]:
    """What is known of a device without running anything, and whether it is here, so that it can be measured."""
    device = device_of(target)
    if target.kind.name == "llvm" and runs_here(target):
        return estimate(target, device), True
    detected = device.kind == "cuda" and device.clock_hz > 0
    preset = preset_for(target, device)
    if preset:
        preset = on_device(preset, device) if detected else replace(preset, fingerprint=device.fingerprint)
    return preset or estimate(target, device), detected


def _kept(target: Target, rough: DeviceProfile) -> _Kept | None:
    found = read_kept(_profile_file(target), _Kept)
    if found and _parts(found.profile) != _parts(rough):  # what is known of the device, not measured, was another then
        return None
    return found


def _measured(target: Target, rough: DeviceProfile, on_notice: OnNotice) -> DeviceProfile:
    kept, quiet = _kept(target, rough), is_quiet(rough.cores)
    if kept and (kept.quiet or not quiet):
        return kept.profile
    try:
        profile = measured(target, rough)
    except FAILURES as error:
        if kept:
            on_notice(
                "warning",
                f"{rough.name} could not be measured again: {reason(error)}.",
                f"Earlier figures of it count. {_CHECK}",
            )
            return kept.profile
        on_notice(
            "warning",
            f"{rough.name} could not be measured: {reason(error)}.",
            f"The draft reckons with an estimate. {_CHECK}",
        )
        return rough
    if kept:
        profile = _better(profile, kept.profile)
    keep(_profile_file(target), _Kept(profile, quiet, time.time()), on_notice)
    return profile


def _parts(profile: DeviceProfile) -> tuple[int, list[tuple[int, int]]]:
    """The cores, and how large each cache is and how many of them share it; a GPU tells its cache's size as it runs."""
    sizes = [0 if profile.gpu else cache.bytes for cache in profile.caches]
    return profile.cores, [(size, cache.shared_by) for size, cache in zip(sizes, profile.caches, strict=True)]


def _better(a: DeviceProfile, b: DeviceProfile) -> DeviceProfile:
    """The faster of each figure: disturbances only make measurements slower."""
    caches = tuple(
        replace(x, bandwidth_core=max(x.bandwidth_core, y.bandwidth_core), bandwidth=max(x.bandwidth, y.bandwidth))
        for x, y in zip(a.caches, b.caches, strict=True)
    )
    return replace(
        a,
        peak_flops=max(a.peak_flops, b.peak_flops),
        peak_flops_core=max(a.peak_flops_core, b.peak_flops_core),
        caches=caches,
        dram_bandwidth=max(a.dram_bandwidth, b.dram_bandwidth),
        dram_bandwidth_core=max(a.dram_bandwidth_core, b.dram_bandwidth_core),
        parallel_overhead_s=min(a.parallel_overhead_s, b.parallel_overhead_s),
    )


def _profile_file(target: Target) -> Path:
    """One file for each device and target; a change of what a profile holds gives another name."""
    return kept_file(target, json.dumps(msgspec.json.schema(DeviceProfile)), "")


def _calibration_file(target: Target) -> Path:
    """A change of what the analyzer reckons with gives other components, or needs other factors of them."""
    return kept_file(target, ANALYZER, ".calibration")

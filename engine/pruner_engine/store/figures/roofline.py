"""The roofline of a device and the places of kernels under it: plain figures over rows of the project file.

Intensity is floating-point operations over *compulsory* bytes, every argument moved once. Each argument comes from the
nearest level of memory that holds all that is touched between two uses of it: by the kernel alone where a run measures
with warm caches, by the rest of an inference otherwise (tasks/reuse.py). A kernel's roof is the lower of the peak and
of what the slowest level allows, given the bytes that come from it or through it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from pruner_engine.caches import Caches
from pruner_engine.store.file.read_only import Row

_MATRIX, _OPERANDS = 2, 2  # axes of a matrix, matrices of a product
_DOUBTFUL = 1.25  # times the peak: measurements of quiet machines err by half of it


@dataclass(frozen=True)
class Ceiling:
    """One roof: "peak" with FLOP/s, or a memory level such as "L2" or "DRAM" with bytes a second."""

    name: str
    per_second: float


@dataclass(frozen=True)
class Place:
    """The place of a kernel under the roofline.

    Attributes:
        intensity: FLOP per byte of its arguments.
        roof: FLOP/s that the device allows at this intensity.
        bound: what sets the roof: "peak" or a memory level.
    """

    intensity: float
    roof: float
    bound: str


def ceilings(profile: Row) -> list[Ceiling]:
    """The roofs of a device profile (JSON), the peak first, then memory from the nearest level on; [] without one."""
    if not profile.get("peak_flops"):
        return []
    levels = [Ceiling(f"L{cache['level']}", cache["bandwidth"]) for cache in _caches(profile)]
    return [Ceiling("peak", profile["peak_flops"]), *levels, Ceiling("DRAM", profile["dram_bandwidth"])]


def place(task: Row, profile: Row, caches: Caches) -> Place | None:
    """A task (its row, with `flops` and `shapes`) under the roofline; None without a profile or without operations.

    Args:
        caches: what the calls of its kernel find in them.
    """
    roofs = ceilings(profile)
    sizes = [_bytes(spec) for spec in task["shapes"]]
    moved = sum(sizes)
    if not roofs or not moved or not task["flops"]:
        return None
    touched = [max(moved, spec.get("reuse", 0) if caches == "network" else 0) for spec in task["shapes"]]
    peak = _peak(task["shapes"], profile)
    best = Place(task["flops"] / moved, peak, "peak")
    room = {f"L{cache['level']}": cache["bytes"] * _instances(cache, profile) for cache in _caches(profile)}
    nearer = 0
    for level in roofs[1:]:
        passing = sum(size for size, between in zip(sizes, touched, strict=True) if between > nearer)
        allowed = task["flops"] / passing * level.per_second if passing else math.inf
        if allowed < best.roof:
            best = Place(best.intensity, allowed, level.name)
        nearer = max(nearer, room.get(level.name, 0))
    return best


def above_the_peak(tasks: list[Row]) -> list[Row]:
    """Tasks whose best schedule computes more than the device is said to be able to: its profile is too low."""
    return [task for task in tasks if task["bound"] == "peak" and (task["roof_share"] or 0.0) > _DOUBTFUL]


def _bytes(spec: Row) -> int:
    """Of an argument."""
    return math.prod(spec["shape"]) * _width(spec["dtype"])


def _width(dtype: str) -> int:
    digits = re.search(r"\d+", dtype)
    return max(1, int(digits[0]) // 8) if digits else 1


def _caches(profile: Row) -> list[Row]:
    return sorted(profile["caches"], key=lambda cache: cache["level"])


def _instances(cache: Row, profile: Row) -> int:
    """How many of the cache serve the device's cores."""
    return max(1, profile["cores"] // max(1, cache["shared_by"]))


def _peak(shapes: list[Row], profile: Row) -> float:
    """Tensor Cores count for kernels that read half precision, a CPU's matrix units for those that multiply words."""
    tensor = (profile.get("gpu") or {}).get("tensor_flops") or 0.0
    half = any(spec["dtype"] in ("float16", "bfloat16") for spec in shapes)
    words = sum(spec["dtype"] == "int32" and len(spec["shape"]) >= _MATRIX for spec in shapes) >= _OPERANDS
    return max(profile["peak_flops"], tensor if half else 0.0, profile.get("matrix_flops", 0.0) if words else 0.0)

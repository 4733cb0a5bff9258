"""The roofline of a device and the places of kernels under it: plain figures over rows of the project file.

Intensity is floating-point operations over *compulsory* bytes, every argument moved once. A kernel's roof is the lower
of the peak and of intensity times the bandwidth of the nearest level of memory that holds all its arguments, because
measurements run on warm caches.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

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
        rate: FLOP/s achieved; None where nothing is measured.
        roof: FLOP/s that the device allows at this intensity.
        bound: what sets the roof: "peak" or a memory level.
    """

    intensity: float
    rate: float | None
    roof: float
    bound: str

    @property
    def share(self) -> float | None:
        """Achieved over allowed."""
        return None if self.rate is None else self.rate / self.roof


def ceilings(profile: Row) -> list[Ceiling]:
    """The roofs of a device profile (JSON), the peak first, then memory from the nearest level on; [] without one."""
    if not profile.get("peak_flops"):
        return []
    levels = [Ceiling(f"L{cache['level']}", cache["bandwidth"]) for cache in _caches(profile)]
    return [Ceiling("peak", profile["peak_flops"]), *levels, Ceiling("DRAM", profile["dram_bandwidth"])]


def place(task: Row, profile: Row, seconds: float | None) -> Place | None:
    """A task (its row, with `flops` and `shapes`) under the roofline; None without a profile or without operations.

    Args:
        seconds: of one call; None where nothing is measured.
    """
    roofs = ceilings(profile)
    moved = argument_bytes(task["shapes"])
    if not roofs or not moved or not task["flops"]:
        return None
    intensity = task["flops"] / moved
    held = (cache for cache in _caches(profile) if moved <= cache["bytes"] * _instances(cache, profile))
    nearest = next((f"L{cache['level']}" for cache in held), "DRAM")
    memory = next(roof for roof in roofs if roof.name == nearest)
    peak = _peak(task["shapes"], profile)
    allowed = intensity * memory.per_second
    rate = task["flops"] / seconds if seconds else None
    return Place(intensity, rate, min(peak, allowed), "peak" if peak <= allowed else nearest)


def above_the_peak(tasks: list[Row]) -> list[Row]:
    """Tasks whose best schedule computes more than the device is said to be able to: its profile is too low."""
    return [task for task in tasks if task["bound"] == "peak" and (task["roof_share"] or 0.0) > _DOUBTFUL]


def argument_bytes(shapes: list[Row]) -> int:
    """Bytes of all arguments of a kernel."""
    return sum(math.prod(spec["shape"]) * _width(spec["dtype"]) for spec in shapes)


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

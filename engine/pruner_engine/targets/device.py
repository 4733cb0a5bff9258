"""Descriptions of a device and its caches, as far as tuning depends on them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Cache:
    """One data cache level.

    Attributes:
        level: 1 is nearest to the core.
        bytes: capacity of one instance.
        shared_by: physical cores that share one instance.
        line: bytes of a line.
    """

    level: int
    bytes: int
    shared_by: int = 1
    line: int = 64


_ARCHITECTURES = {"arm64": "aarch64", "amd64": "x86_64"}  # other names of them
#: a processor that hides its caches, or is elsewhere, still has some: the smallest that are common
COMMON_CACHES = (Cache(1, 32 << 10), Cache(2, 512 << 10))


@dataclass(frozen=True)
class Device:
    """A device as detected, without any measurement.

    Attributes:
        kind: cpu or cuda.
        name: the maker's name of the model.
        fingerprint: identity of model, features and core count; equal devices have equal ones.
        arch: machine architecture of a CPU (x86_64, aarch64), sm_NN of a GPU.
        cores: physical cores that this process may use; streaming multiprocessors of a GPU.
        threads: logical CPUs that this process may use; maximal threads of a multiprocessor.
        vector_bits: widest vector register; 32 on a GPU.
        caches: data caches, nearest first.
        features: instruction-set features, LLVM's names, sorted.
        memory_bytes: main or device memory.
        clock_hz: highest clock that the device tells, 0 where it tells none.
        memory_bandwidth: bytes a second that the device tells, 0 where it tells none.
        index: which of the GPUs.
    """

    kind: Literal["cpu", "cuda"]
    name: str
    fingerprint: str
    arch: str
    cores: int
    threads: int
    vector_bits: int
    caches: tuple[Cache, ...] = ()
    features: tuple[str, ...] = ()
    memory_bytes: int = 0
    clock_hz: float = 0.0
    memory_bandwidth: float = 0.0
    index: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def fingerprint(*identity: Any) -> str:
    """Sixteen hexadecimal digits that stand for the identity."""
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:16]


def architecture(name: str) -> str:
    """The architecture that a system or LLVM's name of a machine (x86_64-linux-gnu) tells, as Linux calls it."""
    arch = name.lower().partition("-")[0]
    return _ARCHITECTURES.get(arch, arch)


def without_maker(triple: str) -> str:
    """LLVM's name of a machine with Linux without who made it: aarch64-unknown-linux-gnu is aarch64-linux-gnu."""
    _, *rest = triple.split("-")
    return "-".join([architecture(triple), *rest[rest.index("linux") :]]) if "linux" in rest else triple

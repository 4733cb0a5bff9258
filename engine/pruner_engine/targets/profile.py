"""The figures of a device that the draft model computes with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from tvm.target import Target

from pruner_engine.targets.cpu import vector_bits
from pruner_engine.targets.device import Device
from pruner_engine.targets.target import cpu_features, threads_of

_FALLBACK_CLOCK_HZ = 2.5e9


@dataclass(frozen=True)
class CacheProfile:
    """One cache level.

    Attributes:
        level: 1 is nearest to the core.
        bytes: capacity of one instance.
        shared_by: cores of the device that share one instance.
        bandwidth_core: bytes a second that one core reads alone.
        bandwidth: bytes a second that all cores together read.
    """

    level: int
    bytes: int
    shared_by: int
    bandwidth_core: float
    bandwidth: float


@dataclass(frozen=True)
class GpuLimits:
    """What one block and one multiprocessor of a GPU may use."""

    warp_size: int = 32
    schedulers: int = 4  # warp schedulers of a multiprocessor
    max_threads_block: int = 1024
    max_registers_thread: int = 255
    shared_memory_block: int = 49152  # bytes, without opting in to more
    max_threads_sm: int = 2048
    registers_sm: int = 65536
    shared_memory_sm: int = 102400  # bytes
    transaction_bytes: int = 32  # of one DRAM transaction
    tensor_flops: float = 0.0  # float16 with float32 accumulation, FLOP/s; 0: no Tensor Cores


@dataclass(frozen=True)
class DeviceProfile:
    """A device in figures. FLOP/s count a fused multiply-add as two; bandwidths are bytes a second.

    Attributes:
        kind: cpu or cuda.
        name, fingerprint: of the device.
        source: measured by the micro-benchmark, estimated from the clock, or preset (data sheet).
        cores: cores that kernels run on; multiprocessors of a GPU.
        peak_flops: float32, all cores.
        peak_flops_core: float32, one core that runs alone.
        vector_bits: width of a vector register (32 on a GPU).
        vector_registers: architectural vector registers of a core.
        caches: nearest first; DRAM is not among them.
        dram_bandwidth, dram_bandwidth_core: read by all cores, by one.
        parallel_overhead_s: seconds to start and join all threads; launch of an empty kernel on a GPU.
        gpu: limits of a GPU, None for a CPU.
        calibration: factors of the draft's time components, fitted to what was measured on this device; see
            draft/calibration.py. Empty: none.
    """

    kind: Literal["cpu", "cuda"]
    name: str
    fingerprint: str
    source: Literal["measured", "estimated", "preset"]
    cores: int
    peak_flops: float
    peak_flops_core: float
    vector_bits: int
    vector_registers: int
    caches: tuple[CacheProfile, ...]
    dram_bandwidth: float
    dram_bandwidth_core: float
    parallel_overhead_s: float
    gpu: GpuLimits | None = None
    calibration: dict[str, float] = field(default_factory=dict)

    @property
    def lanes(self) -> int:
        """float32 lanes of a vector register."""
        return self.vector_bits // 32

    def as_json(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> DeviceProfile:
        """Raises msgspec.ValidationError for anything that is not a profile."""
        return msgspec.convert(data, DeviceProfile)


def estimate(target: Target, device: Device) -> DeviceProfile:
    """A profile from what the device tells, without running anything."""
    if device.kind == "cuda":
        return _estimate_gpu(device)
    cores = threads_of(target)
    features = cpu_features(target)
    bits = vector_bits(features)
    clock = device.clock_hz or _FALLBACK_CLOCK_HZ
    # two fused multiply-adds a cycle on all wide cores of the last decade
    flops = clock * 2 * 2 * bits / 32
    per_cycle = {1: 2 * bits / 8, 2: bits / 8, 3: 16}
    caches = tuple(
        CacheProfile(
            c.level,
            c.bytes,
            min(c.shared_by, cores),
            clock * per_cycle.get(c.level, 16),
            clock * per_cycle.get(c.level, 16) * cores,
        )
        for c in device.caches
    )
    return DeviceProfile(
        kind="cpu",
        name=device.name,
        fingerprint=device.fingerprint,
        source="estimated",
        cores=cores,
        peak_flops=flops * cores,
        peak_flops_core=flops,
        vector_bits=bits,
        vector_registers=vector_registers(features),
        caches=caches,
        dram_bandwidth=min(10e9 * cores, 100e9),
        dram_bandwidth_core=10e9,
        parallel_overhead_s=5e-6,
    )


def vector_registers(features: tuple[str, ...]) -> int:
    """32 on AVX-512 and Arm, 16 on older x86."""
    return 32 if {"avx512f", "neon"} & set(features) else 16


def _estimate_gpu(device: Device) -> DeviceProfile:
    clock = device.clock_hz or 1.5e9
    flops = clock * 2 * (64 if device.arch in ("sm_70", "sm_72", "sm_75", "sm_80") else 128)
    bandwidth = device.memory_bandwidth or 600e9
    return DeviceProfile(
        kind="cuda",
        name=device.name,
        fingerprint=device.fingerprint,
        source="estimated",
        cores=device.cores,
        peak_flops=flops * device.cores,
        peak_flops_core=flops,
        vector_bits=32,
        vector_registers=255,
        caches=(CacheProfile(2, 16 << 20, device.cores, bandwidth / device.cores * 4, bandwidth * 3),),
        dram_bandwidth=bandwidth,
        dram_bandwidth_core=bandwidth / device.cores * 4,
        parallel_overhead_s=4e-6,
        gpu=GpuLimits(max_threads_sm=device.threads),
    )

"""The figures of a device that the draft model computes with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec


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
    max_blocks_sm: int = 32
    registers_sm: int = 65536
    shared_memory_sm: int = 102400  # bytes
    shared_memory_reserved: int = 1024  # of it, by each block
    transaction_bytes: int = 32  # of one DRAM transaction
    lanes: int = 128  # float32 multiply-adds of a multiprocessor in a cycle
    tensor_flops: float = 0.0  # float16 with float32 accumulation, FLOP/s; 0: no Tensor Cores
    bfloat16: bool = True  # computes with it; without, kernels hold float32 in its place


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
        matrix_flops: of words by matrix units (AMX), all cores, a multiplication and an addition for each; 0: none.
        in_order: instructions wait for those before them, as on the small cores of phones and boards.
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
    matrix_flops: float = 0.0
    in_order: bool = False
    calibration: dict[str, float] = field(default_factory=dict)

    @property
    def lanes(self) -> int:
        """float32 lanes of a vector register."""
        return self.vector_bits // 32

    def least_s(self, flops: float, size: float) -> float:
        """Seconds that so much float32 arithmetic and so many bytes from memory need at least."""
        return max(flops / self.peak_flops, size / self.dram_bandwidth)

    def as_json(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> DeviceProfile:
        """Raises msgspec.ValidationError for anything that is not a profile."""
        return msgspec.convert(data, DeviceProfile)

"""Estimates a device's profile from its description, without running anything."""

from __future__ import annotations

from tvm.target import Target

from pruner_engine.lowering.generations import generation
from pruner_engine.targets.core_designs import is_in_order, multiply_adds
from pruner_engine.targets.cpu import vector_bits
from pruner_engine.targets.device import Device
from pruner_engine.targets.multiprocessors import multiprocessor
from pruner_engine.targets.profile import CacheProfile, DeviceProfile, GpuLimits
from pruner_engine.targets.target import cpu_features, cpu_of, threads_of

_FALLBACK_CLOCK_HZ = 2.5e9


def estimate(target: Target, device: Device) -> DeviceProfile:
    """The estimated profile of a device."""
    if device.kind == "cuda":
        return _estimate_gpu(device)
    cores = threads_of(target)
    features = cpu_features(target)
    bits = vector_bits(features)
    clock = device.clock_hz or _FALLBACK_CLOCK_HZ
    mcpu = str(cpu_of(target).attrs.get("mcpu", ""))
    flops = clock * multiply_adds(mcpu) * 2 * bits / 32
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
        in_order=is_in_order(mcpu),
    )


def vector_registers(features: tuple[str, ...]) -> int:
    """32 on AVX-512 and Arm, 16 on older x86."""
    return 32 if {"avx512f", "neon"} & set(features) else 16


def _estimate_gpu(device: Device) -> DeviceProfile:
    clock = device.clock_hz or 1.5e9
    each = multiprocessor(generation(device.arch), device.name)
    flops = clock * 2 * each.lanes
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
        caches=(CacheProfile(2, each.cache * device.cores, device.cores, bandwidth / device.cores * 4, bandwidth * 3),),
        dram_bandwidth=bandwidth,
        dram_bandwidth_core=bandwidth / device.cores * 4,
        parallel_overhead_s=4e-6,
        gpu=GpuLimits(
            max_threads_sm=each.threads,
            max_blocks_sm=each.blocks,
            shared_memory_sm=each.shared_memory,
            shared_memory_reserved=each.reserved,
            lanes=each.lanes,
            tensor_flops=clock * 2 * each.halves * device.cores,
        ),
    )

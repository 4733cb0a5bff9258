"""Measure this host's CPU: peak arithmetic and the bandwidth of each memory level, by kernels compiled for the target.

Run in a process of its own (`measuring.py`), so that TVM's threads never live in a process that forks.

Each figure is the best of some repeats: what disturbs a measurement only makes it slower.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import tvm
from tvm import te
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV, SBlockRV
from tvm.target import Target

from pruner_engine.targets.profile import CacheProfile, DeviceProfile

_KERNEL_S = 0.002  # what one timed call should take: shorter than a time slice, so that some are not interrupted
_REPEATS = 20
_DEPTH = 128  # reduction steps of the arithmetic kernel: its operands stay in the first cache
_MAX_BYTES = 256 << 20


def measure(target: Target, rough: DeviceProfile) -> DeviceProfile:
    """`rough` with its figures replaced by measured ones.

    Args:
        target: llvm target of this host.
        rough: an estimate; says how many cores, vector registers and which caches there are, and how long to measure.
    """
    cores = rough.cores
    flops_core, flops = (_peak_flops(target, rough, n) for n in (1, cores))
    caches, inner = [], 0
    for cache in rough.caches:
        size = _working_set(cache, inner)
        one, all_cores = (_bandwidth(target, rough, size, n, cache.bandwidth_core) for n in (1, cores))
        caches.append(replace(cache, bandwidth_core=one, bandwidth=all_cores))
        inner = cache.bytes // cache.shared_by
    dram_core, dram = (
        _bandwidth(target, rough, _beyond_caches(rough, n) // n, n, rough.dram_bandwidth_core) for n in (1, cores)
    )
    return replace(
        rough,
        source="measured",
        peak_flops_core=flops_core,
        # one core alone may clock higher, but all cores are never slower than one of them
        peak_flops=max(flops, flops_core),
        caches=tuple(caches),
        dram_bandwidth_core=dram_core,
        dram_bandwidth=max(dram, dram_core),
        parallel_overhead_s=_parallel_overhead(target, cores),
    )


def _working_set(cache: CacheProfile, inner: int) -> int:
    """Bytes for each core that fit this level, and not the one before it."""
    share = cache.bytes // cache.shared_by
    return min(share // 2, 16 << 20) if share > 4 * inner else (share + inner) // 2


def _beyond_caches(rough: DeviceProfile, cores: int) -> int:
    """Bytes that so many cores together read from memory and from no cache: several times all their outermost ones."""
    outermost = rough.caches[-1] if rough.caches else CacheProfile(3, 1 << 25, 1, 0.0, 0.0)
    caches = -(-cores // outermost.shared_by)
    return min(max(4 * outermost.bytes * caches, 64 << 20), max(_MAX_BYTES, 2 * outermost.bytes * caches))


def _peak_flops(target: Target, rough: DeviceProfile, workers: int) -> float:
    """FLOP/s of a matrix product whose accumulators fill the registers and whose operands fit the first cache."""
    lanes = rough.lanes
    columns = 2 * lanes
    rows = 12 if rough.vector_registers >= 32 else 6
    step_flops = 2 * workers * rows * columns * _DEPTH
    rounds = _rounds(step_flops / workers / rough.peak_flops_core)
    a = te.placeholder((workers, _DEPTH, rows), name="a")
    b = te.placeholder((workers, _DEPTH, columns), name="b")
    t, k = te.reduce_axis((0, rounds), "t"), te.reduce_axis((0, _DEPTH), "k")
    c = te.compute((workers, rows, columns), lambda p, i, j: te.sum(a[p, k, i] * b[p, k, j], [t, k]), name="c")
    schedule = Schedule(te.create_prim_func([a, b, c]))
    block = schedule.get_sblock("c")
    local = schedule.cache_write(block, 0, "local")
    p, i, j, t_, k_ = schedule.get_loops(block)
    j0, j1 = schedule.split(j, [None, lanes])
    schedule.reorder(p, t_, k_, i, j0, j1)
    schedule.reverse_compute_at(local, p)
    _innermost(schedule, [i, j0], j1)
    _finish(schedule, block, local, p, t_, lanes)
    inputs = [np.full((workers, _DEPTH, n), 1e-3, "float32") for n in (rows, columns)]
    return step_flops * rounds / _time(schedule, target, [*inputs, np.zeros((workers, rows, columns), "float32")])


def _bandwidth(target: Target, rough: DeviceProfile, size: int, workers: int, expected: float) -> float:
    """Bytes a second that `workers` cores together read, each going round in `size` bytes of its own."""
    lanes = rough.lanes
    width = rough.vector_registers // 2 * lanes
    steps = max(1, size // (4 * width))
    bytes_round = steps * width * 4
    rounds = _rounds(bytes_round / expected)
    a = te.placeholder((workers, steps, width), name="a")
    t, k = te.reduce_axis((0, rounds), "t"), te.reduce_axis((0, steps), "k")
    c = te.compute((workers, width), lambda p, j: te.sum(a[p, k, j], [t, k]), name="c")
    schedule = Schedule(te.create_prim_func([a, c]))
    block = schedule.get_sblock("c")
    local = schedule.cache_write(block, 0, "local")
    p, j, t_, k_ = schedule.get_loops(block)
    j0, j1 = schedule.split(j, [None, lanes])
    schedule.reorder(p, t_, k_, j0, j1)
    schedule.reverse_compute_at(local, p)
    _innermost(schedule, [j0], j1)
    _finish(schedule, block, local, p, t_, lanes)
    # written, since pages that were never touched all show the same page of zeros
    data = [np.ones((workers, steps, width), "float32"), np.zeros((workers, width), "float32")]
    return workers * bytes_round * rounds / _time(schedule, target, data)


def _parallel_overhead(target: Target, workers: int) -> float:
    """Seconds to start and join a parallel loop that does next to nothing."""
    a = te.placeholder((workers,), name="a")
    schedule = Schedule(te.create_prim_func([a, te.compute((workers,), lambda i: a[i] + 1.0, name="c")]))
    schedule.parallel(schedule.get_loops(schedule.get_sblock("c"))[0])
    return _time(schedule, target, [np.zeros(workers, "float32")] * 2, number=200)


def _rounds(seconds: float) -> int:
    return max(1, round(_KERNEL_S / seconds))


def _innermost(schedule: Schedule, unrolled: list[LoopRV], vector: LoopRV) -> None:
    schedule.vectorize(vector)
    for loop in unrolled:
        schedule.unroll(loop)


def _finish(schedule: Schedule, block: SBlockRV, write: SBlockRV, workers: LoopRV, rounds: LoopRV, lanes: int) -> None:
    """Unrolled constant indices let LLVM keep the accumulators in registers."""
    schedule.parallel(workers)
    for part in (schedule.decompose_reduction(block, rounds), write):
        *outer, last = schedule.get_loops(part)[1:]
        blocks, vector = schedule.split(last, [None, lanes])
        _innermost(schedule, [*outer, blocks], vector)


def _time(schedule: Schedule, target: Target, arrays: list[np.ndarray], number: int = 1) -> float:
    """Seconds a call, the best of the repeats; the first call warms up."""
    executable = tvm.compile(schedule.mod, target=target)
    device = tvm.cpu()
    tensors = [tvm.runtime.tensor(array, device) for array in arrays]
    evaluator = executable.mod.time_evaluator("main", device, number=number, repeat=_REPEATS + 1)
    return float(min(evaluator(*tensors).results[1:]))

"""Measure a GPU of this host: arithmetic in registers, bandwidth of device memory and second-level cache, a launch.

Each figure is the best of some repeats: what disturbs a measurement only makes it slower. What Tensor Cores do is left
as the data sheet has it, since that depends on the shape of a kernel more than on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import tvm
from tvm import te
from tvm.s_tir import Schedule
from tvm.s_tir.schedule import LoopRV
from tvm.target import Target

from pruner_engine.targets.cuda_compiler import use_cuda_compiler
from pruner_engine.targets.profile import DeviceProfile

_THREADS = 256
_LANES = 4  # floats of a 16-byte load
_ACCUMULATORS = 32  # of a thread, and as many operands
_ROUNDS = 32768
_UNROLLED = 8
_WAVES = 8  # blocks for each multiprocessor
_REPEATS = 20
_LAUNCHES = 50  # one behind the other: candidates are timed without what the first of some costs
_STREAM_BYTES = 1 << 29
_ROW_BYTES = _THREADS * _LANES * 4  # what a block of threads reads at once
_READS = 64  # rows that a block of the cache's kernel reads


@dataclass(frozen=True)
class Kernel:
    """A kernel of the benchmark.

    Attributes:
        schedule: applied, loops bound to threads.
        work: floating-point operations, or bytes, of one call.
        shapes: of its float32 arguments.
    """

    schedule: Schedule
    work: float
    shapes: tuple[tuple[int, ...], ...]


def measure_gpu(target: Target, rough: DeviceProfile) -> DeviceProfile:
    """`rough` with measured figures.

    Args:
        target: cuda target of a GPU of this host.
        rough: preset or estimate; says how many multiprocessors there are, and the size of the cache where the device
            does not.
    """
    use_cuda_compiler()
    cache = rough.caches[-1]
    cache = replace(cache, bytes=int(tvm.cuda().l2_cache_size_bytes or 0) or cache.bytes)
    flops = _rate(arithmetic(rough.cores), target)
    dram = _rate(stream(_STREAM_BYTES), target)
    reread = max(_rate(rereading(cache.bytes // 2), target), dram)
    cores = rough.cores
    return replace(
        rough,
        source="measured",
        peak_flops=flops,
        peak_flops_core=flops / cores,
        dram_bandwidth=dram,
        dram_bandwidth_core=min(dram, dram / cores * 4),
        caches=(*rough.caches[:-1], replace(cache, bandwidth=reread, bandwidth_core=reread / cores)),
        parallel_overhead_s=_seconds(stream(_ROW_BYTES), target, _LAUNCHES),
    )


def arithmetic(cores: int) -> Kernel:
    """Fused multiply-adds on accumulators and operands that stay in registers.

    Each depends on the one before: of products that are the same in every round a compiler makes one, and only adds.
    """
    workers = cores * _WAVES * _THREADS
    a = te.placeholder((_ACCUMULATORS, workers), name="a")
    t = te.reduce_axis((0, _ROUNDS), "t")
    multiply_add = te.comm_reducer(lambda x, y: x * 0.5 + y, lambda dtype: te.const(0, dtype))
    c = te.compute((_ACCUMULATORS, workers), lambda i, p: multiply_add(a[i, p], t), name="c")
    schedule = Schedule(te.create_prim_func([a, c]))
    block = schedule.get_sblock("c")
    operand, result = schedule.cache_read(block, 0, "local"), schedule.cache_write(block, 0, "local")
    i, p, t_ = schedule.get_loops(block)
    outer, inner = schedule.split(p, [None, _THREADS])
    many, few = schedule.split(t_, [None, _UNROLLED])
    schedule.reorder(outer, inner, many, few, i)
    _bind(schedule, outer, inner)
    schedule.reverse_compute_at(result, inner)
    schedule.compute_at(operand, inner)
    for loop in (few, i):
        schedule.unroll(loop)
    for part in (schedule.decompose_reduction(block, many), operand, result):
        for loop in schedule.get_loops(part)[2:]:
            schedule.unroll(loop)
    shape = (_ACCUMULATORS, workers)
    return Kernel(schedule, 2.0 * workers * _ACCUMULATORS * _ROUNDS, (shape, shape))


def stream(size: int) -> Kernel:
    """Read and write `size` bytes each, once."""
    length = size // 4
    a = te.placeholder((length,), name="a")
    schedule = Schedule(te.create_prim_func([a, te.compute((length,), lambda i: a[i] + 1.0, name="c")]))
    block = schedule.get_sblock("c")
    outer, inner, lanes = schedule.split(schedule.get_loops(block)[0], [None, _THREADS, _LANES])
    schedule.vectorize(lanes)
    _bind(schedule, outer, inner)
    return Kernel(schedule, 2.0 * length * 4, ((length,), (length,)))


def rereading(size: int) -> Kernel:
    """Every block of threads reads many rows of `size` bytes that fit the second-level cache."""
    rows, width = max(1, size // _ROW_BYTES), _THREADS * _LANES
    a = te.placeholder((rows, width), name="a")
    r = te.reduce_axis((0, _READS), "r")
    step = rows // _READS + 1  # a block's rows lie apart, so that no smaller cache holds them
    c = te.compute((rows, width), lambda p, j: te.sum(a[(p + r * step) % rows, j], [r]), name="c")
    schedule = Schedule(te.create_prim_func([a, c]))
    block = schedule.get_sblock("c")
    result = schedule.cache_write(block, 0, "local")
    p, j, r_ = schedule.get_loops(block)
    inner, lanes = schedule.split(j, [_THREADS, _LANES])
    schedule.reorder(p, inner, r_, lanes)
    _bind(schedule, p, inner)
    schedule.reverse_compute_at(result, inner)
    schedule.vectorize(lanes)
    schedule.vectorize(schedule.get_loops(result)[-1])
    schedule.vectorize(schedule.get_loops(schedule.decompose_reduction(block, r_))[-1])
    return Kernel(schedule, float(rows * width * 4 * _READS), ((rows, width), (rows, width)))


def _bind(schedule: Schedule, outer: LoopRV, inner: LoopRV) -> None:
    schedule.bind(outer, "blockIdx.x")
    schedule.bind(inner, "threadIdx.x")


def compile_kernel(kernel: Kernel, target: Target) -> tvm.runtime.Executable:
    """The kernel as machine code; needs `use_cuda_compiler` once, and no GPU."""
    with target:
        return tvm.compile(kernel.schedule.mod, target=target)


def _rate(kernel: Kernel, target: Target) -> float:
    return kernel.work / _seconds(kernel, target)


def _seconds(kernel: Kernel, target: Target, number: int = 1) -> float:
    """Seconds a call by the device's events around so many, the best of the repeats; the first repeat warms up."""
    device = tvm.cuda()
    tensors = _tensors(kernel.shapes, device)
    evaluator = compile_kernel(kernel, target).mod.time_evaluator("main", device, number=number, repeat=_REPEATS + 1)
    return float(min(evaluator(*tensors).results[1:]))


def _tensors(shapes: Sequence[tuple[int, ...]], device: tvm.runtime.Device) -> list[tvm.runtime.Tensor]:
    # small numbers: sums of many stay finite
    return [tvm.runtime.tensor(np.full(shape, 1e-3, "float32"), device) for shape in shapes]

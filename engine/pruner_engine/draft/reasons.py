"""Why a candidate is slow, in sentences with figures: rules over the parts of its prediction.

Each rule looks at one symbol, penalty or time and says what it costs; the costliest come first. Symbols and penalties
are of the statement that computes most, times are of the whole kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pruner_engine.draft.explanation import Explanation
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.units import count, latency, percent, rate, ratio, si, size

_NOTABLE = 0.05  # share of the time that a cost must reach to be told
_MOSTLY = 0.5  # share of the time from which on arithmetic is put beside the device's peak
_FAR = 1.5  # measurement over prediction, or the other way round, from which on the prediction is called into question
_AT_PEAK = 1.01  # of the predicted time: beyond, faster units compute than those that the peak is of

#: share of the predicted time that the cause costs, and the sentence
Reason = tuple[float, str]
Rule = Callable[[Explanation, DeviceProfile], Iterator[Reason]]


def reasons(found: Explanation, profile: DeviceProfile, measured_s: float | None = None) -> list[str]:
    """Sentences that explain a prediction, the costliest cause first.

    Args:
        found: the parts of one candidate's prediction.
        profile: of the device that it is for.
        measured_s: what one call really took, where that is known.
    """
    if not found.valid:
        return [_why_invalid(found, profile)]
    if not found.times:
        return ["Its sketch has no closed form: the draft model counts on the lowered kernel and keeps no parts."]
    rules = _CPU if profile.gpu is None else _GPU
    told = sorted((r for rule in rules for r in rule(found, profile) if r[0] >= _NOTABLE), reverse=True)
    sentences = [text for _, text in told] or ["Nothing stands out."]
    if _share(found, "compute") > _MOSTLY and _seconds_at_peak(found, profile) <= _AT_PEAK * found.times["compute"]:
        sentences.append(_arithmetic(found, profile))
    if measured_s is not None and measured_s > _FAR * found.latency_s:
        sentences.append(
            f"Measured {latency(measured_s)}, {ratio(measured_s / found.latency_s)} the prediction: what costs the rest"
            " is nothing that the draft model counts."
        )
    elif measured_s is not None and found.latency_s > _FAR * measured_s:
        sentences.append(
            f"Measured {latency(measured_s)}, {ratio(found.latency_s / measured_s)} as fast as predicted: what the"
            " draft model counts costs less here."
        )
    return sentences


def _share(found: Explanation, name: str) -> float:
    return found.times.get(name, 0.0) / found.latency_s if found.latency_s else 0.0


def _of_time(found: Explanation, name: str) -> str:
    return f"{percent(_share(found, name))} of the time ({latency(found.times.get(name, 0.0))})"


def _arithmetic(found: Explanation, profile: DeviceProfile) -> str:
    return (
        f"{_of_time(found, 'compute')} is arithmetic: {si(found.symbols['flops'])}FLOP, which the device's peak of"
        f" {rate(profile.peak_flops, 'FLOP')} could do in {latency(_seconds_at_peak(found, profile))}."
    )


def _seconds_at_peak(found: Explanation, profile: DeviceProfile) -> float:
    return found.symbols["flops"] / profile.peak_flops


# ---------------------------------------------------------------- CPU


def _lanes(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    full, vector = found.penalties["lanes"], found.symbols["vector"]
    cost = (1.0 - full) * _share(found, "compute")
    if vector <= 1:
        yield cost, f"The innermost loop is not vectorised: one of {profile.lanes} lanes works."
    else:
        yield cost, f"Vectors are {percent(full)} full: {count(vector)} elements on registers of {profile.lanes} lanes."


def _cores(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    busy, parallel = found.penalties["parallel"], found.symbols["parallel"]
    if parallel <= 1:
        yield 1.0 - busy, f"Nothing runs in parallel: one of {profile.cores} cores works."
    else:
        yield (
            1.0 - busy,
            f"The cores are {percent(busy)} busy: {count(parallel)} parallel iterations do not share out evenly over"
            f" {profile.cores} cores.",
        )


def _spills(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    over = found.penalties["registers"]
    if over > 1.0:
        yield (
            (1.0 - 1.0 / over) * _share(found, "compute"),
            f"{count(found.symbols['accumulators'])} accumulators and their operands want {ratio(over)} the"
            f" {profile.vector_registers} vector registers: sums are spilled to memory in every step.",
        )


def _loads(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    loads, sums = found.symbols["loads_per_step"], found.symbols["accumulators"]
    if sums and loads > sums:
        yield (
            (1.0 - sums / loads) * _share(found, "compute"),
            f"A step loads {loads:.3g} times for {sums:.3g} vector multiply-adds: loads set the pace, not arithmetic."
            " A larger register tile would use each load more often.",
        )


def _loop_overhead(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    unrolled, steps = found.symbols["unroll"], si(found.symbols["steps"]).strip()
    how = (
        f"loops are unrolled up to {count(unrolled)} steps"
        if unrolled > 1
        else "no others than the schedule writes out are unrolled"
    )
    yield (
        _share(found, "overhead"),
        f"{_of_time(found, 'overhead')} goes into loops and their start: {steps} steps, {how}.",
    )


def _cache_waits(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    levels = sorted(profile.caches, key=lambda cache: cache.level)
    behind = [*(f"L{cache.level}" for cache in levels[1:]), "DRAM"]
    for cache, source in zip(levels, behind, strict=True):
        name, moved = f"L{cache.level}", found.symbols[f"L{cache.level}_bytes"]
        if moved:
            told = (
                f"{_of_time(found, name)} waits for {source}: {size(moved)} come into {name}, which holds"
                f" {size(cache.bytes)}. Smaller tiles inside would be reused before they are replaced."
            )
        else:  # bytes are told of the statement that computes most
            told = (
                f"{_of_time(found, name)} waits for {source}, and none of it where most is computed: what is copied"
                f" before or written behind does not fit {name}, which holds {size(cache.bytes)}."
            )
        yield _share(found, name), told


# ---------------------------------------------------------------- GPU


def _warps(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    assert profile.gpu is not None
    full, threads = found.penalties["warp"], found.symbols["threads"]
    yield (
        (1.0 - full) * _share(found, "compute"),
        f"Warps of {profile.gpu.warp_size} are {percent(full)} full; threads in a block: {count(threads)}.",
    )


def _waves(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    busy, threads = found.penalties["wave"], count(found.symbols["threads"])
    yield (
        (1.0 - busy) * _share(found, "compute"),
        f"The device is {percent(busy)} busy: {count(found.symbols['blocks'])} × {threads} threads (blocks × threads in"
        f" each) do not fill its {profile.cores} multiprocessors.",
    )


def _registers(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    assert profile.gpu is not None
    over = found.penalties["registers"]
    yield (
        (1.0 - 1.0 / over) * _share(found, "compute"),
        f"A thread keeps {count(found.symbols['registers_thread'])} values, {ratio(over)} the"
        f" {profile.gpu.max_registers_thread} registers that it may have: the rest is spilled.",
    )


def _reuse(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    flops, moved = found.symbols["flops_thread"], found.symbols["memory_operations_thread"]
    factor = found.penalties["reuse"]
    yield (
        (1.0 - 1.0 / factor) * _share(found, "compute"),
        f"A thread computes {flops / max(1.0, moved):.3g} operations for each access to memory, which makes arithmetic"
        f" {ratio(factor)} as long.",
    )


def _transactions(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    assert profile.gpu is not None
    used = found.penalties["memory"]
    yield (
        (1.0 - used) * _share(found, "memory"),
        f"Only {percent(used)} of a memory transaction of {profile.gpu.transaction_bytes} bytes is used: the innermost"
        " contiguous run is too short.",
    )


def _dram(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    yield (
        _share(found, "memory"),
        f"{_of_time(found, 'memory')} moves {size(found.symbols['dram_bytes'])} at"
        f" {rate(profile.dram_bandwidth, 'B')}.",
    )


def _lines(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    yield (
        _share(found, "lines"),
        f"{_of_time(found, 'lines')} moves lines of 128 bytes between registers and shared memory or cache, one at a"
        " time: threads side by side reach for memory that is far apart, or little is computed of what is loaded.",
    )


def _trips(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    yield (
        _share(found, "trips"),
        f"{_of_time(found, 'trips')} waits for memory, round after round: longer tiles of the reduction would fetch"
        " more at a time.",
    )


def _launch(found: Explanation, profile: DeviceProfile) -> Iterator[Reason]:
    yield _share(found, "launch"), f"{_of_time(found, 'launch')} starts kernels: the work of each is short."


_CPU: tuple[Rule, ...] = (_cores, _lanes, _spills, _loads, _loop_overhead, _cache_waits)
_GPU: tuple[Rule, ...] = (_warps, _waves, _registers, _reuse, _transactions, _dram, _lines, _trips, _launch)


def _why_invalid(found: Explanation, profile: DeviceProfile) -> str:
    """The limit of the device that rules a candidate out."""
    limits, why = profile.gpu, "the schedule breaks a limit of the device or cannot be built"
    if limits is not None and found.symbols:
        threads, shared = found.symbols["threads"], found.symbols["shared_bytes"]
        if threads > limits.max_threads_block:
            why = f"{count(threads)} threads in a block, {count(limits.max_threads_block)} are allowed"
        elif shared > limits.shared_memory_block:
            why = f"{count(shared)} bytes of shared memory for a block, {count(limits.shared_memory_block)} are there"
    return f"Not valid on this device: {why}."

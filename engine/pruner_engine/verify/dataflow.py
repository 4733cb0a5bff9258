"""Dataflow features: the data movements of a candidate in order, 23 wide each.

On a GPU a step is one buffer of one statement, and its level is the buffer's memory: global → shared → registers →
compute → write-back. A CPU has no such scopes: there a statement's buffer moves memory → L2 → L1, and the level of a
step is the cache that it fills. At each level the loop is sought under which everything that the statement touches fits
into that cache; what moves is the footprint under that loop, as often as the loops outside it run (a loop directly
outside that does not move the access finds its data still there).

Columns of a step: float operations; level one-hot (memory, middle, nearest); access one-hot (read, write, both); bytes,
unique bytes, lines, unique lines; reuse one-hot (loop, serial, none); reuse distance in iterations and in bytes; reuse
count; the four sizes over the reuse count; stride; size of the buffer. Sizes are in bytes, all numbers as log2(x + 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import tvm

from pruner_engine.verify.accesses import Access, Statement, read_statements

WIDTH = 23
STEPS = 16
_LINE = 64.0
# nominal capacities: the same numbers on every machine keep features comparable across platforms
_MIDDLE_BYTES = 512 * 1024
_NEAREST_BYTES = 32 * 1024
_MEMORY, _MIDDLE, _NEAREST = range(3)
# loops around one instance of a GPU buffer: a shared one exists once a thread block, registers once a thread
_OUTSIDE: tuple[tuple[str, ...], ...] = ((), ("blockIdx",), ("blockIdx", "threadIdx", "vthread"))


def dataflow_features(mod: tvm.IRModule, gpu: bool) -> np.ndarray:
    """Data movements of a scheduled module.

    Args:
        mod: postprocs applied, blocks still inside.
        gpu: memory levels are buffer scopes instead of cache levels.

    Returns:
        float32[n ≤ 16, 23]; of a program with more movements those that move the most bytes, in program order.
    """
    movements = _gpu_steps if gpu else _cpu_steps
    steps = [step for statement in read_statements(mod) for step in movements(statement)]
    if not steps:
        return np.zeros((0, WIDTH), np.float32)
    rows = _columns(steps)
    if len(rows) > STEPS:
        rows = rows[np.sort(np.argsort(-rows[:, 7], kind="stable")[:STEPS])]
    return rows.astype(np.float32)


@dataclass(frozen=True)
class _Step:
    """A step; `kind` and `reuse` are places in their one-hot columns, `numbers` are not yet logarithms."""

    level: int
    kind: int
    reuse: int
    numbers: tuple[float, ...]


def _columns(steps: Sequence[_Step]) -> np.ndarray:
    numbers = np.log2(np.array([step.numbers for step in steps]) + 1.0)
    level, kind, reuse = (
        np.arange(3) == np.array(places)[:, None]
        for places in zip(*((s.level, s.kind, s.reuse) for s in steps), strict=True)
    )
    return np.hstack([numbers[:, :1], level, kind, numbers[:, 1:5], reuse, numbers[:, 5:]])


def _gpu_steps(statement: Statement) -> Iterator[_Step]:
    for access in statement.accesses:
        scope = access.scope.split(".")[0]
        level = {"global": _MEMORY, "shared": _MIDDLE}.get(scope, _NEAREST)
        depth = next((i for i, tag in enumerate(statement.tags) if not tag.startswith(_OUTSIDE[level])), 0)
        yield _step(statement, access, level, depth, moved=None)


def _cpu_steps(statement: Statement) -> Iterator[_Step]:
    totals = [
        sum(access.footprint(depth) * access.itemsize for access in statement.accesses)
        for depth in range(len(statement.extents) + 1)
    ]
    for level, capacity in ((_MEMORY, np.inf), (_MIDDLE, _MIDDLE_BYTES), (_NEAREST, _NEAREST_BYTES)):
        depth = next((d for d, total in enumerate(totals) if total <= capacity), len(totals) - 1)
        for access in statement.accesses:
            yield _step(statement, access, level, depth, moved=_moved(statement, access, depth))


def _moved(statement: Statement, access: Access, depth: int) -> float:
    """Elements that come into a level whose capacity is reached at `depth`."""
    outer = depth
    while outer > 0 and not access.moves[outer - 1]:
        outer -= 1
    return access.footprint(depth) * float(math.prod(statement.extents[:outer]))


def _step(statement: Statement, access: Access, level: int, depth: int, moved: float | None) -> _Step:
    iterations = float(math.prod(statement.extents))
    touched = iterations * float(math.prod(access.reaches[-1]))
    size = access.itemsize
    moved_bytes = (touched if moved is None else moved) * size
    unique = float(access.footprint(depth)) * size
    per_line = min(max(_run_bytes(access, depth), size), _LINE)
    reuse, distance_iterations, distance_bytes, count = _reuse(statement, access, moved_bytes, touched * size)
    over = count if count > 0 else 0.5
    sizes = (moved_bytes, unique, moved_bytes / per_line, unique / per_line)
    return _Step(
        level,
        kind=2 if access.read and access.write else int(access.write),
        reuse=reuse,
        numbers=(
            statement.flops,
            *sizes,
            distance_iterations,
            distance_bytes,
            count,
            *(bytes_ / over for bytes_ in sizes),
            access.stride,
            access.size,
        ),
    )


def _run_bytes(access: Access, depth: int) -> float:
    """Bytes that lie next to each other in the footprint under `depth`."""
    run = 1.0
    for reach, extent in zip(reversed(access.reaches[depth]), reversed(access.shape), strict=True):
        run *= float(reach)
        if reach < extent:
            break
    return run * access.itemsize


def _reuse(statement: Statement, access: Access, moved: float, touched: float) -> tuple[int, float, float, float]:
    """Kind (0 loop, 1 serial, 2 none), distance in iterations and bytes, count; of the innermost loop that reuses."""
    for loop in reversed(range(len(statement.extents))):
        if statement.extents[loop] > 1 and not access.moves[loop]:
            inner = float(math.prod(statement.extents[loop + 1 :]))
            around = sum(other.footprint(loop + 1) * other.itemsize for other in statement.accesses)
            return 0, inner, float(around), float(statement.extents[loop])
    if touched > moved:
        return 1, 1.0, float(access.itemsize), touched / moved
    return 2, 0.0, 0.0, 0.0

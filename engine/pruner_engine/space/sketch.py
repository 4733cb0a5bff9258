"""A sketch: a trace whose sampling decisions are free, and its decisions as integer rows."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from tvm.s_tir.schedule import Trace

from pruner_engine.space.decision import Decision, Rng, Rows

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(0xBF58476D1CE4E5B9)


class Sketch:
    """One sketch of a task.

    Attributes:
        index: position in the task's design space.
        hash: hexadecimal identity of the instructions.
        trace: its trace; the decisions in it are ignored.
        decisions: the free decisions in the order of the trace.
        columns: per decision its slice of a row.
        width: integers in a row.
    """

    def __init__(self, index: int, trace: Trace, decisions: Sequence[Decision]) -> None:
        self.index = index
        self.trace = trace
        self.hash = trace_hash(trace)
        self.decisions = list(decisions)
        ends = np.cumsum([0, *(d.width for d in decisions)]).tolist()
        self.columns = [slice(a, b) for a, b in pairwise(ends)]
        self.width = ends[-1]
        self._seed = np.uint64(int(self.hash, 16))
        self._free = [i for i, d in enumerate(decisions) if d.size > 1]

    @cached_property
    def size(self) -> float:
        """Number of rows."""
        return float(math.prod(float(d.size) for d in self.decisions))

    # ------------------------------------------------------------ rows

    def sample(self, rng: Rng, n: int) -> Rows:
        """Rows from MetaSchedule's prior, int32[n, width]."""
        parts = [d.sample(rng, n) for d in self.decisions]
        return np.concatenate(parts, axis=1) if parts else np.zeros((n, 0), dtype=np.int32)

    def mutate(self, rng: Rng, rows: Rows) -> Rows:
        """Each row with one decision changed, int32[n, width]."""
        mutated = rows.copy()
        if not self._free:
            return mutated
        picked = rng.choice(self._free, size=len(rows))
        for i in self._free:
            where = np.flatnonzero(picked == i)
            if len(where):
                mutated[where, self.columns[i]] = self.decisions[i].mutate(rng, rows[where, self.columns[i]])
        return mutated

    def crossover(self, rng: Rng, a: Rows, b: Rows) -> Rows:
        """Each decision from either parent, int32[n, width]."""
        child = a.copy()
        for columns in self.columns:
            from_b = rng.random(len(a)) < 0.5
            child[from_b, columns] = b[from_b, columns]
        return child

    def enumerate(self, limit: int) -> Rows | None:
        """All rows, int32[size, width]; None where there are more than `limit`."""
        if self.size > limit:
            return None
        rows = np.zeros((1, 0), dtype=np.int32)
        for decision in self.decisions:
            values = decision.values()
            left, right = np.repeat(rows, len(values), axis=0), np.tile(values, (len(rows), 1))
            rows = np.concatenate([left, right], axis=1)
        return rows

    def keys(self, rows: Rows) -> np.ndarray:
        """Identity of sketch and row, uint64[n]."""
        keys = np.full(len(rows), self._seed, dtype=np.uint64)
        with np.errstate(over="ignore"):
            for column in rows.T.astype(np.int64).view(np.uint64):
                keys = (keys ^ (column + _MIX)) * _SPREAD
                keys ^= keys >> np.uint64(31)
        return keys

    # ------------------------------------------------------------ conversion

    def _split(self, row: Rows) -> Iterator[tuple[Decision, Rows]]:
        return ((d, row[c]) for d, c in zip(self.decisions, self.columns, strict=True))

    def to_json(self, row: Rows) -> list[Any]:
        """One JSON value per decision, as TVM's traces hold them."""
        return [d.to_json(value) for d, value in self._split(np.asarray(row))]

    def from_json(self, values: Sequence[Any]) -> Rows:
        """The row of `to_json`'s values, int32[width]."""
        parts = [d.from_json(v) for d, v in zip(self.decisions, values, strict=True)]
        return np.array([v for part in parts for v in part], dtype=np.int32)

    def to_trace(self, row: Rows) -> Trace:
        """The trace with the row's decisions taken."""
        instructions = self.trace.insts
        taken = {instructions[d.instruction]: d.to_json(value) for d, value in self._split(np.asarray(row))}
        return Trace(instructions, taken)

    def from_trace(self, trace: Trace) -> Rows:
        """The row of a trace of this sketch (its postprocessing is ignored), int32[width]."""
        _, decisions = trace.as_json(remove_postproc=True)
        taken = {int(index): value for index, value in decisions}
        return self.from_json([taken[d.instruction] for d in self.decisions])

    def trace_json(self) -> str:
        """JSON of the trace, as `Trace.apply_json_to_schedule` reads it."""
        return trace_json(self.trace)

    def decisions_json(self) -> list[dict[str, Any]]:
        """Kind, name and domain per decision."""
        return [d.as_json() for d in self.decisions]


def trace_json(trace: Trace) -> str:
    """Canonical JSON of a trace, postprocessing included, as `Trace.apply_json_to_schedule` reads it."""
    return _dump(trace.as_json())


def trace_hash(trace: Trace) -> str:
    """Hexadecimal identity of a trace's instructions, decisions and postprocessing left out."""
    instructions, _ = trace.as_json(remove_postproc=True)
    return hashlib.sha256(_dump(instructions).encode()).hexdigest()[:16]


def _dump(value: Any) -> str:
    # attributes are immediates of TVM before a trace went through JSON, plain numbers after
    return json.dumps(value, separators=(",", ":"), default=lambda immediate: immediate.value)

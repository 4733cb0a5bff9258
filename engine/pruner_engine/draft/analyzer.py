"""The symbol-based analyzer: predicts a latency for every row of a sketch's decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pruner_engine.draft.columns import Program
from pruner_engine.draft.cpu import cpu_parts
from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.gpu import gpu_parts
from pruner_engine.draft.nest import UnreadableSketchError
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.replay import Replay
from pruner_engine.space.decision import LocationDecision, Rows
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profile import DeviceProfile


@dataclass
class _Variant:
    """A sketch with its compute locations chosen, compiled.

    Attributes:
        effective: where TVM really puts the blocks, one formula a location decision; None without such decisions.
        times: seconds by component, then validity.
    """

    parts: Parts
    effective: Program | None
    times: Program


class Analyzer:
    """Scores rows of a design space; see `draft.analyzer_for`."""

    def __init__(self, space: DesignSpace, profile: DeviceProfile) -> None:
        self.space = space
        self.profile = profile
        self._variants: dict[tuple[int, tuple[int, ...]], _Variant] = {}
        self._locations = [
            [(i, s.columns[i].start) for i, d in enumerate(s.decisions) if isinstance(d, LocationDecision)]
            for s in space.sketches
        ]

    # ------------------------------------------------------------ scoring

    def score(self, sketch: int, rows: Rows) -> np.ndarray:
        """log2 of 1/predicted seconds, float64[n]; -inf where a row is not valid.

        Args:
            rows: int32[n, width] of the sketch.
        """
        scores = np.full(len(rows), -np.inf)
        for locations, members in self._groups(sketch, rows):
            variant = self._variant(sketch, locations)
            *times, valid = variant.times(rows[members])
            with np.errstate(divide="ignore"):
                scores[members] = np.where(valid > 0, -np.log2(np.sum(times, axis=0)), -np.inf)
        return scores

    def components(self, sketch: int, rows: Rows) -> np.ndarray:
        """Seconds by component, float64[components, n]."""
        parts = None
        for locations, members in self._groups(sketch, rows):
            times = self._variant(sketch, locations).times(rows[members])[:-1]
            if parts is None:
                parts = np.zeros((len(times), len(rows)))
            parts[:, members] = times
        assert parts is not None
        return parts

    def explain(self, sketch: int, row: Rows) -> Explanation:
        """The parts of one row's score."""
        rows = np.asarray(row, dtype=np.int32)[None]
        ((locations, _),) = self._groups(sketch, rows)
        parts = self._variant(sketch, locations).parts
        named = {**parts.symbols, **parts.penalties, **parts.times}
        values = Program([*parts.symbols.values(), *parts.penalties.values(), *parts.times.values(), parts.valid])(rows)
        flat = iter(values[:, 0].tolist())
        symbols, penalties, times = (
            {name: next(flat) for name in group} for group in (parts.symbols, parts.penalties, parts.times)
        )
        assert len(named) <= len(values)
        return Explanation(sum(times.values()), bool(next(flat)), symbols, penalties, times)

    def compiled(self, sketch: int) -> bool:
        """Whether the sketch's symbols are in closed form."""
        try:
            self._variant(sketch, tuple(-1 for _ in self._locations[sketch]))
        except UnreadableSketchError:
            return False
        return True

    def calibrate(self, measured: Sequence[tuple[int, Rows, float]]) -> None:
        """Fit the device's few parameters to measured (sketch, row, seconds)."""

    # ------------------------------------------------------------ variants

    def canonical(self, sketch: int, rows: Rows) -> Rows:
        """The rows with every compute location replaced by where TVM really puts the block."""
        rows = rows.copy()
        for locations, members in self._groups(sketch, rows):
            for (_, start), location in zip(self._locations[sketch], locations, strict=True):
                rows[members, start] = location
        return rows

    def _groups(self, sketch: int, rows: Rows) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """Row numbers by effective compute locations."""
        starts = [start for _, start in self._locations[sketch]]
        if not starts:
            return [((), np.arange(len(rows)))]
        chosen = rows[:, starts].copy()
        settled = np.zeros(len(rows), dtype=bool)
        for _ in range(4 * len(starts) + 1):
            for key in np.unique(chosen[~settled], axis=0):
                members = np.flatnonzero(~settled & (chosen == key).all(axis=1))
                effective = self._variant(sketch, tuple(key.tolist())).effective
                assert effective is not None
                found = effective(rows[members]).T.astype(np.int32)
                settled[members] = (found == key).all(axis=1)
                chosen[members] = found
            if settled.all():
                break
        keys, inverse = np.unique(chosen, axis=0, return_inverse=True)
        return [(tuple(k.tolist()), np.flatnonzero(inverse.ravel() == i)) for i, k in enumerate(keys)]

    def _variant(self, sketch: int, locations: tuple[int, ...]) -> _Variant:
        found = self._variants.get((sketch, locations))
        if found is None:
            of = self.space.sketches[sketch]
            decisions = [i for i, _ in self._locations[sketch]]
            replay = Replay(self.space.task.mod, of, dict(zip(decisions, locations, strict=True)))
            analyze = cpu_parts if self.profile.gpu is None else gpu_parts
            parts = analyze(replay.root, self.profile)
            effective = Program([replay.effective[i] for i in decisions]) if decisions else None
            found = _Variant(parts, effective, Program([*parts.times.values(), parts.valid]))
            self._variants[(sketch, locations)] = found
        return found

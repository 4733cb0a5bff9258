"""The symbol-based analyzer: predicts a latency for every row of a sketch's decisions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar, cast

import numpy as np
from tvm.s_tir import Schedule

from pruner_engine.draft.calibration import fit
from pruner_engine.draft.cpu import cpu_parts
from pruner_engine.draft.evaluation import Evaluation
from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.gpu import gpu_parts
from pruner_engine.draft.nest import Block, UnreadableSketchError
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.reading import FunctionReader
from pruner_engine.draft.variant import Variant
from pruner_engine.space.decision import LocationDecision, Rows
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profile import DeviceProfile

READ_AT_ONCE = 256  # rows of a sketch without closed form that are worth scoring at a time: each takes milliseconds

_Told = TypeVar("_Told")


class Analyzer:
    """Scores rows of a design space; see `draft.analyzer_for`.

    Args:
        without: penalties or effects to leave out, of `ablations_of` the profile.

    Attributes:
        factors: per time component, from calibration; none is 1.
    """

    def __init__(self, space: DesignSpace, profile: DeviceProfile, without: Collection[str] = ()) -> None:
        self.space = space
        self.profile = profile
        self.factors: dict[str, float] = dict(profile.calibration)
        self._without = without
        self._compiled: dict[int, bool] = {}
        self._variants: dict[tuple[int, tuple[int, ...]], Variant] = {}
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
        return self._read(sketch, lambda: self._score_closed(sketch, rows), lambda: self._score_lowered(sketch, rows))

    def _read(self, sketch: int, closed: Callable[[], _Told], lowered: Callable[[], _Told]) -> _Told:
        """What the sketch's closed form tells, or what its applied schedules do."""
        if self.compiled(sketch):
            try:
                return closed()
            except UnreadableSketchError:  # with a block at another place
                self._compiled[sketch] = False
        return lowered()

    def _score_closed(self, sketch: int, rows: Rows) -> np.ndarray:
        scores = np.full(len(rows), -np.inf)
        for locations, members in self._groups(sketch, rows):
            variant = self._variant(sketch, locations)
            values = variant.times(rows[members])
            with np.errstate(divide="ignore"):
                latency = np.log2(self._factors(variant) @ values[:-1])
            scores[members] = np.where(values[-1] > 0, -latency, -np.inf)
        return scores

    def _factors(self, variant: Variant) -> np.ndarray:
        return np.array([self.factors.get(name, 1.0) for name in variant.parts.times])

    def _components(self, sketch: int, rows: Rows) -> dict[str, np.ndarray]:
        """Uncalibrated seconds by component, float64[n] each."""
        found: dict[str, np.ndarray] = {}
        for locations, members in self._groups(sketch, rows):
            variant = self._variant(sketch, locations)
            for name, seconds in zip(variant.parts.times, variant.times(rows[members]), strict=False):
                found.setdefault(name, np.zeros(len(rows)))[members] = seconds
        return found

    def explain(self, sketch: int, row: Rows) -> Explanation:
        """The parts of one row's score."""
        return self._read(sketch, lambda: self._explain_closed(sketch, row), lambda: self._explain_lowered(sketch, row))

    def _explain_lowered(self, sketch: int, row: Rows) -> Explanation:
        seconds = float(self.lowered_s(sketch, np.asarray(row)[None], self.factors)[0])
        return Explanation(seconds, bool(np.isfinite(seconds)))

    def _explain_closed(self, sketch: int, row: Rows) -> Explanation:
        plain: list[int] = np.asarray(row).tolist()
        variant = self._variant(sketch, self._settled(sketch, plain))
        groups = (variant.parts.symbols, variant.parts.penalties, variant.parts.times)
        *values, valid = variant.explaining(plain)
        flat = iter(values)
        symbols, penalties, times = ({name: next(flat) for name in group} for group in groups)
        times = {name: seconds * self.factors.get(name, 1.0) for name, seconds in times.items()}
        return Explanation(sum(times.values()), bool(valid), symbols, penalties, times)

    def prepare(self, sketch: int, row: Rows) -> None:
        """Read the sketch for every change of one compute location of the row, so that explaining such rows is quick.

        Other decisions move blocks too, to locations that are read thereby.
        """
        self._read(sketch, lambda: self._prepare_closed(sketch, row), lambda: None)

    def _prepare_closed(self, sketch: int, row: Rows) -> None:
        for index, start in self._locations[sketch]:
            for location in self.space.sketches[sketch].decisions[index].values()[:, 0].tolist():
                changed: list[int] = np.asarray(row).tolist()
                changed[start] = location
                chosen = tuple(changed[at] for _, at in self._locations[sketch])
                for locations in (chosen, self._settled(sketch, changed)):
                    _ = self._variant(sketch, locations).explaining

    def figures(self, sketch: int, rows: Rows) -> dict[str, np.ndarray]:
        """Symbols, penalties and uncalibrated times of the rows of a compiled sketch by name, float64[n] each.

        Where two have one name a time goes before a penalty, and that before a symbol.
        """
        found: dict[str, np.ndarray] = {}
        for locations, members in self._groups(sketch, rows):
            variant = self._variant(sketch, locations)
            names = (*variant.parts.symbols, *variant.parts.penalties, *variant.parts.times)
            for name, values in zip(names, variant.explained(rows[members]), strict=False):
                found.setdefault(name, np.zeros(len(rows)))[members] = values
        return found

    def compiled(self, sketch: int) -> bool:
        """Whether the sketch's symbols are in closed form."""
        if sketch not in self._compiled:
            try:
                _ = self._variant(sketch, tuple(-1 for _ in self._locations[sketch])).parts
            except UnreadableSketchError:
                self._compiled[sketch] = False
            else:
                self._compiled[sketch] = True
        return self._compiled[sketch]

    def calibrate(self, measured: Sequence[tuple[int, Rows, float]]) -> None:
        """Fit a factor per time component to measured (sketch, row, seconds).

        The factors differ from the device's only where they rank measurements that they were not fitted on better.
        """
        names, times, seconds = self.components_of(measured)
        if not len(seconds):
            return
        base = np.array([self.profile.calibration.get(name, 1.0) for name in names])
        found = fit(times * base[:, None], seconds, names)
        told = {} if found is None else {name: found[name] * float(b) for name, b in zip(names, base, strict=True)}
        self.factors = told or dict(self.profile.calibration)  # what more measurements do not confirm is given up

    def components_of(self, measured: Sequence[tuple[int, Rows, float]]) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Names of the time components, their uncalibrated seconds, float64[components, n], and measured seconds.

        Measurements of sketches that have no closed form are left out, and those of which no time is predicted at all.
        """
        rows_of: dict[int, list[tuple[Rows, float]]] = {}
        for sketch, row, seconds in measured:
            rows_of.setdefault(sketch, []).append((row, seconds))
        columns: dict[str, list[np.ndarray]] = {}
        for sketch, pairs in list(rows_of.items()):
            rows = np.array([row for row, _ in pairs], dtype=np.int32)
            components = self._read(sketch, partial(self._components, sketch, rows), dict[str, np.ndarray])
            if not components:
                del rows_of[sketch]
            for name, values in components.items():
                columns.setdefault(name, []).append(values)
        times = np.array([np.concatenate(parts) for parts in columns.values()])
        measured_s = np.array([seconds for pairs in rows_of.values() for _, seconds in pairs])
        told = times.sum(axis=0) > 0 if len(times) else np.zeros(len(measured_s), bool)
        return list(columns), times[..., told], measured_s[told]

    # ------------------------------------------------------------ variants

    def canonical(self, sketch: int, rows: Rows) -> Rows:
        """The rows with every compute location replaced by where TVM really puts the block."""
        if not self._locations[sketch]:
            return rows
        return self._read(sketch, lambda: self._canonical_closed(sketch, rows), lambda: rows)

    def _canonical_closed(self, sketch: int, rows: Rows) -> Rows:
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
        for _ in range(self._rounds(sketch)):
            open_ = np.flatnonzero(~settled)
            for key, found_at in _alike(chosen[open_]):
                members = open_[found_at]
                found = self._variant(sketch, key).settling(rows[members]).T.astype(np.int32)
                settled[members] = (found == key).all(axis=1)
                chosen[members] = found
            if settled.all():
                break
        return _alike(chosen)

    def _settled(self, sketch: int, row: Sequence[int]) -> tuple[int, ...]:
        """The effective compute locations of one row."""
        chosen = tuple(row[start] for _, start in self._locations[sketch])
        for _ in range(self._rounds(sketch)):
            found = tuple(map(int, Evaluation(self._variant(sketch, chosen).effective)(row)))
            if found == chosen:
                break
            chosen = found
        return chosen

    def _rounds(self, sketch: int) -> int:
        """Steps after which compute locations have settled."""
        return 4 * len(self._locations[sketch]) + 1

    def _variant(self, sketch: int, locations: tuple[int, ...]) -> Variant:
        found = self._variants.get((sketch, locations))
        if found is None:
            chosen = zip((i for i, _ in self._locations[sketch]), locations, strict=True)
            found = Variant(self.space.task.mod, self.space.sketches[sketch], dict(chosen), self._parts)
            self._variants[(sketch, locations)] = found
        return found

    def _parts(self, root: Block) -> Parts:
        return (cpu_parts if self.profile.gpu is None else gpu_parts)(root, self.profile, self._without)

    # ------------------------------------------------------------ what has no closed form

    def lowered(self, sketch: int, row: Rows) -> Parts | None:
        """The parts counted on the row's applied schedule; None where TVM cannot apply it. Slow: milliseconds a row."""
        of = self.space.sketches[sketch]
        schedule = Schedule(self.space.task.mod, seed=1, error_render_level="none")
        try:
            of.to_trace(row).apply_to_schedule(schedule, remove_postproc=True)
            return self._parts(FunctionReader(schedule.mod["main"]).root)
        except (RuntimeError, ValueError, UnreadableSketchError):
            return None  # cannot be built, or not be understood: not a candidate for the draft

    def _score_lowered(self, sketch: int, rows: Rows) -> np.ndarray:
        """As `score`, of as many rows as are worth it."""
        scores = np.full(len(rows), -np.inf)
        scores[:READ_AT_ONCE] = -np.log2(self.lowered_s(sketch, rows[:READ_AT_ONCE], self.factors))
        return scores

    def lowered_s(self, sketch: int, rows: Rows, factors: Mapping[str, float]) -> np.ndarray:
        """Predicted seconds by the parts counted on applied schedules, float64[n]; inf where a row is not valid.

        Args:
            factors: per time component; none is 1.
        """
        found = np.full(len(rows), np.inf)
        for index, row in enumerate(rows):
            parts = self.lowered(sketch, row)
            if parts is not None and parts.valid:
                times = cast("dict[str, float]", parts.times)  # nothing is free in an applied schedule
                found[index] = sum(t * factors.get(n, 1.0) for n, t in times.items())
        return found


def _alike(keys: np.ndarray) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """The distinct rows of small integers, int32[n, width], and where each is."""
    lowest = keys.min(axis=0, initial=0)
    spans = keys.max(axis=0, initial=0) - lowest + 1
    codes = np.zeros(len(keys), dtype=np.int64)
    for column, least, span in zip(keys.T, lowest, spans, strict=True):
        codes = codes * span + (column - least)
    # sorting one number a row takes a tenth of what sorting rows does, and integers of 16 bits half of that
    codes = codes.astype(np.int16) if spans.prod(dtype=np.float64) < 1 << 15 else codes
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    return [(tuple(keys[part[0]].tolist()), part) for part in np.split(order, ends) if len(part)]

"""The variants of a sketch: one for each combination of compute locations that its rows choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import tvm

from pruner_engine.draft.nests.nest import Block
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.variant import Variant
from pruner_engine.space.decision import LocationDecision, Rows
from pruner_engine.space.sketch import Sketch

Locations = tuple[int, ...]  # one a location decision
_READ_IN_A_DRAFT = 96_000  # array operations that are worth the time to read them, some forty microseconds each
_ATTEMPTS = 4  # to find a place for a row whose own one is not read


class Variants:
    """The variants of one sketch, read when they are first asked for.

    Args:
        parts: from a nest to its parts.
    """

    def __init__(self, mod: tvm.IRModule, sketch: Sketch, parts: Callable[[Block], Parts]) -> None:
        self._mod, self._sketch, self._parts = mod, sketch, parts
        self._decisions = [i for i, d in enumerate(sketch.decisions) if isinstance(d, LocationDecision)]
        self._columns = [sketch.columns[i].start for i in self._decisions]
        self._known: dict[Locations, Variant] = {}
        self._steps = 4 * len(self._decisions) + 1  # rounds of `settled` after which no location changes any more

    def __len__(self) -> int:
        """Those that were read."""
        return len(self._known)

    def at(self, locations: Locations) -> Variant:
        """The variant of these locations.

        Raises:
            UnreadableSketchError: it has no closed form.
        """
        found = self._known.get(locations)
        if found is None:
            chosen = dict(zip(self._decisions, locations, strict=True))
            found = self._known[locations] = Variant(self._mod, self._sketch, chosen, self._parts)
        return found

    @property
    def worthwhile(self) -> int:
        """Variants that are worth the time that a draft takes to read them.

        Raises:
            UnreadableSketchError: they have no closed form.
        """
        return max(1, _READ_IN_A_DRAFT // max(1, self.unmoved.time_program.length))

    @property
    def unmoved(self) -> Variant:
        """With every block at the root that may be somewhere else."""
        return self.at(tuple(-1 for _ in self._decisions))

    def of(self, row: Sequence[int]) -> Variant:
        """The variant of one row: with its blocks where TVM really puts them."""
        return self.at(self._settled(row))

    def groups(self, rows: Rows) -> Iterator[tuple[Variant, np.ndarray]]:
        """The variants of the rows, each with the numbers of those that are of it."""
        for locations, members in _alike(self.settled(rows)):
            yield self.at(locations), members

    def canonical(self, rows: Rows) -> Rows:
        """The rows with every compute location replaced by where TVM really puts the block."""
        rows = rows.copy()
        rows[:, self._columns] = self.settled(rows)
        return rows

    def gathered(self, rows: Rows, new: int) -> Rows:
        """As `canonical`, with variants that were read before and at most so many others; other rows are moved there.

        A kernel of five stages that may each be in seven places has 16 807 variants: as many as a search has rows.
        """
        chosen = rows[:, self._columns].copy()
        left, strange = new, []
        open_ = sorted(_alike(chosen), key=lambda group: group[1][0])
        while open_:
            key, members = open_.pop()  # the last one put there: what is read for the sake of a row shall settle it
            if key not in self._known:
                if not left:
                    strange.append(members)
                    continue
                left -= 1
            stays, found = self._put(key, rows[members])
            chosen[members[stays]] = key
            moved = members[~stays]
            open_ += [(other, moved[at]) for other, at in _alike(found[~stays])]
        rows = rows.copy()
        rows[:, self._columns] = chosen
        if strange:
            self._move(rows, np.sort(np.concatenate(strange)))
        return rows

    def _move(self, rows: Rows, members: np.ndarray) -> None:
        """Move these of the rows to variants that were read, any of those at which they stay; else to the root."""
        known = list(self._known)
        for attempt in range(_ATTEMPTS):
            strange = []
            for number in range(min(len(known), len(members))):
                key, some = known[(number + attempt) % len(known)], members[number :: len(known)]
                stays, _ = self._put(key, rows[some])
                rows[np.ix_(some[stays], self._columns)] = key
                strange.append(some[~stays])
            members = np.sort(np.concatenate(strange)) if strange else members
        rows[np.ix_(members, self._columns)] = -1

    def _put(self, key: Locations, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Which rows TVM leaves where these locations ask for, bool[n], and where it puts each."""
        found = self.at(key).location_program(rows).T.astype(np.int32)
        return (found == key).all(axis=1), found

    def around(self, row: Sequence[int]) -> Iterator[Variant]:
        """The variants of the row and of every change of one of its compute locations."""
        yield self.of(row)
        for decision, column in zip(self._decisions, self._columns, strict=True):
            for location in self._sketch.decisions[decision].values()[:, 0].tolist():
                changed = list(row)
                changed[column] = location
                yield self.at(tuple(changed[at] for at in self._columns))
                yield self.of(changed)

    def settled(self, rows: Rows) -> Rows:
        """The effective compute locations, int32[n, location decisions]."""
        chosen = rows[:, self._columns].copy()
        settled = np.full(len(rows), not self._columns)
        for _ in range(self._steps):
            if settled.all():
                break
            open_ = np.flatnonzero(~settled)
            for key, found_at in _alike(chosen[open_]):
                members = open_[found_at]
                settled[members], chosen[members] = self._put(key, rows[members])
        return chosen

    def _settled(self, row: Sequence[int]) -> Locations:
        """As `settled`, of one row."""
        chosen = tuple(row[at] for at in self._columns)
        for _ in range(self._steps):
            found = tuple(map(int, self.at(chosen).location_evaluation(row)))
            if found == chosen:
                break
            chosen = found
        return chosen


def _alike(keys: np.ndarray) -> list[tuple[Locations, np.ndarray]]:
    """The distinct rows of small integers, int32[n, width], and where each is."""
    if not keys.size:
        return [((), np.arange(len(keys)))] if len(keys) else []
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

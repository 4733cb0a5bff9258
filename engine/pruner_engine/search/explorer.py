"""Pruner's latent schedule explorer: an evolutionary search over decision rows, guided by the analyzer alone."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.lowered import READ_A_DRAFT
from pruner_engine.search.settings import SearchSettings
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.decision import Rng, Rows
from pruner_engine.space.design_space import DesignSpace, key_hash
from pruner_engine.space.sketch import Sketch

_POPULATION, _GENERATIONS = 1536, 2  # Pruner's reference
_ENUMERATED = 1 << 16  # a sketch with no more rows is scored whole
_BATCH = 4  # rows bred for every row that survives a generation
_NEAR = 0.5  # share of the draft set that may differ from a better member in one decision only
_KEPT = 0.5  # share of the draft set that is of the sketch that measured best, whatever the analyzer says of the others
_BINS, _ALIKE = 40, 1e-9  # of a histogram; scores no further apart than roundings are shown as one

_Head: TypeAlias = tuple[float, Sketch, Rows, int, list[int]]  # a scored row: its sketch, itself, its key, its patterns


@dataclass(frozen=True)
class DraftSet:
    """The candidates that a draft proposes.

    Attributes:
        candidates: distinct, best first, not yet materialised.
        leaders: the best of each sketch, best first, whether it is among `candidates` or not.
        favoured: the sketch that had measured best; None: nothing was measured.
        explored: rows scored.
        lowered: those among them that were read from their applied schedules: their sketch has no closed form.
        histogram: {"edges": [...], "explored": [...], "drafted": [...]}: how many of the explored rows that are valid,
            and of `candidates`, have a score between two edges.
    """

    candidates: list[Candidate]
    leaders: list[Candidate]
    favoured: int | None
    explored: int
    lowered: int = 0
    histogram: dict[str, Any] = field(default_factory=dict)

    def slights(self, sketch: int) -> bool:
        """Whether another draft would have more of a sketch, were this one known to measure best."""
        mine = sum(candidate.sketch == sketch for candidate in self.candidates)
        return sketch != self.favoured and mine < int(len(self.candidates) * _KEPT)


@dataclass
class _Pool:
    """Distinct scored rows of one sketch, best first."""

    sketch: Sketch
    rows: Rows
    scores: np.ndarray
    keys: np.ndarray

    def best(self, count: int) -> _Pool:
        return _Pool(self.sketch, self.rows[:count], self.scores[:count], self.keys[:count])


@dataclass
class _Tally:
    """What a draft under way has scored.

    Attributes:
        known: keys of rows that are not wanted again, ascending.
        explored, lowered: as those of `DraftSet`.
        scores: of the rows that are valid, an array for each pool.
    """

    known: np.ndarray
    explored: int = 0
    lowered: int = 0
    scores: list[np.ndarray] = field(default_factory=list)


class Explorer:
    """Drafts candidates of one design space.

    Attributes:
        analyzer: the draft model that guides it.
    """

    def __init__(self, space: DesignSpace, analyzer: Analyzer, settings: SearchSettings) -> None:
        self.space = space
        self.analyzer = analyzer
        self.settings = settings
        self.population = _POPULATION if settings.population is None else settings.population
        self.generations = _GENERATIONS if settings.generations is None else settings.generations

    def draft(self, rng: Rng, elites: Sequence[tuple[int, Rows]] = (), exclude: Set[str] = frozenset()) -> DraftSet:
        """A diverse set of the best rows over all sketches.

        Args:
            elites: (sketch, row) of measured good candidates, best first, which the search starts from too.
            exclude: hashes of candidates that are not wanted again.
        """
        tally = _Tally(np.array(sorted(int(h, 16) for h in exclude), dtype=np.uint64))
        pools = []
        for sketch in self.space.sketches:
            mine = [row for index, row in elites if index == sketch.index]
            start = np.array(mine, dtype=np.int32).reshape(len(mine), sketch.width)
            pools.append(self._search(rng, sketch, start, tally))
        favoured = elites[0][0] if elites else None
        picked = self._made(self._select(pools, favoured))
        leaders = self._made(sorted((head for pool in pools for head in _heads(pool.best(1))), key=_worst_last))
        histogram = _histogram(np.concatenate([[], *tally.scores]), [c.draft_score for c in picked])
        return DraftSet(picked, leaders, favoured, tally.explored, tally.lowered, histogram)

    # ------------------------------------------------------------ search in one sketch

    def _search(self, rng: Rng, sketch: Sketch, elites: Rows, tally: _Tally) -> _Pool:
        everything = sketch.enumerate(_ENUMERATED)
        if everything is not None:
            if not self.analyzer.compiled(sketch.index):  # which are read is chance
                everything = rng.permutation(everything)
            return self._pool(sketch, everything, tally)
        population = self.population
        bred = round(population * _BATCH * self.settings.elite_share) if len(elites) else 0
        parents = elites[rng.integers(max(1, len(elites)), size=bred)]
        start = [sketch.mutate(rng, parents), sketch.sample(rng, population * _BATCH - bred)]
        pool = self._pool(sketch, np.concatenate(start), tally)
        for _ in range(self.generations):
            children = self._breed(rng, pool.best(population), population * _BATCH)
            grown = self._pool(sketch, children, tally)
            pool = _merge(pool.best(population), grown)
        return pool

    def _breed(self, rng: Rng, parents: _Pool, count: int) -> Rows:
        """Children of parents picked by rank: better ones more often."""
        if not len(parents.rows):
            return parents.sketch.sample(rng, count)
        ranks = (rng.random((2, count)) ** 2 * len(parents.rows)).astype(np.int64)
        first, second = parents.rows[ranks[0]], parents.rows[ranks[1]]
        mutated = rng.random(count) < self.settings.mutation
        children = parents.sketch.crossover(rng, first, second)
        children[mutated] = parents.sketch.mutate(rng, first[mutated])
        return children

    def _share(self, sketches: int) -> float:
        """A pool's equal share of what a draft can read, of so many sketches."""
        return 1 / (sketches * (1 + self.generations))

    def _pool(self, sketch: Sketch, rows: Rows, tally: _Tally) -> _Pool:
        rows = self.analyzer.gathered(sketch.index, rows, self._share(len(self.space.sketches)))
        keys, first = np.unique(sketch.keys(rows), return_index=True)
        if not self.analyzer.compiled(sketch.index):
            unread = sum(not self.analyzer.compiled(other.index) for other in self.space.sketches)
            some = np.sort(np.argsort(first)[: max(1, int(READ_A_DRAFT * self._share(unread)))])
            keys, first = keys[some], first[some]
        scores = self.analyzer.score(sketch.index, rows[first])
        tally.explored += len(first)
        tally.lowered += 0 if self.analyzer.compiled(sketch.index) else len(first)
        tally.scores.append(scores[np.isfinite(scores)])
        wanted = np.isfinite(scores) & ~np.isin(keys, tally.known)
        order = np.flatnonzero(wanted)[np.argsort(-scores[wanted], kind="stable")]
        return _Pool(sketch, rows[first[order]], scores[order], keys[order])

    # ------------------------------------------------------------ the draft set

    def _select(self, pools: Sequence[_Pool], favoured: int | None) -> list[_Head]:
        """The best over all sketches, a share of them of the favoured one."""
        count = self.settings.draft_set
        heads = sorted((head for pool in pools for head in _heads(pool.best(count * 4))), key=_worst_last)
        best = _diverse(heads, count)
        own, others = ([h for h in best if (h[1].index == favoured) is mine] for mine in (True, False))
        if favoured is not None and len(own) < (least := int(count * _KEPT)):
            own = _diverse([h for h in heads if h[1].index == favoured], least)
        return sorted([*own, *others[: count - len(own)]], key=_worst_last)

    def _made(self, heads: Sequence[_Head]) -> list[Candidate]:
        made = [self.space.candidate(sketch.index, row, "draft", score) for score, sketch, row, *_ in heads]
        assert all(c.hash == key_hash(key) for c, (*_, key, _) in zip(made, heads, strict=True))
        return made


def _heads(pool: _Pool) -> list[_Head]:
    patterns = _neighbourhoods(pool.sketch, pool.rows).tolist()
    found = zip(pool.scores.tolist(), pool.rows, pool.keys.tolist(), patterns, strict=True)
    return [(score, pool.sketch, row, key, around) for score, row, key, around in found]


def _worst_last(head: _Head) -> float:
    return -head[0]


def _diverse(heads: Sequence[_Head], count: int) -> list[_Head]:
    """The best of these, which come best first; rows that differ from a better one in one decision fill a share."""
    chosen: list[_Head] = []
    near: list[_Head] = []
    patterns: set[int] = set()
    for head in heads:
        if len(chosen) == count:
            break
        around = head[-1]
        (chosen if patterns.isdisjoint(around) else near).append(head)
        patterns.update(around)
    near = near[: max(count - len(chosen), int(count * _NEAR))]
    return sorted([*chosen[: count - len(near)], *near], key=_worst_last)


def _merge(a: _Pool, b: _Pool) -> _Pool:
    keys, first = np.unique(np.concatenate([a.keys, b.keys]), return_index=True)
    scores = np.concatenate([a.scores, b.scores])[first]
    order = np.argsort(-scores, kind="stable")
    return _Pool(a.sketch, np.concatenate([a.rows, b.rows])[first[order]], scores[order], keys[order])


def _neighbourhoods(sketch: Sketch, rows: Rows) -> np.ndarray:
    """One pattern per decision, that decision masked, uint64[n, decisions]: rows that differ in one decision share one.

    All rows at once: hashing one at a time took longer than the search itself.
    """
    found = np.empty((len(rows), len(sketch.columns)), dtype=np.uint64)
    for index, columns in enumerate(sketch.columns):
        masked = rows.copy()
        masked[:, columns] = -(index + 3)
        found[:, index] = sketch.keys(masked)
    return found


def _histogram(explored: np.ndarray, drafted: Sequence[float | None]) -> dict[str, Any]:
    if not len(explored):
        return {"edges": [], "explored": [], "drafted": []}
    low, high = float(explored.min()), float(explored.max())
    margin = 0.5 if high - low < _ALIKE else 0.0  # between two that differ in a rounding there is no room
    edges = np.linspace(low - margin, high + margin, _BINS + 1)
    mine = np.array([s for s in drafted if s is not None])
    return {
        "edges": edges.tolist(),
        "explored": np.histogram(explored, edges)[0].tolist(),
        "drafted": np.histogram(mine, edges)[0].tolist(),
    }

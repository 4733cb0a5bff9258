"""What a strategy keeps of a task for its model to learn from: all of a thousand measurements, of more a part."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from pruner_engine.search.task_state import Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify.model import HELD_EVERY, Features, Group
from pruner_engine.verify.storage import in_one_piece

KEPT = 1024
MOST = KEPT + 256  # so many new ones come between two cuts: a model goes on from its weights until then


@dataclass
class Memory:
    """Features by candidate hash, and the trials that a model learns from.

    Attributes:
        features: of those trials, and of candidates that are scored and not measured yet.
        seen: valid trials in the order they were measured, at most `MOST`.
    """

    features: dict[str, Features] = field(default_factory=dict)
    seen: list[Trial] = field(default_factory=list)

    def take(self, trials: Sequence[Trial], features: Mapping[str, Features]) -> None:
        """Keep trials of which there are features, here or in `features`."""
        known = {**features, **{t.candidate.hash: f for t in trials if (f := self.features.get(t.candidate.hash))}}
        new = [t for t in trials if t.candidate.hash in known]
        self.seen += new
        if len(self.seen) > MOST:
            before = {t.candidate.hash for t in self.seen}
            self.seen = new = a_part_of(self.seen, KEPT)
            known |= {key: self.features.pop(key) for key in before & self.features.keys()}
        hashes = [t.candidate.hash for t in new]
        self.features.update(zip(hashes, in_one_piece([known[key] for key in hashes]), strict=True))

    def forget(self, keep: Collection[Candidate]) -> None:
        """Drop features of candidates that are neither measured nor in `keep`."""
        kept = {t.candidate.hash for t in self.seen} | {c.hash for c in keep}
        self.features = {key: value for key, value in self.features.items() if key in kept}

    def group(self) -> Group | None:
        """The measurements as a model takes them; None without any."""
        timed = [(t, t.seconds) for t in self.seen if t.seconds is not None]
        if not timed:
            return None
        return (
            [self.features[t.candidate.hash] for t, _ in timed],
            np.array([seconds for _, seconds in timed], dtype=np.float64),
            np.array([t.result.censored for t, _ in timed], dtype=bool),
        )


def kept_of(trials: Sequence[Trial], at_once: int) -> list[Trial]:
    """What a memory would keep of trials that it takes so many at a time."""
    kept: list[Trial] = []
    for start in range(0, len(trials), at_once):
        kept += trials[start : start + at_once]
        if len(kept) > MOST:
            kept = a_part_of(kept, KEPT)
    return kept


def a_part_of(trials: Sequence[Trial], count: int) -> list[Trial]:
    """So many of the trials, in their order: the newest, the best, and a sample of the others.

    Those that a model holds out stay held out, since of both kinds a part is chosen, and each has its places.

    Args:
        count: a multiple of `HELD_EVERY`.
    """
    learned = [t for i, t in enumerate(trials, 1) if i % HELD_EVERY]
    held = _chosen(trials[HELD_EVERY - 1 :: HELD_EVERY], count // HELD_EVERY)
    rest = iter(_chosen(learned, count - count // HELD_EVERY))
    return [t for one in held for t in (*islice(rest, HELD_EVERY - 1), one)] + list(rest)


def _chosen(trials: Sequence[Trial], count: int) -> list[Trial]:
    """A quarter the newest and a quarter the best of the others; the lowest hashes are a sample that stays the same."""
    if len(trials) <= count:
        return list(trials)
    older = trials[: len(trials) - count // 4]
    by_time = sorted(range(len(older)), key=lambda i: (older[i].result.censored, older[i].seconds or 0.0))
    best, others = by_time[: count // 4], by_time[count // 4 :]
    sample = sorted(others, key=lambda i: older[i].candidate.hash)[: count - 2 * (count // 4)]
    return [*(older[i] for i in sorted([*best, *sample])), *trials[len(older) :]]

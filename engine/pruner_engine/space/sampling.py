"""Random candidates, as random search and benchmarks measure them."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from pruner_engine.space.candidate import Candidate
from pruner_engine.space.decision import Rng
from pruner_engine.space.design_space import DesignSpace

_DRAWS = 20  # draws of random rows, until there are enough distinct valid ones


def random_candidates(
    space: DesignSpace, count: int, rng: Rng, threads: int, exclude: Set[str] = frozenset()
) -> list[Candidate]:
    """Up to `count` distinct valid candidates, as many of each sketch, in random order, materialised.

    Args:
        exclude: hashes of candidates that are not wanted again.
    """
    valid: dict[str, Candidate] = {}
    tried = set(exclude)
    for draw in range(1, _DRAWS + 1):  # each of more rows: of some kernels on a GPU one in thirty is valid
        share = -(-draw * (count - len(valid)) // len(space.sketches))
        drawn = [space.candidate(s.index, row, "random") for s in space.sketches for row in s.sample(rng, share)]
        fresh = {c.hash: c for c in drawn if c.hash not in tried}
        tried |= set(fresh)
        valid |= {c.hash: c for c in space.materialise(list(fresh.values()), threads)}
        if len(valid) >= count:
            break
    kept: list[Any] = list(valid.values())  # NumPy's older types shuffle arrays only
    rng.shuffle(kept)
    return kept[:count]

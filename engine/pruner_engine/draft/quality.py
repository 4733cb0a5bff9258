"""How well the draft orders candidates, against measurements of this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pruner_engine.draft import analyzer_for
from pruner_engine.draft.benchmark import spaces_of
from pruner_engine.draft.networks import OPERATORS
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureResult
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.store.quality import rank_correlation
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import resolve_target, target_json
from pruner_engine.verify import create_model

_HEAD = 16  # of the draft's order
_CHANCES = 1000  # random orders that stand for chance
_ROUNDS = 20  # draws of random rows, until there are enough distinct valid ones


def bench_quality(
    operators: Sequence[str] = OPERATORS,
    candidates: int = 512,
    seed: int = 0,
    model: str = "xgb",
    threads: int = 2,
    on_progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Measure random candidates and hold the draft's order against them.

    Args:
        operators: models or workloads; the heaviest kernel of each is measured.
        candidates: random ones of each, over all sketches alike.
        model: learned model of statement features that is trained on one half of them and orders the other.

    Returns:
        {"target", "operators": [{"workload", "measured", "best_s", "rank_correlation", "best_at", "head_gap",
        "chance_gap", "calibrated_rank_correlation", "half_rank_correlation", "model_rank_correlation"}], "mean": {…}}.
        `best_at` is the place of the fastest in the draft's order; gaps tell by what share the best of the draft's (or
        a random choice's) first 16 is slower than the best of all; `half_…` is the uncalibrated draft on the half that
        the model and the calibration are tested on.
    """
    target = resolve_target("auto")
    found = []
    with Measurer(target, check="none") as measurer:
        for workload in operators:
            on_progress(workload)
            space = spaces_of(workload, target)[0]
            drawn = random_candidates(space, candidates, seed, threads)
            seconds = _measure(measurer, space, drawn)
            found.append({"workload": workload, **_compare(space, drawn, seconds, seed, model)})
    figures = [name for name, value in found[0].items() if isinstance(value, float)] if found else []
    mean = {name: float(np.mean([one[name] for one in found])) for name in figures}
    return {"target": target_json(target), "operators": found, "mean": mean}


def random_candidates(space: DesignSpace, count: int, seed: int, threads: int) -> list[Candidate]:
    """Up to `count` distinct valid candidates, as many of each sketch, in random order, materialised."""
    rng = np.random.default_rng(seed)
    valid: dict[str, Candidate] = {}
    tried: set[str] = set()
    for _ in range(_ROUNDS):
        share = -(-(count - len(valid)) // len(space.sketches))
        drawn = [space.candidate(s.index, row, "random") for s in space.sketches for row in s.sample(rng, share)]
        fresh = {c.hash: c for c in drawn if c.hash not in tried}
        tried |= set(fresh)
        valid |= {c.hash: c for c in space.materialise(list(fresh.values()), threads)}
        if len(valid) >= count:
            break
    kept = list(valid.values())
    rng.shuffle(kept)
    return kept[:count]


def _measure(measurer: Measurer, space: DesignSpace, drawn: Sequence[Candidate]) -> np.ndarray:
    """Seconds a call, NaN where one failed."""
    results: dict[str, MeasureResult] = {}
    inputs = [MeasureInput(c.hash, c.schedule.mod) for c in drawn if c.schedule is not None]
    measurer.measure(
        space.task, inputs, incumbent_s=None, on_result=lambda result: results.__setitem__(result.key, result)
    )
    times = [results[c.hash].seconds if results[c.hash].ok else None for c in drawn]
    return np.array([np.nan if t is None else t for t in times])


def _compare(
    space: DesignSpace, drawn: Sequence[Candidate], seconds: np.ndarray, seed: int, model: str
) -> dict[str, Any]:
    timed = [(c, float(s)) for c, s in zip(drawn, seconds, strict=True) if np.isfinite(s)]
    kept, times = [c for c, _ in timed], np.array([s for _, s in timed])
    scores = _scores(space, kept, [])
    order = np.argsort(-scores, kind="stable")
    rng = np.random.default_rng(seed)
    chance = [times[rng.permutation(len(times))[:_HEAD]].min() for _ in range(_CHANCES)]
    half = len(kept) // 2
    learned = create_model(model, seed)
    features = learned.featurize(space.task, space.target, kept)
    learned.update({space.task.hash: (features[:half], times[:half], np.zeros(half, dtype=bool))})
    calibrated = _scores(space, kept, list(zip(kept[:half], times[:half].tolist(), strict=True)))
    return {
        "measured": len(kept),
        "best_s": float(times.min()),
        "rank_correlation": _correlation(scores, times),
        "best_at": int(np.flatnonzero(order == times.argmin())[0]),
        "head_gap": float(times[order[:_HEAD]].min() / times.min() - 1),
        "chance_gap": float(np.mean(chance) / times.min() - 1),
        "calibrated_rank_correlation": _correlation(calibrated[half:], times[half:]),
        "half_rank_correlation": _correlation(scores[half:], times[half:]),
        "model_rank_correlation": _correlation(learned.predict(features[half:]), times[half:]),
    }


def _scores(space: DesignSpace, kept: Sequence[Candidate], measured: Sequence[tuple[Candidate, float]]) -> np.ndarray:
    analyzer = analyzer_for(space, profile_for(space.target))
    analyzer.calibrate([(c.sketch, c.row, s) for c, s in measured if c.sketch is not None])
    scores = np.full(len(kept), -np.inf)
    for sketch in space.sketches:
        members = [i for i, c in enumerate(kept) if c.sketch == sketch.index]
        if members:
            scores[members] = analyzer.score(sketch.index, np.array([kept[i].row for i in members]))
    return scores


def _correlation(scores: np.ndarray, seconds: np.ndarray) -> float:
    return rank_correlation(list(scores), list(-seconds)) or 0.0

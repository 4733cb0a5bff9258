"""How well the draft orders candidates, against measurements of this machine."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np

from pruner_engine.benchmarks.draft_rate import spaces_of
from pruner_engine.draft import ablations_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.errors import UserError
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureOptions, inputs_of
from pruner_engine.replacing import write_whole
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sampling import random_candidates
from pruner_engine.store.figures.quality import rank_correlation
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.profiling import profile_for
from pruner_engine.targets.target import refuse_foreign, resolve_target, target_json, threads_of
from pruner_engine.verify import create_model
from pruner_engine.whole_files import read_whole

_LEARNED = "xgb"  # learns from statement features; compared with the draft
_HEAD = 16  # of the draft's order
_CHANCES = 1000  # random orders that stand for chance
_TURNS = 3  # in which a batch is measured
_BATCH = 64  # candidates measured between two writes of the file that keeps them
# target, task, candidate: seconds, None where it failed
_Times: TypeAlias = dict[str, dict[str, dict[str, float | None]]]


def bench_quality(
    operators: Sequence[str],
    candidates: int,
    seed: int = 0,
    target: str = "auto",
    kept: Path | None = None,
    on_progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Measure random candidates and hold the draft's order against them.

    Args:
        operators: models or workloads; the heaviest kernel of each is measured.
        candidates: random ones of each, over all sketches alike; each is measured in three turns.
        target: as `resolve_target` takes it; its device must be at hand.
        kept: file that keeps what was measured, so that a later call measures only what is new; None keeps nothing.

    Returns:
        {"target", "operators": [{"workload", "measured", "best_s", "rank_correlation", "best_at", "head_gap",
        "chance_gap", "calibrated_rank_correlation", "half_rank_correlation", "model_rank_correlation"}], "mean": {…},
        "ablations": [{"without", "rank_correlation", "head_gap"}]}.
        `best_at` is the place of the fastest in the draft's order; gaps tell by what share the best of the draft's (or
        a random choice's) first 16 is slower than the best of all; `half_…` is the uncalibrated draft on the half that
        the learned model and the calibration, which were fitted to the other half, are tested on; ablations are means
        over the operators.

    Raises:
        UserError: the device is not at hand; `kept` is not such a file, or cannot be written; or of an operator
            nothing can be measured.
    """
    resolved = resolve_target(target)
    refuse_foreign(resolved)
    memory = _Memory(kept, target_json(resolved))
    found: list[dict[str, Any]] = []
    ablated: dict[str, list[dict[str, float]]] = {}
    for workload in operators:
        on_progress(workload)
        space = spaces_of(workload, resolved)[0]
        drawn = random_candidates(space, candidates, np.random.default_rng(seed), threads_of(resolved))
        sample = _Sample(space, profile_for(resolved), drawn, memory.measure(space, drawn))
        if not len(sample.seconds):
            raise UserError(f"No candidate of {workload} could be measured.", "Run `pruner doctor`.")
        found.append({"workload": workload, **_compare(sample, seed)})
        for effect in ablations_of(sample.profile):
            ablated.setdefault(effect, []).append(_order(sample, sample.scores(without=(effect,))))
    return {
        "target": target_json(resolved),
        "operators": found,
        "mean": _means(found),
        "ablations": [{"without": effect, **_means(rows)} for effect, rows in ablated.items()],
    }


class _Memory:
    """Seconds a call that are known, and the file that keeps them."""

    def __init__(self, path: Path | None, target: str) -> None:
        self._path = path
        self._everything: _Times = {}
        if path is not None and path.exists():
            try:
                self._everything = msgspec.json.decode(read_whole(path), type=_Times)
            except OSError as error:
                raise UserError(f"{path} cannot be read: {error.strerror}.", "Name another file.") from error
            except msgspec.DecodeError as error:
                raise UserError(f"{path} holds no measurements.", "Name another file, or one not there yet.") from error
        self._mine = self._everything.setdefault(target, {})

    def measure(self, space: DesignSpace, drawn: Sequence[Candidate]) -> np.ndarray:
        """Seconds a call of each, NaN where one failed; only those that are not known yet are run."""
        known = self._mine.setdefault(space.task.hash, {})
        fresh = [c for c in drawn if c.hash not in known]
        if fresh:
            with Measurer(space.target, MeasureOptions(check="none")) as measurer:
                for start in range(0, len(fresh), _BATCH):
                    known.update(_times(measurer, space, fresh[start : start + _BATCH]))
                    self._write()
        return np.array([np.nan if known[c.hash] is None else known[c.hash] for c in drawn], dtype=np.float64)

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            write_whole(self._path, msgspec.json.encode(self._everything))
        except OSError as error:
            raise UserError(f"{self._path} cannot be written: {error.strerror}.", "Choose another place.") from error


def _times(measurer: Measurer, space: DesignSpace, drawn: Sequence[Candidate]) -> dict[str, float | None]:
    """Seconds a call by hash, None where it failed: the median of turns, since a machine is slow for seconds on end."""
    taken = measurer.in_turns(space.task, inputs_of(drawn), _TURNS)
    return {c.hash: statistics.median(taken[c.hash]) if c.hash in taken else None for c in drawn}


class _Sample:
    """Measured candidates of one space."""

    def __init__(
        self, space: DesignSpace, profile: DeviceProfile, drawn: Sequence[Candidate], seconds: np.ndarray
    ) -> None:
        timed = np.isfinite(seconds)
        self.space, self.profile = space, profile
        self.candidates = [c for c, ok in zip(drawn, timed, strict=True) if ok]
        self.seconds = seconds[timed]

    def scores(self, without: Sequence[str] = (), learned_from: int = 0) -> np.ndarray:
        """The draft's, of all candidates, after calibration with the first of them."""
        analyzer = Analyzer(self.space, self.profile, without)
        pairs = zip(self.candidates[:learned_from], self.seconds.tolist(), strict=False)
        analyzer.calibrate([(c.sketch, c.row, s) for c, s in pairs if c.sketch is not None])
        scores = np.full(len(self.candidates), -np.inf)
        for sketch in self.space.sketches:
            members = [i for i, c in enumerate(self.candidates) if c.sketch == sketch.index]
            if members:
                scores[members] = analyzer.score(sketch.index, np.array([self.candidates[i].row for i in members]))
        return scores


def _compare(sample: _Sample, seed: int) -> dict[str, Any]:
    times, space = sample.seconds, sample.space
    scores = sample.scores()
    rng = np.random.default_rng(seed)
    chance = [times[rng.permutation(len(times))[:_HEAD]].min() for _ in range(_CHANCES)]
    half = len(times) // 2
    learned = create_model(_LEARNED, seed)
    features = learned.featurize(space, sample.candidates)
    learned.update({space.task.hash: (features[:half], times[:half], np.zeros(half, dtype=bool))})
    return {
        "measured": len(times),
        "best_s": float(times.min()),
        "best_at": int(np.flatnonzero(np.argsort(-scores, kind="stable") == np.argmin(times))[0]),
        **_order(sample, scores),
        "chance_gap": float(np.mean(np.divide(chance, times.min()) - 1)),
        "calibrated_rank_correlation": _correlation(sample.scores(learned_from=half)[half:], times[half:]),
        "half_rank_correlation": _correlation(scores[half:], times[half:]),
        "model_rank_correlation": _correlation(learned.predict(features[half:]), times[half:]),
    }


def _order(sample: _Sample, scores: np.ndarray) -> dict[str, float]:
    """What an order by these scores is worth."""
    times = sample.seconds
    head = np.argsort(-scores, kind="stable")[:_HEAD]
    return {
        "rank_correlation": _correlation(scores, times),
        "head_gap": float(times[head].min() / times.min() - 1),
    }


def _correlation(scores: np.ndarray, seconds: np.ndarray) -> float:
    return rank_correlation(list(scores), list(-seconds)) or 0.0


def _means(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    figures = [name for name, value in rows[0].items() if isinstance(value, float)] if rows else []
    return {name: float(np.mean([row[name] for row in rows])) for name in figures}

"""What all strategies with a learned cost model share: features of candidates, scores, and learning from trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pruner_engine.errors import UserError
from pruner_engine.search.plugin_values import features_of, learned_of, scores_of
from pruner_engine.search.strategies.memory import Memory, remembered
from pruner_engine.search.strategy import Context, Strategy
from pruner_engine.search.task_state import TaskState, Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.decision import Rows
from pruner_engine.verify import create_model
from pruner_engine.verify.model import CostModel, Features, Group, LearnReport
from pruner_engine.verify.pretrained import take_checkpoint_file

_RESTORED = 64  # trials of earlier sessions that are featurised between two signs of life
_ALIKE = 3  # candidates of one score that a round measures while there are others


class ModelStrategy(Strategy):
    """Base of the strategies that score candidates with a learned model.

    Attributes:
        model: scores and learns.
        pretrained: it came with knowledge, so its order counts from the first round on.
    """

    ahead = True

    def __init__(self, context: Context, kind: str) -> None:
        super().__init__(context)
        self.rng = np.random.default_rng(context.seed)
        self.model = create_model(kind, context.seed)
        self.pretrained = bool(context.settings.checkpoint)
        if self.pretrained:
            try:
                take_checkpoint_file(self.model, Path(context.settings.checkpoint))
            except UserError:  # moved or replaced since then: the run's own model came of it
                if not context.goes_on:
                    raise
        self._memories: dict[str, Memory] = {}
        self._told_unscored = False

    @property
    def learner(self) -> CostModel:
        """The model that learns from every measurement of this run."""
        return self.model

    @property
    def taught_before(self) -> bool:
        """Whether the learner came with knowledge."""
        return self.pretrained

    def memory(self, state: TaskState) -> Memory:
        return self._memories.setdefault(state.task.hash, Memory())

    # ------------------------------------------------------------ candidates

    def random_candidates(self, state: TaskState, count: int, known: set[str]) -> list[Candidate]:
        """Distinct candidates from the prior that are not in `known`, over all sketches; fewer in a small space."""
        assert state.space is not None
        found: list[Candidate] = []
        for index in self.rng.integers(len(state.space.sketches), size=count):
            row = self.canonical(state, int(index), state.space.sketches[index].sample(self.rng, 1))[0]
            candidate = state.space.candidate(int(index), row, "random")
            if candidate.hash not in known:
                known.add(candidate.hash)
                found.append(candidate)
        return found

    def canonical(self, state: TaskState, sketch: int, rows: Rows) -> Rows:
        """The rows, int32[n, width], with equal schedules made equal rows where the strategy can tell."""
        return rows

    def score(self, state: TaskState, candidates: Sequence[Candidate]) -> None:
        """Set `verified_score` of materialised candidates."""
        if not candidates:
            return
        features = self.memory(state).features
        missing = [c for c in candidates if c.hash not in features]
        if missing:
            assert state.space is not None
            extracted = features_of(self.model, state.space, missing)
            features.update(zip((c.hash for c in missing), extracted, strict=True))
        scores = self.judged(state, candidates, [features[c.hash] for c in candidates])
        for candidate, score in zip(candidates, scores, strict=True):
            candidate.verified_score = float(score)

    def judged(self, state: TaskState, candidates: Sequence[Candidate], features: Sequence[Features]) -> np.ndarray:
        """Scores of candidates of one task, float64[n]; overridden by strategies that ask more than the model."""
        return self.scores(self.model, features)

    def scores(self, model: CostModel, features: Sequence[Features]) -> np.ndarray:
        """A model's scores, float64[n]; what is no number comes last, which the user is told of once."""
        found = scores_of(model, features)
        unscored = np.isnan(found)
        if unscored.any() and not self._told_unscored:
            self._told_unscored = True
            text = f'The cost model "{model.kind}" gives scores that are no numbers: such candidates come last.'
            self.context.on_notice("warning", text, "Begin a new run with another one.")
        return np.where(unscored, -np.inf, found)

    def pick(self, ranked: Sequence[Candidate], count: int) -> list[Candidate]:
        """The `count` candidates to measure: the best ranked, and for the share `eps_greedy` of them random others."""
        ranked = few_alike(ranked)
        explore = round(count * self.context.settings.eps_greedy) if len(ranked) > count else 0
        best, rest = ranked[: count - explore], ranked[count - explore :]
        return [*best, *(rest[int(i)] for i in self.rng.permutation(len(rest))[:explore])]

    def keep_applied(self, state: TaskState, chosen: Sequence[Candidate], others: Sequence[Candidate]) -> None:
        """Let only the chosen have their schedules applied, since each takes megabytes."""
        assert state.space is not None
        hashes = {candidate.hash for candidate in chosen}
        for candidate in others:
            if candidate.hash not in hashes:
                candidate.schedule = None
        state.space.materialise([c for c in chosen if c.schedule is None], self.context.threads)

    # ------------------------------------------------------------ learning

    def learn(self, state: TaskState, trials: Sequence[Trial]) -> dict[str, Any]:
        self.take(state, trials)
        if len(self.memory(state).seen) < 2:  # such as a kernel of one candidate: there is no order to learn
            return {}
        report = self.update(self.groups())
        return {
            "loss": report.loss,
            "pair_accuracy": report.pair_accuracy,
            "samples": report.samples,
            "start": report.start,
        }

    def update(self, groups: dict[str, Group]) -> LearnReport:
        """Train the model on everything measured; overridden by strategies that adapt in another way."""
        return learned_of(self.model, groups)

    def take(self, state: TaskState, trials: Sequence[Trial]) -> None:
        """Keep the trials' features and let go of their schedules, which hold megabytes."""
        memory = self.memory(state)
        valid = [t for t in trials if t.seconds is not None]
        unknown = [t.candidate for t in valid if t.candidate.hash not in memory.features]
        found: dict[str, Features] = {}
        assert state.space is not None
        for applied in state.space.materialise_in_batches(unknown, self.context.threads):
            extracted = features_of(self.model, state.space, applied) if applied else []
            found.update(zip((c.hash for c in applied), extracted, strict=True))
        memory.take(valid, found)
        for trial in trials:
            trial.candidate.schedule = None

    def forget(self, state: TaskState, keep: Sequence[Candidate] = ()) -> None:
        """Drop features of candidates that are neither measured, or under way, nor in `keep`."""
        self.memory(state).forget([*keep, *(pending.candidate for pending in state.under_way.values())])

    def groups(self, beside: Mapping[str, Collection[str]] | None = None) -> dict[str, Group]:
        """What the model learns from: valid trials by task hash, as memory.py keeps them.

        Args:
            beside: hashes of candidates that are left out, by task hash.
        """
        found = {key: memory.group((beside or {}).get(key, ())) for key, memory in self._memories.items()}
        return {key: group for key, group in found.items() if group is not None}

    def restore(self, states: Sequence[TaskState], checkpoints: dict[str, bytes]) -> None:
        # drawn again from the beginning, most candidates would be known
        self.rng = np.random.default_rng([self.context.seed, sum(len(state.trials) for state in states)])
        for state in states:
            kept = remembered([t for t in state.trials if t.seconds is not None], _RESTORED)
            for start in range(0, len(kept), _RESTORED):
                self.context.on_phase("restore", state.task.name)
                self.take(state, kept[start : start + _RESTORED])
        groups = self.groups()
        learned = sum(len(group[0]) for group in groups.values() if len(group[0]) > 1)
        if not self.restore_model(self.learner, checkpoints, "model", self.taught_before, learned) and groups:
            self.update(groups)

    def restore_model(
        self, model: CostModel, checkpoints: dict[str, bytes], role: str, taught_before: bool, learned: int = 0
    ) -> bool:
        """Have a model go on from the run's checkpoint of that role; returns whether it did.

        A checkpoint that the model refuses is told to the user, and leaves the model as it was.

        Args:
            taught_before: it holds what the settings' checkpoint knew.
            learned: trials that the checkpoint was trained on.
        """
        if role not in checkpoints:
            return False
        try:
            if taught_before:
                model.from_bytes(checkpoints[role])
            model.go_on_from(checkpoints[role], learned)
        except UserError as error:
            text = f"The {role} that this run had learned cannot be taken up: {error.message}"
            self.context.on_notice("warning", text, "What the run has measured is learned anew.")
            return False
        return True

    def checkpoints(self) -> dict[str, tuple[str, bytes, dict[str, Any]]]:
        if not self.learner.is_finite:  # the last one of numbers is to stay
            return {}
        recipe = {**self.learner.recipe, "seed": self.context.seed}
        return {"model": (self.learner.kind, self.learner.to_bytes(), recipe)}


def few_alike(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The candidates in their order, but of each score only the first three before all others.

    To the model, candidates of one score are the same: measuring a whole round of them would teach it nothing.
    """
    seen: Counter[float | None] = Counter()
    first: list[Candidate] = []
    rest: list[Candidate] = []
    for candidate in ranked:
        (first if seen[candidate.verified_score] < _ALIKE else rest).append(candidate)
        seen[candidate.verified_score] += 1
    return [*first, *rest]

"""What a round of a task measures: the user's pinned rows, what another project knows, what the strategy proposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pruner_engine.draft import analyzer_for
from pruner_engine.search.allotment import Allotment
from pruner_engine.search.plugin_values import proposal_of
from pruner_engine.search.run_log import RunLog
from pruner_engine.search.run_plan import RunPlan
from pruner_engine.search.scheduler import open_tasks
from pruner_engine.search.strategy import Proposal, Strategy
from pruner_engine.search.task_state import TaskState
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.rules import OF_PLUGINS, failed_rules
from pruner_engine.store.project import Project
from pruner_engine.targets.target import threads_of


class RoundPlan(NamedTuple):
    """One round of a task.

    Attributes:
        proposal: the strategy's own, with its figures; not all of its candidates need have room in the round.
        pinned: rows of the user's and schedules of another project, which come first.
        candidates: all that the round measures, in this order, schedules applied.
    """

    proposal: Proposal
    pinned: list[Candidate]
    candidates: list[Candidate]


class RoundPlanner:
    """Plans the rounds of one run.

    Args:
        project: open for writing; keeps the sketches of each task.
        run: the run.
        strategy, allotment: propose candidates, and say how many a round may measure.
        log: told what is left out, and why.
    """

    def __init__(self, project: Project, run: RunPlan, strategy: Strategy, allotment: Allotment, log: RunLog) -> None:
        self._project, self._run = project, run
        self._strategy, self._allotment, self._log = strategy, allotment, log
        self._failed: set[str] = set()  # rules that the user was told of

    def generate_space(self, state: TaskState) -> None:
        """Give the task its design space, unless it has one."""
        if state.space is None:
            self._log.phase("space", state.task.name)
            without = self._run.settings.without_rules
            with failed_rules() as failed:
                state.space = DesignSpace.generate(state.task, self._run.target, without=without)
            self._tell_failed(state, failed)
            analyzer_for(state.space, self._run.profile)  # of the run's device, whoever asks first
            state.sketch_ids = self._project.work.add_sketches(state.task_id, state.space.sketches)

    def _tell_failed(self, state: TaskState, failed: Mapping[str, str]) -> None:
        """Tell of each rule that fails once a session."""
        for rule in failed.keys() - self._failed:
            text = f'The schedule rule "{rule}" fails on {state.task.name}: {failed[rule].rstrip(".")}.'
            own = "The other rules schedule it. Send this to the makers of Pruner Studio."
            others = "The other rules schedule it. Mend its plugin, or leave the rule out (--without)."
            self._log.notice("warning", text, others if rule in OF_PLUGINS else own)
        self._failed |= failed.keys()

    def plan(self, state: TaskState) -> RoundPlan | None:
        """The next round of a task; None where nothing is left to measure.

        A task that is frozen or quarantined measures what the user pinned, and no more.
        """
        waiting, state.pinned = state.pinned, []
        self.generate_space(state)
        closed = not open_tasks([state])
        left = 0 if closed else self._allotment.of_round(state)
        pinned = self._materialise(state, waiting)
        if not closed:
            self._add_known(state, pinned, left)
        if left <= 0 and not pinned:
            state.exhausted |= not closed
            return None
        proposal = self._proposed(state, left) if left > 0 else Proposal([])
        own = {c.hash for c in pinned}
        chosen = [*pinned, *_fit(proposal.candidates, own | state.measured)][: max(left, len(pinned))]
        if not chosen:
            state.exhausted = True
            if state.measured:
                self._log.remind(f"{state.task.name}: every candidate that the search finds is measured.")
            else:
                self._log.quarantine(state, "no candidate that the search finds can be applied to it")
            return None
        return RoundPlan(proposal, pinned, chosen)

    def _proposed(self, state: TaskState, count: int) -> Proposal:
        self._log.phase("draft", state.task.name)  # of a strategy that tells none: a measurement may have been the last
        return proposal_of(self._run.strategy, self._strategy.propose(state, count))

    def _materialise(self, state: TaskState, waiting: Sequence[Candidate]) -> list[Candidate]:
        """The user's rows with their schedules applied; of those that cannot be built the user is told."""
        assert state.space is not None
        new = [c for c in waiting if c.hash not in state.measured]
        valid = state.space.materialise(new, threads_of(self._run.target))
        for candidate in new:
            if candidate.schedule is None:
                self._log.notice(
                    "warning", f"{state.task.name}: {candidate.decisions} cannot be built.", "Pin another row."
                )
        return valid

    def _add_known(self, state: TaskState, chosen: list[Candidate], most: int) -> None:
        """Let a round measure what another project found best of the task; what it has no room for waits."""
        assert state.space is not None
        while state.known and len(chosen) < most:
            candidate = state.space.known(state.known.pop(0))
            if candidate is not None and candidate.hash not in state.measured.union(c.hash for c in chosen):
                chosen += state.space.materialise([candidate])


def _fit(proposed: Sequence[Candidate], known: set[str]) -> list[Candidate]:
    """Those that can be measured: a plugin's strategy may propose one that is known, twice, or not applied."""
    found: dict[str, Candidate] = {}
    for candidate in proposed:
        if candidate.schedule is not None and candidate.hash not in known:
            found.setdefault(candidate.hash, candidate)
    return [*found.values()]

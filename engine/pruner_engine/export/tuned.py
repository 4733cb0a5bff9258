"""A model with its best schedules, ready to be compiled tuned or untuned."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvm
from tvm.s_tir.meta_schedule.database import Database, MemoryDatabase
from tvm.target import Target

from pruner_engine.export.build import apply_database, compile_model, compile_without_weights
from pruner_engine.export.coverage import task_names
from pruner_engine.export.library import write_library
from pruner_engine.export.weights import has_many, write_weights
from pruner_engine.targets.target import threads_of
from pruner_engine.tasks.task import TuningTask

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts


@dataclass(frozen=True)
class TunedModel:
    """A model as it was prepared, its tasks, and what was measured of them.

    Attributes:
        prepared: the model legalised and fused.
        tasks: what is extracted from it, whether it was tuned or not.
        database: MetaSchedule database with the tasks' records.
        untuned: seconds of one call of the untuned kernel, by task hash; a task that no record makes faster stays as
            it is.
        former: tasks of the run that are no kernels of the model as it is prepared now.
        drafts: records of tasks that no trial has reached, which nobody has measured (untried.py).
        undrafted: why others of these tasks have none, by their names.
        own_threads: worker threads of its libraries; None takes the target's.
    """

    model: ModelFacts
    prepared: tvm.IRModule
    target: Target
    tasks: Sequence[TuningTask]
    database: Database
    untuned: Mapping[str, float] = field(default_factory=dict)
    former: Sequence[TuningTask] = ()
    own_threads: int | None = None
    drafts: Database = field(default_factory=MemoryDatabase)
    undrafted: Mapping[str, str] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """Worker threads of its libraries, and of whatever they are compared with."""
        return self.own_threads or threads_of(self.target)

    @cached_property
    def task_of(self) -> dict[str, str]:
        """The task's name, by function of `prepared` that is a task."""
        return task_names(self.prepared, self.tasks)

    @cached_property
    def left(self) -> frozenset[str]:
        """Names of the tasks that tuning has not made faster: they stay as they are."""
        return frozenset(task.name for task in self.tasks if self._is_slower(task))

    @cached_property
    def drafted(self) -> frozenset[str]:
        """Names of the tasks that have a schedule which nobody has measured."""
        return frozenset(task.name for task in self.tasks if self.drafts.has_workload(task.mod))

    @property
    def flops(self) -> float:
        """Operations of one inference."""
        return sum(task.flops * task.weight for task in self.tasks)

    @property
    def untuned_s(self) -> float:
        """Seconds of one inference in the untuned kernels, as far as they are known."""
        return sum(task.weight * self.untuned.get(task.hash, 0.0) for task in self.tasks)

    @property
    def call_s(self) -> dict[str, float]:
        """Seconds of one call, by task, as far as tuning measured them: of its best schedule, or untuned."""
        best = {task.name: self._best_s(task) for task in self.tasks if task.name not in self.left}
        known = {task.name: best.get(task.name) or self.untuned.get(task.hash) for task in self.tasks}
        return {name: seconds for name, seconds in known.items() if seconds and name not in self.drafted}

    def applied(self) -> tvm.IRModule:
        """`prepared` with the best schedules in it, made anew by each call."""
        leave = [function for function, task in self.task_of.items() if task in self.left]
        applied = apply_database(self.prepared, self.target, self.database, leave)
        return apply_database(applied, self.target, self.drafts, leave) if self.drafted else applied

    def build(self, mod: tvm.IRModule, folder: Path, *, weights_beside: bool | None = None) -> dict[str, Any]:
        """Compile `prepared`, scheduled or not, into a library in `folder`, which is there.

        Args:
            weights_beside: its weights are written to a file of their own; None: where they are many.

        Returns:
            The library's metadata.

        Raises:
            UserError: it does not compile, or there is no linker.
        """
        if not (has_many(mod) if weights_beside is None else weights_beside):
            return write_library(compile_model(mod, self.target), self.model, self.target, self.threads, folder)
        library, weights = compile_without_weights(mod, self.target)
        return write_library(library, self.model, self.target, self.threads, folder, write_weights(weights, folder))

    def _is_slower(self, task: TuningTask) -> bool:
        best = self._best_s(task)
        return best is not None and task.hash in self.untuned and best > self.untuned[task.hash]

    def _best_s(self, task: TuningTask) -> float | None:
        best = self.database.get_top_k(self.database.commit_workload(task.mod), 1)
        return statistics.median(float(second) for second in best[0].run_secs) if best else None

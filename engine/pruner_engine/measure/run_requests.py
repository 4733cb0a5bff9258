"""The messages by which a runner is asked to time kernels of tasks."""

from __future__ import annotations

from typing import Literal

from tvm.target import Target

from pruner_engine.measure.running.kernel import facts_of
from pruner_engine.measure.types import MeasureOptions
from pruner_engine.measure.workers import wire
from pruner_engine.targets.target import device_kind, threads_of
from pruner_engine.tasks.task import TuningTask

# Filling arguments is no fault of a candidate's: drawn, put into its layout and copied on a busy machine, once to be
# timed and for each kind of inputs. The weights of a vocabulary are 200 MB and more.
_FILLED_A_S = 30e6  # bytes


class RunRequests:
    """Makes run messages that have the target, the options and the fleet in common.

    Attributes:
        options: as given.
        device: what kernels run on.
        threads: of a kernel, as many as the target says.
    """

    def __init__(self, target: Target, options: MeasureOptions, fleet: wire.Fleet | None = None) -> None:
        self.options, self._fleet = options, fleet
        self.device = device_kind(target)
        self.threads = threads_of(target)
        self._facts: dict[str, wire.KernelFacts] = {}

    @property
    def take_turns(self) -> bool:
        """Whether two kernels can be called in turns: on this machine's CPU only."""
        return self.device == "cpu" and self._fleet is None

    def facts_of(self, task: TuningTask) -> wire.KernelFacts:
        """What has to be known of the task's kernel; read once."""
        return self._facts.get(task.hash) or self._facts.setdefault(task.hash, facts_of(task.mod))

    def make(
        self,
        task: TuningTask,
        job: int,
        kernel: wire.Kernel,
        *,
        check: Literal["best", "all", "none", "keep"],
        best_s: float | None = None,
        yardstick: wire.Yardstick | None = None,
        timeout_s: float | None = None,
        settle: bool = True,
    ) -> wire.Run:
        """The message `job` about a kernel of the task; arguments as of `wire.Run`.

        Args:
            timeout_s: by default the limit of a candidate; more is given to large arguments.
        """
        filling_s = task.bytes / _FILLED_A_S
        return wire.Run(
            id=job,
            task=task.hash,
            device=self.device,
            threads=self.threads,
            kernel=kernel,
            args=[wire.Tensor(list(arg.shape), arg.dtype) for arg in task.args],
            facts=self.facts_of(task),
            best_s=best_s,
            repeats=self.options.repeats,
            check=check,
            cold=self.options.caches == "cold",
            reuse=list(task.reuse) if self.options.caches == "network" and self.take_turns else [],
            timeout_s=(timeout_s or self.options.run_timeout_s) + filling_s,
            settle=settle,
            yardstick=yardstick,
            fleet=self._fleet,
        )

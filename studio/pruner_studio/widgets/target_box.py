"""What a run tunes for: the devices of this machine and the presets are offered, any other target is typed."""

from __future__ import annotations

from collections.abc import Callable

from pruner_engine.targets import NamedTarget, named_targets, refusal
from pruner_studio import background
from pruner_studio.problem import Problem
from pruner_studio.said import all_said
from pruner_studio.translation import tr
from pruner_studio.widgets.named_box import Named, NamedBox

_SIZES = {
    "cpu": tr("this machine: {device}, cores: {count}"),
    "cuda": tr("this machine: {device}, multiprocessors: {count}"),
}
AUTO = "auto"


class TargetBox(NamedBox):
    """A box of the targets that a run may tune for.

    Args:
        on_problem: takes why the presets could not be read.
    """

    def __init__(self, on_problem: Callable[[Problem], object]) -> None:
        auto = Named(AUTO, tr("the CPU of this machine"))
        self._on_boards = self._looked = False
        super().__init__(tr("Target"), [auto], tr("a target of TVM, by its tag or as JSON"))
        self._on_problem = on_problem

    def measure_on_boards(self, on_boards: bool) -> None:
        """Whether boards measure instead of this machine: "auto" is what they have then."""
        if on_boards != self._on_boards:
            self._on_boards = on_boards
            self.offered.emit()

    @property
    def hindrance(self) -> str:
        """Why a run for it would be refused; empty where it may go: what only TVM knows, the run tells."""
        refused = refusal(self.chosen, on_boards=self._on_boards) if self._looked and self.chosen else None
        return all_said(refused.message, refused.hint) if refused else ""

    @property
    def about(self) -> str:
        if self._on_boards and self.chosen == AUTO:
            return tr("the processor of the boards, which are asked what it is")
        return super().about

    def refresh(self) -> None:
        """Look for devices in a thread: a driver may take its time."""
        background.run(self, lambda: [_told(target) for target in named_targets()], self._found, self._on_problem)

    def _found(self, targets: list[Named]) -> None:
        self._looked = True
        self.offer(targets)


def _told(target: NamedTarget) -> Named:
    if not target.here:
        return Named(target.name, tr("preset: {device}").format(device=target.device))
    told = _SIZES[target.kind].format(device=target.device, count=target.cores)
    needs = tr("{told}. Kernels run on the first GPU: start the window with {setting} to make it that.")
    return Named(target.name, told, needs.format(told=told, setting=target.needs) if target.needs else "")

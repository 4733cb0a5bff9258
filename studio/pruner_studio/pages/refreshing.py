"""When a page is brought up to date: at once for its user, less often for news of a run, in steps in any case."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from pruner_engine.errors import UserError
from pruner_studio.problem import Problem
from pruner_studio.workspace import Workspace

_MERGE_S = 0.2  # changes that come closer than this are shown together
_REST = 9  # times as long as a refresh took, a page leaves the core to others


class Refreshing(QObject):
    """Takes a page's steps while it is visible; between two of them the window can answer.

    Args:
        page: is refreshed.
        steps: shows what the project file holds now, with yields where the window may answer in between.

    Signals:
        done: the page shows what the project file holds now, or as much of it as could be read.
    """

    done = Signal()

    def __init__(self, page: QWidget, workspace: Workspace, steps: Callable[[], Iterable[None]]) -> None:
        super().__init__(page)
        self._page, self._workspace, self._make_steps = page, workspace, steps
        self._stale = True
        self._rested = 0.0  # when the next refresh may come
        self._hurried = False  # the user waits for it
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.begin_if_shown)
        self._steps: Iterator[None] = iter(())
        self._steps_of: tuple[object, int | None] = (None, None)
        self._spent = 0.0  # seconds of the steps so far
        self._next_step = QTimer(self, singleShot=True, interval=0)
        self._next_step.timeout.connect(self._go_on)

    def at_once(self) -> None:
        """Take all steps at once, as after a click."""
        self._next_step.stop()
        self._begin()
        while self._step():
            pass
        self._finish()

    def touch(self) -> None:
        """Refresh soon, since the project file has changed; changes that follow closely are shown together."""
        self._stale = True
        if not self._timer.isActive() and not self._next_step.isActive():
            self._timer.start(round(max(0.0, self._rested - time.monotonic()) * 1e3))

    def hurry(self) -> None:
        """Refresh next, or right after a refresh under way, since the user chose something else."""
        self._hurried, self._rested = True, 0.0
        self._timer.stop()
        self.touch()

    def begin_if_shown(self) -> None:
        """Take the first step of a refresh that is due."""
        if self._stale and self._page.isVisible():
            self._begin()
            self._go_on()

    @property
    def _shown(self) -> tuple[object, int | None]:
        return self._workspace.reader, self._workspace.run_id

    def _begin(self) -> None:
        self._stale, self._hurried, self._spent = False, False, 0.0
        self._steps_of = self._shown
        self._steps = self._every_step()

    def _every_step(self) -> Iterator[None]:
        """The steps of any page, one without yields too: nothing is read before the first is taken."""
        yield from self._make_steps()

    def _go_on(self) -> None:
        """The next step of a refresh; the first again where another project or run is open by now."""
        if self._steps_of != self._shown:
            self.touch()
        elif self._step():
            self._next_step.start()
        else:
            self._finish()

    def _step(self) -> bool:
        """Take a step; False where there was none left."""
        begin = time.monotonic()
        try:
            return next(self._steps, self) is None
        except UserError as error:  # the file was damaged or taken away while it is shown
            self._workspace.problem.emit(Problem(error.message, error.hint))
            return False
        finally:
            self._spent += time.monotonic() - begin

    def _finish(self) -> None:
        self._rested = 0.0 if self._hurried else time.monotonic() + max(_MERGE_S, _REST * self._spent)
        self.done.emit()
        if self._stale:
            self.touch()

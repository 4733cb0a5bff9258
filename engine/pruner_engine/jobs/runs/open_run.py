"""A run that a job works on: its row in the project file, and those who are told of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pruner_engine.errors import StoppedError, UserError
from pruner_engine.jobs.job import JobContext
from pruner_engine.notices import Level
from pruner_engine.plugins import told_of
from pruner_engine.protocol import Notice, RunFinished
from pruner_engine.store.project import Project

BY_THE_USER = "stopped by the user"


@dataclass(frozen=True)
class OpenRun:
    """One run of a project that is open for writing.

    Attributes:
        project: which holds the run.
        id: of the run's row.
        job: which works on it.
    """

    project: Project
    id: int
    job: JobContext

    @property
    def row(self) -> dict[str, Any]:
        """The columns of the run as they are now."""
        return self.project.runs.get(self.id)

    def update(self, **columns: Any) -> None:
        """Change columns of the run."""
        self.project.runs.update(self.id, **columns)

    def note(self, notice: Notice) -> None:
        """Tell the user now, and keep the notice with the run."""
        self.project.runs.add_event(self.id, notice.level, notice.text, notice.hint)
        self.job.emit(notice)

    def notice(self, level: Level, text: str, hint: str) -> None:
        """As `note`, from parts."""
        self.note(Notice(level=level, text=text, hint=hint))

    @contextlib.contextmanager
    def under_way(self) -> Iterator[None]:
        """Keep in the project file what becomes of the run: where it can be reached, and an error that ends it."""

        def moved(socket: str) -> None:
            with contextlib.suppress(UserError):  # it has just ended
                self.update(socket=socket)

        self.job.control.on_moved = moved
        try:
            yield
        except StoppedError:  # before there was anything to tune: a resume prepares it anew
            self.update(state="stopped", reason=BY_THE_USER, phase="", pid=None, socket="")
            nothing: dict[str, Any] = {"trials": 0, "valid": 0, "latency_s": None, "untuned_s": None}
            self.job.emit(RunFinished(run_id=self.id, state="stopped", reason=BY_THE_USER, **nothing))
        except (Exception, SystemExit) as error:  # a plugin's code may raise either
            self._fail(error)
            raise
        finally:
            self.job.control.on_moved = None

    def _fail(self, error: Exception | SystemExit) -> None:
        said = told_of(error)
        text = str(said) if said is not None else f"{type(error).__name__}: {error}"
        try:
            with self.project.transaction():
                self.update(state="failed", reason=text, phase="", pid=None, socket="")
                self.project.runs.add_event(self.id, "error", text)
        except UserError:  # the disk may be what failed
            self.project.leave_words(self.id, text)

"""Notices of a job about its run, sent as events and kept in the project file."""

from __future__ import annotations

from pruner_engine.jobs.job import JobContext
from pruner_engine.protocol import Notice
from pruner_engine.store.project import Project


def note(project: Project, run_id: int, job: JobContext, notice: Notice) -> None:
    """Tell it now, and keep it with the run."""
    project.runs.add_event(run_id, notice.level, notice.text, notice.hint)
    job.emit(notice)

"""Start from another project: its best schedules of a run's kernels are measured in the run's first rounds."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pruner_engine.errors import UserError
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.jobs.runs.preparing import Work
from pruner_engine.processes.isolation import deadly
from pruner_engine.protocol import Notice, Phase
from pruner_engine.space.schedule import schedule_of
from pruner_engine.store.queries.known import best_traces

_MOST = 3  # schedules of a kernel


def check_known(path: str) -> None:
    """Refuse a path that is no project.

    Raises:
        UserError: it cannot be read as one.
    """
    if path:
        best_traces(Path(path), (), "", 0)


def take_known(run: OpenRun, path: str, work: Work) -> None:
    """Queue the best schedules that the project `path` holds of the run's tasks, and tell the user how many it knows.

    A file that cannot be read any more costs a warning: a run goes on without it.
    """
    run.job.emit(Phase(name="load", detail=path))
    states = work.states
    try:
        traces = best_traces(Path(path), {state.task.hash for state in states}, work.target.kind.name, _MOST)
    except UserError as error:
        run.note(Notice(level="warning", text=error.message, hint=error.hint))
        return
    pairs = [(state, trace) for state in states for trace in traces.get(state.task.hash, ())]
    fatal = deadly([partial(schedule_of, state.task, work.target, trace) for state, trace in pairs])
    for index, (state, trace) in enumerate(pairs):
        if index not in fatal:
            state.known.append(trace)
    name, count = Path(path).name, sum(bool(state.known) for state in states)
    if count:
        notice = Notice(
            level="info", text=f"Kernels that start with what {name} knows of them: {count} of {len(states)}."
        )
    else:
        notice = Notice(level="warning", text=f"{name} knows none of the model's kernels.")
    run.note(notice)

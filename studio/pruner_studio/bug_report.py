"""What the makers are to know: versions, machine, the run that is shown and what went wrong lately."""

from __future__ import annotations

from collections.abc import Iterable

from pruner_engine.diagnostics.bug_report import environment
from pruner_studio.problem import Problem
from pruner_studio.workspace import Workspace

_OF_RUN = ("strategy", "state", "reason", "phase", "trials", "failed", "settings")


def report_of(workspace: Workspace, problems: Iterable[Problem]) -> str:
    """Text for an issue."""
    run, parts = workspace.run(), [environment()]
    if run is not None:
        parts.append("\n".join(f"{name}: {run[name]}" for name in _OF_RUN))
    parts += ["\n".join(filter(None, (told.message, told.hint, told.report))) for told in problems]
    parts += [client.stderr_tail for client in (workspace.job, *workspace.helpers.both) if client.stderr_tail]
    return "\n\n".join(parts)

"""The states of a run, and which run is meant where none is named."""

from __future__ import annotations

from pathlib import Path

from pruner_engine.errors import UserError

BUSY = ("preparing", "tuning", "paused")  # states of a run that an engine works on
IMPORTED = "imported"  # strategy of a run that holds what others measured
# Of rows `r` of runs, the one that is meant where none is named comes first: what others measured displaces no run that
# was tuned here. `IS`, since a task may be of no run.
NEWEST_FIRST = f"r.strategy IS '{IMPORTED}', r.id DESC"


def no_run(path: Path) -> UserError:
    """What to tell where a project without runs is asked for one."""
    return UserError(f"{path.name} holds no run yet.", "Tune a model into it first.")

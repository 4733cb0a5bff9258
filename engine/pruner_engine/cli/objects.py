"""JSON objects that several commands print."""

from __future__ import annotations

from pruner_engine.library_names import called
from pruner_engine.store.queries.results import DISTURBED, is_disturbed
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.units import counted, latency

# of tasks that no trial has reached, by kind of device; see export/untried.py
_DRAFTED = {
    "cpu": "; an export drafts those that take long",
    "cuda": "; an export drafts those that it expects in half of the time",
}
_FAILURE = ("stage", "error", "count", "message", "hint", "log")  # what is told of a kind of failure


def run_object(reader: ProjectReader, run_id: int) -> Row:
    """What `--json` tells of a run; docs/terminal.md lists the fields."""
    row = reader.run(run_id)
    keys = (
        "id", "model", "strategy", "seed", "state", "reason", "alive", "interrupted", "device", "target",
        "budget_trials", "budget_s", "trials", "valid", "failed", "tasks", "untried", "elapsed_s", "left_s",
        "untuned_s", "latency_s", "gain", "settings", "versions", "host",
    )  # fmt: skip
    found = {key: row[key] for key in keys}
    found["measured_s"] = measured(reader, run_id)
    found["failures"] = [{k: f[k] for k in _FAILURE} for f in reader.failures(run_id)]
    baselines = reader.baselines(run_id)
    found["baselines"] = {b["name"]: b["seconds"] for b in baselines}
    found["disturbed"] = [b["name"] for b in baselines if b["seconds"] and is_disturbed(b)]
    found["given_up"] = given_up(reader, run_id)
    return found


def given_up(reader: ProjectReader, run_id: int) -> int:
    """How many of a run's tasks are tuned no more."""
    return sum(bool(task["quarantined"]) for task in reader.tasks(run_id))


def measured(reader: ProjectReader, run_id: int) -> float | None:
    """Seconds of one inference of the tuned model, as its last export measured it."""
    last = reader.exported(run_id)
    return last["seconds"] if last else None


def untried(run: Row) -> str:
    """How many of a run's tasks had no trial yet, for a line; empty where all had, or none had any."""
    if not (run["valid"] and run["untried"]):
        return ""
    drafted = _DRAFTED.get(run["profile"].get("kind"), "")
    return f"{run['untried']} of {counted(run['tasks'], 'task')}, which a larger budget reaches{drafted}"


def libraries(reader: ProjectReader, run_id: int) -> str:
    """The libraries that could run the run's model, and their latencies, for a line; empty where none could."""
    return ", ".join(
        f"{called(row['name'])} {latency(row['seconds'])}{f' ({DISTURBED})' if is_disturbed(row) else ''}"
        for row in reader.libraries(run_id)
        if row["seconds"]
    )

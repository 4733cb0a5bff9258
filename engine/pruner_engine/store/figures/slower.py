"""Tells when a tuned model is slower than the untuned one or a library: than which, and which tasks to tune longer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pruner_engine.caches import caches_of
from pruner_engine.store.figures.comparison import comparable
from pruner_engine.store.reader import ProjectReader, Row

_NAMED = 3  # tasks, at most


@dataclass(frozen=True)
class Slower:
    """A tuned model, and what is faster than it.

    Attributes:
        seconds: latency of the tuned model.
        measured: whether that was measured in an export, or is the estimate, the sum over the kernels.
        than: seconds of what is faster, by name, the fastest first.
        tasks: names of those to tune longer, which take most of the time, the longest first.
    """

    seconds: float
    measured: bool
    than: dict[str, float]
    tasks: tuple[str, ...]


def faster(seconds: Mapping[str, float | None]) -> dict[str, float]:
    """Which of the latencies, seconds by name, are below that of "tuned", the fastest first; None: not known."""
    tuned, known = seconds.get("tuned"), {name: value for name, value in seconds.items() if value}
    return {name: known[name] for name in sorted(known, key=known.__getitem__) if tuned and known[name] < tuned}


def exported(summary: Mapping[str, Any]) -> Slower | None:
    """What is faster than an exported model, by the export's summary; None where nothing is."""
    seconds = {name: entry["seconds"] for name, entry in summary["latency"].items()}
    than = faster(seconds)
    if not than:
        return None
    times: dict[str, float] = defaultdict(float)
    for row in summary["coverage"]["functions"]:
        if row["task"]:
            times[row["task"]] += row["seconds"] or 0.0
    return Slower(seconds["tuned"], True, than, _longest(times))


def expected(reader: ProjectReader, run_id: int | None, *, all_runs: bool) -> Slower | None:
    """What is faster than a model would be if it were exported now; None where nothing is known to be.

    A run's latency is that of its last export where nothing was tuned since, otherwise the estimate. Of that it is not
    known what tasks without trials will take, which an export drafts.

    Args:
        run_id, all_runs: as an export takes them.
    """
    run = reader.run(run_id)
    runs = [row for row in reader.runs() if _exported_with(row, run)] if all_runs or run_id is None else [run]
    found = min((latency for row in runs if (latency := _latency(reader, row))), default=None)
    if found is None:
        return None
    seconds, measured, least = found
    baselines = {row["name"]: row["seconds"] for row in reader.baselines(run["id"])}
    than = faster({**baselines, "tuned": least})
    times = {row["name"]: row["share"] or 0.0 for row in reader.tasks(run["id"]) if not row["quarantined"]}
    return Slower(seconds, measured, than, _longest(times)) if than else None


def _exported_with(row: Row, run: Row) -> bool:
    """Whether an export of all runs takes a run's trials too: latencies with other caches are kept apart."""
    return comparable(row, run) and caches_of(row) == caches_of(run)


def _latency(reader: ProjectReader, run: Row) -> tuple[float, bool, float] | None:
    """Of a run, whether it was measured, and what its kernels with trials take of it."""
    last = reader.exported(run["id"])
    if last is not None and not last["tuned_since"]:
        return last["seconds"], True, last["seconds"]
    if not run["latency_s"]:
        return None
    untried = sum(row["weight"] * (row["untuned_s"] or 0.0) for row in reader.tasks(run["id"]) if not row["trials"])
    return run["latency_s"], False, run["latency_s"] - untried


def _longest(times: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(sorted(times, key=lambda name: -times[name])[:_NAMED])

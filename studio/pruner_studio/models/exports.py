"""What is said of an export: where its library was run, how it is run, what of it is tuned."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from pruner_engine import units
from pruner_engine.store.reader import ProjectReader
from pruner_studio.models.paths import exists, is_file
from pruner_studio.said import said
from pruner_studio.translation import tr

STATES: dict[str, str] = {
    "applied": tr("applied"),
    "drafted": tr("drafted"),
    "fallback": tr("fallback"),
    "not tunable": tr("not tunable"),
}
_METADATA = "metadata.json"  # of a bundle, as the engine writes it
_HERE = {"where": "here", "device": "", "why_not": ""}  # what earlier exports do not tell

Summary = Mapping[str, Any]


def is_run(summary: Summary) -> bool:
    """Whether anything ran the library, so that its outputs could be checked."""
    return bool(summary.get("place", _HERE)["where"] != "nowhere")


def is_for_here(summary: Summary) -> bool:
    """Whether this machine ran the library."""
    return bool(summary.get("place", _HERE)["where"] == "here")


def told_place(summary: Summary) -> str:
    """Where the library was timed, or why it was not; empty where that was here."""
    place = summary.get("place", _HERE)
    if place["where"] == "boards":
        return tr("Measured on {device}.").format(device=said(place["device"]))
    return "" if is_run(summary) else tr("Not measured. {reason}").format(reason=said(place["why_not"]))


def told_unchecked() -> str:
    """What to do about a library that nothing ran."""
    return tr("Nothing here runs the library: compare its outputs on the device before using it.")


def run_line(summary: Summary, out: str) -> str:
    """The line that runs and times it, in the bundle's folder where that has to be copied first."""
    return shlex.join(["python", str(Path(out) / "run.py") if is_for_here(summary) else "run.py", "--bench"])


def told_coverage(summary: Summary) -> str:
    """How many functions have a tuned schedule, and their share of the time."""
    coverage = summary["coverage"]
    parts = ", ".join(_part(state, part) for state, part in coverage["summary"].items())
    told = tr("Functions with a tuned schedule and without: {parts}.").format(parts=parts)
    if "drafted" in coverage["summary"]:
        why = tr("What is drafted no trial has reached: it has the draft's best schedule, which nobody has measured.")
        told = f"{told} {why}"
    if not coverage.get("estimated"):
        return told
    whose = tr("Their times are those that tuning measured: the library was not profiled.")
    return f"{told} {whose}"


def _part(state: str, part: Mapping[str, Any]) -> str:
    count, called = units.count(part["functions"]), STATES.get(state, state)
    if part["share"] is None:
        return f"{count} {called}"
    return tr("{count} {state} ({share} of the time)").format(
        count=count, state=called, share=units.percent(part["share"])
    )


def told_replaced(out: str, reader: ProjectReader) -> str:
    """What lies in a folder that a new export would replace; empty where it would replace none."""
    if not is_file(Path(out) / _METADATA):
        return ""
    noted = reader.exported_to(str(Path(out).absolute()))
    if noted is None:
        return tr("What is there was not exported from this project.")
    told = tr("This project's last export to it was of run {run}: {moment}.")
    told = told.format(run=noted["run_id"], moment=units.moment(noted["at"]))
    took = tr("An inference took {latency}.") if noted["seconds"] else ""
    return f"{told} {took.format(latency=units.latency(noted['seconds']))}".strip()


def free_folder(out: str) -> str:
    """A folder beside one that is taken, numbered, that is not there yet."""
    place = Path(out)
    return next(str(free) for number in count(2) if not exists(free := place.with_name(f"{place.name}-{number}")))

"""Compares runs of one model: when did each reach the latency of the run that sets the goal?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pruner_engine.caches import caches_of
from pruner_engine.errors import UserError
from pruner_engine.store.file.read_only import Row
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.reader import ProjectReader
from pruner_engine.store.run_states import no_run


@dataclass(frozen=True)
class Comparison:
    """Runs that compare with each other, and when each was as good as the one that sets the goal.

    Attributes:
        goal_s: latency to reach, in seconds; None before anything is measured.
        base: the run that sets it.
        usual: the run that sets it unless another one is asked for.
        runs: rows of `ProjectReader.runs`, with `goal_trials` and `goal_s` (trials and seconds of work until the goal;
            None where it was not reached, or where the two runs measured with other caches) and `goal_gain` (the base's
            seconds over the run's). `project` is the path of a run's file, `of` what that project is called, empty for
            the chosen run's own; `name` is the run's number, behind "PROJECT:" where it is another project's.
        progress: points of the latency curve of each run, by its name.
    """

    goal_s: float | None
    base: Row
    usual: Row
    runs: list[Row]
    progress: dict[str, list[Row]]

    @property
    def caches_differ(self) -> bool:
        """Not all runs were measured with the same caches."""
        return len({caches_of(run) for run in self.runs}) > 1


def comparable(run: Row, other: Row) -> bool:
    """Whether two rows of `ProjectReader.runs` tell of one model on one device, with products of one float type.

    The rows may be of two projects: what counts is the content of the model and the identity of the device.
    """
    return _kind(run) == _kind(other)


def of_one_model(run: Row, other: Row) -> bool:
    """Whether two runs are of one model on one device, in any float type."""
    return _subject(run) == _subject(other)


def _subject(run: Row) -> dict[str, Any]:
    return {
        "of another model": run["model_sha256"],
        "of other input shapes": run["inputs"],
        "on another device or target": (run["target"], run["fingerprint"]),
    }


def _kind(run: Row) -> dict[str, Any]:
    """What runs must have in common, each under the words for where it differs."""
    return {**_subject(run), "of another float type": run["settings"].get("dtype", "float32")}


def refuse_unlike(reader: ProjectReader, chosen: Row) -> None:
    """Refuse a project without a run that is comparable with the chosen one.

    Raises:
        UserError: there is none; it says what differs.
    """
    wanted = _kind(chosen)
    differences = [[why for why, own in _kind(run).items() if own != wanted[why]] for run in reader.runs()]
    if not differences:
        raise no_run(reader.path)
    nearest = min(differences, key=len)
    if nearest:
        raise UserError(
            f"{reader.path.name} holds no run that compares with run {chosen['id']} of {chosen['model']}: its runs are"
            f" {' and '.join(nearest)}.",
            "Only runs of one model file on one device with one float type are laid over each other.",
        )


def compare(
    reader: ProjectReader, chosen: Row, goal_of: str | int | None = None, others: Sequence[ProjectReader] = ()
) -> Comparison:
    """The chosen run and all that are comparable with it.

    Args:
        goal_of: number or name of the run that sets the goal; None for the newest of the stock search that has a
            latency and caches as the chosen run's, of its own project first; where there is none the chosen one.
        others: further projects whose runs are taken too.

    Raises:
        UserError: none of them has that number.
    """
    runs, progress = [], {}
    for of, source in zip(("", *_names(others)), (reader, *others), strict=True):
        for run in source.runs():
            if comparable(run, chosen):
                run["project"], run["of"] = str(source.path), of
                run["name"] = f"{of}:{run['id']}" if of else str(run["id"])
                progress[run["name"]] = source.progress(run["id"])
                runs.append(run)
    own = next(run for run in runs if not run["of"] and run["id"] == chosen["id"])
    stock = [
        run
        for run in reversed(runs)
        if caches_of(run) == caches_of(chosen) and run["strategy"] == "metaschedule" and run["latency_s"]
    ]
    base = usual = next(iter(sorted(stock, key=lambda run: bool(run["of"]))), own)
    if goal_of is not None:
        base = next((run for run in runs if run["name"] == str(goal_of)), {})
    if not base:
        text = f"There is no run {goal_of} of {chosen['model']} on the same device with the same float type."
        raise UserError(text, "`pruner status` lists the runs.")
    goal_s: float | None = base["latency_s"]
    reached: dict[str, Row | None] = {}
    for run in runs:
        with making_sense(Path(run["project"])):
            alike = caches_of(run) == caches_of(base)
            reached[run["name"]] = _reached(progress[run["name"]], goal_s) if alike else None
    first = reached[base["name"]]
    for run in runs:
        at = reached[run["name"]]
        run["goal_trials"], run["goal_s"] = (at["trials"], at["elapsed_s"]) if at else (None, None)
        run["goal_gain"] = first["elapsed_s"] / at["elapsed_s"] if first and at and at["elapsed_s"] else None
    return Comparison(goal_s, base, usual, runs, progress)


def _names(readers: Sequence[ProjectReader]) -> list[str]:
    """What projects are called: by their files' names, with folders where two share one."""
    paths = [reader.path.resolve().with_suffix("") for reader in readers]

    def told(path: Path) -> str:
        for words in range(1, len(path.parts)):
            name = "/".join(path.parts[-words:])
            if sum(other.parts[-words:] == path.parts[-words:] for other in paths) == 1:
                return name
        return str(path)

    return [told(path) for path in paths]


def _reached(progress: Sequence[Row], goal_s: float | None) -> Row | None:
    """The first point of a run with that latency or a better one."""
    if not goal_s:
        return None
    return next((row for row in progress if row["latency_s"] is not None and row["latency_s"] <= goal_s), None)

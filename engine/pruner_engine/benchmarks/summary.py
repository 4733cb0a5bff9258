"""The results of a comparison, from its project files alone.

Every figure compares a run with the baseline strategy's run of the same workload and seed. Figures of several seeds,
then of several workloads, are put together as geometric means.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pruner_engine.benchmarks.adaptation import adaptation_curve
from pruner_engine.benchmarks.again import read_again
from pruner_engine.benchmarks.curve import PARTS, RunCurve, curve_of, finished_runs
from pruner_engine.benchmarks.series import WantedRun
from pruner_engine.errors import UserError
from pruner_engine.search.settings import SearchSettings, asked_settings
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.reader import ProjectReader

Json = dict[str, Any]
Curves = dict[tuple[str, int], RunCurve]  # by strategy's label and seed

_DEFAULTS: Json = msgspec.to_builtins(SearchSettings())
_DECIDES_NOTHING = ("trials_per_task",)


def read_curves(folder: Path, baseline: str) -> dict[str, Curves]:
    """Curves of each project's `finished_runs` in `folder`, labelled by what they differ in from the baseline's.

    Raises:
        UserError: there is none.
    """
    found: dict[str, list[RunCurve]] = {}
    for path in sorted(folder.glob("*.pruner")):
        with ProjectReader(path) as reader, making_sense(path):
            again = read_again(path)
            found[path.stem] = [curve_of(reader, row["id"], again) for row in finished_runs(reader)]
    if not any(found.values()):
        raise UserError(f"{folder} holds no finished run.", "Run `pruner bench search --out` with this folder.")
    common = _common_settings([curve.run for curves in found.values() for curve in curves], baseline)
    return {
        name: {(_label(curve.run, common), curve.run["seed"]): curve for curve in curves}
        for name, curves in found.items()
        if curves
    }


def summarise(folder: Path, baseline: str = "metaschedule") -> Json:
    """The comparison as one JSON object; docs/terminal.md lists its fields.

    Raises:
        UserError: the folder holds no finished run.
    """
    projects = read_curves(folder, baseline)
    labels = sorted(
        {label for curves in projects.values() for label, _ in curves}, key=lambda name: (name != baseline, name)
    )
    workloads = [_workload(name, curves, labels, baseline) for name, curves in projects.items()]
    first = next(iter(next(iter(projects.values())).values())).run
    return {
        "folder": str(folder),
        "baseline": baseline,
        "strategies": labels,
        "device": first["device"],
        "target": first["target"],
        "versions": first["versions"],
        "workloads": workloads,
        "overall": {label: _overall(label, workloads) for label in labels},
        "adaptation": {label: curve for label in labels if (curve := _adaptation(label, projects))},
    }


# ------------------------------------------------------------ one workload


def _workload(name: str, curves: Curves, labels: Sequence[str], baseline: str) -> Json:
    runs: list[Json] = []
    for (label, seed), curve in sorted(curves.items(), key=lambda item: (labels.index(item[0][0]), item[0][1])):
        runs.append(_run(label, seed, curve, curves.get((baseline, seed))))
    return {
        "name": name,
        "model": next(iter(curves.values())).run["model"],
        "untuned_s": next(iter(curves.values())).run["untuned_s"],
        "runs": runs,
        "strategies": {label: _together([run for run in runs if run["strategy"] == label]) for label, _ in curves},
    }


def _run(label: str, seed: int, curve: RunCurve, base: RunCurve | None) -> Json:
    told: Json = {
        "strategy": label,
        "seed": seed,
        "run": curve.run["id"],
        "trials": len(curve.points),
        "failed": curve.run["failed"],
        "seconds": curve.wall_s,
        "latency_s": curve.final_s,
        "share": {part: curve.work_s[part] / curve.wall_s for part in PARTS} if curve.wall_s else {},
    }
    if base is None or base.final_s is None:
        return told
    reached, own = curve.reach(base.final_s), base.reach(base.final_s)
    assert own is not None
    used = reached or curve.points[-1]
    # where it was not reached this is a bound, and giving up early must not look like being fast
    least = 0.0 if reached else 1.0
    return told | {
        "reached": reached is not None,
        "reach_trials": used.trials,
        "reach_seconds": used.seconds,
        "time_ratio": max(least, used.seconds / base.points[-1].seconds),
        "own_time_ratio": max(least, used.seconds / own.seconds),
        "trials_ratio": max(least, used.trials / len(base.points)),
        "at": {
            str(count): latency / base.final_s
            for count in _marks(len(base.points))
            if count <= len(curve.points) and (latency := curve.at(count)) is not None
        },
        "final": None if curve.final_s is None else curve.final_s / base.final_s,
    }


def _marks(trials: int) -> list[int]:
    """16, 32, 64, … and the number of trials itself."""
    marks = [1 << power for power in range(4, 32) if 1 << power < trials]
    return [*marks, trials]


_MEANT = ("time_ratio", "own_time_ratio", "trials_ratio", "final")


def _together(runs: Sequence[Json]) -> Json:
    """Figures of one strategy over the seeds of a workload."""
    compared = [run for run in runs if "reached" in run]
    timed = compared or runs  # of the seeds that the baseline has, too: strategies are held against each other
    return {
        "seeds": len(runs),
        "reached": sum(run["reached"] for run in compared),
        "compared": len(compared),
        "latency_s": _geometric_mean(run["latency_s"] for run in timed),
        "seconds": _geometric_mean(run["seconds"] for run in timed),
        "share": _mean_shares(runs),
        **_means(compared),
    }


def _overall(label: str, workloads: Sequence[Json]) -> Json:
    """Figures of one strategy over all workloads that it was compared on."""
    parts = [w["strategies"][label] for w in workloads if label in w["strategies"]]
    compared = [part for part in parts if part["compared"]]
    return {
        "workloads": len(compared),
        "reached": sum(part["reached"] for part in compared),
        "compared": sum(part["compared"] for part in compared),
        "share": _mean_shares(parts),
        **_means(compared),
    }


def _means(parts: Sequence[Json]) -> Json:
    """Figures of several seeds, or of several workloads, put together, and how far they lie apart."""
    return {
        **{name: _geometric_mean(part[name] for part in parts) for name in _MEANT},
        "spread": {name: _spread(part[name] for part in parts) for name in _MEANT},
        "at": _at(parts),
    }


def _at(parts: Sequence[Json]) -> Json:
    """Means at the marks that all parts have: one that only some have would compare different things."""
    marks = {mark: None for part in parts for mark in part["at"]}
    return {
        mark: _geometric_mean(part["at"][mark] for part in parts)
        for mark in sorted(marks, key=int)
        if all(part["at"].get(mark) is not None for part in parts)
    }


def _adaptation(label: str, projects: dict[str, Curves]) -> list[Json]:
    """How well the models of a strategy that adapts one ranked, over all of its runs."""
    return adaptation_curve(
        curve.adaptations for curves in projects.values() for (name, _), curve in curves.items() if name == label
    )


def _geometric_mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.geometric_mean(known) if known and min(known) > 0 else None


def _spread(values: Iterable[float | None]) -> list[float] | None:
    """Smallest and largest."""
    known = [value for value in values if value is not None]
    return [min(known), max(known)] if known else None


def _mean_shares(parts: Sequence[Json]) -> dict[str, float]:
    known = [part["share"] for part in parts if part["share"]]
    return {name: statistics.fmean(share[name] for share in known) for name in PARTS} if known else {}


# ------------------------------------------------------------ names of strategies


def foretold_labels(wanted: Iterable[WantedRun], folder: Path, baseline: str) -> list[str]:
    """What a comparison will call its strategies: those of the runs that it is to make, and of the folder's."""
    runs = [{"strategy": run.strategy, "settings": json.loads(run.settled.as_json())} for run in wanted]
    for path in sorted(folder.glob("*.pruner")):
        with ProjectReader(path) as reader:
            runs += finished_runs(reader)
    common = _common_settings(runs, baseline)
    return list(dict.fromkeys(_label(run, common) for run in runs))


def _common_settings(runs: Sequence[Json], baseline: str) -> dict[str, Any]:
    """The value that most runs of the baseline's strategy have of each setting; the default where as many have it."""
    strategy = baseline.partition(":")[0]
    counts: dict[str, Counter[str]] = {}
    for run in [run for run in runs if run["strategy"] == strategy] or runs:
        for name, value in asked_settings(run).items():
            counts.setdefault(name, Counter())[json.dumps(value)] += 1
    return {
        name: json.loads(max(count, key=lambda text: (count[text], text == json.dumps(_DEFAULTS.get(name)))))
        for name, count in counts.items()
    }


def _label(run: Json, common: dict[str, Any]) -> str:
    """The strategy with the settings in which the run differs from the baseline, as `--strategies` takes it."""
    different = [
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in asked_settings(run).items()
        if name in common and value != common[name] and name not in _DECIDES_NOTHING
    ]
    return ":".join([run["strategy"], *different])


def marks_of(strategies: Json) -> list[str]:
    """Numbers of trials that some strategy has a figure for, ascending."""
    return sorted({mark for found in strategies.values() for mark in found["at"]}, key=int)

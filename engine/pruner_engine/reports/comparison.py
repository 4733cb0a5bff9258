"""The page about a comparison of strategies."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from pruner_engine.benchmarks.adaptation import MODELS
from pruner_engine.benchmarks.curve import PARTS, Point, RunCurve
from pruner_engine.benchmarks.summary import Json, marks_of, read_curves
from pruner_engine.reports.adaptation import MODELS_TOLD
from pruner_engine.reports.chart import Axis, Chart
from pruner_engine.reports.page import render, write_page
from pruner_engine.units import duration, latency, percent


def write_comparison(folder: Path, summary: Json, path: Path) -> None:
    """Write the page of a folder's summary, with the curves of its runs.

    Raises:
        UserError: `path` cannot be written.
    """
    projects = read_curves(folder, summary["baseline"])
    workloads = []
    for workload in summary["workloads"]:
        by_time = Chart("Latency over search time", Axis("searched", duration), Axis("latency", latency, log=True))
        by_trials = Chart("Latency over trials", Axis("trials", whole=True), Axis("latency", latency, log=True))
        for (label, _seed), curve in sorted(projects[workload["name"]].items()):
            colour = summary["strategies"].index(label)
            changes = _changes(curve)
            by_time.steps(label, [(point.seconds, reached) for point, reached in changes], colour)
            by_trials.steps(label, [(point.trials, reached) for point, reached in changes], colour)
        workloads.append({**workload, "by_time": by_time.svg(), "by_trials": by_trials.svg()})
    adaptation = [_adaptation(label, curve) for label, curve in summary["adaptation"].items()]
    html = render(
        "comparison.html", summary=summary, workloads=workloads, parts=PARTS, marks_of=marks_of, adaptation=adaptation
    )
    write_page(path, html)


def _adaptation(label: str, curve: list[Json]) -> Markup:
    """How well the adapted model ranks what comes next, beside one from scratch and the pre-trained one."""
    chart = Chart(f"Pairs in order: {label}", Axis("adaptation", whole=True), Axis("pair accuracy", percent))
    for colour, model in enumerate(MODELS):
        chart.steps(MODELS_TOLD[model], [(row["adaptation"], row[model]) for row in curve if model in row], colour)
    return chart.svg()


def _changes(curve: RunCurve) -> list[tuple[Point, float]]:
    """Where the latency changed, and the end."""
    changes: list[tuple[Point, float]] = []
    for point in curve.points:
        if point.latency_s is None:
            continue
        if not changes or changes[-1][1] != point.latency_s or point is curve.points[-1]:
            changes.append((point, point.latency_s))
    return changes

"""The page about one run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from pruner_engine import protocol as msg
from pruner_engine.jobs import lines
from pruner_engine.library_names import called
from pruner_engine.reports.adaptation import adaptation_charts
from pruner_engine.reports.chart import Axis, Chart
from pruner_engine.reports.page import render, write_page
from pruner_engine.store.figures import noise
from pruner_engine.store.figures.adaptation import LEAST
from pruner_engine.store.figures.quality import over_rounds, score_quality, top_recall
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.units import duration, latency

_SHOWN_TRIALS = 4000  # points of a scatter chart: more make the page slow and the picture no clearer
_FUNNEL = ("explored", "drafted", "verified", "measured", "valid")
_PARTS = ("draft", "verify", "build", "run", "learn")


def write_run(reader: ProjectReader, run_id: int | None, path: Path) -> None:
    """Write the page of a run, the newest when none is named.

    Raises:
        UserError: there is no such run, the project makes no sense, or `path` cannot be written.
    """
    with making_sense(reader.path):
        html = _page(reader, run_id)
    write_page(path, html)


def _page(reader: ProjectReader, run_id: int | None) -> str:
    run = reader.run(run_id)
    tasks, rounds = reader.tasks(run["id"]), reader.rounds(run["id"])
    progress = reader.progress(run["id"])
    baselines = reader.libraries(run["id"])
    exported = reader.exported(run["id"])
    levels = {"untuned": run["untuned_s"], **{called(line["name"]): line["seconds"] for line in baselines}}
    if exported is not None:
        levels["tuned, measured"] = exported["seconds"]
    measured = reader.candidates(run["id"], measured=True)
    drift = noise.drift_of(reader.probes(run["id"]))
    return render(
        "run.html",
        run=run,
        project=reader.path.name,
        tasks=sorted(tasks, key=lambda task: -(task["share"] or 0.0)),
        exported=exported,
        baselines=baselines,
        latency=_latency(progress, levels, "trials", Axis("trials", whole=True)),
        latency_by_time=_latency(progress, levels, "elapsed_s", Axis("worked", duration)),
        funnel=_funnel(rounds),
        time=_time(rounds),
        draft_scores=_scores(measured, "draft_score", "Draft score and measured latency"),
        verified_scores=_scores(measured, "verified_score", "Verified score, comparable within a round"),
        quality=[_quality(task, measured) for task in tasks if task["trials"]],
        adaptation=adaptation_charts(reader.adaptations(run["id"])),
        judged=LEAST,
        noise=noise.told(drift) if drift else "",
        failures=reader.failures(run["id"]),
        events=reader.events(run["id"]),
        exports=[
            {"out": row["out"], **row["summary"], "coverage": row["summary"]["coverage"]["summary"]}
            for row in reader.exports(run["id"])
        ],
        commands=commands_of(run, reader.path),
    )


def commands_of(run: Row, project: Path) -> list[str]:
    """Command lines that make the run anew, go on with it, and export it."""
    resume = msg.Resume(project=project.name, run_id=run["id"])
    export = msg.Export(project=project.name, run_id=run["id"], out="DIR")
    return [lines.line_of(command) for command in (lines.plan_of(run, "NEW.pruner"), resume, export)]


def _latency(progress: list[Row], levels: dict[str, float | None], column: str, axis: Axis) -> Any:
    chart = Chart(f"Estimated latency over {axis.label}", axis, Axis("latency", latency, log=True))
    points = [(row[column], row["latency_s"]) for row in progress if row["latency_s"] is not None]
    chart.steps("tuned", points, 0)
    for colour, (name, seconds) in enumerate(levels.items(), 1):
        chart.level(name, seconds, colour)
    return chart.svg()


def _funnel(rounds: list[Row]) -> Any:
    chart = Chart("Candidates per round", Axis("round", whole=True), Axis("candidates", _count, log=True))
    for colour, name in enumerate(_FUNNEL):
        chart.steps(name, [(row["idx"], row[name]) for row in rounds], colour)
    return chart.svg()


def _time(rounds: list[Row]) -> Any:
    chart = Chart("Seconds of work per round", Axis("round", whole=True), Axis("work", duration))
    for colour, part in enumerate(_PARTS):
        chart.steps(part, [(row["idx"], row[f"{part}_s"]) for row in rounds], colour)
    return chart.svg()


def _scores(measured: list[Row], score: str, title: str) -> Any:
    """The scores of two tasks cannot be compared, nor verified ones of two rounds."""
    chart = Chart(title, Axis("score, higher is better"), Axis("measured", latency, log=True))
    known = [row for row in measured if row["seconds"] is not None and row[score] is not None]
    known = known[:: max(1, -(-len(known) // _SHOWN_TRIALS))]
    for censored, name in ((0, "timed"), (1, "abandoned early")):
        rows = [row for row in known if row["censored"] == censored]
        hints = [f"candidate {row['id']}, round {row['round']}: {latency(row['seconds'])}" for row in rows]
        chart.dots(name, [(row[score], row["seconds"]) for row in rows], censored * 2, hints)
    return chart.svg()


def _quality(task: Row, measured: list[Row]) -> Row:
    rows = [row for row in measured if row["task_id"] == task["id"]]
    rounds: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        rounds[row["round_id"]].append(row)
    verified, _ = over_rounds((score_quality(own, "verified_score"), len(own)) for own in rounds.values())
    verified_recall, _ = over_rounds((top_recall(own, "verified_score"), len(own)) for own in rounds.values())
    return {
        "name": task["name"],
        "measured": len(rows),
        "draft": score_quality(rows, "draft_score"),
        "verified": verified,
        "draft_recall": top_recall(rows, "draft_score"),
        "verified_recall": verified_recall,
    }


def _count(value: float) -> str:
    return f"{value:,.0f}"

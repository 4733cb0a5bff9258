"""What the commands do; `main` holds their options."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.table import Table
from rich.text import Text

from pruner_engine.cli.output import print_json, print_table
from pruner_engine.cli.progress import carry_out
from pruner_engine.errors import UserError
from pruner_engine.jobs.lines import line_of
from pruner_engine.model_names import whole
from pruner_engine.protocol import (
    Doctor,
    DoctorReport,
    Export,
    Exported,
    Resume,
    RunFinished,
    Tune,
)
from pruner_engine.store.comparison import compare, refuse_unlike
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.units import duration, latency, percent, ratio

_FAILURE = ("stage", "error", "count", "message", "hint", "log")  # what `--json` tells of a kind of failure
_DIGITS = 18  # of an id, at most


def tune(
    model: str,
    project: str,
    *,
    inputs: tuple[tuple[str, list[int]], ...],
    settings: tuple[tuple[str, Any], ...],
    plugins: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    command = Tune(
        project=absolute(project),
        model=whole(model),
        inputs=dict(inputs),
        settings=dict(settings),
        plugins=list(plugins),
        **options,
    )
    _run(command, as_json)


def resume(project: str, *, plugins: tuple[str, ...], as_json: bool, **options: Any) -> None:
    ProjectReader(project).close()  # a sentence about the file comes before an engine is started
    _run(Resume(project=absolute(project), plugins=list(plugins), **options), as_json)


def _run(command: Tune | Resume, as_json: bool) -> None:
    """Exit code 1 when nothing valid was measured, 3 when the user stopped it."""
    finished = carry_out(command, quiet=as_json)
    assert isinstance(finished, RunFinished)
    if as_json:
        with ProjectReader(command.project) as reader:
            print_json(run_object(reader, finished.run_id))
    else:
        gain = finished.untuned_s / finished.latency_s if finished.untuned_s and finished.latency_s else None
        click.echo(
            f"{finished.state}: {finished.trials} trials, {finished.trials - finished.valid} failed, latency"
            f" {latency(finished.untuned_s)} untuned → {latency(finished.latency_s)} (estimated, {ratio(gain)})"
        )
        if finished.state == "finished":
            click.echo(f"Next: {line_of(Export(project=command.project, out='DIR'))}")
        elif finished.state == "stopped":
            click.echo(f"Go on: {line_of(Resume(project=command.project))}")
    if finished.state == "failed":
        raise UserError(finished.reason, "`pruner status` shows the counts, `pruner doctor` checks the machine.")
    if finished.state == "stopped":
        sys.exit(3)


def run_object(reader: ProjectReader, run_id: int) -> Row:
    """What `--json` tells of a run; docs/terminal.md lists the fields."""
    row = reader.run(run_id)
    keys = (
        "id", "model", "strategy", "seed", "state", "reason", "alive", "interrupted", "device", "target",
        "budget_trials", "budget_s", "trials", "valid", "failed", "elapsed_s", "left_s", "untuned_s", "latency_s",
        "gain", "settings", "versions",
    )  # fmt: skip
    found = {key: row[key] for key in keys}
    found["failures"] = [{k: f[k] for k in _FAILURE} for f in reader.failures(run_id)]
    found["baselines"] = {b["name"]: b["seconds"] for b in reader.baselines(run_id)}
    return found


def status(project: str, *, as_json: bool) -> None:
    with ProjectReader(project) as reader:
        runs = reader.runs()
        if as_json:
            print_json({"project": absolute(project), "runs": [run_object(reader, run["id"]) for run in runs]})
            return
        table = Table(
            "run", "model", "strategy", "state", "trials", "failed", "untuned", "tuned", "gain", "worked", "left"
        )
        for run in runs:
            state = "interrupted" if run["interrupted"] else run["state"]
            budget = f"/{run['budget_trials']}" if run["budget_trials"] else ""
            table.add_row(
                str(run["id"]), run["model"], run["strategy"], state, f"{run['trials']}{budget}", str(run["failed"]),
                latency(run["untuned_s"]), latency(run["latency_s"]), ratio(run["gain"]), duration(run["elapsed_s"]),
                duration(run["left_s"]) if run["alive"] else "",
            )  # fmt: skip
        print_table(table)
        for run in runs:
            if run["reason"]:
                click.echo(f"run {run['id']}: {run['reason']}")
            for failure in reader.failures(run["id"]):
                click.echo(
                    f"run {run['id']}: {failure['count']} failed in {failure['stage']} ({failure['error']}):"
                    f" {failure['message']}"
                )
                click.echo(f"  {failure['hint']}")
            if given_up := sum(bool(task["quarantined"]) for task in reader.tasks(run["id"])):
                looked = f"pruner tasks {shlex.quote(project)} --run {run['id']}"
                click.echo(f"run {run['id']}: {given_up} of its tasks were given up; {looked} says why")
            if run["interrupted"]:
                again = line_of(Resume(project=project, run_id=run["id"]))
                click.echo(f"run {run['id']} was interrupted: {again}")


def tasks(project: str, run_id: int | None, *, as_json: bool) -> None:
    with ProjectReader(project) as reader:
        run = reader.run(run_id)
        rows = reader.tasks(run["id"])
    if as_json:
        print_json({"run": run["id"], "tasks": rows})
        return
    table = Table(
        "id", "task", "operator", "calls", "share", "untuned", "best", "gain", "GFLOP/s", "of roof", "trials", "failed"
    )  # fmt: skip
    for row in sorted(rows, key=lambda r: -(r["share"] or 0.0)):
        table.add_row(
            str(row["id"]), row["name"], row["op"], str(row["weight"]), percent(row["share"]),
            latency(row["untuned_s"]), latency(row["best_s"]), ratio(row["gain"]),
            "–" if row["gflops"] is None else f"{row['gflops']:.1f}", percent(row["roof_share"]), str(row["trials"]),
            str(row["failed"]),
        )  # fmt: skip
    print_table(table)
    for row in rows:
        if row["quarantined"]:
            click.echo(f"{row['name']} is tuned no more: {row['quarantined'].rstrip('.')}.")


def compare_runs(
    project: str, others: Sequence[str], run_id: int | None, goal_of: str | None, *, as_json: bool
) -> None:
    with ExitStack() as open_files:
        paths = dict.fromkeys(str(Path(path).resolve()) for path in (project, *others))
        readers = {path: open_files.enter_context(ProjectReader(path)) for path in paths}
        reader, *more = readers.values()
        chosen = reader.run(run_id)
        for other in more:
            refuse_unlike(other, chosen)
        found = compare(reader, chosen, goal_of, more)
        if as_json:
            runs = [
                {
                    **run_object(readers[run["project"]], run["id"]),
                    **{key: run[key] for key in ("project", "name", "goal_trials", "goal_s", "goal_gain")},
                    "progress": found.progress[run["name"]],
                }
                for run in found.runs
            ]
            base = found.base["name"] if found.base["of"] else found.base["id"]
            print_json({"goal_s": found.goal_s, "goal_of": base, "runs": runs})
            return
    table = Table(
        "run", "strategy", "seed", "trials", "failed", "worked", "latency", "gain", "trials to goal", "time to goal",
        "speed-up",
    )  # fmt: skip
    for run in found.runs:
        table.add_row(
            run["name"], run["strategy"], str(run["seed"]), str(run["trials"]), str(run["failed"]),
            duration(run["elapsed_s"]), latency(run["latency_s"]), ratio(run["gain"]),
            "–" if run["goal_trials"] is None else str(run["goal_trials"]), duration(run["goal_s"]),
            ratio(run["goal_gain"]),
        )  # fmt: skip
    print_table(table)
    click.echo(f"Goal: {latency(found.goal_s)}, where run {found.base['name']} ({found.base['strategy']}) ended.")


def find_task(reader: ProjectReader, text: str, run_id: int | None = None) -> int:
    """Id of a task by id or name: the run's, else the newest run's that has one; runs on two devices share names."""
    is_id = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    found = reader.one(
        "SELECT k.id FROM tasks k LEFT JOIN run_tasks j ON j.task_id = k.id WHERE k.name = ? OR k.id = ?"
        " ORDER BY j.run_id = ? DESC, j.run_id DESC LIMIT 1",
        (text, int(text) if is_id else -1, run_id),
    )
    if found is None:
        raise UserError(f'The project holds no task "{text}".', "`pruner tasks` lists them.")
    return int(found["id"])


def export(project: str, out: str, run_id: int | None, *, all_runs: bool, as_json: bool) -> None:
    ProjectReader(project).close()
    command = Export(project=absolute(project), out=absolute(out), run_id=run_id, all_runs=all_runs)
    answer = carry_out(command, quiet=as_json)
    assert isinstance(answer, Exported)
    if as_json:
        print_json(answer.summary)
        return
    coverage = answer.summary["coverage"]["summary"]
    click.echo(f"written to {answer.out}")
    for state, part in coverage.items():
        click.echo(f"{state}: {part['functions']} functions, {percent(part['share'])} of the time")
    for check in answer.summary["checks"]:
        verb = "agree with" if check["ok"] else "differ from those of"
        error = "" if check["error"] is None else f"largest relative difference {check['error']:.1e}"
        told = ", ".join(filter(None, (error, check["message"])))
        click.echo(f"outputs {verb} {check['against']}: {told}")
    for name, timing in answer.summary["latency"].items():
        told = latency(timing["seconds"]) if timing["seconds"] is not None else timing["note"]
        click.echo(f"{name}: {told} ({timing['threads']} threads)")


def doctor(*, as_json: bool) -> None:
    report = carry_out(Doctor(), quiet=True)
    assert isinstance(report, DoctorReport)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        table = Table("check", "", "found", "what to do")
        for check in report.checks:
            said, style = ("ok", "green") if check.ok else ("failed", "red") if check.needed else ("missing", "yellow")
            table.add_row(check.name, Text(said, style), check.value, check.hint)
        print_table(table)
    if not report.ok:
        sys.exit(1)


def absolute(path: str) -> str:
    """The engine runs elsewhere: paths travel whole."""
    return str(Path(path).absolute())

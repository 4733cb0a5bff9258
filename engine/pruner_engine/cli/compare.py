"""`pruner compare`: runs of one model."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click
from rich.table import Table

from pruner_engine.caches import caches_of
from pruner_engine.cli.objects import run_object
from pruner_engine.cli.options import PathType, WholeType, json_option, project_argument
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.store.figures import comparison
from pruner_engine.store.file.read_only import Row
from pruner_engine.store.reader import ProjectReader
from pruner_engine.units import DASH, duration, latency, ratio


@click.command()
@project_argument
@click.argument("others", nargs=-1, type=PathType(dir_okay=False))
@click.option("--run", "run_id", type=WholeType(), help="Whose model's runs [default: the newest's].")
@click.option("--goal", "goal_of", help="Run whose last latency is the goal [default: the stock search's].")
@json_option
def compare(project: str, others: tuple[str, ...], run_id: int | None, goal_of: str | None, as_json: bool) -> None:
    """Runs of one model in PROJECT, and OTHERS: when was each as good as the stock search at its end?"""
    with ExitStack() as open_files:
        paths = dict.fromkeys(str(Path(path).resolve()) for path in (project, *others))
        readers = {path: open_files.enter_context(ProjectReader(path)) for path in paths}
        reader, *more = readers.values()
        chosen = reader.run(run_id)
        for other in more:
            comparison.refuse_unlike(other, chosen)
        found = comparison.compare(reader, chosen, goal_of, more)
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
            print_json({"goal_s": found.goal_s, "goal_of": base, "caches_differ": found.caches_differ, "runs": runs})
            return
    table = Table(
        "run", "strategy", "seed", "trials", "failed", "worked", "latency", "gain", "trials to goal", "time to goal",
        "speed-up",
    )  # fmt: skip
    for run in found.runs:
        table.add_row(
            run["name"], _strategy(run), str(run["seed"]), str(run["trials"]), str(run["failed"]),
            duration(run["elapsed_s"]), latency(run["latency_s"]), ratio(run["gain"]),
            DASH if run["goal_trials"] is None else str(run["goal_trials"]), duration(run["goal_s"]),
            ratio(run["goal_gain"]),
        )  # fmt: skip
    print_table(table)
    if found.goal_s is not None:  # until then no run has a latency
        end = "is so far" if found.base["alive"] else "ended"
        click.echo(f"Goal: {latency(found.goal_s)}, where run {found.base['name']} ({_strategy(found.base)}) {end}.")
    if found.caches_differ:
        click.echo("Latencies that were measured with other caches do not compare.")


def _strategy(run: Row) -> str:
    caches = caches_of(run)
    return str(run["strategy"]) if caches == "network" else f"{run['strategy']}, {caches} caches"

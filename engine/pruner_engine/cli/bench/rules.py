"""`pruner bench rules`: what each of our schedule rules and graph rewrites brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from pruner_engine.benchmarks.series import WantedRun
from pruner_engine.benchmarks.workloads import Subject, subjects_of
from pruner_engine.cli.arguments import make_folder
from pruner_engine.cli.loading import load_tvm_and_plugins
from pruner_engine.cli.options import (
    PathType,
    WholeType,
    json_option,
    lists_option,
    plugin_option,
    seed_option,
    setting_option,
    target_option,
)
from pruner_engine.cli.output import print_json, print_table, progress_line
from pruner_engine.cli.series import goes_on, refuse_failed, run_all
from pruner_engine.units import counted, latency, ratio


@click.command()
@click.argument("models", nargs=-1)
@lists_option
@click.option("--rule", "names", multiple=True, help="A rule or rewrite to leave out [default: each that takes part].")
@click.option("--trials", type=WholeType(), default=60, show_default=True, help="Budget of each run.")
@seed_option
@click.option("--rounds", type=WholeType(), default=5, show_default=True, help="Turns of every library.")
@target_option
@setting_option
@plugin_option
@click.option(
    "--out",
    required=True,
    type=PathType(file_okay=False, path_type=Path),
    help="Folder for the project files, one for each rule left out.",
)
@json_option
@goes_on()
def rules(
    models: tuple[str, ...], lists: tuple[Path, ...], rounds: int, out: Path, as_json: bool, **options: Any
) -> None:
    """Tune MODELS with all rules of ours, and without each in turn, and time the libraries side by side.

    Called again it skips what is finished and resumes what is not.
    """
    subjects = subjects_of(models, lists)
    make_folder(out)
    found: list[dict[str, Any]] = []
    failed: list[str] = []
    for subject in subjects:
        wanted = _plan(subject, out, quiet=as_json, **options)
        wrong = run_all(list(wanted.values()), quiet=as_json)
        failed += wrong
        if not wrong:
            runs = {name: (run.project, row["id"]) for name, run in wanted.items() if (row := run.find())}
            told = _time(runs, rounds, quiet=as_json)
            idle = [name for name in options["names"] if name not in wanted]
            found.append({**told, "trials": options["trials"], "seed": options["seed"], "take_no_part": idle})
            if not as_json:
                if found[1:]:
                    click.echo()
                _print(found[-1])
    if as_json:
        print_json({"models": found, "errors": failed})
    refuse_failed(failed)


def _plan(
    subject: Subject,
    out: Path,
    *,
    names: tuple[str, ...],
    target: str,
    trials: int,
    seed: int,
    settings: tuple[tuple[str, Any], ...],
    plugins: tuple[str, ...],
    quiet: bool,
) -> dict[str, WantedRun]:
    """The runs of a model, by what they leave out."""
    with progress_line(quiet=quiet) as tell:
        load_tvm_and_plugins(plugins)
        from pruner_engine.benchmarks.ablation import ablation_runs, taking_part
        from pruner_engine.targets.target import resolve_target, target_json

        text = target_json(resolve_target(target))
        tell(f"which rules take part in {subject.model}")
        part = taking_part(subject, text, names, dict(settings).get("without_rules", ()))
    return ablation_runs(
        out, subject, part, target=text, trials=trials, seed=seed, settings=dict(settings), plugins=plugins
    )


def _time(runs: dict[str, tuple[Path, int]], rounds: int, *, quiet: bool) -> dict[str, Any]:
    from pruner_engine.benchmarks.ablation import time_without

    with progress_line(quiet=quiet) as tell:
        return time_without(runs, rounds, tell)


def _print(model: dict[str, Any]) -> None:
    click.echo(f"{model['model']}, {counted(model['trials'], 'trial')} each, {counted(model['threads'], 'thread')}")
    table = Table("left out", "median", "best", "of the whole")
    for name, row in model["variants"].items():
        table.add_row(name, latency(row["median_s"]), latency(row["best_s"]), ratio(row["ratio"]))
    print_table(table)
    if model["take_no_part"]:
        click.echo(f"take no part: {', '.join(model['take_no_part'])}")

"""`pruner bench search`: strategies on the same models with the same budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.table import Table

from pruner_engine.benchmarks.adaptation import MODELS
from pruner_engine.benchmarks.curve import PARTS
from pruner_engine.benchmarks.search import comparison_runs, variants_of
from pruner_engine.benchmarks.series import WantedRun
from pruner_engine.benchmarks.summary import Json, foretold_labels, marks_of, summarise
from pruner_engine.benchmarks.workloads import subjects_of
from pruner_engine.cli.arguments import make_folder
from pruner_engine.cli.loading import load_tvm_and_plugins
from pruner_engine.cli.options import (
    NumbersType,
    OutputFile,
    PathType,
    WholeType,
    json_option,
    lists_option,
    plugin_option,
    setting_option,
    target_option,
)
from pruner_engine.cli.output import print_json, print_table, progress_line
from pruner_engine.cli.series import goes_on, refuse_failed, run_all
from pruner_engine.errors import UserError
from pruner_engine.replacing import PAGE
from pruner_engine.units import latency, percent, ratio

_AGAINST_NOTHING = "No run of {baseline}: the others are held against nothing."


@click.command()
@click.argument("models", nargs=-1)
@lists_option
@click.option(
    "--strategies",
    default="pruner,metaschedule",
    show_default=True,
    help='Separated by commas; settings of one behind it: pruner:draft_set=512:without_rules=["rows"].',
)
@click.option(
    "--seeds", type=NumbersType(), default="0,1,2", show_default=True, help="Seeds of the runs of each strategy."
)
@click.option("--trials", type=WholeType(), default=512, show_default=True, help="Budget of each run.")
@click.option(
    "--baseline", default="metaschedule", show_default=True, help="Strategy that the others are held against."
)
@target_option
@setting_option
@plugin_option
@click.option(
    "--out",
    required=True,
    type=PathType(file_okay=False, path_type=Path),
    help="Folder for the project files, one per workload.",
)
@click.option(
    "--again",
    type=WholeType(0),
    default=5,
    show_default=True,
    help="Turns in which the best candidates of all runs are timed once more, side by side.",
)
@click.option("--html", type=OutputFile(PAGE), help="Write a report with curves.")
@click.option("--no-run", is_flag=True, help="Sum up what the folder holds; run nothing.")
@json_option
@goes_on()
def search(
    models: tuple[str, ...],
    lists: tuple[Path, ...],
    out: Path,
    again: int,
    html: Path | None,
    baseline: str,
    no_run: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run strategies on MODELS with the same budget and tell how soon each is as good as the baseline.

    Called again it skips what is finished and resumes what is not.
    """
    wanted = [] if no_run else _plan(models, lists, out, quiet=as_json, **options)
    if wanted:
        _look_for(baseline, wanted, out, quiet=as_json)
    failed = run_all(wanted, quiet=as_json)
    if again and wanted:
        _time_again(sorted({run.project for run in wanted}), again, wanted[0].plugins, quiet=as_json)
    summary = summarise(out, baseline)
    if baseline not in summary["strategies"] and not as_json:
        click.echo(_AGAINST_NOTHING.format(baseline=baseline), err=True)
    if html is not None:
        from pruner_engine.reports.comparison import write_comparison

        write_comparison(out, summary, html)
    if as_json:
        print_json(summary | {"errors": failed})
    else:
        _print_summary(summary)
    refuse_failed(failed)


def _look_for(baseline: str, wanted: list[WantedRun], folder: Path, *, quiet: bool) -> None:
    """Say before anything is measured that nothing will be held against the baseline.

    Raises:
        UserError: the baseline that was asked for is none.
    """
    labels = foretold_labels(wanted, folder, baseline)
    if baseline in labels:
        return
    if click.get_current_context().get_parameter_source("baseline") is not ParameterSource.DEFAULT:
        raise UserError(
            f"{baseline} is no strategy of this comparison.", f"--baseline takes one of {', '.join(labels)}."
        )
    if not quiet:
        click.echo(_AGAINST_NOTHING.format(baseline=baseline), err=True)


def _plan(
    models: tuple[str, ...],
    lists: tuple[Path, ...],
    out: Path,
    *,
    strategies: str,
    seeds: list[int],
    trials: int,
    target: str,
    settings: tuple[tuple[str, Any], ...],
    plugins: tuple[str, ...],
    quiet: bool,
) -> list[WantedRun]:
    subjects = subjects_of(models, lists)
    variants = variants_of(strategies)
    with progress_line(quiet=quiet):
        load_tvm_and_plugins(plugins)
    from pruner_engine.jobs.runs.checks import check_strategy
    from pruner_engine.targets.target import resolve_target, target_json

    for variant in variants:
        check_strategy(variant.strategy)
    text = target_json(resolve_target(target))
    make_folder(out)
    return comparison_runs(
        out, subjects, variants, seeds, target=text, trials=trials, settings=dict(settings), plugins=plugins
    )


def _time_again(projects: list[Path], turns: int, plugins: Sequence[str], *, quiet: bool) -> None:
    with progress_line(quiet=quiet) as tell:
        load_tvm_and_plugins(plugins)  # a schedule of a plugin's rule may need what that registers, as an intrinsic
        from pruner_engine.benchmarks.remeasure import time_again

        for project in projects:
            if project.is_file():
                time_again(project, turns, tell)


def _print_summary(summary: Json) -> None:
    click.echo(f"held against {summary['baseline']} of the same seed, on {summary['device']}")
    for workload in summary["workloads"]:
        click.echo(f"\n{workload['name']} (untuned {latency(workload['untuned_s'])})")
        print_table(_table(workload["strategies"]))
    click.echo("\nall workloads (geometric mean)")
    print_table(_table(summary["overall"]))
    for name, curve in summary["adaptation"].items():
        click.echo(f"\n{name}: share of the pairs of newly measured candidates in order, before learning from them")
        print_table(_adaptation_table(curve))


def _adaptation_table(curve: list[Json]) -> Table:
    table = Table("adaptation", *MODELS, "runs")
    for row in curve:
        table.add_row(str(row["adaptation"]), *(percent(row.get(model)) for model in MODELS), str(row["runs"]))
    return table


def _table(strategies: dict[str, Json]) -> Table:
    marks = marks_of(strategies)
    table = Table("strategy", "as good", "sooner", "of its trials", "final", *(f"at {mark}" for mark in marks), *PARTS)
    for name, found in strategies.items():
        # a run that did not get there would have taken longer: its figures are bounds
        bound = "" if found["reached"] == found["compared"] else "<"
        sooner = None if not found["time_ratio"] else 1 / found["time_ratio"]
        table.add_row(
            name,
            f"{found['reached']} of {found['compared']}",
            bound + ratio(sooner),
            (">" if bound else "") + percent(found["trials_ratio"]),
            ratio(found["final"]),
            *(ratio(found["at"].get(mark)) for mark in marks),
            *(percent(found["share"].get(part)) for part in PARTS),
        )
    return table

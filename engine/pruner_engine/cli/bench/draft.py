"""`pruner bench draft`: speed, coverage and quality of the draft."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.table import Table

from pruner_engine.cli.options import OutputFile, WholeType, json_option, operators_option
from pruner_engine.cli.output import print_json, print_table, progress_line
from pruner_engine.units import latency, percent


@click.command()
@click.option("--quality", is_flag=True, help="Measure random candidates and hold the draft's order against them.")
@operators_option
@click.option("--candidates", type=WholeType(32), default=512, show_default=True, help="Measured with --quality.")
@click.option("--target", default="auto", show_default=True, help="With --quality its device must be at hand.")
@click.option("--seed", type=WholeType(0), default=0, show_default=True, help="Of what --quality measures.")
@click.option("--keep", type=OutputFile(), help="Keep what --quality measures here, and measure only what is new.")
@json_option
def draft(
    quality: bool,
    operators: tuple[str, ...],
    candidates: int,
    target: str,
    seed: int,
    keep: Path | None,
    as_json: bool,
) -> None:
    """How many candidates the draft scores a second, how many sketches it reads, how well it orders them."""
    if not quality:
        _refuse_of_quality("--candidates", "--seed", "--keep")
    with progress_line(quiet=as_json) as tell:
        from pruner_engine.tvm_import import import_tvm

        import_tvm()
        from pruner_engine.benchmarks.draft_quality import bench_quality
        from pruner_engine.benchmarks.draft_rate import bench_draft
        from pruner_engine.benchmarks.networks import OPERATORS

        chosen = operators or OPERATORS
        if quality:
            found = bench_quality(chosen, candidates, seed, target=target, kept=keep, on_progress=tell)
        else:
            found = bench_draft(target, chosen, on_progress=tell)
    if as_json:
        print_json(found)
    elif quality:
        _print_quality(found)
    else:
        _print_rates(found)


def _refuse_of_quality(*names: str) -> None:
    """Raises UsageError: one of these options was given, which say how the draft's order is measured."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name.removeprefix("--")) is not ParameterSource.DEFAULT:
            raise click.UsageError(f"{name} says how the draft's order is measured: give --quality, too.")


def _print_rates(found: dict[str, Any]) -> None:
    table = Table("operator", "sketches", "scored a second", "in two processes", "MetaSchedule explores")
    for row in found["operators"]:
        rates = (row[name] for name in ("rows_per_second", "rows_per_second_two", "metaschedule_rows_per_second"))
        table.add_row(row["workload"], str(row["sketches"]), *("" if r is None else f"{r:,.0f}" for r in rates))
    print_table(table)
    click.echo()
    table = Table("network", "kernels", "sketches", "in closed form")
    for row in found["networks"]:
        table.add_row(row["name"], str(row["tasks"]), str(row["sketches"]), str(row["compiled"]))
    print_table(table)


def _print_quality(found: dict[str, Any]) -> None:
    table = Table(
        "operator",
        "measured",
        "best",
        "rank",
        "place of best",
        "first 16",
        "16 at random",
        "half",
        "calibrated",
        "model",
    )
    for row in [*found["operators"], {"workload": "mean", **found["mean"]}]:
        table.add_row(
            row["workload"],
            str(row.get("measured", "")),
            latency(row["best_s"]) if "measured" in row else "",
            f"{row['rank_correlation']:.2f}",
            str(row.get("best_at", "")),
            f"+{percent(row['head_gap'])}",
            f"+{percent(row['chance_gap'])}",
            *(
                f"{row[n]:.2f}"
                for n in ("half_rank_correlation", "calibrated_rank_correlation", "model_rank_correlation")
            ),
        )
    print_table(table)
    click.echo()
    print_table(_ablations(found))
    click.echo(
        "rank: correlation of the draft's order with measured speed; first 16: by how much the best of its first"
        " 16 is slower than the best of all; half, calibrated, model: rank on the half that nobody learned from"
    )


def _ablations(found: dict[str, Any]) -> Table:
    table = Table("draft without", "rank", "first 16")
    for row in [{"without": "", **found["mean"]}, *found["ablations"]]:
        table.add_row(row["without"] or "(all of it)", f"{row['rank_correlation']:.2f}", f"+{percent(row['head_gap'])}")
    return table

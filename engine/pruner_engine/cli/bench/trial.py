"""`pruner bench trial`: what measuring a candidate costs."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from pruner_engine.benchmarks.workloads import subjects_of
from pruner_engine.cli.options import WholeType, json_option, lists_option, seed_option
from pruner_engine.cli.output import print_json, print_table, progress_line
from pruner_engine.units import DASH, latency, percent


@click.command()
@click.argument("models", nargs=-1)
@lists_option
@click.option("--candidates", type=WholeType(4), default=64, show_default=True, help="Of each model.")
@click.option("--target", default="auto", show_default=True, help="A CPU.")
@seed_option
@json_option
def trial(
    models: tuple[str, ...], lists: tuple[Path, ...], candidates: int, target: str, seed: int, as_json: bool
) -> None:
    """Measure random candidates of MODELS with our builder and runner and with MetaSchedule's own."""
    subjects = subjects_of(models, lists)
    with progress_line(quiet=as_json) as tell:
        from pruner_engine.tvm_import import import_tvm

        import_tvm()
        from pruner_engine.benchmarks.trial import bench_trial

        found = bench_trial(subjects, target, count=candidates, seed=seed, on_phase=tell)
    if as_json:
        print_json(found)
        return
    costs = ("ours a trial", "build", "run", "stock a trial", "build", "run")
    table = Table("model", "valid", *costs, "ratio", "rank", "stock's own")
    for row in found["workloads"]:
        cells = []
        for cost in (row["ours"], row["stock"]):
            cells += [latency(cost["seconds_per_trial"]), latency(cost["build_s"]), latency(cost["run_s"])]
        ranks = (row["rank_correlation_better_half"], row["rank_correlation_stock"])
        table.add_row(
            row["model"],
            f"{row['ours']['valid']}/{row['stock']['valid']} of {row['candidates']}",
            *cells,
            percent(row["ratio"]),
            *(DASH if rank is None else f"{rank:.3f}" for rank in ranks),
        )
    print_table(table)
    click.echo(f"ours over stock: {percent(found['ratio'])}; rank: correlation of latencies in stock's better half")
    click.echo("stock's own: the same of two measurements by stock")

"""`pruner bench compile`: do drafted candidates compile for a device, at hand or not?"""

from __future__ import annotations

import click
from rich.table import Table

from pruner_engine.cli.options import WholeType, json_option, operators_option, seed_option
from pruner_engine.cli.output import print_json, print_table, progress_line
from pruner_engine.units import latency, percent


@click.command("compile")
@click.option("--target", required=True, help="A GPU or CPU, at hand or not: h100, nvidia/nvidia-a100, zen4.")
@operators_option
@click.option("--candidates", type=WholeType(), default=8, show_default=True, help="Built of each operator.")
@seed_option
@json_option
def compile_(target: str, operators: tuple[str, ...], candidates: int, seed: int, as_json: bool) -> None:
    """What share of the candidates that the draft chooses for a device TVM accepts and compiles; runs none of them."""
    with progress_line(quiet=as_json) as tell:
        from pruner_engine.tvm_import import import_tvm

        import_tvm()
        from pruner_engine.benchmarks.compiling import GPU_OPERATORS, bench_compile

        found = bench_compile(target, operators or GPU_OPERATORS, candidates, seed, on_progress=tell)
    if as_json:
        print_json(found)
        return
    table = Table("operator", "sketches", "Tensor Cores", "drafted", "accepted", "built", "compiled", "a build")
    for row in found["operators"]:
        counts = [str(row[name]) for name in ("sketches", "tensor_core", "drafted", "applied", "built", "compiled")]
        table.add_row(row["workload"], *counts, latency(row["build_s"]))
    print_table(table)
    click.echo(
        f"accepted {percent(found['applied'])} of the drafted, compiled {percent(found['compiled'])} of the built"
    )
    for row in found["operators"]:
        for text in row["failures"]:
            click.echo(f"{row['workload']}: {text}")

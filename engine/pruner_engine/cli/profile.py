"""`pruner profile`: what a device of this machine can do."""

from __future__ import annotations

import click
import msgspec
from rich.table import Table

from pruner_engine.cli.options import json_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.cli.progress import carry_out
from pruner_engine.protocol import Profile, Profiled
from pruner_engine.units import DASH, latency, moment, rate, size


@click.command()
@click.option("--target", default="auto", show_default=True, help="A device of this machine: auto, or cuda.")
@click.option("--kept", is_flag=True, help="Tell what is known of the device, and measure nothing.")
@json_option
def profile(target: str, kept: bool, as_json: bool) -> None:
    """Measure a device of this machine now, and keep its profile for the draft model of later runs.

    It takes some seconds; while other programs work, the better of each figure is kept.
    """
    answer = carry_out(Profile(target=target, measure=not kept), quiet=as_json)
    assert isinstance(answer, Profiled)
    if as_json:
        print_json(
            {name: value for name, value in msgspec.to_builtins(answer).items() if name not in ("type", "request")}
        )
        return
    facts = answer.profile
    table = Table("figure", "all cores", "one core")
    table.add_row("peak", rate(facts["peak_flops"], "FLOP"), rate(facts["peak_flops_core"], "FLOP"))
    if facts["matrix_flops"]:
        table.add_row("peak of the matrix units", rate(facts["matrix_flops"], "FLOP"), DASH)
    for cache in facts["caches"]:
        name = f"L{cache['level']} cache, {size(cache['bytes'])}"
        table.add_row(name, rate(cache["bandwidth"], "B"), rate(cache["bandwidth_core"], "B"))
    table.add_row("memory", rate(facts["dram_bandwidth"], "B"), rate(facts["dram_bandwidth_core"], "B"))
    table.add_row("start of all threads", latency(facts["parallel_overhead_s"]), DASH)
    print_table(table)
    click.echo(f"{facts['name']}, {_origin(answer)}")


def _origin(answer: Profiled) -> str:
    """Where the figures come from, and when."""
    source = answer.profile["source"]
    if source != "measured":
        return {"estimated": "estimated", "preset": "from a data sheet"}[source]
    when = f"measured {moment(answer.measured_at)}" if answer.measured_at else "measured"
    return when if answer.quiet else f"{when}, while other programs worked"

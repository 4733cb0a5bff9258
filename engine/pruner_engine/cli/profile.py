"""`pruner profile`: what a device of this machine can do."""

from __future__ import annotations

import click
import msgspec
from rich.table import Table

from pruner_engine.cli.arguments import opened
from pruner_engine.cli.options import PathType, json_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.cli.progress import carry_out
from pruner_engine.protocol import Profile, Profiled
from pruner_engine.store.queries.lookups import targets
from pruner_engine.store.reader import Row
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.units import DASH, latency, moment, rate, ratio, size


@click.command()
@click.option("--target", default="auto", show_default=True, help="A device of this machine: auto, or cuda.")
@click.option("--kept", is_flag=True, help="Tell what is known of the device, and measure nothing.")
@click.option("--of", "project", type=PathType(dir_okay=False), help="A project: tell of the devices it was tuned on.")
@json_option
def profile(target: str, kept: bool, project: str | None, as_json: bool) -> None:
    """Measure a device of this machine now, and keep its profile for the draft model of later runs.

    It takes some seconds; while other programs work, the better of each figure is kept.
    """
    if project is not None:
        _tell_kept(project, as_json=as_json)
        return
    answer = carry_out(Profile(target=target, measure=not kept), Profiled, quiet=as_json)
    if as_json:
        print_json(
            {name: value for name, value in msgspec.to_builtins(answer).items() if name not in ("type", "request")}
        )
        return
    print_table(_figures(DeviceProfile.from_json(answer.profile)))
    click.echo(f"{answer.profile['name']}, {_origin(answer)}")


def _tell_kept(project: str, *, as_json: bool) -> None:
    """The devices of a project: as they were measured, and how the draft was calibrated on each."""
    with opened(project) as reader:
        found = targets(reader)
        told = [_device(row) for row in found]
    if as_json:
        print_json({"devices": found})
        return
    for number, (table, words) in enumerate(told):
        if number:
            click.echo()
        if table is not None:
            print_table(table)
        click.echo(words)


def _device(row: Row) -> tuple[Table | None, str]:
    """The figures of a device of a project, None where it has none, and a line or two about it."""
    name = f"{row['device']}, {row['fingerprint']}"
    if not row["profile"]:
        return None, f"{name}: it has not been profiled"
    profile = DeviceProfile.from_json(row["profile"])
    factors = ", ".join(f"{name} {ratio(factor)}" for name, factor in profile.calibration.items())
    return _figures(profile), f"{name}\nCalibration of the draft: {factors or 'none needed'}"


def _figures(profile: DeviceProfile) -> Table:
    table = Table("figure", "all cores", "one core")
    table.add_row("peak", rate(profile.peak_flops, "FLOP"), rate(profile.peak_flops_core, "FLOP"))
    if profile.matrix_flops:
        table.add_row("peak of the matrix units", rate(profile.matrix_flops, "FLOP"), DASH)
    for cache in profile.caches:
        name = f"L{cache.level} cache, {size(cache.bytes)}"
        table.add_row(name, rate(cache.bandwidth, "B"), rate(cache.bandwidth_core, "B"))
    table.add_row("memory", rate(profile.dram_bandwidth, "B"), rate(profile.dram_bandwidth_core, "B"))
    table.add_row("start of all threads", latency(profile.parallel_overhead_s), DASH)
    return table


def _origin(answer: Profiled) -> str:
    """Where the figures come from, and when."""
    source = answer.profile["source"]
    if source != "measured":
        return {"estimated": "estimated", "preset": "from a data sheet"}[source]
    when = f"measured {moment(answer.measured_at)}" if answer.measured_at else "measured"
    return when if answer.quiet else f"{when}, while other programs worked"

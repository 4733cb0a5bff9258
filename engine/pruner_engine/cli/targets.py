"""`pruner targets`: what `--target` takes by name."""

from __future__ import annotations

import click
from rich.table import Table

from pruner_engine.cli.options import json_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.targets import named_targets
from pruner_engine.units import DASH, rate

_UNITS = {"cpu": "cores", "cuda": "multiprocessors"}


@click.command()
@json_option
def targets(as_json: bool) -> None:
    """List the devices that --target takes by name: those of this machine, and the presets.

    Peak and bandwidth are those of a preset's data sheet; `pruner profile` tells those of a device that is here.
    """
    found = named_targets()
    if as_json:
        print_json({"targets": found})
        return
    table = Table("target", "device", "size", "peak", "memory", "where")
    for target in found:
        where = f"here, with {target.needs}" if target.needs else "here" if target.here else "preset"
        given = target.figures
        figures = (rate(given.peak_flops, "FLOP"), rate(given.dram_bandwidth, "B")) if given else (DASH, DASH)
        table.add_row(target.name, target.device, f"{target.cores} {_UNITS[target.kind]}", *figures, where)
    print_table(table)

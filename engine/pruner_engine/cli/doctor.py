"""`pruner doctor`: would a tuning work here?"""

from __future__ import annotations

import sys

import click
import msgspec
from rich.table import Table
from rich.text import Text

from pruner_engine.cli.options import json_option
from pruner_engine.cli.output import print_json, print_table
from pruner_engine.cli.progress import carry_out
from pruner_engine.protocol import Doctor, DoctorReport


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Check that a tuning would work here; every failure says what to do."""
    report = carry_out(Doctor(), DoctorReport, quiet=True)
    if as_json:
        print_json(msgspec.to_builtins(report))
    else:
        table = Table("check", "", "found", "what to do")
        for check in report.checks:
            said, style = ("ok", "green") if check.ok else ("failed", "red") if check.needed else ("missing", "yellow")
            table.add_row(check.name, Text(said, style), check.value, check.hint)
        print_table(table)
    if not report.ok:
        sys.exit(1)

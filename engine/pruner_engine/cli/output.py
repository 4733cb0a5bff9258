"""Tables and JSON on standard output."""

from __future__ import annotations

from typing import Any

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table


def print_table(table: Table) -> None:
    """As wide as the terminal; whole when it goes to a file or a pipe."""
    table.box = box.SIMPLE_HEAD
    console = Console()
    (console if console.is_terminal else Console(width=200)).print(table)


def print_json(value: Any) -> None:
    """One object, indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())

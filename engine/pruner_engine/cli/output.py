"""Tables, JSON and progress on the terminal."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WHOLE = 10_000  # columns: nobody reads over the edge of a file


def take_all() -> None:
    """Let the standard streams take whatever is said: a closed one nowhere, as ? what an encoding does not have."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of the numbers that are free
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  lives as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def console(*, err: bool = False, quiet: bool = False, width: int | None = None) -> Console:
    """Prints words as they are: names and texts of libraries may have brackets, which rich would take for styles."""
    return Console(stderr=err, quiet=quiet, width=width, markup=False, highlight=False)


@contextmanager
def progress_line(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done; yields what changes it."""
    with console(err=True, quiet=quiet).status("start") as status:
        yield lambda text: status.update(Text(text))


def print_table(table: Table) -> None:
    """As wide as the terminal; whole when it goes to a file or a pipe."""
    table.box = box.SIMPLE_HEAD
    out = console()
    (out if out.is_terminal else console(width=_WHOLE)).print(table)


def print_json(value: Any) -> None:
    """One object, indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())

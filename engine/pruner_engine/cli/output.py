"""Tables, JSON and progress on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WHOLE = 10_000  # columns: nobody reads over the edge of a file


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

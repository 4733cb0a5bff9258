"""Tables, JSON and progress on the terminal."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TextIO

import click
import msgspec
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

_WHOLE = 10_000  # columns: nobody reads over the edge of a file
_UNBROKEN = 16  # of them: a number with its unit has no more
# What a terminal takes for orders, but for those of colours and of a line that changes: a project's texts may come from
# anybody, and could otherwise fill the clipboard or have the terminal type
_ORDERS = re.compile(r"\x1b(?!\[(?:[0-9;]*[mKA]|\?25[hl]))|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


class _Patient(io.FileIO):
    """Writes to a standard stream; drops what certain errors keep from being written, and all after another error."""

    def __init__(self, stream: TextIO, dropped: type[OSError]) -> None:
        super().__init__(stream.fileno(), "w", closefd=False)
        self._stream = stream  # it would close the file with itself
        self._dropped = dropped

    def write(self, data: Any, /) -> int:
        try:
            if (written := super().write(data)) is None:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            return written
        except OSError as error:
            dropped, self._dropped = self._dropped, OSError  # nor is it told again when the process ends
            if not isinstance(error, dropped):
                raise
        return memoryview(data).nbytes


class _Plain(io.TextIOWrapper):
    """Shows what a terminal would take for an order as a character of no meaning."""

    def write(self, text: str, /) -> int:
        super().write(_ORDERS.sub("\ufffd", text))
        return len(text)


def take_all() -> None:
    """Let the standard streams take whatever is said: a closed one nowhere, as ? what an encoding does not have.

    Nobody need read what is said: results are dropped where their reader is gone, progress whatever keeps it from being
    told. A full disk still ends what writes results there.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of the numbers that are free
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115  lives as long as the process
    sys.stdout = _patient(sys.stdout, OSError if sys.stdout.isatty() else BrokenPipeError, "replace")
    sys.stderr = _patient(sys.stderr, OSError, "backslashreplace")


def _patient(stream: TextIO, dropped: type[OSError], errors: str) -> TextIO:
    """`stream`, patient with some errors if it is one of the system's."""
    buffer = getattr(stream, "buffer", None)
    if not isinstance(getattr(buffer, "raw", buffer), io.FileIO):
        return stream
    return _Plain(io.BufferedWriter(_Patient(stream, dropped)), stream.encoding, errors, line_buffering=True)


def console(*, err: bool = False, quiet: bool = False, width: int | None = None) -> Console:
    """Prints words as they are: names and texts of libraries may have brackets, which rich would take for styles."""
    return Console(stderr=err, quiet=quiet, width=width, markup=False, highlight=False)


@contextmanager
def progress_line(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is being done; yields what changes it. Where it is quiet, all is."""
    with (
        console(err=True, quiet=quiet).status("start") as status,
        _nothing_said() if quiet else nullcontext(),
        _no_results(),
    ):
        yield lambda text: status.update(Text(text))


@contextmanager
def _nothing_said() -> Iterator[None]:
    """Drop what native code says of itself, such as TVM's warnings."""
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@contextmanager
def _no_results() -> Iterator[None]:
    """Let what a plugin or native code prints go to standard error, or nowhere with that: it is no result."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def print_table(table: Table) -> None:
    """As wide as the terminal, columns that do not fit below the others; whole when it goes to a file or a pipe.

    It begins with its heads and ends with its last row: what follows another table leaves a line empty.
    """
    out = console() if console().is_terminal else console(width=_WHOLE)
    for number, part in enumerate(_parts(table, out.width - 1)):
        if number:
            out.print()
        out.print(part)


def _parts(table: Table, width: int) -> Iterator[Table]:
    """The columns in tables of at most `width`, the first column in each of them."""
    first, *others = table.columns
    chosen, left = [first], width - _needed(first)
    for column in others:
        if _needed(column) > left and len(chosen) > 1:
            yield _table_of(chosen)
            chosen, left = [first], width - _needed(first)
        chosen.append(column)
        left -= _needed(column)
    yield _table_of(chosen)


def _table_of(columns: Sequence[Column]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column.header, no_wrap=_widest(column) <= _UNBROKEN, overflow="fold")
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*cells)
    return table


def _widest(column: Column) -> int:
    return max(cell_len(str(text)) for text in (column.header, *column.cells))


def _needed(column: Column) -> int:
    """Of the terminal's width, with what parts it from the next column: texts of words may be broken."""
    words = any(" " in str(text) for text in column.cells)
    return min(_widest(column), _UNBROKEN if words else _WHOLE) + 3


def print_json(value: Any) -> None:
    """One object, indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())

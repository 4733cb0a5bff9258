"""Waiting for pipes, whatever their numbers: `select.select` takes none above 1023, which a large program has."""

from __future__ import annotations

import selectors
from typing import IO, Any

File = int | IO[Any]


def is_readable(file: File, timeout_s: float) -> bool:
    """Whether there is something to read, or the end, within a time."""
    return _ready({file: selectors.EVENT_READ}, timeout_s)[0]


def readable_or_writable(read: File, write: File, timeout_s: float) -> tuple[bool, bool]:
    """Which of two pipes can be read, or written to; neither after `timeout_s`."""
    can_be_read, can_be_written = _ready({read: selectors.EVENT_READ, write: selectors.EVENT_WRITE}, timeout_s)
    return can_be_read, can_be_written


def _ready(wanted: dict[File, int], timeout_s: float) -> list[bool]:
    with selectors.PollSelector() as selector:  # it needs no descriptor of its own
        for file, event in wanted.items():
            selector.register(file, event)
        found = {key.fileobj for key, _ in selector.select(timeout_s)}
    return [file in found for file in wanted]

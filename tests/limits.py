"""Limits of this process for a while, as a busy or full system sets them."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _limited(kind: int, limit: int) -> Iterator[None]:
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, before)


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """As on a disk on which there is no more room than that: bytes of a file."""
    with _limited(resource.RLIMIT_FSIZE, size):
        yield


@contextmanager
def no_free_files() -> Iterator[None]:
    """This process has as many files open as it may."""
    os.close(lowest := os.dup(0))
    with _limited(resource.RLIMIT_NOFILE, lowest):
        yield

"""Whether the file at a path is still the same one: a file that is removed and made anew, or replaced, is another."""

from __future__ import annotations

from pathlib import Path


def identity(path: str | Path) -> tuple[int, int] | None:
    """Device and inode of the file at a path; None where there is none that can be looked at."""
    try:
        return identity_for_certain(path)
    except OSError:
        return None


def identity_for_certain(path: str | Path) -> tuple[int, int] | None:
    """The same; None only where there is no file.

    Raises:
        OSError: it cannot be told: the disk does not answer, say.
    """
    try:
        found = Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino

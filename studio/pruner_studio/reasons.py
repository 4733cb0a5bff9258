"""Why the system refuses something, in the user's language: it says so itself in English, whatever language is set."""

from __future__ import annotations

from pruner_studio.said import said
from pruner_studio.translation import tr

# What `os.strerror` and SQLite say; in sentences of engines they are found by their texts
KNOWN = (
    tr("Permission denied"), tr("Operation not permitted"), tr("Read-only file system"),
    tr("No space left on device"), tr("Disk quota exceeded"), tr("File too large"),
    tr("No such file or directory"), tr("File exists"), tr("Not a directory"), tr("Is a directory"),
    tr("Directory not empty"), tr("File name too long"), tr("Invalid argument"),
    tr("Too many levels of symbolic links"), tr("Too many open files"), tr("Too many open files in system"),
    tr("Cannot allocate memory"), tr("Resource temporarily unavailable"),
    tr("Input/output error"), tr("No such device or address"), tr("Stale file handle"), tr("Text file busy"),
    tr("Device or resource busy"), tr("Broken pipe"),
    tr("Connection refused"), tr("Connection reset by peer"), tr("Connection timed out"),
    tr("Network is unreachable"), tr("No route to host"),
    tr("database or disk is full"), tr("disk I/O error"), tr("unable to open database file"),
    tr("attempt to write a readonly database"),
)  # fmt: skip


def reason_of(error: Exception) -> str:
    """What the system says about an error."""
    return said(getattr(error, "strerror", None) or str(error))

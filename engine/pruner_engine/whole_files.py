"""Files of the user's that are read as a whole."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def read_whole(path: Path) -> bytes:
    """The bytes of a file; a pipe or a device is refused, from which they might never come.

    Raises:
        OSError: it cannot be read.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # of a folder the system says so
        raise OSError(errno.EINVAL, "it is no file", str(path))
    return path.read_bytes()

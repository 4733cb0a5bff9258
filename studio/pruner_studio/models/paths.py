"""What lies at a path: of a disk or share that does not answer, or a folder that may not be read, a no.

The same questions of `Path` raise there.
"""

from __future__ import annotations

import os
from pathlib import Path

from pruner_studio.translation import tr


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is there."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is there."""
    return os.path.isdir(path)  # noqa: PTH112


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether anything is there."""
    return os.path.exists(path)  # noqa: PTH110


def is_hidden(path: str | os.PathLike[str]) -> bool:
    """Whether the system refuses to tell what is there: it lies in a folder that this user may not look into."""
    try:
        os.stat(path)  # noqa: PTH116
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def unusable(folder: str) -> str:
    """Why no files can be kept in a folder that is there or is to be made; empty where they can."""
    if not Path(folder).is_absolute():
        return tr("Name the whole path of the folder, which begins with {root}.").format(root=os.sep)
    above = next(path for path in (Path(folder), *Path(folder).parents) if exists(path) or path == path.parent)
    if not is_folder(above):
        return tr("{path} is no folder.").format(path=above)
    if not os.access(above, os.W_OK | os.X_OK):
        return tr("{path} cannot be written.").format(path=above)
    return ""
